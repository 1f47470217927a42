package proxy_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/polite-crawler/polite/integration_test/proxy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An echo answers lines with themselves, and says what it has heard.
type echo struct {
	address string
	heard   chan string
}

func newEcho(t *testing.T) *echo {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &echo{address: listener.Addr().String(), heard: make(chan string, 100)}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer connection.Close()
				for lines := bufio.NewScanner(connection); lines.Scan(); {
					e.heard <- lines.Text()
					_, _ = io.WriteString(connection, lines.Text()+"\n")
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		work.Wait()
	})
	return e
}

func start(t *testing.T, e *echo) *proxy.Proxy {
	t.Helper()
	p, err := proxy.Start("tcp", e.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func set(t *testing.T, p *proxy.Proxy, f proxy.Fault) {
	t.Helper()
	if err := p.Set(f); err != nil {
		t.Fatalf("Set(%+v): %v", f, err)
	}
}

// A caller is a client.
type caller struct {
	net.Conn
	t     *testing.T
	lines *bufio.Reader
}

func call(t *testing.T, p *proxy.Proxy) *caller {
	t.Helper()
	connection, err := net.DialTimeout("tcp", p.Addr(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return &caller{connection, t, bufio.NewReader(connection)}
}

func (c *caller) say(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		c.t.Fatalf("say %q: %v", line, err)
	}
}

// hear reads a line, for so long.
func (c *caller) hear(patience time.Duration) (string, error) {
	_ = c.SetReadDeadline(time.Now().Add(patience))
	line, err := c.lines.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}

func (c *caller) wantEcho(line string) {
	c.t.Helper()
	c.say(line)
	if got, err := c.hear(time.Minute); got != line || err != nil {
		c.t.Errorf("heard %q (%v), want %q", got, err, line)
	}
}

const moment = 50 * time.Millisecond // long enough for anything that is not held back, mostly

func (c *caller) wantSilence() {
	c.t.Helper()
	var timeout net.Error
	if got, err := c.hear(moment); !errors.As(err, &timeout) || !timeout.Timeout() {
		c.t.Errorf("heard %q (%v), want nothing", got, err)
	}
}

// wantCut reads to the end, which must come.
func (c *caller) wantCut() {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.Copy(io.Discard, c.lines); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		c.t.Errorf("the connection ended with %v, want it cut", err)
	}
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	limit, again := time.After(time.Minute), time.NewTicker(time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-limit:
			t.Fatalf("it still does not hold that %s", what)
		}
	}
}

func wantHeard(t *testing.T, e *echo, line string) {
	t.Helper()
	select {
	case got := <-e.heard:
		if got != line {
			t.Errorf("the server heard %q, want %q", got, line)
		}
	case <-time.After(time.Minute):
		t.Errorf("the server did not hear %q", line)
	}
}

func TestNoFault(t *testing.T) {
	p := start(t, newEcho(t))
	a, b := call(t, p), call(t, p)
	a.wantEcho("one")
	b.wantEcho("two")
	if got := p.Counts(); got.Accepted != 2 || got.ToServer != 8 || got.ToClient != 8 || got.Cut+got.Held+got.Lost+got.Late != 0 {
		t.Errorf("counts %+v", got)
	}
	if p.Open("") != 2 || p.Open("two") != 1 || p.Open("three") != 0 {
		t.Errorf("%d connections are open, of which %d said two", p.Open(""), p.Open("two"))
	}
}

func TestLatency(t *testing.T) {
	p := start(t, newEcho(t))
	c := call(t, p)
	set(t, p, proxy.Fault{Latency: 2 * moment})
	began := time.Now()
	c.wantEcho("late")
	if took := time.Since(began); took < 2*moment || p.Counts().Late != 1 {
		t.Errorf("it took %v, want no less than %v; %+v", took, 2*moment, p.Counts())
	}
}

// What is held back arrives afterwards, also if nobody waits for it any more.
func TestMute(t *testing.T) {
	e := newEcho(t)
	p := start(t, e)
	stays, goes := call(t, p), call(t, p)
	set(t, p, proxy.Fault{Mute: true})
	stays.say("one")
	stays.wantSilence()
	goes.say("two")
	_ = goes.Close()
	eventually(t, "two pieces are held back", func() bool { return p.Counts().Held == 2 })
	if len(e.heard) != 0 {
		t.Errorf("the server heard %q", <-e.heard)
	}
	set(t, p, proxy.Fault{})
	if got := map[string]bool{<-e.heard: true, <-e.heard: true}; !got["one"] || !got["two"] {
		t.Errorf("the server heard %v, want one and two", got)
	}
	if got, err := stays.hear(time.Minute); got != "one" || err != nil {
		t.Errorf("heard %q (%v), want one", got, err)
	}
}

func TestDeaf(t *testing.T) {
	e := newEcho(t)
	p := start(t, e)
	c, quiet := call(t, p), call(t, p)
	set(t, p, proxy.Fault{Deaf: true})
	c.say("one")
	wantHeard(t, e, "one")
	c.wantSilence()
	eventually(t, "the answer is lost", func() bool { return p.Counts().Lost == 1 })
	set(t, p, proxy.Fault{})
	c.wantCut()
	quiet.wantEcho("two")
}

func TestCutAfter(t *testing.T) {
	p := start(t, newEcho(t))
	c := call(t, p)
	c.wantEcho("before the fault")
	set(t, p, proxy.Fault{CutAfter: 6})
	c.wantEcho("abc") // 4 octets
	c.say("def")
	if got, err := c.hear(time.Minute); len(got) > 2 || err == nil {
		t.Errorf("heard %q (%v), want the connection cut behind two octets", got, err)
	}
	if got := p.Counts(); got.Cut != 1 || p.Open("") != 0 {
		t.Errorf("counts %+v, %d open", got, p.Open(""))
	}
}

func TestRefuse(t *testing.T) {
	p := start(t, newEcho(t))
	c := call(t, p)
	c.wantEcho("one")
	for range 2 {
		set(t, p, proxy.Fault{Refuse: true})
		c.wantCut()
		if other, err := net.Dial("tcp", p.Addr()); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("Dial: %v, %v, want a refusal", other, err)
		}
		set(t, p, proxy.Fault{})
		c = call(t, p)
		c.wantEcho("two")
	}
}

func TestStall(t *testing.T) {
	p := start(t, newEcho(t))
	c := call(t, p)
	c.wantEcho("one")
	for range 2 {
		set(t, p, proxy.Fault{Stall: true})
		c.wantEcho("what is open goes on")
		var timeout net.Error
		if other, err := net.DialTimeout("tcp", p.Addr(), moment); !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("Dial: %v, %v, want a time-out", other, err)
		}
		set(t, p, proxy.Fault{})
		call(t, p).wantEcho("two")
	}
}

// A fault can be that of some connections.
func TestOnly(t *testing.T) {
	p := start(t, newEcho(t))
	marked, later, other := call(t, p), call(t, p), call(t, p)
	marked.wantEcho("the mark")
	other.wantEcho("nothing of the kind")
	set(t, p, proxy.Fault{Only: "mark", Mute: true})
	marked.say("one")
	later.say("a mark")
	marked.wantSilence()
	later.wantSilence()
	other.wantEcho("two")
	if n := p.Cut("mark"); n != 2 {
		t.Errorf("Cut: %d connections, want 2", n)
	}
	marked.wantCut()
	later.wantCut()
	other.wantEcho("three")
	if got := p.Counts(); got.Cut != 2 || got.Held != 2 {
		t.Errorf("counts %+v", got)
	}
}

// Close works under any fault, and whoever comes afterwards is refused.
func TestClose(t *testing.T) {
	for name, fault := range map[string]proxy.Fault{
		"none": {}, "mute": {Mute: true}, "late": {Latency: time.Hour}, "stalled": {Stall: true}, "refusing": {Refuse: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, newEcho(t))
			c := call(t, p)
			set(t, p, fault)
			_, _ = io.WriteString(c, "something\n")
			p.Close()
			c.wantCut()
			if _, err := net.Dial("tcp", p.Addr()); err == nil {
				t.Errorf("there is still somebody at the address")
			}
			if err := p.Set(proxy.Fault{}); !errors.Is(err, net.ErrClosed) {
				t.Errorf("Set: %v, want net.ErrClosed", err)
			}
		})
	}
}

// A server that is not there is a connection cut.
func TestNoServer(t *testing.T) {
	p, err := proxy.Start("unix", "/nowhere/at/all")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	// It may come while the connection is made.
	if connection, err := net.Dial("tcp", p.Addr()); err == nil {
		(&caller{connection, t, bufio.NewReader(connection)}).wantCut()
		_ = connection.Close()
	} else if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("Dial: %v, want a connection that is cut", err)
	}
}
