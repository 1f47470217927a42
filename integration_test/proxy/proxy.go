// Package proxy stands between a client and a server, and fails as networks do:
// late, silent, deaf, cut, refusing.
//
// It follows no specification. It is for tests and benchmarks that must know what
// becomes of a client when its server is out of reach; its counts let them prove
// that the fault happened.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// A Fault is what is wrong with the way to the server. The zero Fault is none.
type Fault struct {
	// Only narrows the fault to connections over which the client has sent this
	// text, among its first 4 KiB, before or after the fault began; "": all.
	// Refuse and Stall concern every connection.
	Only string
	// Latency is how much later arrives what the server says; at once.
	Latency time.Duration
	// Mute lets nothing through, either way, until the fault is over. Then all
	// that was sent arrives, as after a cable was plugged in again; what a client
	// that has gone by then had sent, too.
	Mute bool
	// Deaf loses what the server says: commands arrive and answers do not.
	// Connections that missed something are cut when the fault is over.
	Deaf bool
	// CutAfter cuts each connection when the server has said so many octets on it
	// since the fault began; never.
	CutAfter int
	// Refuse cuts what is open and refuses connections.
	Refuse bool
	// Stall accepts no connection, and lets nobody know: the listener's queue is
	// full, and what asks to be let in is dropped. What is open goes on. It takes
	// a Unix.
	Stall bool
}

// Counts say what has happened so far.
type Counts struct {
	Accepted int // connections
	Cut      int // connections, by a fault or by Cut
	Late     int // pieces that came later by Latency
	Held     int // pieces that Mute has held back
	Lost     int // pieces that Deaf has lost
	ToServer int // octets passed on
	ToClient int // octets passed on
}

// A Proxy passes on what clients and a server say. Its methods may be called
// from any goroutine.
type Proxy struct {
	network, target string // the server
	address         string // the Proxy's own

	setting sync.Mutex // one Set at a time

	mu       sync.Mutex
	listener *net.TCPListener // nil: connections are refused
	fault    Fault
	changed  chan struct{} // closed at the next change of fault
	epoch    int           // counts the faults
	links    map[*link]struct{}
	counts   Counts
	closed   bool
	fillers  []net.Conn // they keep the queue full

	work sync.WaitGroup
}

// Start starts a Proxy to the server at an address, until Close.
func Start(network, target string) (*Proxy, error) {
	p := &Proxy{network: network, target: target, changed: make(chan struct{}), links: make(map[*link]struct{})}
	// A port that is given up by Refuse must still be free afterwards: hence, if
	// this machine has it, a loopback address that nobody else uses.
	own := fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
	listener, err := listen(own)
	if err != nil {
		listener, err = listen("127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("proxy to %s: %w", target, err)
	}
	p.address = listener.Addr().String()
	p.serve(listener)
	return p, nil
}

func listen(address string) (*net.TCPListener, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	return listener.(*net.TCPListener), nil
}

// Addr is where clients find the server: host and port.
func (p *Proxy) Addr() string { return p.address }

// Set begins a fault, and ends the one before. Its error says that the fault
// could not be made.
func (p *Proxy) Set(f Fault) error {
	p.setting.Lock()
	defer p.setting.Unlock()
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return net.ErrClosed
	}
	old, listener := p.fault, p.listener
	p.fault = f
	p.epoch++
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()

	if old.Deaf {
		p.cut(func(l *link) bool { return l.lossy })
	}
	if old.Stall && listener != nil {
		p.flow(listener)
	}
	if f.Refuse {
		p.mu.Lock()
		p.listener = nil
		p.mu.Unlock()
		if listener != nil {
			_ = listener.Close()
		}
		p.cut(func(*link) bool { return true })
		return nil
	}
	if listener == nil {
		var err error
		if listener, err = listen(p.address); err != nil {
			return fmt.Errorf("proxy to %s: listen again: %w", p.target, err)
		}
		p.serve(listener)
	}
	if f.Stall {
		return p.fill(listener)
	}
	return nil
}

// Cut cuts the connections over which the client has sent a text ("": all), and
// returns how many.
func (p *Proxy) Cut(only string) int {
	return p.cut(func(l *link) bool { return l.has(only) })
}

// Open returns over how many connections that are open now the client has sent a
// text ("": all).
func (p *Proxy) Open(only string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if l.has(only) {
			n++
		}
	}
	return n
}

// Counts returns what has happened so far.
func (p *Proxy) Counts() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts
}

// Close cuts everything, and returns when nothing is left.
func (p *Proxy) Close() {
	_ = p.Set(Fault{Refuse: true})
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cut(func(*link) bool { return true }) // what was being connected
	p.work.Wait()
}

// serve accepts connections until the listener is closed.
func (p *Proxy) serve(listener *net.TCPListener) {
	p.mu.Lock()
	p.listener = listener
	p.mu.Unlock()
	p.work.Go(func() {
		for {
			fault, changed := p.now()
			if fault.Stall {
				<-changed // Close sets a fault, too
				continue
			}
			client, err := listener.Accept()
			var timeout net.Error
			switch {
			case err == nil:
				p.work.Go(func() { p.connect(client) })
			case errors.As(err, &timeout) && timeout.Timeout(): // by fill
			default:
				return
			}
		}
	})
}

// fill has the listener's queue run full.
func (p *Proxy) fill(listener *net.TCPListener) error {
	if err := shorten(listener, 0); err != nil {
		return fmt.Errorf("proxy to %s: shorten the listener's queue: %w", p.target, err)
	}
	_ = listener.SetDeadline(time.Now()) // ends the Accept that is under way
	dialer := net.Dialer{Timeout: 100 * time.Millisecond}
	// One that is not let in may be an accident; three in a row are not.
	for tries, dropped := 0, 0; dropped < 3; tries++ {
		if tries == 20 {
			return fmt.Errorf("proxy to %s: the listener's queue is never full", p.target)
		}
		filler, err := dialer.DialContext(context.Background(), "tcp", p.address)
		if err != nil {
			dropped++
			continue
		}
		dropped = 0
		p.mu.Lock()
		p.fillers = append(p.fillers, filler)
		p.mu.Unlock()
	}
	return nil
}

// flow undoes fill.
func (p *Proxy) flow(listener *net.TCPListener) {
	p.mu.Lock()
	fillers := p.fillers
	p.fillers = nil
	p.mu.Unlock()
	for _, filler := range fillers {
		_ = filler.Close()
	}
	_ = shorten(listener, 128)
	_ = listener.SetDeadline(time.Time{})
}

// connect makes a link for a client.
func (p *Proxy) connect(client net.Conn) {
	server, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(context.Background(), p.network, p.target)
	if err != nil {
		hangUp(client)
		return
	}
	l := &link{p: p, client: client, server: server, done: make(chan struct{})}
	p.mu.Lock()
	if p.closed || p.fault.Refuse {
		p.mu.Unlock()
		hangUp(client)
		hangUp(server)
		return
	}
	p.counts.Accepted++
	p.links[l] = struct{}{}
	p.mu.Unlock()
	l.run()
}

// cut cuts some links, and returns how many.
func (p *Proxy) cut(which func(*link) bool) (n int) {
	p.mu.Lock()
	var some []*link
	for l := range p.links {
		if which(l) {
			some = append(some, l)
		}
	}
	p.counts.Cut += len(some)
	p.mu.Unlock()
	for _, l := range some {
		l.hangUp()
	}
	return len(some)
}

// now is the fault of the moment, and a channel that is closed at its end.
func (p *Proxy) now() (Fault, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault, p.changed
}

// hangUp closes a connection the hard way: a proper end would be an answer.
func hangUp(connection net.Conn) {
	if tcp, is := connection.(*net.TCPConn); is {
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}
