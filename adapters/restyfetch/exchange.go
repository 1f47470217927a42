package restyfetch

import (
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync"

	"code.dny.dev/ssrf"
)

// An exchange is what its hooks tell about one request on its way: what the
// errors of net/http alone do not say.
type exchange struct {
	proxied bool

	// The hooks run on goroutines of the transport, which may still dial when the
	// request is over.
	mu          sync.Mutex
	connecting  bool  // an address was known and tried
	handshake   error // how TLS failed
	connections int   // that the request was given
	stale       bool  // the first of them had been used before
	remote      net.Addr
}

// trace returns the hooks. again is called when the transport is about to send
// the request once more by itself.
func (x *exchange) trace(again func()) *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		ConnectStart:     func(string, string) { x.set(func() { x.connecting = true }) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { x.set(func() { x.handshake = err }) },
		GotConn: func(info httptrace.GotConnInfo) {
			if x.connected(info) {
				again()
			}
		},
	}
}

// connected takes down a connection that the request was given, and reports
// whether that is one too many. One that was idle may have been closed by the
// server while the request was on its way: RFC 9112 §9.3.1 lets a client ask
// again on a new one, and net/http does. But it also does so after HTTP/2's
// REFUSED_STREAM, six times and with pauses, and that is a retry.
func (x *exchange) connected(info httptrace.GotConnInfo) (tooMany bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.connections++
	x.remote = info.Conn.RemoteAddr()
	if x.connections == 1 {
		x.stale = info.Reused
		return false
	}
	return x.connections > 2 || !x.stale
}

func (x *exchange) set(change func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change()
}

// oursToBlame reports whether the request has got no farther than what belongs
// to this worker: its processor, its resolver, its proxy.
func (x *exchange) oursToBlame() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return !x.connecting && x.connections == 0 || x.behindProxy()
}

// stuckAtProxy reports whether the proxy has not got the request to the origin,
// as far as that can be seen from here.
func (x *exchange) stuckAtProxy() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.behindProxy()
}

// behindProxy needs mu. A handshake through the proxy is with the origin.
func (x *exchange) behindProxy() bool {
	return x.proxied && x.connections == 0 && x.handshake == nil
}

func (x *exchange) handshakeFailed() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.handshake != nil
}

// public reports whether the answering address is a public one. That of a proxy
// tells nothing about who answered: if it counted as public, redirects would all
// fail behind a proxy, as PublicOnly cannot be kept there. Any other address
// that is unknown counts as public, so that the hops after it are guarded.
func (x *exchange) public(guard *ssrf.Guardian) bool {
	if x.proxied {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	remote, ok := x.remote.(*net.TCPAddr)
	return !ok || guard.SafeAddr(remote.AddrPort().Addr().Unmap()) == nil
}
