package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// robotsTxt writes a robots.txt that disallows /private.
func robotsTxt(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "robots.txt")
	if err := os.WriteFile(name, []byte("User-agent: *\nDisallow: /private\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Whoever types or pipes a URL has its answer before the next one.
func TestRunAnswersAtOnce(t *testing.T) {
	in, questions := io.Pipe()
	answers, out := io.Pipe()
	code := make(chan int)
	go func() {
		code <- run(t.Context(), []string{"check", "--robots", robotsTxt(t), "--file", "-"}, streams{in: in, out: out, err: io.Discard})
	}()
	lines := bufio.NewScanner(answers)
	for _, row := range []struct{ ask, want string }{
		{"/open\n", "/open: allowed"},
		{"/private\n", "/private: disallowed"},
		{"/open/again\n", "/open/again: allowed"},
	} {
		if _, err := io.WriteString(questions, row.ask); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() || lines.Text() != row.want {
			t.Fatalf("%q is answered %q, %v; want %q", row.ask, lines.Text(), lines.Err(), row.want)
		}
	}
	questions.Close()
	if got := <-code; got != exitDisallowed {
		t.Errorf("exit code %d, want %d", got, exitDisallowed)
	}
}

// A Read that nobody ends must not keep an interrupted command.
func TestRunInterruptedInARead(t *testing.T) {
	for _, args := range [][]string{
		{"check", "--robots", robotsTxt(t), "--file", "-"},
		{"check", "--robots", "-", "/private"},
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		in := &stuck{reached: make(chan struct{}), free: make(chan struct{})}
		t.Cleanup(func() { close(in.free) })
		var out, stderr bytes.Buffer
		code := make(chan int)
		go func() { code <- run(ctx, args, streams{in: in, out: &out, err: &stderr}) }()
		<-in.reached
		interrupt()
		if got := <-code; got != exitError {
			t.Errorf("%q: exit code %d, want %d", args, got, exitError)
		}
		if got, want := stderr.String(), "polite: interrupted; run it again for what has no answer\n"; got != want {
			t.Errorf("%q: standard error says %q, want %q", args, got, want)
		}
		if out.Len() > 0 {
			t.Errorf("%q: %q was answered", args, out.String())
		}
	}
}

// stuck is an input that nobody writes to.
type stuck struct{ reached, free chan struct{} }

func (s *stuck) Read([]byte) (int, error) {
	close(s.reached)
	<-s.free
	return 0, io.EOF
}

func TestRunWithoutReader(t *testing.T) {
	for _, row := range []struct {
		name string
		err  error
		want string // on standard error
	}{
		{"a reader who has seen enough", &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, ""},
		{"a reader within the process", io.ErrClosedPipe, ""},
		{"a full disk", syscall.ENOSPC, "polite: the answers could not be written: no space left on device; make room, or write elsewhere\n"},
	} {
		out := &broken{err: row.err}
		var stderr bytes.Buffer
		code := run(t.Context(), []string{"check", "--robots", robotsTxt(t), "/open", "/private"}, streams{out: out, err: &stderr})
		if !out.hit {
			t.Errorf("%s: nothing was written: the test shows nothing", row.name)
		}
		if code != exitError || stderr.String() != row.want {
			t.Errorf("%s: exit code %d and %q, want %d and %q", row.name, code, stderr.String(), exitError, row.want)
		}
	}
}

// Of the help and of the version, too.
func TestHelpWithoutReader(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"inspect", "--help"}, {"version"}} {
		for err, want := range map[error]string{syscall.EPIPE: "", syscall.ENOSPC: "could not be written: no space left on device; make room, or write elsewhere\n"} {
			out := &broken{err: &os.PathError{Op: "write", Path: "/dev/stdout", Err: err}}
			var stderr bytes.Buffer
			code := run(t.Context(), args, streams{out: out, err: &stderr})
			if !out.hit {
				t.Errorf("%q: nothing was written: the test shows nothing", args)
			}
			if code != exitError || !strings.HasSuffix(stderr.String(), want) || (want == "") != (stderr.Len() == 0) {
				t.Errorf("%q: exit code %d and %q, want %d and %q", args, code, stderr.String(), exitError, want)
			}
		}
	}
}

// broken is an output that fails.
type broken struct {
	err error
	hit bool
}

func (b *broken) Write([]byte) (int, error) {
	b.hit = true
	return 0, b.err
}

// A file that fails in its middle: what came before is answered.
func TestRunWhenTheInputFails(t *testing.T) {
	in := io.MultiReader(strings.NewReader("/open\n/private\n/op"), failing{})
	var out, stderr bytes.Buffer
	code := run(t.Context(), []string{"check", "--robots", robotsTxt(t), "--file", "-"}, streams{in: in, out: &out, err: &stderr})
	if code != exitError {
		t.Errorf("exit code %d, want %d", code, exitError)
	}
	if got, want := out.String(), "/open: allowed\n/private: disallowed\n"; got != want {
		t.Errorf("the answers are %q, want %q", got, want)
	}
	if got, want := stderr.String(), "polite: --file: line 3 of standard input cannot be read: the cable is out; what came before it is answered, try again with the rest\n"; got != want {
		t.Errorf("standard error says %q, want %q", got, want)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the cable is out") }
