package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
)

// origins are web servers of this process, each on a port of its own, that count
// who asks for their robots.txt.
type origins struct {
	all    []*origin
	at     map[string]*origin // by address
	server *http.Server
	dawdle time.Duration // before each answer, so that others come to ask meanwhile
}

// An origin has a robots.txt of its own, so that answers about one cannot pass
// for another's.
type origin struct {
	url      string
	body     []byte
	requests atomic.Int64
}

// openOrigins opens so many origins, each with what body makes for it.
func openOrigins(ctx context.Context, n int, dawdle time.Duration, body func(url string) []byte) (*origins, error) {
	o := &origins{at: make(map[string]*origin), dawdle: dawdle}
	o.server = &http.Server{
		Handler:           o,
		ReadHeaderTimeout: time.Minute,
		ConnContext: func(ctx context.Context, connection net.Conn) context.Context {
			return context.WithValue(ctx, addressKey{}, connection.LocalAddr().String())
		},
	}
	var listeners []net.Listener
	for range n {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			for _, open := range listeners {
				_ = open.Close()
			}
			return nil, fmt.Errorf("open %d origins: %w", n, err)
		}
		listeners = append(listeners, listener)
		address := listener.Addr().String()
		url := "http://" + address
		one := &origin{url: url, body: body(url)}
		o.all, o.at[address] = append(o.all, one), one
	}
	for _, listener := range listeners {
		go func() { _ = o.server.Serve(listener) }()
	}
	return o, nil
}

// addressKey is the key of the address that a connection came to.
type addressKey struct{}

// ServeHTTP implements http.Handler.
func (o *origins) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	address, _ := r.Context().Value(addressKey{}).(string)
	one := o.at[address]
	if one == nil || r.URL.Path != "/robots.txt" || r.UserAgent() != userAgent {
		http.Error(w, "nobody has any business to ask for this", http.StatusTeapot)
		return
	}
	one.requests.Add(1)
	if o.dawdle > 0 {
		select {
		case <-time.After(o.dawdle):
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain")
	_, _ = w.Write(one.body)
}

// requests is how often robots.txt was asked for, in all and at most at one.
func (o *origins) requests() (sum, most int64) {
	for _, one := range o.all {
		n := one.requests.Load()
		sum, most = sum+n, max(most, n)
	}
	return sum, most
}

func (o *origins) close() { _ = o.server.Close() }

// split is a robots.txt by which a rule allows one URL and another disallows one.
func split(url string) []byte {
	return fmt.Appendf(nil, "# %s\nUser-agent: *\nDisallow: /closed\nAllow: /closed/but\n", url)
}

func (o *origin) allowed() string    { return o.url + "/closed/but/this" }
func (o *origin) disallowed() string { return o.url + "/closed/page" }

// hash is that of the robots.txt.
func (o *origin) hash() string { return policy.HashOf(o.body).String() }
