package main

import (
	"context"
	"net"
	"runtime"
	"sync"
	"time"
)

// A proxy makes a server farther away than it is: what passes it in either
// direction is late by half of the latency, however much is on its way.
type proxy struct {
	target   string
	half     time.Duration
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	open   map[net.Conn]bool
}

// openProxy listens on a port of its own.
func openProxy(ctx context.Context, target string, latency time.Duration) (*proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{target: target, half: latency / 2, listener: listener, open: make(map[net.Conn]bool)}
	p.running.Go(p.accept)
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// close breaks all connections and waits until nothing runs any more.
func (p *proxy) close() {
	p.mu.Lock()
	p.closed = true
	for connection := range p.open {
		_ = connection.Close()
	}
	p.mu.Unlock()
	_ = p.listener.Close()
	p.running.Wait()
}

// keep counts a connection in, unless the proxy is closed.
func (p *proxy) keep(connection net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = connection.Close()
		return false
	}
	p.open[connection] = true
	return true
}

func (p *proxy) drop(connection net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, connection)
	_ = connection.Close()
}

func (p *proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.serve(near) })
	}
}

func (p *proxy) serve(near net.Conn) {
	if !p.keep(near) {
		return
	}
	defer p.drop(near)
	far, err := net.DialTimeout("tcp", p.target, 10*time.Second)
	if err != nil || !p.keep(far) {
		return
	}
	defer p.drop(far)
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		both.Go(func() {
			p.pass(way[0], way[1])
			p.drop(near) // one direction is of no use without the other
			p.drop(far)
		})
	}
	both.Wait()
}

// A parcel is octets, and when they are to arrive.
type parcel struct {
	octets []byte
	due    time.Time
}

// pass carries what comes from one connection to the other.
func (p *proxy) pass(from, to net.Conn) {
	parcels := make(chan parcel, 1024)
	var delivery sync.WaitGroup
	delivery.Go(func() {
		broken := false
		for one := range parcels { // to the end, or the other half would block
			if broken {
				continue
			}
			waitUntil(one.due)
			if _, err := to.Write(one.octets); err != nil {
				broken = true
				_ = from.Close()
			}
		}
	})
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			parcels <- parcel{append([]byte(nil), buffer[:n]...), time.Now().Add(p.half)}
		}
		if err != nil {
			break
		}
	}
	close(parcels)
	delivery.Wait()
}

// coarse is by how much a timer of an idle process may be late.
const coarse = 1500 * time.Microsecond

// waitUntil returns on time: the last bit of the way no timer is trusted.
func waitUntil(due time.Time) {
	if rest := time.Until(due); rest > coarse {
		time.Sleep(rest - coarse)
	}
	for time.Now().Before(due) {
		runtime.Gosched()
	}
}
