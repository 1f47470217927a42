package proxy

import (
	"bytes"
	"net"
	"sync"
	"time"
)

// A link is one client's connection to the server.
type link struct {
	p              *Proxy
	client, server net.Conn
	done           chan struct{} // closed when it is over
	once           sync.Once

	// Guarded by p.mu.
	head  []byte // the first that the client sent
	lossy bool   // the client has missed something
	epoch int    // the fault that said counts for
	said  int    // octets by the server since
}

// maxHead is how much of what a client sends is kept for Fault.Only.
const maxHead = 4 << 10

// A piece is what was read at once, and when it may arrive.
type piece struct {
	octets []byte
	due    time.Time
}

// run passes on both ways until either end is over.
func (l *link) run() {
	var ways sync.WaitGroup
	for _, way := range []struct {
		from, to net.Conn
		pass     func(net.Conn, []byte) error
	}{{l.client, l.server, l.toServer}, {l.server, l.client, l.toClient}} {
		queue := make(chan piece, 256)
		ways.Go(func() { l.read(way.from, queue) })
		ways.Go(func() {
			// What was said before the end still arrives.
			for next := range queue {
				if !l.await(next.due) || way.pass(way.to, next.octets) != nil {
					break
				}
			}
			l.end()
			for range queue { // lets read go
				continue
			}
		})
	}
	ways.Wait()
	l.end()
}

// read takes what one end says until it has nothing more to say.
func (l *link) read(from net.Conn, queue chan<- piece) {
	defer close(queue)
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			next := piece{octets: bytes.Clone(buffer[:n])}
			if from == l.server {
				next.due = l.due()
			} else {
				l.note(next.octets)
			}
			select {
			case queue <- next:
			case <-l.done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// note keeps the first of what the client sends.
func (l *link) note(octets []byte) {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	l.head = append(l.head, octets[:min(len(octets), maxHead-len(l.head))]...)
}

// has reports whether the client has sent a text. The caller holds p.mu.
func (l *link) has(text string) bool { return bytes.Contains(l.head, []byte(text)) }

// due is when something that the server just said may arrive; zero: at once.
func (l *link) due() time.Time {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	fault := l.p.fault
	if fault.Latency <= 0 || !l.has(fault.Only) {
		return time.Time{}
	}
	l.p.counts.Late++
	return time.Now().Add(fault.Latency)
}

// await waits until a piece is due; false: the link is over.
func (l *link) await(due time.Time) bool {
	if due.IsZero() {
		return true
	}
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.done:
		return false
	}
}

// toServer passes on what the client said.
func (l *link) toServer(server net.Conn, octets []byte) error {
	if !l.unmuted() {
		return net.ErrClosed
	}
	l.p.mu.Lock()
	l.p.counts.ToServer += len(octets)
	l.p.mu.Unlock()
	_, err := server.Write(octets)
	return err
}

// toClient passes on what the server said.
func (l *link) toClient(client net.Conn, octets []byte) error {
	if !l.unmuted() {
		return net.ErrClosed
	}
	octets, over := l.spare(octets)
	_, err := client.Write(octets)
	if over {
		l.hangUp()
		return net.ErrClosed
	}
	return err
}

// unmuted waits while the way is mute; false: the link is over.
func (l *link) unmuted() bool {
	for held := false; ; held = true {
		l.p.mu.Lock()
		fault, changed := l.p.fault, l.p.changed
		mute := fault.Mute && l.has(fault.Only)
		if mute && !held {
			l.p.counts.Held++
		}
		l.p.mu.Unlock()
		if !mute {
			return true
		}
		select {
		case <-changed:
		case <-l.done:
			return false
		}
	}
}

// spare returns what the fault leaves of something the server said, and whether
// that was the last.
func (l *link) spare(octets []byte) (left []byte, over bool) {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	fault := l.p.fault
	if l.epoch != l.p.epoch {
		l.epoch, l.said = l.p.epoch, 0
	}
	switch {
	case !l.has(fault.Only):
	case fault.Deaf:
		l.p.counts.Lost++
		l.lossy = true
		return nil, false
	case fault.CutAfter > 0 && l.said+len(octets) >= fault.CutAfter:
		l.p.counts.Cut++
		octets, over = octets[:fault.CutAfter-l.said], true
	}
	l.said += len(octets)
	l.p.counts.ToClient += len(octets)
	return octets, over
}

// end closes the link.
func (l *link) end() {
	l.once.Do(func() {
		l.forget()
		close(l.done)
		_ = l.client.Close()
		_ = l.server.Close()
	})
}

// hangUp closes it the hard way.
func (l *link) hangUp() {
	l.once.Do(func() {
		l.forget()
		close(l.done)
		hangUp(l.client)
		hangUp(l.server)
	})
}

func (l *link) forget() {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	delete(l.p.links, l)
}
