package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/adapters/redisstore"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// hit measures a shared hit: a question that the near cache cannot answer and
// the store can, decoding and compiling included, beside a GET.

const (
	hitOrigin = "https://www.example.com"
	// maxReadings is how many readings keep compiled policies: those beyond look
	// everything up, which is a near cache that is off.
	maxReadings = 64
)

// A contestant does something once.
type contestant struct {
	name   string
	run    func() error
	times  []time.Duration
	allocs float64 // of one operation
	octets float64 // that they are of
}

// hits are the figures of a run.
type hits struct {
	body, stored int // octets
	rounds       int
	contestants  []*contestant
	done         func()
}

func measureHits(ctx context.Context, s *server, rounds int, seed uint64) (*hits, error) {
	h, err := setupHits(ctx, s, seed)
	if err != nil {
		return nil, err
	}
	defer h.done()
	h.rounds = rounds
	return h, h.run()
}

// setupHits puts a snapshot into the store, and a value for each GET.
func setupHits(ctx context.Context, s *server, seed uint64) (*hits, error) {
	body := common(seed)
	store, err := redisstore.Open(ctx, s.url(), redisstore.Options{Prefix: "hit"})
	if err != nil {
		return nil, err
	}
	origin, err := site.ParseOrigin(hitOrigin)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if _, err := store.Put(ctx, snapshotOf(origin, body, now), 30*24*time.Hour); err != nil {
		return nil, err
	}
	stored, err := s.client.Get(ctx, "hit:d:{"+hitOrigin+"}").Bytes()
	if err != nil {
		return nil, err
	}
	for key, value := range map[string][]byte{"body": body, "stored": stored} {
		if err := s.client.Set(ctx, key, value, 0).Err(); err != nil {
			return nil, err
		}
	}
	ask, err := farGate(ctx, store)
	if err != nil {
		return nil, err
	}
	get := func(key string) func() error {
		return func() error { return s.client.Get(ctx, key).Err() }
	}
	var unknown policy.Hash
	known, err := store.Get(ctx, origin, unknown)
	if err != nil {
		return nil, err
	}
	reading := policy.Reading{Agents: ask.Agents()}
	hash := policy.HashOf(body)
	return &hits{body: len(body), stored: len(stored), done: func() {
		_ = ask.Close()
		_ = store.Close()
	}, contestants: []*contestant{
		{name: "GET of the body", run: get("body")},
		{name: "GET of the stored value", run: get("stored")},
		{name: "GET of the stored value, and PTTL", run: func() error {
			_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
				p.Get(ctx, "stored")
				p.PTTL(ctx, "stored")
				return nil
			})
			return err
		}},
		{name: "Store.Get", run: func() error { _, err := store.Get(ctx, origin, unknown); return err }},
		{name: "policy.Compile alone", run: func() error {
			_, err := policy.Compile(known, reading, nil)
			return err
		}},
		{name: "Gate.Check, a shared hit", run: func() error {
			decision, err := ask.Check(ctx, hitOrigin+"/some/page")
			if err == nil && decision.Hash != hash {
				err = fmt.Errorf("decided by another file: %v", decision)
			}
			return err
		}},
	}}, nil
}

// run lets the contestants take turns, one operation each, so that whatever else
// the machine does hits all of them.
func (h *hits) run() error {
	const warmUp = 1000
	for i := range h.rounds + warmUp {
		if i == warmUp {
			runtime.GC()
		}
		for _, c := range h.contestants {
			start := time.Now()
			err := c.run()
			took := time.Since(start)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if i >= warmUp {
				c.times = append(c.times, took)
			}
		}
	}
	for _, c := range h.contestants {
		slices.Sort(c.times)
		if err := c.count(); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// count counts what an operation allocates, of many: the client does some of its
// own now and then.
func (c *contestant) count() error {
	const operations = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range operations {
		if err := c.run(); err != nil {
			return err
		}
	}
	runtime.ReadMemStats(&after)
	c.allocs = math.Round(float64(after.Mallocs-before.Mallocs) / operations)
	c.octets = math.Round(float64(after.TotalAlloc-before.TotalAlloc) / operations)
	return nil
}

// at returns a quantile.
func (c *contestant) at(part float64) time.Duration {
	return c.times[int(part*float64(len(c.times)-1))]
}

// farGate returns a Gate that looks everything up in the store.
func farGate(ctx context.Context, store *redisstore.Store) (*app.Gate, error) {
	agents, err := agent.ParseTokens("ExampleBot")
	if err != nil {
		return nil, err
	}
	gate, err := app.New(app.Ports{Fetcher: nobody{}, Cache: store, Leaser: store}, app.Options{Agents: agents})
	if err != nil {
		return nil, err
	}
	for i := range maxReadings {
		if _, err := gate.As("Other" + strings.Repeat("x", i)); err != nil {
			return nil, err
		}
	}
	return gate.As("ExampleBot", "Far")
}

// nobody is the Fetcher of who never has to fetch.
type nobody struct{}

func (nobody) Fetch(context.Context, policy.Request) (policy.Response, error) {
	return policy.Response{}, &policy.FetchError{Kind: policy.FailedLocally, Local: true, Err: errors.New("nobody fetches here")}
}

// common is the robots.txt of 2 KB.
func common(seed uint64) []byte {
	for _, shape := range fixture.Shapes() {
		if shape.Name == "common" {
			return shape.Make(seed).Files[0].Body
		}
	}
	panic("there is no fixture named common")
}

// snapshotOf is what is known of an origin after its robots.txt was fetched.
func snapshotOf(origin site.Origin, body []byte, now time.Time) *policy.Snapshot {
	return policy.Next(nil, policy.Answer{
		Origin: origin, URL: origin.RobotsURL(), At: now,
		Response: policy.Response{Status: 200, Body: body, Charset: "utf-8", Header: policy.Header{
			ContentType: "text/plain", ETag: `"5e3f1a2b-80c"`, LastModified: "Wed, 21 Oct 2026 07:28:00 GMT",
		}},
	}, policy.Lifetimes{})
}
