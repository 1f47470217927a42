package restyfetch

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"strings"
	"syscall"
	"unicode/utf8"

	"code.dny.dev/ssrf"

	"github.com/polite-crawler/polite/domain/policy"
)

// failure classifies an error that ended an exchange; status is that of the
// header, 0 if none came. The first row that fits counts. "Ours" is Local: the
// failure may be this worker's own, so it says nothing about the origin and must
// not be stored (SEMANTICS F14). Where both are possible it is ours: that costs
// one worker a minute, while the other mistake closes the origin to the fleet.
//
//	what happened                                          kind             ours
//	the caller cancelled                                   local            yes
//	Close                                                  local            yes
//	the caller's deadline passed                           timeout          yes
//	Options.Timeout passed, before we connect, at proxy    timeout          yes
//	Options.Timeout passed, anywhere else                  timeout
//	a new connection that refused the request              protocol
//	the guard refused the address                          refused-address
//	the proxy: down, deaf, or does not connect             local            yes
//	DNS: no such name, no address (IsNotFound)             dns
//	DNS: SERVFAIL, the origin's own servers failed         dns
//	DNS: no answer in time                                 timeout          yes
//	DNS: anything else, such as no name server             local            yes
//	no route, no sockets, no memory, not permitted         local            yes
//	no system roots to verify a certificate with           local            yes
//	content coding unknown or corrupt                      content-coding
//	any other time limit, ETIMEDOUT                        timeout
//	anything else after the header                         body
//	dial: refused, reset, aborted                          connect
//	dial: anything else                                    local            yes
//	connection reset or aborted, broken pipe               connect
//	TLS: certificate, handshake, alert                     tls
//	anything else: no HTTP, the header over its limit      protocol
func (x *exchange) failure(ctx context.Context, status int, err error) *policy.FetchError {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // the caller knows which URL, and its Timeout would hide others
	}
	failure := x.ended(ctx)
	if failure == nil {
		kind, ours := x.classify(status, err)
		failure = &policy.FetchError{Kind: kind, Local: ours, Err: err}
	}
	failure.Status = status
	failure.Err = bounded(failure.Err)
	return failure
}

// ended tells who ended the exchange, nil if nobody did. The errors from below
// do not tell reliably that they come of it.
func (x *exchange) ended(ctx context.Context) *policy.FetchError {
	if ctx.Err() == nil {
		return nil
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errAgain):
		return &policy.FetchError{Kind: policy.FailedProtocol, Err: cause}
	case errors.Is(cause, errTimeout):
		return &policy.FetchError{Kind: policy.FailedTimeout, Local: x.oursToBlame(), Err: cause}
	case errors.Is(cause, errClosed):
		return local(cause)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &policy.FetchError{Kind: policy.FailedTimeout, Local: true, Err: ctx.Err()}
	default:
		return local(ctx.Err())
	}
}

// classify is the table from the guard on.
func (x *exchange) classify(status int, err error) (kind policy.Failure, ours bool) {
	var (
		dns    *net.DNSError
		roots  x509.SystemRootsError
		coding *codingError
	)
	switch {
	case isRefused(err):
		return policy.RefusedAddress, false
	case x.isProxy(err):
		return policy.FailedLocally, true
	case errors.As(err, &dns):
		return classifyDNS(dns)
	case isAny(err, localErrors), errors.As(err, &roots):
		return policy.FailedLocally, true
	case errors.As(err, &coding):
		return policy.FailedCoding, false
	case isTimeout(err):
		return policy.FailedTimeout, false
	case status != 0:
		return policy.FailedBody, false
	case isAny(err, peerErrors):
		return policy.FailedConnect, false
	case isOp(err, "dial"):
		return policy.FailedLocally, true
	case x.handshakeFailed(), isOp(err, "remote error"), isOp(err, "local error"): // alerts; TLS 1.3 sends some after the handshake
		return policy.FailedTLS, false
	}
	return policy.FailedProtocol, false
}

// localErrors say that it went no farther than this machine, or its network.
// EHOSTUNREACH may come from a router next to the origin, but also from ours.
var localErrors = []syscall.Errno{
	syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN, syscall.EADDRNOTAVAIL, syscall.EADDRINUSE,
	syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EACCES, syscall.EPERM, syscall.EAFNOSUPPORT,
	wsaENETUNREACH, wsaEHOSTUNREACH, wsaENETDOWN, wsaEADDRNOTAVAIL, wsaEADDRINUSE, wsaEMFILE, wsaENOBUFS, wsaEACCES, wsaEAFNOSUPPORT,
	wsaSYSNOTREADY,
}

// peerErrors say that the other end would not, or no longer.
var peerErrors = []syscall.Errno{
	syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE,
	wsaECONNREFUSED, wsaECONNRESET, wsaECONNABORTED, wsaENETRESET,
}

// servFail is how package net words a SERVFAIL; together with IsTemporary
// nothing else is. REFUSED has the same words, and means us.
const servFail = "server misbehaving"

func classifyDNS(err *net.DNSError) (kind policy.Failure, ours bool) {
	switch {
	case err.IsNotFound, err.Err == servFail && err.IsTemporary:
		return policy.FailedDNS, false
	case err.IsTimeout:
		// Our resolver may be down, or wait for the origin's servers.
		return policy.FailedTimeout, true
	}
	return policy.FailedLocally, true
}

// isRefused reports whether the guard has refused the address.
func isRefused(err error) bool {
	return errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedNetwork) ||
		errors.Is(err, ssrf.ErrProhibitedPort) || errors.Is(err, ssrf.ErrInvalidHostPort)
}

// isProxy reports whether the way ended at our proxy.
func (x *exchange) isProxy(err error) bool {
	return isOp(err, "proxyconnect") || x.stuckAtProxy()
}

func isOp(err error, op string) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == op
}

func isTimeout(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout() || isAny(err, []syscall.Errno{wsaETIMEDOUT}) // which does not say so itself
}

func isAny(err error, among []syscall.Errno) bool {
	var number syscall.Errno
	if !errors.As(err, &number) {
		return false
	}
	for _, one := range among {
		if number == one {
			return true
		}
	}
	return false
}

// local is a failure of this worker.
func local(err error) *policy.FetchError {
	return &policy.FetchError{Kind: policy.FailedLocally, Local: true, Err: err}
}

// bounded returns an error that says at most maxText octets, without controls:
// what servers send gets into texts, and those into logs and on screens.
func bounded(err error) error {
	text := strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7F && r < 0xA0 {
			return ' '
		}
		return r
	}, err.Error())
	if len(text) > maxText {
		end := maxText
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	return &boundedError{text: text, err: err}
}

const maxText = 300

type boundedError struct {
	text string
	err  error
}

func (e *boundedError) Error() string { return e.text }
func (e *boundedError) Unwrap() error { return e.err }
