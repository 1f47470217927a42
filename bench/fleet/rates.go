package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polite-crawler/polite/adapters/redisstore"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// Rates are how many Checks one process answers in a second, with Redis and the
// origins on the same machine.
type Rates struct {
	Near, Shared, Cold float64
	Goroutines         int // that ask, of the last two
}

// crowd is how many goroutines ask at once where answers are waited for.
const crowd = 64

func (b *bench) rates(ctx context.Context) (*Rates, error) {
	r := &Rates{Goroutines: crowd}
	var err error
	if r.Near, err = b.nearRate(ctx); err != nil {
		return nil, err
	}
	redis, err := startRedis(ctx)
	if err != nil {
		return nil, err
	}
	defer redis.stop()
	if r.Shared, err = b.sharedRate(ctx, redis); err != nil {
		return nil, err
	}
	r.Cold, err = b.coldRate(ctx, redis)
	return r, err
}

// nearRate asks on all cores about origins that are all near.
func (b *bench) nearRate(ctx context.Context) (float64, error) {
	body, questions := b.questions(b.hotOrigins)
	var looks atomic.Int64
	gate, done, err := hotGate(body, &looks)
	if err != nil {
		return 0, err
	}
	defer done()
	urls := make([]string, len(questions))
	for i, q := range questions {
		urls[i] = q.url
	}
	if err := warm(ctx, gate, urls, &looks); err != nil {
		return 0, err
	}
	return b.perSecond(ctx, runtime.GOMAXPROCS(0), gate, urls, func() error { return nil })
}

// sharedRate asks about origins that are all in Redis and never near.
func (b *bench) sharedRate(ctx context.Context, redis *server) (float64, error) {
	sources := &sources{}
	s := spec{Redis: redis.address(), Prefix: "shared", hooks: sources.hooks(), fetcher: unasked{}}
	store, err := s.store(ctx)
	if err != nil {
		return 0, err
	}
	defer store.Close()
	all, err := b.publish(ctx, store)
	if err != nil {
		return 0, err
	}
	urls := make([]string, len(all))
	for i, origin := range all {
		urls[i] = origin.String() + b.common().Paths[i%1000]
	}
	gate, done, err := s.open(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	unkept, err := nearOff(gate)
	if err != nil {
		return 0, err
	}
	return b.perSecond(ctx, crowd, unkept, urls, func() error { return nil })
}

// coldRate asks about origins that nobody knows any more.
func (b *bench) coldRate(ctx context.Context, redis *server) (float64, error) {
	body := b.common().Body
	origins, err := openOrigins(ctx, b.sizes.origins, 0, func(string) []byte { return body })
	if err != nil {
		return 0, err
	}
	defer origins.close()
	sources := &sources{}
	gate, done, err := spec{Redis: redis.address(), Prefix: "cold", hooks: sources.hooks()}.open(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	urls := make([]string, len(origins.all))
	for i, o := range origins.all {
		urls[i] = o.url + "/"
	}
	passes := 0
	rate, err := b.perSecond(ctx, crowd, gate, urls, func() error {
		passes++
		for _, url := range urls {
			if err := gate.Purge(ctx, url); err != nil {
				return err
			}
		}
		return nil
	})
	if sum, _ := origins.requests(); err == nil && sum != int64(passes*len(urls)) {
		return 0, fmt.Errorf("%d requests in %d passes over %d origins: %w", sum, passes, len(urls), errNotMeasured)
	}
	return rate, err
}

// perSecond asks about all URLs, pass by pass, for as long as a rate is measured,
// and at least once. before is done before each pass, on nobody's time.
func (b *bench) perSecond(ctx context.Context, askers int, gate *app.Gate, urls []string, before func() error) (float64, error) {
	var spent time.Duration
	var asked int
	var failed atomic.Pointer[error]
	for spent < b.rate {
		if err := before(); err != nil {
			return 0, err
		}
		start := time.Now()
		var all sync.WaitGroup
		for asker := range askers {
			all.Go(func() {
				for i := asker * len(urls) / askers; i < (asker+1)*len(urls)/askers; i++ {
					if _, err := gate.Check(ctx, urls[i]); err != nil {
						failed.Store(&err)
						return
					}
				}
			})
		}
		all.Wait()
		spent += time.Since(start)
		asked += len(urls)
		if err := failed.Load(); err != nil {
			return 0, *err
		}
	}
	return float64(asked) / spent.Seconds(), nil
}

// publish puts as many origins into Redis as are to be known there, as who has
// fetched them would.
func (b *bench) publish(ctx context.Context, store *redisstore.Store) (all []site.Origin, err error) {
	body := b.common().Body
	for i := range b.known {
		origin, err := site.ParseOrigin("https://www.site-" + strconv.Itoa(i) + ".example")
		if err != nil {
			return nil, err
		}
		next := fetched(origin, body)
		if _, err := store.Put(ctx, next, next.KeepFor(time.Now(), policy.Lifetimes{})); err != nil {
			return nil, err
		}
		all = append(all, origin)
	}
	return all, nil
}

// fetched is what is known of an origin that was just asked for the first time.
func fetched(origin site.Origin, body []byte) *policy.Snapshot {
	return policy.Next(nil, policy.Answer{
		Origin: origin, URL: origin.RobotsURL(), At: time.Now(),
		Response: policy.Response{Status: 200, Body: body, Header: policy.Header{
			ContentType: "text/plain", ETag: `"5e2a1c-6cb-5a0e"`, LastModified: "Tue, 21 Jul 2026 07:28:00 GMT",
		}},
	}, policy.Lifetimes{})
}

// unasked is a Fetcher of which nothing is to be asked.
type unasked struct{}

func (unasked) Fetch(_ context.Context, request policy.Request) (policy.Response, error) {
	return policy.Response{}, &policy.FetchError{Kind: policy.FailedLocally, Local: true,
		Err: fmt.Errorf("%s was asked for: %w", request.URL, errNotMeasured)}
}
