package main

import (
	"fmt"
	"os"
	"strings"
)

// The generated part of a document stands between these lines; the rest is
// whoever's wrote it.
const (
	begin = "<!-- bench: what follows is written by `make bench` -->"
	end   = "<!-- bench: end -->"
)

// emptyDocument is where a report goes if there is no document yet.
const emptyDocument = "# Benchmarks\n\n" + begin + "\n" + end + "\n"

// writeDocument puts a report into a document, in place of the one before.
func writeDocument(path, report string) error {
	old, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		old, err = []byte(emptyDocument), nil
	}
	if err != nil {
		return err
	}
	document, err := replacePart(string(old), report)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(document), 0o644)
}

func replacePart(document, report string) (string, error) {
	before, rest, found := strings.Cut(document, begin)
	if !found {
		return "", fmt.Errorf("there is no line %q", begin)
	}
	_, after, found := strings.Cut(rest, end)
	if !found {
		return "", fmt.Errorf("there is no line %q", end)
	}
	return before + begin + "\n\n" + strings.TrimSpace(report) + "\n\n" + end + after, nil
}
