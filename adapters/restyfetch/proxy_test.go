package restyfetch

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/polite-crawler/polite/domain/policy"
)

// forward starts a proxy, which counts what it is asked.
func forward(t *testing.T, asked *atomic.Int32) *url.URL {
	t.Helper()
	onward := &http.Transport{}
	t.Cleanup(onward.CloseIdleConnections)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Method == http.MethodConnect {
			tunnel(w, r)
			return
		}
		r.RequestURI = ""
		response, err := onward.RoundTrip(r)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer response.Body.Close()
		w.WriteHeader(response.StatusCode)
		_, _ = io.Copy(w, response.Body)
	}))
	t.Cleanup(proxy.Close)
	return at(t, proxy.URL)
}

func tunnel(w http.ResponseWriter, r *http.Request) {
	target, err := net.Dial("tcp", r.Host)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	client, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		_ = target.Close()
		return
	}
	_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() {
		defer target.Close()
		_, _ = io.Copy(target, client)
	}()
	defer client.Close()
	_, _ = io.Copy(client, target)
}

func at(t *testing.T, text string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestProxy(t *testing.T) {
	certificate, roots := certified(t, "127.0.0.1", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	var asked atomic.Int32
	// To this Fetcher all the world is public, so that only the proxy keeps it
	// from saying so.
	fetcher := madeWith(t, Options{Proxy: forward(t, &asked), RootCAs: roots}, nil, "0.0.0.0/0")
	for i, target := range []string{
		serve(t, "", text("User-agent: *\n")).URL,
		serveTLS(t, &tls.Config{Certificates: []tls.Certificate{certificate}}, text("User-agent: *\n")).URL,
	} {
		response := get(t, fetcher, target)
		if string(response.Body) != "User-agent: *\n" || response.Public {
			t.Errorf("%s: body %q, public %t; want the text, not public", target, response.Body, response.Public)
		}
		if int(asked.Load()) != i+1 {
			t.Errorf("%s: the proxy was asked %d times, want %d", target, asked.Load(), i+1)
		}
		// The guard cannot be kept there, and must not be left out.
		_, err := fetcher.Fetch(t.Context(), policy.Request{URL: target, PublicOnly: true})
		expect(t, err, policy.RefusedAddress, false, 0)
		if int(asked.Load()) != i+1 {
			t.Errorf("%s: a guarded request got to the proxy", target)
		}
	}
}

// SEMANTICS F14: "proxy down". What the proxy itself answers to a request for
// http cannot be told from the origin's answer, but for 407.
func TestProxyFailures(t *testing.T) {
	certificate, roots := certified(t, "127.0.0.1", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	secure := func(t *testing.T) string {
		return serveTLS(t, &tls.Config{Certificates: []tls.Certificate{certificate}}, text("")).URL
	}
	var asked atomic.Int32
	working := func(t *testing.T) *url.URL { return forward(t, &asked) }
	answering := func(status int) func(*testing.T) *url.URL {
		return func(t *testing.T) *url.URL {
			return at(t, serve(t, "", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }).URL)
		}
	}
	talking := func(scheme string, with func(net.Conn, <-chan struct{})) func(*testing.T) *url.URL {
		return func(t *testing.T) *url.URL { return at(t, scheme+"://"+talk(t, with)) }
	}
	closing := func(conn net.Conn, _ <-chan struct{}) { _, _ = conn.Read(make([]byte, 1000)) }
	for _, row := range []struct {
		name    string
		proxy   func(*testing.T) *url.URL
		url     func(*testing.T) string
		options Options
		kind    policy.Failure
		local   bool
		status  int
	}{
		{name: "down", proxy: func(t *testing.T) *url.URL { return at(t, "http://"+closedPort(t)) }, url: is("http://a.test/"), kind: policy.FailedLocally, local: true},
		{name: "down, https", proxy: func(t *testing.T) *url.URL { return at(t, "http://"+closedPort(t)) }, url: is("https://a.test/"), kind: policy.FailedLocally, local: true},
		{name: "down, socks", proxy: func(t *testing.T) *url.URL { return at(t, "socks5://"+closedPort(t)) }, url: is("http://a.test/"), kind: policy.FailedLocally, local: true},
		{name: "without a name", proxy: func(t *testing.T) *url.URL { return at(t, "http://proxy.invalid.:3128") }, url: is("http://a.test/"), kind: policy.FailedLocally, local: true},
		{name: "not one of TLS", proxy: func(t *testing.T) *url.URL { return at(t, "https://"+talk(t, closing)) }, url: is("http://a.test/"), kind: policy.FailedLocally, local: true},
		{name: "not to be trusted", proxy: func(t *testing.T) *url.URL {
			return at(t, serveTLS(t, &tls.Config{}, text("")).URL) // from httptest's authority
		}, url: is("http://a.test/"), kind: policy.FailedLocally, local: true},
		{name: "wants a password", proxy: answering(407), url: is("http://a.test/"), kind: policy.FailedLocally, local: true, status: 407},
		{name: "wants a password, https", proxy: answering(407), url: is("https://a.test/"), kind: policy.FailedLocally, local: true},
		{name: "does not connect", proxy: answering(502), url: is("https://a.test/"), kind: policy.FailedLocally, local: true},
		{name: "closes", proxy: talking("http", closing), url: is("https://a.test/"), kind: policy.FailedLocally, local: true},
		{name: "closes, socks", proxy: talking("socks5", closing), url: is("https://a.test/"), kind: policy.FailedLocally, local: true},
		{name: "refuses, socks", proxy: talking("socks5", func(conn net.Conn, _ <-chan struct{}) {
			_, _ = conn.Read(make([]byte, 100))
			_, _ = conn.Write([]byte{5, 0})
			_, _ = conn.Read(make([]byte, 100))
			_, _ = conn.Write([]byte{5, 4, 0, 1, 0, 0, 0, 0, 0, 0}) // host unreachable (RFC 1928 §6)
		}), url: is("https://a.test/"), kind: policy.FailedLocally, local: true},
		{name: "mute", proxy: talking("http", mute), url: is("https://a.test/"), options: Options{Timeout: short}, kind: policy.FailedTimeout, local: true},
		{name: "mute, socks", proxy: talking("socks5", mute), url: is("http://a.test/"), options: Options{Timeout: short}, kind: policy.FailedTimeout, local: true},

		// Beyond it, it is the origin's again.
		{name: "the origin's certificate", proxy: working, url: secure, kind: policy.FailedTLS},
		{name: "a mute origin", proxy: working, options: Options{HeaderTimeout: short, RootCAs: roots}, kind: policy.FailedTimeout,
			url: func(t *testing.T) string {
				return serveTLS(t, &tls.Config{Certificates: []tls.Certificate{certificate}}, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }).URL
			}},
		{name: "an origin that is no HTTP", proxy: working, options: Options{TLSTimeout: time.Minute}, kind: policy.FailedTLS,
			url: func(t *testing.T) string { return strings.Replace(serve(t, "", text("")).URL, "http:", "https:", 1) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.options.Proxy = row.proxy(t)
			target := row.url(t)
			nobody := nameServer{failure: dnsmessage.RCodeNameError}.resolver(t)
			_, err := madeWith(t, row.options, nobody).Fetch(t.Context(), policy.Request{URL: target})
			expect(t, err, row.kind, row.local, row.status)
		})
	}
}

// What a proxy says instead of connecting is not repeated, but its status is.
func TestProxyRefusalText(t *testing.T) {
	proxy := at(t, says("HTTP/1.1 502 Secrets of the network\r\n\r\n")(t))
	_, err := made(t, Options{Proxy: proxy}).Fetch(t.Context(), policy.Request{URL: "https://a.test/"})
	expect(t, err, policy.FailedLocally, true, 0)
	if text := err.Error(); !strings.Contains(text, "502") || strings.Contains(text, "Secrets") {
		t.Errorf("error %q", text)
	}
}

// Without a proxy a 407 is the origin's own, a 4xx like others (F7).
func TestProxyStatusWithoutProxy(t *testing.T) {
	server := serve(t, "", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) })
	if response := get(t, made(t, Options{}), server.URL); response.Status != http.StatusProxyAuthRequired {
		t.Errorf("status %d", response.Status)
	}
}
