package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

func TestMain(m *testing.M) {
	redis.SetLogger(&logging.VoidLogger{})
	if len(os.Args) == 2 && os.Args[1] == workerArgument {
		if err := work(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// What a fleet of two asks is counted, and all of it is gone in the end.
func TestASmallFleetAsksOnce(t *testing.T) {
	b := newBench(1, true, io.Discard)
	b.processes, b.askers, b.sizes.origins = 2, 5, 6
	count, err := b.cold(t.Context())
	if err != nil {
		t.Fatal(err) // it needs a redis-server
	}
	if count.Requests != 6 || count.Most != 1 || count.Checks != 2*5*6*2 || count.Outages != 0 {
		t.Errorf("counted %+v, want 6 requests", count)
	}
}

// Who breaks a fleet's one answer is found out.
func TestAgreeFindsOtherAnswers(t *testing.T) {
	origins, err := openOrigins(t.Context(), 1, 0, split)
	if err != nil {
		t.Fatal(err)
	}
	defer origins.close()
	f := &fleet{origins: origins}
	o := origins.all[0]
	right := []answer{
		{URL: o.allowed(), Allowed: true, Reason: "rule", Hash: o.hash(), FetchedAt: 1},
		{URL: o.disallowed(), Reason: "rule", Hash: o.hash(), FetchedAt: 1},
	}
	if err := f.agree([]tally{{Answers: right}, {Answers: right}}); err != nil {
		t.Errorf("right answers: %v", err)
	}
	for name, change := range map[string]func(*answer){
		"another fetch":  func(a *answer) { a.FetchedAt++ },
		"another file":   func(a *answer) { a.Hash = "sha256:00" },
		"no rule":        func(a *answer) { a.Reason = "unreachable" },
		"an error":       func(a *answer) { a.Error = "down" },
		"the other way":  func(a *answer) { a.Allowed = !a.Allowed },
		"another answer": func(a *answer) { a.URL += "?" },
	} {
		wrong := append([]answer(nil), right...)
		change(&wrong[1])
		if err := f.agree([]tally{{Answers: right}, {Answers: wrong}}); err == nil && name != "another answer" {
			t.Errorf("%s: not found out", name)
		}
		if err := f.agree([]tally{{Answers: wrong}}); err == nil {
			t.Errorf("%s, from everybody: not found out", name)
		}
	}
}

// A proxy is late by its latency there and back, however much is on its way, and
// changes nothing.
func TestProxyIsLate(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		for {
			connection, err := echo.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(connection, connection)
				_ = connection.Close()
			}()
		}
	}()
	const latency = 20 * time.Millisecond
	p, err := openProxy(t.Context(), echo.Addr().String(), latency)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	connection, err := net.Dial("tcp", p.address())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	sent := bytes.Repeat([]byte("robots"), 50_000)
	start := time.Now()
	go func() { _, _ = connection.Write(sent) }()
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(connection, got); err != nil || !bytes.Equal(got, sent) {
		t.Fatalf("what came back is something else (%v)", err)
	}
	if took := time.Since(start); took < latency {
		t.Errorf("it took %v, want %v at least", took, latency)
	}
	p.close()
	if n, err := connection.Read(got); err == nil {
		t.Errorf("a closed proxy gave %d octets", n)
	}
}

func TestDurations(t *testing.T) {
	var d durations
	if got := d.at(0.5); got != 0 {
		t.Errorf("of none: %v", got)
	}
	for i := 100; i > 0; i-- {
		d = append(d, time.Duration(i))
	}
	for part, want := range map[float64]time.Duration{0: 1, 0.5: 51, 0.99: 100, 1: 100} {
		if got := d.at(part); got != want {
			t.Errorf("at %v: %v, want %v", part, got, want)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, row := range []struct{ args, want string }{
		{"-parts nonsense", "there is no part"},
		{"stray", "no flag"},
		{"-simulate -parts hot", "-simulate has no parts"},
		{"-nonsense", "not defined"},
		{"-out nowhere.md", "nowhere.md"},
		{"-out main.go", "there is no line"},
	} {
		err := run(t.Context(), strings.Fields(row.args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want an error about %q", row.args, err, row.want)
		}
	}
}

// Bars that are missed are an error that names them; what was not measured is
// none.
func TestMissed(t *testing.T) {
	r := &results{sizes: newBench(1, false, io.Discard).sizes}
	if err := r.missed(); err != nil {
		t.Errorf("nothing was measured: %v", err)
	}
	r.cold = &Count{Requests: 200}
	r.killed = &Count{Requests: 203, Leases: 3}
	if err := r.missed(); err != nil {
		t.Errorf("all is met: %v", err)
	}
	r.cold.Requests, r.killed.Requests = 201, 204
	err := r.missed()
	if err == nil || !strings.Contains(err.Error(), "Cold: ") || !strings.Contains(err.Error(), "One process killed: requests") {
		t.Errorf("one request too many: %v", err)
	}
	if errors.Is(err, errNoLease) {
		t.Error("that is another error")
	}
}
