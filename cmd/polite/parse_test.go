package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/policy"
)

// What is shown of a hostile file is fit for a terminal, in every form, and in
// JSON is one line.
func TestParseShowsNothingHarmful(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"User-agent: ", "*", "MyBot", "Disallow: ", "Allow /", "Sitemap: ", "Crawl-delay: ", "X",
			"Content-Usage: ", "Content-Signal: ", "Request-rate: 1/5 ", "License: https://", "Clean-param: ", "Noindex: /", "train-ai=n,", "search=no", "=yes,", ":", "#", "\n", "\n", "\n", "\r", " ",
			"\x1b[31m", "\x00", "\x7f", "\u0085", "\u009b", "\u200e", "\u202e", "\u2028", "\ufeff", "\U000e0001", "\xff", "\"", "\\", "<&>",
		}),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "body"), "")
		command := &parse{File: "-", network: network{Charset: "utf-8", MaxBytes: 512 << 10}, Untrusted: rapid.Bool().Draw(t, "untrusted")}
		if rapid.Bool().Draw(t, "for a crawler") {
			command.Agent = []string{"MyBot"}
		}
		file, err := command.understand(command.decoded([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		for _, command.Format = range []string{"text", "json", "robots"} {
			shown, err := command.show(file, true, false)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(shown)) {
				if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Fatalf("as %s %q would be shown", command.Format, line)
				}
			}
			if command.Format == "json" && (!json.Valid(shown) || bytes.Count(shown, []byte("\n")) != 1) {
				t.Fatalf("%q is not one object on one line", shown)
			}
		}
		// Colours are all that is added.
		plain, painted := file.text(false), string(file.text(true))
		for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"} {
			painted = strings.ReplaceAll(painted, code, "")
		}
		if painted != string(plain) {
			t.Fatalf("%q became %q in colour", plain, painted)
		}
	})
}

func TestParseWithoutReader(t *testing.T) {
	for _, row := range []struct {
		err  error
		want string // on standard error
	}{
		{&os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, ""},
		{syscall.ENOSPC, "polite: what the file says could not be written: no space left on device; make room, or write elsewhere\n"},
	} {
		out := &broken{err: row.err}
		var stderr bytes.Buffer
		code := run(t.Context(), []string{"parse", robotsTxt(t)}, streams{out: out, err: &stderr})
		if !out.hit {
			t.Errorf("%v: nothing was written: the test shows nothing", row.err)
		}
		if code != exitError || stderr.String() != row.want {
			t.Errorf("%v: exit code %d and %q, want %d and %q", row.err, code, stderr.String(), exitError, row.want)
		}
	}
}

// A Read that nobody ends must not keep an interrupted command.
func TestParseInterruptedInARead(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	in := &stuck{reached: make(chan struct{}), free: make(chan struct{})}
	t.Cleanup(func() { close(in.free) })
	var out, stderr bytes.Buffer
	code := make(chan int)
	go func() { code <- run(ctx, []string{"parse", "-"}, streams{in: in, out: &out, err: &stderr}) }()
	<-in.reached
	interrupt()
	if got := <-code; got != exitError || stderr.String() != "polite: interrupted; run it again\n" || out.Len() > 0 {
		t.Errorf("exit code %d, %q and %q", got, out.String(), stderr.String())
	}
}

// A strict reader's places are those of the file, a byte order mark included.
func TestParseStrictBehindAMark(t *testing.T) {
	name := filepath.Join(t.TempDir(), "robots.txt")
	if err := os.WriteFile(name, []byte("\xEF\xBB\xBF# \xff\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	code := run(t.Context(), []string{"parse", "--strict", name}, streams{out: &out, err: &stderr})
	if want := "line 1, octet 6: 0xFF (offset 5)"; code != exitError || !strings.Contains(stderr.String(), want) {
		t.Errorf("exit code %d and %q, want %q", code, stderr.String(), want)
	}
}

// What a filtered store keeps of a file is not shown for the file (C8).
func TestParseRefusesAPart(t *testing.T) {
	agents, err := identityOf([]string{"MyBot"})
	if err != nil {
		t.Fatal(err)
	}
	seen := polite.Inspection{Snapshot: policy.Snapshot{
		Outcome: policy.Successful,
		Copy:    policy.Copy{Hash: policy.HashOf(nil), Body: []byte("User-agent: *\n")},
	}}
	p := &parse{network: network{MaxBytes: 512 << 10}}
	if _, err := p.copied(&seen, io.Discard); err != nil {
		t.Fatalf("a whole file: %v", err)
	}
	seen.Snapshot.Copy.Scope = policy.Scope{Agents: agents}
	if _, err := p.copied(&seen, io.Discard); err == nil || !strings.Contains(err.Error(), "only some crawlers' lines") {
		t.Errorf("a part: %v", err)
	}
}
