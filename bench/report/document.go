package report

import (
	"fmt"
	"os"
	"strings"
)

// A Part is what one program writes into a document, between two lines; the
// rest is whoever's wrote it.
type Part struct {
	Name    string // "bench"
	Command string // that writes it: "make bench"
}

func (p Part) begin() string {
	return "<!-- " + p.Name + ": what follows is written by `" + p.Command + "` -->"
}

func (p Part) end() string { return "<!-- " + p.Name + ": end -->" }

// WriteInto puts a text into the document at a path, in place of the one before.
func (p Part) WriteInto(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	document, err := p.replace(string(old), text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(document), 0o644)
}

// Find fails if there is no such part in the document at a path: better before a
// long run than after it.
func (p Part) Find(path string) error {
	document, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if _, err := p.replace(string(document), ""); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (p Part) replace(document, text string) (string, error) {
	missing := func(line string) error {
		return fmt.Errorf("there is no line %q; write it, and %q below it, where the part belongs", line, p.end())
	}
	before, rest, found := strings.Cut(document, p.begin())
	if !found {
		return "", missing(p.begin())
	}
	_, after, found := strings.Cut(rest, p.end())
	if !found {
		return "", missing(p.end())
	}
	return before + p.begin() + "\n\n" + strings.TrimSpace(text) + "\n\n" + p.end() + after, nil
}
