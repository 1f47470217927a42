package app_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// web is a scripted Fetcher: what it answers by URL, how long that takes, and
// what it was asked.
type web struct {
	delay time.Duration

	mutex sync.Mutex
	pages map[string]page
	asked []policy.Request
}

// A page is an answer, or the error in its place.
type page struct {
	policy.Response
	err error
}

func newWeb(pages map[string]page) *web { return &web{pages: pages, delay: 100 * time.Millisecond} }

func text(body string) page { return page{Response: policy.Response{Status: 200, Body: []byte(body)}} }

func status(code int) page { return page{Response: policy.Response{Status: code}} }

func to(location string) page {
	return page{Response: policy.Response{Status: 301, Header: policy.Header{Location: location}, Public: true}}
}

func broken(err error) page { return page{err: err} }

func (w *web) Fetch(ctx context.Context, request policy.Request) (policy.Response, error) {
	w.mutex.Lock()
	w.asked = append(w.asked, request)
	answer, ok := w.pages[request.URL]
	w.mutex.Unlock()
	if w.delay > 0 { // a channel timer that is over at once can crash the race detector in a bubble (Go 1.26.8)
		select {
		case <-time.After(w.delay):
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return policy.Response{}, &policy.FetchError{Kind: policy.FailedTimeout, Local: true, Err: ctx.Err()}
	}
	switch {
	case !ok:
		return policy.Response{Status: 404}, nil
	case answer.err != nil:
		return policy.Response{}, answer.err
	case !request.Validators.IsZero() && request.Validators.ETag == answer.Header.ETag:
		return policy.Response{Status: 304}, nil
	}
	return answer.Response, nil
}

// set changes what a URL answers.
func (w *web) set(url string, answer page) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.pages[url] = answer
}

// requests returns how many were made in all.
func (w *web) requests() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return len(w.asked)
}

func (w *web) last() policy.Request {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.asked[len(w.asked)-1]
}

// outage is a Cache and Leaser whose store can be taken away, or made to refuse
// writes.
type outage struct {
	*memory.Store
	down, readOnly atomic.Bool
	gets           atomic.Int64
	putError       error // of Puts alone
}

var errDown = errors.Join(ports.ErrUnavailable, errors.New("test: the store is down"))

func (o *outage) Get(ctx context.Context, origin site.Origin, have policy.Hash) (*policy.Snapshot, error) {
	o.gets.Add(1)
	if o.down.Load() {
		return nil, errDown
	}
	return o.Store.Get(ctx, origin, have)
}

func (o *outage) Put(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
	if o.down.Load() || o.readOnly.Load() {
		return "", errDown
	}
	if o.putError != nil {
		return "", o.putError
	}
	return o.Store.Put(ctx, next, keep)
}

func (o *outage) Delete(ctx context.Context, origin site.Origin) error {
	if o.down.Load() || o.readOnly.Load() {
		return errDown
	}
	return o.Store.Delete(ctx, origin)
}

func (o *outage) TryLease(ctx context.Context, origin site.Origin, ttl time.Duration) (func(), bool, error) {
	if o.down.Load() || o.readOnly.Load() {
		return nil, false, errDown
	}
	return o.Store.TryLease(ctx, origin, ttl)
}

func newStore(t *testing.T) *memory.Store {
	t.Helper()
	store, err := memory.New(memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// newGate makes a Gate of ExampleBot that ends with the test.
func newGate(t *testing.T, adapters app.Ports, change ...func(*app.Options)) *app.Gate {
	t.Helper()
	agents, err := agent.ParseTokens("ExampleBot")
	if err != nil {
		t.Fatal(err)
	}
	options := app.Options{Agents: agents}
	for _, c := range change {
		c(&options)
	}
	gate, err := app.New(adapters, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gate.Close() })
	return gate
}

// fleet are the ports of a worker of a fleet that shares a store.
func fleet(w *web, store *memory.Store) app.Ports {
	return app.Ports{Fetcher: w, Cache: store, Leaser: store, Watcher: store}
}

// check asks and expects an answer.
func check(t *testing.T, gate *app.Gate, url string, allowed bool) policy.Decision {
	t.Helper()
	decision, err := gate.Check(t.Context(), url)
	if err != nil {
		t.Fatalf("Check(%s): %v", url, err)
	}
	if decision.Allowed != allowed {
		t.Errorf("Check(%s) = %v, want allowed %v", url, decision, allowed)
	}
	return decision
}

// instantly runs f and expects that no time passes meanwhile, in a bubble.
func instantly(t *testing.T, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took != 0 {
		t.Errorf("this took %v, want no waiting", took)
	}
}
