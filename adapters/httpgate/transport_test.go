package httpgate_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/adapters/httpgate"
	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// robots answers every robots.txt with one body.
type robots string

func (r robots) Fetch(context.Context, policy.Request) (policy.Response, error) {
	return policy.Response{Status: 200, Body: []byte(r)}, nil
}

// newClient returns a polite client, and what it requested of the server.
func newClient(t *testing.T, body string, pages http.HandlerFunc) (client *http.Client, base string, seen *[]string) {
	t.Helper()
	seen = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*seen = append(*seen, r.URL.RequestURI())
		pages(w, r)
	}))
	t.Cleanup(server.Close)
	store, err := memory.New(memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	agents, err := agent.ParseTokens("ExampleBot")
	if err != nil {
		t.Fatal(err)
	}
	gate, err := app.New(app.Ports{Fetcher: robots(body), Cache: store}, app.Options{Agents: agents})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gate.Close() })
	client = &http.Client{Transport: &httpgate.Transport{Gate: gate}}
	t.Cleanup(client.CloseIdleConnections)
	return client, server.URL, seen
}

func get(ctx context.Context, client *http.Client, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

func TestRefusesWhatIsDisallowed(t *testing.T) {
	client, base, seen := newClient(t, "User-agent: *\nDisallow: /no\n", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "hello")
	})
	if body, err := get(t.Context(), client, base+"/yes?b=1&a=2"); err != nil || body != "hello" {
		t.Errorf("an allowed URL: %q, %v", body, err)
	}
	_, err := get(t.Context(), client, base+"/no/page")
	var disallowed *app.DisallowedError
	if !errors.Is(err, app.ErrDisallowed) || !errors.As(err, &disallowed) {
		t.Fatalf("a disallowed URL: %v, want a DisallowedError", err)
	}
	// Nobody's password is written into an error, which may be logged.
	secret := strings.Replace(base, "http://", "http://me:hidden@", 1)
	if _, err := client.Transport.RoundTrip(httptest.NewRequest(http.MethodGet, secret+"/no/page", nil)); !errors.Is(err, app.ErrDisallowed) ||
		strings.Contains(err.Error(), "hidden") {
		t.Errorf("with userinfo: %v", err)
	}
	if disallowed.URL != base+"/no/page" || disallowed.Decision.Rule.Line != 2 {
		t.Errorf("error = %+v", disallowed)
	}
	if got := strings.Join(*seen, " "); got != "/yes?b=1&a=2" {
		t.Errorf("the server saw %s", got)
	}
}

// Each hop of a redirect is asked about by itself.
func TestAsksForEveryHop(t *testing.T) {
	client, base, seen := newClient(t, "User-agent: *\nDisallow: /no\n", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, map[string]string{"/a": "/b", "/b": "/no"}[r.URL.Path], http.StatusFound)
	})
	if _, err := get(t.Context(), client, base+"/a"); !errors.Is(err, app.ErrDisallowed) {
		t.Errorf("a redirect to a disallowed URL: %v", err)
	}
	if got := strings.Join(*seen, " "); got != "/a /b" {
		t.Errorf("the server saw %s, want the hops up to the disallowed one", got)
	}
}

// body tells whether it was closed.
type body struct{ closed bool }

func (*body) Read([]byte) (int, error) { return 0, io.EOF }
func (b *body) Close() error           { b.closed = true; return nil }

// A RoundTripper closes the request's body whatever happens (net/http).
func TestClosesTheBodyItDoesNotSend(t *testing.T) {
	client, base, _ := newClient(t, "User-agent: *\nDisallow: /\n", func(http.ResponseWriter, *http.Request) {})
	sent := new(body)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/form", sent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Transport.RoundTrip(request); !errors.Is(err, app.ErrDisallowed) {
		t.Errorf("err = %v", err)
	}
	if !sent.closed {
		t.Error("the body was left open")
	}
}

func TestErrors(t *testing.T) {
	client, base, _ := newClient(t, "", func(http.ResponseWriter, *http.Request) {})
	var parse *site.ParseError
	if _, err := get(t.Context(), client, "ftp://example.com/"); !errors.As(err, &parse) {
		t.Errorf("another scheme: %v", err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := get(done, client, base); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	if _, err := client.Transport.RoundTrip(new(http.Request)); err == nil {
		t.Error("without a URL: no error")
	}
	bare := &http.Client{Transport: &httpgate.Transport{}}
	if _, err := get(t.Context(), bare, base); err == nil {
		t.Error("without a Gate: no error")
	}
}
