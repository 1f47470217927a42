package restyfetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/net/http2"

	"github.com/polite-crawler/polite/domain/policy"
)

// short is a time limit that is meant to run out.
const short = 60 * time.Millisecond

// The table of failure, row by row, as the network brings it about. SEMANTICS
// F11 where nobody here is to blame, F14 where we may be. Timeout, once there is
// a connection, is tried by the contract.
func TestFailures(t *testing.T) {
	nowhere := closedPort(t)
	resolve := func(s nameServer) func(*testing.T) *net.Resolver {
		return func(t *testing.T) *net.Resolver { return s.resolver(t) }
	}
	valid, roots := certified(t, "127.0.0.1", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	for _, row := range []struct {
		name     string
		options  Options
		resolver func(*testing.T) *net.Resolver
		url      func(*testing.T) string
		public   bool
		kind     policy.Failure
		local    bool
		status   int
	}{
		{name: "DNS: no such name", resolver: resolve(nameServer{failure: dnsmessage.RCodeNameError}),
			url: is("http://a.test."), kind: policy.FailedDNS},
		{name: "DNS: no address", resolver: resolve(nameServer{addresses: map[string][]string{"a.test.": nil}}),
			url: is("http://a.test."), kind: policy.FailedDNS},
		{name: "DNS: SERVFAIL", resolver: resolve(nameServer{failure: dnsmessage.RCodeServerFailure}),
			url: is("http://a.test."), kind: policy.FailedDNS},
		{name: "DNS: REFUSED", resolver: resolve(nameServer{failure: dnsmessage.RCodeRefused}),
			url: is("http://a.test."), kind: policy.FailedLocally, local: true},
		{name: "DNS: no answer", options: Options{DialTimeout: short}, resolver: resolve(nameServer{}),
			url: is("http://a.test."), kind: policy.FailedTimeout, local: true},
		{name: "DNS: no answer within Timeout", options: Options{Timeout: short}, resolver: resolve(nameServer{}),
			url: is("http://a.test."), kind: policy.FailedTimeout, local: true},
		{name: "DNS: no answer within Timeout, guarded", options: Options{Timeout: short}, resolver: resolve(nameServer{}),
			url: is("http://a.test."), public: true, kind: policy.FailedTimeout, local: true},
		{name: "DNS: no name server", resolver: func(*testing.T) *net.Resolver { return resolverAt(nowhere) },
			url: is("http://a.test."), kind: policy.FailedLocally, local: true},
		{name: "DNS: not even a socket", resolver: func(*testing.T) *net.Resolver {
			return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: "udp", Err: os.NewSyscallError("socket", syscall.EMFILE)}
			}}
		}, url: is("http://a.test."), kind: policy.FailedLocally, local: true},

		{name: "the guard: an address", url: is("http://127.0.0.1:1/"), public: true, kind: policy.RefusedAddress},
		{name: "the guard: a name", resolver: resolve(nameServer{addresses: map[string][]string{"a.test.": {"10.1.2.3"}}}),
			url: is("http://a.test./"), public: true, kind: policy.RefusedAddress},
		{name: "the guard: always on", options: Options{PublicOnly: true}, url: is("http://[::1]:1/"), kind: policy.RefusedAddress},

		{name: "TCP: refused", url: is("http://" + nowhere), kind: policy.FailedConnect},
		{name: "TCP: reset before the header", url: talker("http", func(conn net.Conn, _ <-chan struct{}) {
			_, _ = conn.Read(make([]byte, 1000))
			reset(conn)
		}), kind: policy.FailedConnect},
		{name: "TCP: reset in the handshake", url: talker("https", func(conn net.Conn, _ <-chan struct{}) {
			_, _ = conn.Read(make([]byte, 1000))
			reset(conn)
		}), kind: policy.FailedConnect},
		{name: "TCP: an address that is none of ours", url: is("http://255.255.255.255/"), kind: policy.FailedLocally, local: true},

		{name: "TLS: not from a known authority", url: served(&tls.Config{Certificates: []tls.Certificate{valid}}), kind: policy.FailedTLS},
		{name: "TLS: no protocol in common", options: Options{RootCAs: roots}, kind: policy.FailedTLS,
			url: served(&tls.Config{Certificates: []tls.Certificate{valid}, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10})},
		{name: "TLS: not spoken", kind: policy.FailedTLS, url: func(t *testing.T) string {
			return strings.Replace(serve(t, "", text("")).URL, "http:", "https:", 1)
		}},
		{name: "TLS: closed in the handshake", url: talker("https", func(conn net.Conn, _ <-chan struct{}) {
			_, _ = conn.Read(make([]byte, 4000))
		}), kind: policy.FailedTLS},
		{name: "TLS: mute", options: Options{TLSTimeout: short}, url: talker("https", mute), kind: policy.FailedTimeout},

		{name: "HTTP: mute", options: Options{HeaderTimeout: short}, url: talker("http", mute), kind: policy.FailedTimeout},
		{name: "HTTP: another protocol", url: says("SSH-2.0-x\r\n"), kind: policy.FailedProtocol},
		{name: "HTTP: closed", url: says(""), kind: policy.FailedProtocol},
		{name: "HTTP: a header over its limit", options: Options{MaxHeaderBytes: 1000}, kind: policy.FailedProtocol,
			url: says("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 10_000) + "\r\n\r\n")},
		{name: "HTTP: no end of interim answers", kind: policy.FailedProtocol,
			url: says(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1000))},
		{name: "HTTP/2: a header over its limit", options: Options{MaxHeaderBytes: 1000, RootCAs: roots}, kind: policy.FailedProtocol,
			url: func(t *testing.T) string {
				return serveTLS(t, &tls.Config{Certificates: []tls.Certificate{valid}}, text("", "X", strings.Repeat("x", 10_000))).URL
			}},

		{name: "body: short", url: says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), kind: policy.FailedBody, status: 200},
		{name: "body: an HTTP/2 stream that is cut", options: Options{RootCAs: roots}, kind: policy.FailedBody, status: 200,
			url: func(t *testing.T) string {
				return serveTLS(t, &tls.Config{Certificates: []tls.Certificate{valid}}, func(w http.ResponseWriter, _ *http.Request) {
					_, _ = io.WriteString(w, "User-agent: *\n")
					_ = http.NewResponseController(w).Flush()
					panic(http.ErrAbortHandler)
				}).URL
			}},
		{name: "coding: unknown", url: says("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nabc"), kind: policy.FailedCoding, status: 200},
		{name: "coding: corrupt", url: says("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nabcdefghijklm"), kind: policy.FailedCoding, status: 200},

		{name: "a URL of another scheme", url: is("ftp://127.0.0.1/"), kind: policy.FailedProtocol},
		{name: "a URL that is none", url: is("http://[/"), kind: policy.FailedProtocol},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var resolver *net.Resolver
			if row.resolver != nil {
				resolver = row.resolver(t)
			}
			fetcher := madeWith(t, row.options, resolver)
			_, err := fetcher.Fetch(t.Context(), policy.Request{URL: row.url(t), PublicOnly: row.public})
			expect(t, err, row.kind, row.local, row.status)
		})
	}
}

// What a machine in good order does not bring about, and what differs from one
// machine to the next.
func TestClassify(t *testing.T) {
	dial := func(errno syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", errno)}
	}
	read := func(errno syscall.Errno) error {
		return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", errno)}
	}
	for _, row := range []struct {
		err    error
		status int
		kind   policy.Failure
		local  bool
	}{
		{err: dial(syscall.ENETUNREACH), kind: policy.FailedLocally, local: true},
		{err: dial(syscall.EHOSTUNREACH), kind: policy.FailedLocally, local: true},
		{err: dial(syscall.ENETDOWN), kind: policy.FailedLocally, local: true},
		{err: dial(syscall.EADDRNOTAVAIL), kind: policy.FailedLocally, local: true},
		{err: dial(syscall.EMFILE), kind: policy.FailedLocally, local: true},
		{err: dial(syscall.ENFILE), kind: policy.FailedLocally, local: true},
		{err: dial(syscall.ENOBUFS), kind: policy.FailedLocally, local: true},
		{err: dial(syscall.EACCES), kind: policy.FailedLocally, local: true},
		{err: dial(syscall.EPERM), kind: policy.FailedLocally, local: true},
		{err: dial(syscall.EAFNOSUPPORT), kind: policy.FailedLocally, local: true},
		{err: dial(syscall.EIO), kind: policy.FailedLocally, local: true}, // not known: may be ours
		{err: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("no suitable address")}, kind: policy.FailedLocally, local: true},
		{err: dial(syscall.ECONNREFUSED), kind: policy.FailedConnect},
		{err: dial(syscall.ECONNRESET), kind: policy.FailedConnect},
		{err: dial(syscall.ECONNABORTED), kind: policy.FailedConnect},
		{err: dial(syscall.ETIMEDOUT), kind: policy.FailedTimeout},
		{err: &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}, kind: policy.FailedTimeout},

		// Windows has numbers of its own.
		{err: dial(10061), kind: policy.FailedConnect},
		{err: dial(10060), kind: policy.FailedTimeout},
		{err: dial(10065), kind: policy.FailedLocally, local: true},
		{err: dial(10051), kind: policy.FailedLocally, local: true},
		{err: dial(10024), kind: policy.FailedLocally, local: true},
		{err: dial(10013), kind: policy.FailedLocally, local: true},
		{err: read(10054), kind: policy.FailedConnect},
		{err: read(10053), kind: policy.FailedConnect},
		{err: read(10054), status: 200, kind: policy.FailedBody},
		{err: read(10050), kind: policy.FailedLocally, local: true},

		{err: read(syscall.ECONNRESET), kind: policy.FailedConnect},
		{err: &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}, kind: policy.FailedConnect},
		{err: read(syscall.ETIMEDOUT), kind: policy.FailedTimeout},
		{err: read(syscall.ENETDOWN), kind: policy.FailedLocally, local: true},
		{err: read(syscall.ECONNRESET), status: 200, kind: policy.FailedBody},
		{err: read(syscall.ETIMEDOUT), status: 200, kind: policy.FailedTimeout},
		{err: read(syscall.EHOSTUNREACH), status: 200, kind: policy.FailedLocally, local: true},
		{err: io.ErrUnexpectedEOF, status: 200, kind: policy.FailedBody},
		{err: &codingError{io.ErrUnexpectedEOF}, status: 200, kind: policy.FailedCoding},

		{err: x509.SystemRootsError{Err: errors.New("no file")}, kind: policy.FailedLocally, local: true},
		{err: &net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}, kind: policy.FailedTLS},
		{err: &net.OpError{Op: "proxyconnect", Net: "tcp", Err: dial(syscall.ECONNREFUSED)}, kind: policy.FailedLocally, local: true},

		{err: &net.DNSError{Err: "Temporary failure in name resolution", IsTemporary: true}, kind: policy.FailedLocally, local: true}, // glibc's EAI_AGAIN
		{err: &net.DNSError{Err: "no such host", IsNotFound: true}, kind: policy.FailedDNS},
		{err: &net.DNSError{Err: "lame referral"}, kind: policy.FailedLocally, local: true},

		{err: io.EOF, kind: policy.FailedProtocol},
		{err: errors.New("anything"), kind: policy.FailedProtocol},
	} {
		wrapped := &url.Error{Op: "Get", URL: "http://a.test/", Err: fmt.Errorf("on the way: %w", row.err)}
		err := (&exchange{}).failure(t.Context(), row.status, wrapped)
		if err.Kind != row.kind || err.Local != row.local || err.Status != row.status || !errors.Is(err, row.err) {
			t.Errorf("%v after status %d: %v, local %t, status %d, want %v, local %t",
				row.err, row.status, err.Kind, err.Local, err.Status, row.kind, row.local)
		}
	}
}

// Close is a shutdown (F14): what runs ends, nothing begins, nothing is left.
func TestClose(t *testing.T) {
	began := make(chan struct{}, 2)
	server := serve(t, "", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			_, _ = io.WriteString(w, "#")
			_ = http.NewResponseController(w).Flush()
		}
		began <- struct{}{}
		<-r.Context().Done()
	})
	fetcher := made(t, Options{})
	var group sync.WaitGroup
	for path, status := range map[string]int{"/header": 0, "/body": 200} {
		group.Go(func() {
			_, err := fetcher.Fetch(t.Context(), policy.Request{URL: server.URL + path})
			var failure *policy.FetchError
			if !errors.As(err, &failure) || failure.Kind != policy.FailedLocally || !failure.Local || !errors.Is(err, errClosed) {
				t.Errorf("%s, closed on the way: %v", path, err)
			} else if failure.Status != status && failure.Status != 0 { // the header may still be on its way
				t.Errorf("%s: status %d, want %d", path, failure.Status, status)
			}
		})
	}
	<-began
	<-began
	for range 2 {
		if err := fetcher.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	group.Wait()
	_, err := fetcher.Fetch(t.Context(), policy.Request{URL: server.URL})
	expect(t, err, policy.FailedLocally, true, 0)
	if !fetcher.opened.closed {
		t.Errorf("connections can still be opened")
	}
}

// net/http asks again when HTTP/2 refuses a stream, up to six times: a retry,
// which a Fetcher does not do (C1, "the origin sees one request").
func TestRefusedStreamIsNotAskedAgain(t *testing.T) {
	certificate, roots := certified(t, "127.0.0.1", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	var asked atomic.Int32
	address := talk(t, func(conn net.Conn, _ <-chan struct{}) {
		secure := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"}})
		if _, err := io.ReadFull(secure, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		framer := http2.NewFramer(secure, secure)
		_ = framer.WriteSettings()
		for {
			frame, err := framer.ReadFrame()
			if err != nil {
				return
			}
			if headers, ok := frame.(*http2.HeadersFrame); ok {
				asked.Add(1)
				_ = framer.WriteRSTStream(headers.StreamID, http2.ErrCodeRefusedStream)
			}
		}
	})
	_, err := made(t, Options{RootCAs: roots}).Fetch(t.Context(), policy.Request{URL: "https://" + address})
	expect(t, err, policy.FailedProtocol, false, 0)
	if !errors.Is(err, errAgain) {
		t.Errorf("error %v, want %v", err, errAgain)
	}
	if got := asked.Load(); got != 1 {
		t.Errorf("%d requests, want 1", got)
	}
}

// What servers send gets into errors, and those into logs: little of it, and
// nothing that moves a cursor.
func TestErrorTexts(t *testing.T) {
	for _, octets := range []string{
		"HTTP/1.1 " + strings.Repeat("x", 3000) + "\r\n\r\n",
		"HTTP/1.1 \x1b[31mred\x07\xFF 200 OK\r\n\r\n",
		strings.Repeat("\x1b[2J", 1000),
	} {
		_, err := made(t, Options{}).Fetch(t.Context(), policy.Request{URL: says(octets)(t)})
		expect(t, err, policy.FailedProtocol, false, 0)
		if len(err.Error()) > 400 || strings.ContainsFunc(err.Error(), isControl) {
			t.Errorf("error of %d octets: %q", len(err.Error()), err)
		}
	}
	cause := errors.New("a\x1b[31m\r\n\x9b\u009bz" + strings.Repeat("я", 1000))
	if err := bounded(cause); len(err.Error()) > 400 || !utf8.ValidString(err.Error()) || strings.ContainsFunc(err.Error(), isControl) || !errors.Is(err, cause) {
		t.Errorf("bounded: %q", err)
	}
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7F && r < 0xA0 }

func is(url string) func(*testing.T) string { return func(*testing.T) string { return url } }

// says answers every connection with those octets and closes it.
func says(octets string) func(*testing.T) string {
	return talker("http", func(conn net.Conn, _ <-chan struct{}) {
		_, _ = conn.Read(make([]byte, 4000))
		_, _ = io.WriteString(conn, octets)
	})
}

func talker(scheme string, with func(net.Conn, <-chan struct{})) func(*testing.T) string {
	return func(t *testing.T) string { return scheme + "://" + talk(t, with) }
}

func served(config *tls.Config) func(*testing.T) string {
	return func(t *testing.T) string { return serveTLS(t, config, text("")).URL }
}

func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

func expect(t *testing.T, err error, kind policy.Failure, local bool, status int) {
	t.Helper()
	var failure *policy.FetchError
	if !errors.As(err, &failure) {
		t.Fatalf("error %v, want a *policy.FetchError", err)
	}
	if failure.Kind != kind || failure.Local != local || failure.Status != status {
		t.Errorf("%v, local %t, status %d (%v), want %v, local %t, status %d",
			failure.Kind, failure.Local, failure.Status, err, kind, local, status)
	}
}
