package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Two commands at the same time are a fleet, too.
func TestCommandsShare(t *testing.T) {
	t.Parallel()
	fleet, o, polite := newFleet(t), newOrigin(t), buildCommand(t)
	arrived, release := o.hold(t)
	check := func() *ended {
		return polite.check(t.Context(), "--redis", fleet.spec().Redis, "--prefix", fleet.prefix,
			"--format", "json", o.allowed(), o.disallowed())
	}
	all := make(chan *ended, 2)
	for range 2 {
		go func() { all <- check() }()
	}
	receive(t, "request", arrived)
	fleet.waitForWaiters(t, 1, o)
	release()

	var tallies []*tally
	for range 2 {
		tallies = append(tallies, receive(t, "command's end", all).tally(t))
	}
	wantSame(t, []*origin{o}, tallies...)
	wantSame(t, []*origin{o}, tallies[0], check().tally(t)) // and a late one
	wantAsked(t, 1, 1, o)
}

// A password that Redis does not take is an error at once (SEMANTICS C5), and no
// password is ever shown.
func TestCommandAndPasswords(t *testing.T) {
	t.Parallel()
	const right, wrong = "correct-horse", "battery-staple"
	server, o, polite := startRedisTCP(t, "--requirepass", right), newOrigin(t), buildCommand(t)
	for _, row := range []struct {
		name, credentials string
		code              int
	}{
		{"right", ":" + right + "@", 0},
		{"wrong", ":" + wrong + "@", 2},
		{"wrong user", "somebody:" + right + "@", 2},
		{"none", "", 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := polite.check(t.Context(), "--redis", server.url(row.credentials), "--log-level", "debug", o.allowed())
			got.hides(t, right, wrong)
			if got.code != row.code {
				t.Errorf("exit code %d, want %d: %s", got.code, row.code, got)
			}
			if row.code == 0 {
				got.wantLines(t, o.allowed()+": allowed")
				return
			}
			got.wantLines(t)
			for _, part := range []string{"polite: ", server.hostPort(), "correct user and password"} {
				if !strings.Contains(got.errors, part) {
					t.Errorf("the error does not say %q: %s", part, got)
				}
			}
		})
	}
	wantAsked(t, 1, 1, o) // by the right one
}

// A Redis that does not answer is a warning with its address, and the answers go
// on (SEMANTICS C5).
func TestCommandWithoutRedis(t *testing.T) {
	t.Parallel()
	needRedis(t) // or "no tests to run" would not be true
	const password = "battery-staple"
	polite := buildCommand(t)
	silent := mute(t)
	nobody := filepath.Join(t.TempDir(), "s")
	for _, row := range []struct{ name, redis, shown string }{
		{"accepts and says nothing", "redis://:" + password + "@" + silent, silent},
		{"refuses connections", "unix://:" + password + "@" + nobody, nobody},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			o := newOrigin(t)
			check := func(urls ...string) *ended {
				got := polite.check(t.Context(), append([]string{"--redis", row.redis}, urls...)...)
				got.hides(t, password)
				if !strings.Contains(got.errors, `"level":"warn"`) || !strings.Contains(got.errors, row.shown) {
					t.Errorf("there is no warning with the address %s: %s", row.shown, got)
				}
				if got.took > bounded {
					t.Errorf("it took %v, want no more than %v", got.took, bounded)
				}
				return got
			}
			got := check(o.allowed(), o.disallowed())
			got.wantLines(t, o.allowed()+": allowed", o.disallowed()+": disallowed")
			if got.code != 1 {
				t.Errorf("exit code %d, want 1: %s", got.code, got)
			}
			if got := check(o.allowed()); got.code != 0 {
				t.Errorf("exit code %d, want 0: %s", got.code, got)
			}
			wantAsked(t, 2, 2, o) // by each for itself
		})
	}
}

// mute listens, accepts, and says nothing.
func mute(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var accepting sync.WaitGroup
	accepting.Go(func() {
		var open []net.Conn
		for {
			connection, err := listener.Accept()
			if err != nil {
				break
			}
			open = append(open, connection)
		}
		for _, connection := range open {
			_ = connection.Close()
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		accepting.Wait()
	})
	return listener.Addr().String()
}

// A command is cmd/polite, built.
type command struct{ path string }

// buildCommand builds it, once for all tests. That takes its time on a machine
// that has never done it.
func buildCommand(t *testing.T) command {
	t.Helper()
	path, err := builtCommand()
	if err != nil {
		t.Fatal(err)
	}
	return command{path}
}

var builtCommand = sync.OnceValues(func() (path string, err error) {
	if commandDir, err = os.MkdirTemp("", "polite"); err != nil {
		return "", err
	}
	path = filepath.Join(commandDir, "polite")
	args := []string{"build", "-buildvcs=false", "-o", path}
	if raced {
		args = append(args, "-race")
	}
	text, err := exec.Command("go", append(args, "../cmd/polite")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, text)
	}
	return path, nil
})

var commandDir string // "": it was not built

func removeCommand() {
	if commandDir != "" {
		_ = os.RemoveAll(commandDir)
	}
}

// check runs "polite check", from any goroutine.
func (c command) check(ctx context.Context, args ...string) *ended {
	return c.run(ctx, append([]string{"check", "--agent", userAgent}, args...)...)
}

// run runs the command, from any goroutine.
func (c command) run(ctx context.Context, args ...string) *ended {
	var output, complaints bytes.Buffer
	process := exec.CommandContext(ctx, c.path, args...)
	process.Stdout, process.Stderr = &output, &complaints
	process.SysProcAttr = dieWithParent()
	start := time.Now()
	err := process.Run()
	return &ended{
		code:   process.ProcessState.ExitCode(), // -1: it did not begin, or was killed
		output: output.String(), errors: complaints.String(),
		took: time.Since(start), err: err,
	}
}

// An ended is a command that has run.
type ended struct {
	code           int
	output, errors string
	took           time.Duration
	err            error
}

func (e *ended) String() string {
	return fmt.Sprintf("%v\noutput:\n%serrors:\n%s", e.err, e.output, e.errors)
}

// wantLines fails unless that is all the output.
func (e *ended) wantLines(t *testing.T, lines ...string) {
	t.Helper()
	want := ""
	for _, line := range lines {
		want += line + "\n"
	}
	if e.output != want {
		t.Errorf("the output is %q, want %q: %s", e.output, want, e)
	}
}

// hides fails if a secret is shown.
func (e *ended) hides(t *testing.T, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(e.output+e.errors, secret) {
			t.Errorf("the password is shown: %s", e)
		}
	}
}

// tally reads answers in JSON.
func (e *ended) tally(t *testing.T) *tally {
	t.Helper()
	result := &tally{}
	for line := range strings.Lines(e.output) {
		var row struct {
			URL       string    `json:"url"`
			Allowed   bool      `json:"allowed"`
			Stale     bool      `json:"stale"`
			Reason    string    `json:"reason"`
			Hash      string    `json:"hash"`
			FetchedAt time.Time `json:"fetched_at"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Errorf("the output is no JSON: %v: %s", err, e)
		}
		result.Answers = append(result.Answers, answer{
			URL: row.URL, Allowed: row.Allowed, Stale: row.Stale, Reason: row.Reason, Hash: row.Hash, FetchedAt: row.FetchedAt.UTC(),
		})
	}
	if e.code != 1 || e.errors != "" {
		t.Errorf("want exit code 1 and no errors: %s", e)
	}
	return result
}
