package restyfetch

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"code.dny.dev/ssrf"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/polite-crawler/polite/domain/policy"
)

const agent = "TestBot/1.0 (+https://example.com/bot)"

// made makes a Fetcher that the test closes.
func made(t testing.TB, options Options) *Fetcher {
	t.Helper()
	fetcher, err := New(agent, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fetcher.Close() })
	return fetcher
}

// madeWith makes one with name servers and public addresses of its own.
func madeWith(t testing.TB, options Options, resolver *net.Resolver, public ...string) *Fetcher {
	t.Helper()
	var prefixes []netip.Prefix
	for _, prefix := range public {
		prefixes = append(prefixes, netip.MustParsePrefix(prefix))
	}
	fetcher, err := newFetcher(agent, options, resolver, ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(prefixes...)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fetcher.Close() })
	return fetcher
}

// get makes an exchange that has to succeed.
func get(t testing.TB, fetcher *Fetcher, url string) policy.Response {
	t.Helper()
	response, err := fetcher.Fetch(t.Context(), policy.Request{URL: url})
	if err != nil {
		t.Fatalf("Fetch(%s): %v", url, err)
	}
	return response
}

// serve starts a server; at is an address, "" for any port of 127.0.0.1.
func serve(t testing.TB, at string, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	if at == "" {
		at = "127.0.0.1:0"
	}
	return serveOn(t, listen(t, at), handler)
}

func serveOn(t testing.TB, listener net.Listener, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// servePair starts two servers on one port of two addresses.
func servePair(t testing.TB, inside, outside http.HandlerFunc) (port string) {
	t.Helper()
	for range 100 {
		here := listen(t, "127.0.0.1:0")
		_, port, _ = net.SplitHostPort(here.Addr().String())
		there, err := net.Listen("tcp", net.JoinHostPort(public, port))
		if err == nil {
			serveOn(t, here, inside)
			serveOn(t, there, outside)
			return port
		}
		_ = here.Close() // somebody else has that port there
	}
	t.Fatal("no port is free on both addresses")
	return ""
}

// text answers with a body and header fields: name, value, name, value.
func text(body string, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(fields); i += 2 {
			w.Header().Add(fields[i], fields[i+1])
		}
		_, _ = io.WriteString(w, body)
	}
}

func listen(t testing.TB, at string) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// closedPort returns the address of a port that refuses connections: that of a
// client, so that no other test is given it meanwhile.
func closedPort(t testing.TB) string {
	t.Helper()
	listener := listen(t, "127.0.0.1:0")
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Close()
		_ = listener.Close()
	})
	address := client.LocalAddr().String()
	conn, err := net.Dial("tcp", address)
	if err == nil {
		_ = conn.Close()
		t.Fatalf("%s is not closed", address)
	}
	return address
}

// talk starts a server that is not one of HTTP: each connection is handed over
// and closed afterwards, and until the test ends the function may wait.
func talk(t testing.TB, with func(conn net.Conn, end <-chan struct{})) (address string) {
	t.Helper()
	listener, end := listen(t, "127.0.0.1:0"), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer conn.Close()
				with(conn, end)
			})
		}
	})
	t.Cleanup(func() {
		close(end)
		_ = listener.Close()
		group.Wait()
	})
	return listener.Addr().String()
}

// mute takes a connection and says nothing.
func mute(_ net.Conn, end <-chan struct{}) { <-end }

// certified makes a certificate that vouches for itself.
func certified(t testing.TB, host string, from, until time.Time) (certificate tls.Certificate, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, NotBefore: from, NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if address := net.ParseIP(host); address != nil {
		template.IPAddresses = []net.IP{address}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, roots
}

// serveTLS starts a server with that certificate.
func serveTLS(t testing.TB, config *tls.Config, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.TLS = config
	server.EnableHTTP2 = true
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // handshakes fail here on purpose
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// A nameServer answers look-ups of A by name; other types have no records.
type nameServer struct {
	addresses map[string][]string        // of a name with its last dot
	rebinds   func(name string) []string // instead: asked anew for each look-up of A
	failure   dnsmessage.RCode           // for all other names; success is no answer at all
}

// resolver starts the name server and returns a resolver that asks it alone.
func (s nameServer) resolver(t testing.TB) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		packet := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			if answer := s.answer(packet[:n]); answer != nil {
				_, _ = conn.WriteTo(answer, from)
			}
		}
	})
	t.Cleanup(func() {
		_ = conn.Close()
		group.Wait()
	})
	return resolverAt(conn.LocalAddr().String())
}

// resolverAt returns a resolver that asks that address alone. That of package
// net goes on waiting for a mute name server when its caller has left; here
// that ends, so that the look for leaked goroutines need not wait.
func resolverAt(address string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "udp", address)
		if err == nil {
			context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}}
}

func (s nameServer) answer(packet []byte) []byte {
	var parser dnsmessage.Parser
	header, err := parser.Start(packet)
	if err != nil {
		return nil
	}
	question, err := parser.Question()
	if err != nil {
		return nil
	}
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: header.ID, Response: true, RecursionDesired: true, RecursionAvailable: true},
		Questions: []dnsmessage.Question{question},
	}
	name := strings.ToLower(question.Name.String())
	addresses, known := s.addresses[name]
	if s.rebinds != nil {
		known = true
		if question.Type == dnsmessage.TypeA {
			addresses = s.rebinds(name)
		}
	}
	switch {
	case !known && s.failure == dnsmessage.RCodeSuccess:
		return nil
	case !known:
		reply.RCode = s.failure
	case question.Type == dnsmessage.TypeA:
		for _, address := range addresses {
			reply.Answers = append(reply.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET, TTL: 1},
				Body:   &dnsmessage.AResource{A: netip.MustParseAddr(address).As4()},
			})
		}
	}
	packed, err := reply.Pack()
	if err != nil {
		return nil
	}
	return packed
}
