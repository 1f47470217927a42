package integration_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
)

// lifetime is how long a robots.txt of an origin holds.
const lifetime = 12 * time.Hour

// An origin is a web server that counts who asks for its robots.txt. Each has a
// robots.txt of its own, so that answers about one cannot pass for another's.
type origin struct {
	url string

	mu       sync.Mutex
	body     string
	answer   http.HandlerFunc
	requests int      // for /robots.txt
	strays   []string // anything else, which nobody has any business to ask for
}

func newOrigin(t *testing.T) *origin {
	t.Helper()
	o := &origin{}
	server := httptest.NewServer(o)
	o.url = server.URL
	o.publish("first edition")
	t.Cleanup(func() {
		server.Close()
		o.wantNoStrays(t)
	})
	return o
}

// newWorld makes many origins at once: they are reached through one proxy, whose
// host and port it returns.
func newWorld(t *testing.T, n int) (proxy string, origins []*origin) {
	t.Helper()
	byHost := make(map[string]*origin)
	for i := range n {
		host := fmt.Sprintf("o%d.example", i)
		o := &origin{url: "http://" + host}
		o.publish("first edition")
		byHost[host], origins = o, append(origins, o)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o := byHost[r.Host]; o != nil {
			o.ServeHTTP(w, r)
			return
		}
		t.Errorf("nobody knows %s", r.URL)
	}))
	t.Cleanup(func() {
		server.Close()
		for _, o := range origins {
			o.wantNoStrays(t)
		}
	})
	return server.Listener.Addr().String(), origins
}

func (o *origin) wantNoStrays(t *testing.T) {
	t.Helper()
	for _, stray := range o.strays {
		t.Errorf("%s was asked for %s", o.url, stray)
	}
}

func newOrigins(t *testing.T, n int) (origins []*origin) {
	t.Helper()
	for range n {
		origins = append(origins, newOrigin(t))
	}
	return origins
}

// allowed and disallowed are URLs about each of which a rule decides.
func (o *origin) allowed() string    { return o.url + "/closed/but/this" }
func (o *origin) disallowed() string { return o.url + "/closed/page" }

// urls are those of all origins.
func urls(origins ...*origin) (all []string) {
	for _, o := range origins {
		all = append(all, o.allowed(), o.disallowed())
	}
	return all
}

// publish puts another edition of robots.txt up, and serves it.
func (o *origin) publish(edition string) {
	o.mu.Lock()
	o.body = fmt.Sprintf("# %s, %s\nUser-agent: IntegrationBot\nDisallow: /closed\nAllow: /closed/but\n", o.url, edition)
	o.mu.Unlock()
	o.serve()
}

// hash is that of the edition which is up.
func (o *origin) hash() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return policy.HashOf([]byte(o.body)).String()
}

// serve answers at once.
func (o *origin) serve() { o.behave(o.give) }

// dawdle answers after a while.
func (o *origin) dawdle(while time.Duration) {
	o.behave(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(while):
			o.give(w, r)
		case <-r.Context().Done():
		}
	})
}

// fail answers with a status and no robots.txt.
func (o *origin) fail(status int) {
	o.behave(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

// hold lets requests wait until they are released, and says of each that it has
// come. They get what was up when they came.
func (o *origin) hold(t *testing.T) (arrived <-chan struct{}, release func()) {
	t.Helper()
	return o.holdFor(t, func(w http.ResponseWriter, r *http.Request) func() {
		body := o.edition()
		return func() { o.write(w, body) }
	})
}

// holdFor is hold with another answer, which begins to be made when the request
// comes.
func (o *origin) holdFor(t *testing.T, begin func(http.ResponseWriter, *http.Request) (end func())) (arrived <-chan struct{}, release func()) {
	t.Helper()
	came, free := make(chan struct{}, 100), make(chan struct{})
	release = sync.OnceFunc(func() { close(free) })
	t.Cleanup(release)
	o.behave(func(w http.ResponseWriter, r *http.Request) {
		end := begin(w, r)
		came <- struct{}{}
		select {
		case <-free:
			end()
		case <-r.Context().Done():
		}
	})
	return came, release
}

// asked is how often robots.txt was asked for.
func (o *origin) asked() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.requests
}

// sumAsked is how often some were asked in all.
func sumAsked(origins []*origin) (sum int) {
	for _, o := range origins {
		sum += o.asked()
	}
	return sum
}

// wantAsked fails unless an origin was asked so often.
func wantAsked(t *testing.T, least, most int, origins ...*origin) {
	t.Helper()
	for _, o := range origins {
		if n := o.asked(); n < least || n > most {
			t.Errorf("%s was asked for robots.txt %d times, want %d to %d", o.url, n, least, most)
		}
	}
}

// ServeHTTP implements http.Handler.
func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	answer := o.answer
	if r.URL.Path == "/robots.txt" && r.UserAgent() == userAgent {
		o.requests++
	} else {
		o.strays = append(o.strays, fmt.Sprintf("%s by %q", r.URL, r.UserAgent()))
	}
	o.mu.Unlock()
	answer(w, r)
}

func (o *origin) behave(answer http.HandlerFunc) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answer = answer
}

func (o *origin) give(w http.ResponseWriter, _ *http.Request) { o.write(w, o.edition()) }

// write says how long it holds, as without that the time would be jittered.
func (o *origin) write(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("Cache-Control", fmt.Sprintf("max-age=%d", int(lifetime.Seconds())))
	fmt.Fprint(w, body)
}

func (o *origin) edition() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.body
}
