package restyfetch

import (
	"context"
	"net"
	"sync"
)

// connections are those that a Fetcher has open, so that it can close them all.
// Its transports close the idle ones when they are told to, but not one of
// HTTP/2 on which a cancelled request is still being cleared away: that would
// stay until it has been idle for long enough.
type connections struct {
	mu     sync.Mutex
	open   map[*connection]struct{}
	closed bool
}

// dialing returns the dialer's function, counting what it opens.
func (c *connections) dialing(dialer net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		counted := &connection{Conn: conn, among: c}
		if !c.add(counted) {
			_ = conn.Close()
			return nil, errClosed
		}
		return counted, nil
	}
}

// close closes all, and what is opened from then on.
func (c *connections) close() {
	c.mu.Lock()
	c.closed = true
	left := c.open
	c.open = nil
	c.mu.Unlock()
	for conn := range left {
		_ = conn.Conn.Close()
	}
}

func (c *connections) add(conn *connection) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	if c.open == nil {
		c.open = make(map[*connection]struct{})
	}
	c.open[conn] = struct{}{}
	return true
}

func (c *connections) remove(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, conn)
}

// A connection is taken off the list when it closes.
type connection struct {
	net.Conn
	among *connections
}

func (c *connection) Close() error {
	c.among.remove(c)
	return c.Conn.Close()
}
