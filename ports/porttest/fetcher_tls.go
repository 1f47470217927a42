package porttest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/ports"
)

func fetcherTLSChecks() []Check[OpenFetcher] {
	return []Check[OpenFetcher]{
		{"TLS is spoken with servers of HTTP/1.1 and HTTP/2", "SEMANTICS F, porttest.FetcherSettings.RootCAs", fetchSecurely},
		{"certificates are verified", "SEMANTICS F11", fetchVerifies},
	}
}

// fetchSecurely: whatever is spoken, the exchange is the same.
func fetchSecurely(t T, open OpenFetcher) {
	issued := certify(t, "127.0.0.1", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	fetcher := openTrusting(t, open, issued)
	for _, protocols := range [][]string{{"http/1.1"}, {"h2", "http/1.1"}} {
		var spoken string
		server := serveTLS(t, issued, protocols, func(w http.ResponseWriter, r *http.Request) {
			spoken = r.Proto
			w.Header().Set("ETag", r.UserAgent())
			answers("User-agent: *\n", "Content-Type", "text/plain")(w, r)
		})
		for range 2 { // on a connection of its own, and perhaps on one that was kept
			response, ok := fetched(t, fetcher, policy.Request{URL: server.URL + "/robots.txt"})
			if ok && (string(response.Body) != "User-agent: *\n" || response.Header.ETag != fetcherAgent) {
				t.Errorf("of %v, %s: body %q, asked as %q", protocols, spoken, response.Body, response.Header.ETag)
			}
		}
		t.Logf("of %v this Fetcher speaks %s", protocols, spoken)
	}
}

// fetchVerifies: an answer that anybody could have given is none (RFC 9309 §3).
// No setting turns that off.
func fetchVerifies(t T, open OpenFetcher) {
	now := time.Now()
	expired := certify(t, "127.0.0.1", now.Add(-2*time.Hour), now.Add(-time.Hour))
	early := certify(t, "127.0.0.1", now.Add(time.Hour), now.Add(2*time.Hour))
	other := certify(t, "example.com", now.Add(-time.Hour), now.Add(time.Hour))
	selfSigned := certify(t, "127.0.0.1", now.Add(-time.Hour), now.Add(time.Hour))
	for _, row := range []struct {
		name           string
		shown, trusted issued
	}{
		{"expired", expired, expired},
		{"not valid yet", early, early},
		{"of another host", other, other},
		{"of its own authority", selfSigned, other},
	} {
		asked := false
		server := serveTLS(t, row.shown, []string{"h2", "http/1.1"}, func(http.ResponseWriter, *http.Request) { asked = true })
		response, err := openTrusting(t, open, row.trusted).Fetch(t.Context(), policy.Request{URL: server.URL})
		fetchFailed(t, "a certificate "+row.name, response, err, false, policy.FailedTLS)
		if asked {
			t.Errorf("a certificate %s: the request was sent", row.name)
		}
	}
}

func openTrusting(t T, open OpenFetcher, authority issued) ports.Fetcher {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(authority.Leaf)
	return open(t, FetcherSettings{UserAgent: fetcherAgent, MaxBytes: fetcherLimit, Timeout: fetcherSoon, RootCAs: roots})
}

// serveTLS starts a server that shows that certificate, and offers those
// protocols.
func serveTLS(t T, shown issued, protocols []string, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{tls.Certificate(shown)}, MinVersion: tls.VersionTLS12}
	server.EnableHTTP2 = protocols[0] == "h2"
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // handshakes fail here on purpose
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// An issued certificate vouches for itself.
type issued tls.Certificate

// certify makes a certificate for a host, which is its own authority.
func certify(t T, host string, from, until time.Time) issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("no key: %v", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(from.UnixNano()), Subject: pkix.Name{CommonName: host}, NotBefore: from, NotAfter: until,
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
		t.Fatalf("no certificate: %v", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatalf("no certificate: %v", err)
	}
	return issued{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}
