package porttest

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/polite-crawler/polite/domain/policy"
)

func fetcherRequestChecks() []Check[OpenFetcher] {
	return []Check[OpenFetcher]{
		{"the User-Agent is sent as given", "SEMANTICS F, C9", fetchAsAgent},
		{"the request is a GET of the URL", "policy.Request", fetchAsAsked},
		{"validators go only to the URL that gave them", "policy.Validators, SEMANTICS F2", fetchConditionally},
		{"userinfo is not sent", "policy.Request, SEMANTICS F", fetchWithoutUserinfo},
		{"an address of IPv6 is one like others", "policy.Request", fetchOverIPv6},
		{"nothing is remembered between exchanges", "ports.Fetcher", fetchForgets},
	}
}

func fetchAsAgent(t T, open OpenFetcher) {
	server := serve(t, answers(""))
	if _, ok := fetched(t, openFetcher(t, open), policy.Request{URL: server.URL}); !ok {
		return
	}
	if got := server.requests()[0].header["User-Agent"]; len(got) != 1 || got[0] != fetcherAgent {
		t.Errorf("User-Agent %q, want %q", got, fetcherAgent)
	}
}

func fetchAsAsked(t T, open OpenFetcher) {
	got := make(chan *http.Request, 1)
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { got <- r })
	const target = "/a%2Fb/%7Ejoe//c/..;p?x=%3a&y=z+z"
	if _, ok := fetched(t, openFetcher(t, open), policy.Request{URL: server.URL + target + "#fragment"}); !ok {
		return
	}
	if r := <-got; r.Method != http.MethodGet || r.RequestURI != target || "http://"+r.Host != server.URL || r.ContentLength != 0 {
		t.Errorf("%s %s of host %s with %d octets, want GET %s of %s", r.Method, r.RequestURI, r.Host, r.ContentLength, target, server.URL)
	}
}

// fetchWithoutUserinfo: what stands before an @ is nobody's password but the
// page's author's.
func fetchWithoutUserinfo(t T, open OpenFetcher) {
	server := serve(t, answers("User-agent: *\n"))
	fetcher := openFetcher(t, open)
	for _, userinfo := range []string{"user:secret@", "user@", ":@", "@"} {
		url := strings.Replace(server.URL, "http://", "http://"+userinfo, 1) + "/robots.txt?%7e"
		if _, ok := fetched(t, fetcher, policy.Request{URL: url}); !ok {
			continue
		}
		asked := server.requests()
		if last := asked[len(asked)-1]; last.header.Get("Authorization") != "" || last.path != "/robots.txt" {
			t.Errorf("%s: asked for %s with %q", userinfo, last.path, last.header.Get("Authorization"))
		}
	}
}

func fetchOverIPv6(t T, open OpenFetcher) {
	if !hasIPv6(t) {
		return
	}
	hosts := make(chan string, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hosts <- r.Host
		answers("User-agent: *\n")(w, r)
	}))
	_ = server.Listener.Close()
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp6", "[::1]:0")
	if err != nil {
		t.Fatalf("no port of IPv6: %v", err)
	}
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	response, ok := fetched(t, openFetcher(t, open), policy.Request{URL: server.URL + "/robots.txt"})
	if !ok {
		return
	}
	if host := <-hosts; string(response.Body) != "User-agent: *\n" || host != listener.Addr().String() || response.Public {
		t.Errorf("body %q of host %s, public %t; want that of %s", response.Body, host, response.Public, listener.Addr())
	}
}

func fetchConditionally(t T, open OpenFetcher) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" || r.Header.Get("If-Modified-Since") != "" {
			w.WriteHeader(http.StatusNotModified)
		}
	})
	const etag, modified = `W/"1"`, "Sun, 06 Nov 1994 08:49:37 GMT"
	here := server.URL + "/robots.txt"
	fetcher := openFetcher(t, open)
	for _, row := range []struct {
		name       string
		validators policy.Validators
		etag, date string
		status     int
	}{
		{"none", policy.Validators{}, "", "", 200},
		{"of this URL, but none", policy.Validators{URL: here}, "", "", 200},
		{"both", policy.Validators{URL: here, ETag: etag, LastModified: modified}, etag, modified, 304},
		{"an ETag", policy.Validators{URL: here, ETag: etag}, etag, "", 304},
		{"a date", policy.Validators{URL: here, LastModified: modified}, "", modified, 304},
		{"of another path", policy.Validators{URL: server.URL + "/other", ETag: etag, LastModified: modified}, "", "", 200},
		{"of another host", policy.Validators{URL: "http://example.com/robots.txt", ETag: etag, LastModified: modified}, "", "", 200},
		{"of no URL", policy.Validators{ETag: etag, LastModified: modified}, "", "", 200},
	} {
		response, ok := fetched(t, fetcher, policy.Request{URL: here, Validators: row.validators})
		if !ok {
			continue
		}
		asked := server.requests()
		header := asked[len(asked)-1].header
		if got := header.Get("If-None-Match"); got != row.etag {
			t.Errorf("validators %s: If-None-Match %q, want %q", row.name, got, row.etag)
		}
		if got := header.Get("If-Modified-Since"); got != row.date {
			t.Errorf("validators %s: If-Modified-Since %q, want %q", row.name, got, row.date)
		}
		if response.Status != row.status {
			t.Errorf("validators %s: status %d, want %d", row.name, response.Status, row.status)
		}
	}
}

func fetchForgets(t T, open OpenFetcher) {
	server := serve(t, answers("", "Set-Cookie", "id=1; Path=/", "ETag", `"1"`, "Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"))
	fetcher := openFetcher(t, open)
	for range 2 {
		fetched(t, fetcher, policy.Request{URL: server.URL})
	}
	for _, request := range server.requests() {
		for _, name := range []string{"Cookie", "Referer", "Authorization", "If-None-Match", "If-Modified-Since", "Range"} {
			if value := request.header.Get(name); value != "" {
				t.Errorf("a request has %s: %s", name, value)
			}
		}
	}
}
