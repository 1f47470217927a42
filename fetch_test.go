package polite_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/policy"
)

// F4–F6 from the question to the socket: a chain of redirects over two hosts, and
// what each request of it is.
func TestRedirectsOnTheWire(t *testing.T) {
	const agent = "ExampleBot/1.0 (+https://example.com/bot)"
	var (
		mutex sync.Mutex
		seen  []*http.Request
	)
	var hosts [2]*httptest.Server
	handler := func(w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		seen = append(seen, r)
		mutex.Unlock()
		left := 0
		if _, err := fmt.Sscanf(r.URL.Path, "/left/%d", &left); err != nil && r.URL.Path != "/robots.txt" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		if left > 0 {
			w.Header().Set("Location", fmt.Sprintf("%s/left/%d", strings.Replace(hosts[left%2].URL, "http://", "http://user:pw@", 1), left-1))
			w.Header().Set("Set-Cookie", "id=1; Path=/")
			w.WriteHeader(http.StatusMovedPermanently)
			return
		}
		_, _ = fmt.Fprint(w, "User-agent: ExampleBot\nDisallow: /private\n")
	}
	for i := range hosts {
		hosts[i] = httptest.NewServer(http.HandlerFunc(handler))
		t.Cleanup(hosts[i].Close)
	}
	start := func(location string) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mutex.Lock()
			seen = append(seen, r)
			mutex.Unlock()
			if location != "" {
				w.Header().Set("Location", location)
			}
			w.WriteHeader(http.StatusFound)
		}))
		t.Cleanup(server.Close)
		return server
	}
	for _, row := range []struct {
		rule     string
		location string
		requests int
		allowed  bool
		reason   policy.Reason
		says     string
	}{
		{"F4 one", hosts[0].URL + "/left/0", 2, false, policy.ReasonRule, "Disallow: /private"},
		{"F4 five", hosts[0].URL + "/left/4", 6, false, policy.ReasonRule, "Disallow: /private"},
		{"F5 six", hosts[0].URL + "/left/5", 6, true, policy.ReasonUnavailable, "redirected more than 5 times"},
		{"F5 a loop", "/robots.txt", 1, true, policy.ReasonUnavailable, "redirected in a loop"},
		{"F5 no Location", "", 1, true, policy.ReasonUnavailable, "without saying where to"},
		{"F5 a bad Location", "http://[", 1, true, policy.ReasonUnavailable, "what is no URL"},
		{"F6 another scheme", "ftp://127.0.0.1/robots.txt", 1, false, policy.ReasonUnreachable, "another scheme"},
	} {
		gate, done, err := polite.New(t.Context(), polite.Config{UserAgent: agent})
		if err != nil {
			t.Fatal(err)
		}
		seen = nil
		first := start(row.location)
		d, err := gate.Check(t.Context(), strings.Replace(first.URL, "http://", "http://user:pw@", 1)+"/private")
		done()
		if err != nil || d.Allowed != row.allowed || d.Reason != row.reason || !strings.Contains(d.String(), row.says) {
			t.Errorf("%s: %v, %v; want it to say %q", row.rule, d, err, row.says)
		}
		if d.Origin.String() != first.URL {
			t.Errorf("F4: %s: it is about %s, want %s", row.rule, d.Origin, first.URL)
		}
		if len(seen) != row.requests {
			t.Errorf("%s: %d requests, want %d", row.rule, len(seen), row.requests)
		}
		for i, r := range seen {
			if r.UserAgent() != agent || r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" {
				t.Errorf("%s: request %d is %v", row.rule, i, r.Header)
			}
		}
	}
}

// F6: with PublicOnly not even the first request goes to a private address, and
// the answer says so.
func TestPublicOnly(t *testing.T) {
	asked := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(server.Close)
	gate, done, err := polite.New(t.Context(), polite.Config{UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{PublicOnly: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	d, err := gate.Check(t.Context(), server.URL+"/")
	if err != nil || d.Allowed || asked || !strings.Contains(d.String(), "private, loopback or link-local") {
		t.Errorf("%v, %v; asked %t", d, err, asked)
	}
}
