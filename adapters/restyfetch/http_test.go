package restyfetch

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/polite-crawler/polite/domain/policy"
)

func TestTLS(t *testing.T) {
	now := time.Now()
	valid, known := certified(t, "127.0.0.1", now.Add(-time.Hour), now.Add(time.Hour))
	expired, knownExpired := certified(t, "127.0.0.1", now.Add(-2*time.Hour), now.Add(-time.Hour))
	early, knownEarly := certified(t, "127.0.0.1", now.Add(time.Hour), now.Add(2*time.Hour))
	other, knownOther := certified(t, "example.com", now.Add(-time.Hour), now.Add(time.Hour))
	for _, row := range []struct {
		name        string
		certificate tls.Certificate
		options     Options
		good        bool
	}{
		{"of a known authority", valid, Options{RootCAs: known}, true},
		{"of an unknown authority", valid, Options{}, false},
		{"of another authority", valid, Options{RootCAs: knownOther}, false},
		{"for another host", other, Options{RootCAs: knownOther}, false},
		{"expired", expired, Options{RootCAs: knownExpired}, false},
		{"not yet valid", early, Options{RootCAs: knownEarly}, false},
	} {
		server := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{row.certificate}}, text("User-agent: *\n"))
		for _, public := range []bool{false, true} { // both ways
			fetcher := madeWith(t, row.options, nil, "127.0.0.0/8")
			response, err := fetcher.Fetch(t.Context(), policy.Request{URL: server.URL, PublicOnly: public})
			if !row.good {
				t.Run(row.name, func(t *testing.T) { expect(t, err, policy.FailedTLS, false, 0) })
			} else if err != nil || string(response.Body) != "User-agent: *\n" {
				t.Errorf("a certificate %s: %q, %v", row.name, response.Body, err)
			}
		}
	}
}

func TestProtocols(t *testing.T) {
	certificate, roots := certified(t, "127.0.0.1", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	fetcher := made(t, Options{RootCAs: roots, MaxBytes: 1000})
	answer := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", r.UserAgent())
		switch r.URL.Path {
		case "/proto":
			_, _ = io.WriteString(w, r.Proto)
		case "/flood":
			for {
				if _, err := io.WriteString(w, strings.Repeat("#", 1000)); err != nil {
					return
				}
			}
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, coded(t, "gzip", "coded"))
		case "/location":
			w.Header().Set("Location", "http://[")
			w.WriteHeader(http.StatusFound)
		}
	}
	for proto, url := range map[string]string{
		"HTTP/1.1": serve(t, "", answer).URL,
		"HTTP/2.0": serveTLS(t, &tls.Config{Certificates: []tls.Certificate{certificate}}, answer).URL,
	} {
		if response := get(t, fetcher, url+"/proto"); string(response.Body) != proto || response.Header.ETag != agent {
			t.Errorf("%s spoken as %q, by %q", proto, response.Body, response.Header.ETag)
		}
		if response := get(t, fetcher, url+"/flood"); len(response.Body) != 1000 || !response.Truncated {
			t.Errorf("%s: %d octets of a flood, truncated %t", proto, len(response.Body), response.Truncated)
		}
		if response := get(t, fetcher, url+"/gzip"); string(response.Body) != "coded" {
			t.Errorf("%s: %q, want what was coded", proto, response.Body)
		}
		if response := get(t, fetcher, url+"/location"); response.Status != http.StatusFound || response.Header.Location != "http://[" {
			t.Errorf("%s: status %d to %q", proto, response.Status, response.Header.Location)
		}
	}
}

// A 206 was not asked for (F11): whatever it is a part of is not read.
func TestPartialContentIsNotRead(t *testing.T) {
	server := serve(t, "", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusPartialContent)
		_, _ = io.WriteString(w, "User-agent: *\n")
	})
	if response := get(t, made(t, Options{}), server.URL); response.Status != http.StatusPartialContent || response.Body != nil {
		t.Errorf("status %d, body %q", response.Status, response.Body)
	}
}

func TestIPv6(t *testing.T) {
	if response := get(t, made(t, Options{}), serve(t, "[::1]:0", text("User-agent: *\n")).URL); string(response.Body) != "User-agent: *\n" || response.Public {
		t.Errorf("body %q, public %t", response.Body, response.Public)
	}
}

// An IDN is asked for by its A-label, whichever way it is written, in the
// look-up, in Host and in TLS; a port is part of Host and not of the others.
func TestIDNAndPort(t *testing.T) {
	const host = "xn--bcher-kva.test"
	certificate, roots := certified(t, host, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	answer := func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil && r.TLS.ServerName != host {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = io.WriteString(w, r.Host)
	}
	resolver := nameServer{addresses: map[string][]string{host + ".": {"127.0.0.1"}}, failure: dnsmessage.RCodeNameError}.resolver(t)
	fetcher := madeWith(t, Options{RootCAs: roots}, resolver)
	for _, server := range []*httptest.Server{
		serve(t, "", answer), serveTLS(t, &tls.Config{Certificates: []tls.Certificate{certificate}}, answer),
	} {
		scheme, address, _ := strings.Cut(server.URL, "://")
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		for _, written := range []string{host, "bücher.test", "user:secret@" + host} {
			response := get(t, fetcher, scheme+"://"+written+":"+port+"/robots.txt")
			if response.Status != http.StatusOK || string(response.Body) != host+":"+port {
				t.Errorf("%s %s: status %d, Host %s", scheme, written, response.Status, response.Body)
			}
		}
	}
}

// Close leaves no connection behind, whatever its transport thinks of it.
func TestConnectionsClose(t *testing.T) {
	address := talk(t, mute)
	opened := &connections{}
	dial := opened.dialing(net.Dialer{})
	var conns []net.Conn
	for range 2 {
		conn, err := dial(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	_ = conns[0].Close()
	if len(opened.open) != 1 {
		t.Errorf("%d connections are open, want 1", len(opened.open))
	}
	opened.close()
	if _, err := conns[1].Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("reading from what was open: %v, want %v", err, net.ErrClosed)
	}
	if _, err := dial(t.Context(), "tcp", address); !errors.Is(err, errClosed) {
		t.Errorf("dialing afterwards: %v, want %v", err, errClosed)
	}
}

// A connection that was idle may be closed by the server just when it is used:
// that the request goes out once more, on a new one, is no retry of ours but
// what RFC 9112 §9.3.1 expects.
func TestStaleConnection(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	var connections, requests atomic.Int32
	address := talk(t, func(conn net.Conn, _ <-chan struct{}) {
		first := connections.Add(1) == 1
		for buffer := make([]byte, 4000); ; {
			if _, err := conn.Read(buffer); err != nil {
				return
			}
			if requests.Add(1) == 2 && first {
				return
			}
			_, _ = io.WriteString(conn, answer)
		}
	})
	fetcher := made(t, Options{})
	for range 2 {
		get(t, fetcher, "http://"+address)
	}
	if connections.Load() != 2 || requests.Load() != 3 {
		t.Errorf("%d requests in %d connections, want 3 in 2: the second was on a stale one", requests.Load(), connections.Load())
	}
}

func TestHeaderFields(t *testing.T) {
	long := strings.Repeat("x", maxField+1)
	for _, row := range []struct {
		name, value string
		want        policy.Header
	}{
		{"Location", long, policy.Header{}}, // a part of it is another URL
		{"Location", long[1:], policy.Header{Location: long[1:]}},
		{"ETag", long, policy.Header{}},
		{"Cache-Control", long, policy.Header{}},
		{"CF-Mitigated", "challenge", policy.Header{Challenge: "cf-mitigated: challenge"}},
		{"cf-mitigated", "Challenge", policy.Header{Challenge: "cf-mitigated: challenge"}},
		{"CF-Mitigated", "none", policy.Header{}},
		{"X-Amzn-Waf-Action", "captcha", policy.Header{Challenge: "x-amzn-waf-action: captcha"}},
		{"X-Amzn-Waf-Action", "challenge", policy.Header{Challenge: "x-amzn-waf-action: challenge"}},
		{"X-Amzn-Waf-Action", long, policy.Header{}},
		{"X-Vercel-Mitigated", "challenge", policy.Header{Challenge: "x-vercel-mitigated: challenge"}},
		{"X-Vercel-Mitigated", "deny", policy.Header{}},
	} {
		server := serve(t, "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Date"] = nil
			w.Header().Set(row.name, row.value)
			w.WriteHeader(http.StatusNotFound)
		})
		if got := get(t, made(t, Options{}), server.URL).Header; got != row.want {
			t.Errorf("%s: %.40q gave %.200v, want %.200v", row.name, row.value, got, row.want)
		}
	}
}

// Validators come from servers and by way of a store: what cannot be sent as it
// is makes the request unconditional, not impossible.
func TestConditionsThatCannotBeSent(t *testing.T) {
	var sent http.Header
	server := serve(t, "", func(_ http.ResponseWriter, r *http.Request) { sent = r.Header.Clone() })
	_, err := made(t, Options{}).Fetch(t.Context(), policy.Request{URL: server.URL, Validators: policy.Validators{
		URL: server.URL, ETag: "\"a\"\r\nX-Evil: 1", LastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
	}})
	if err != nil || sent.Get("If-None-Match") != "" || sent.Get("X-Evil") != "" || sent.Get("If-Modified-Since") == "" {
		t.Errorf("sent %v, %v", sent, err)
	}
}
