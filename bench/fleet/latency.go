package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/domain/policy"
)

// A Delay is what a lone Check takes with Redis so far away.
type Delay struct {
	Latency            time.Duration // added to each round trip
	Ping               durations
	Near, Shared, Cold durations
}

// latencies are how far away Redis is.
var latencies = []time.Duration{0, time.Millisecond, 10 * time.Millisecond}

// latency measures Checks, one after the other, by where their answers come
// from.
func (b *bench) latency(ctx context.Context) (delays []Delay, err error) {
	redis, err := startRedis(ctx)
	if err != nil {
		return nil, err
	}
	defer redis.stop()
	body := b.common().Body
	origins, err := openOrigins(ctx, b.sizes.origins, 0, func(string) []byte { return body })
	if err != nil {
		return nil, err
	}
	defer origins.close()
	for _, latency := range latencies {
		b.log("  Redis at %v", latency)
		d, err := b.delay(ctx, redis, origins, latency)
		if err != nil {
			return nil, fmt.Errorf("at %v: %w", latency, err)
		}
		delays = append(delays, d)
	}
	return delays, nil
}

func (b *bench) delay(ctx context.Context, redis *server, origins *origins, latency time.Duration) (d Delay, err error) {
	d.Latency = latency
	between, err := openProxy(ctx, redis.address(), latency)
	if err != nil {
		return d, err
	}
	defer between.close()
	sources := &sources{}
	s := spec{Redis: between.address(), Prefix: "latency-" + latency.String(), hooks: sources.hooks()}
	gate, done, err := s.open(ctx)
	if err != nil {
		return d, err
	}
	defer done()
	unkept, err := nearOff(gate)
	if err != nil {
		return d, err
	}
	if d.Ping, err = b.ping(ctx, s); err != nil {
		return d, err
	}

	urls := make([]string, len(origins.all))
	for i, o := range origins.all {
		urls[i] = o.url + b.common().Paths[i]
	}
	if _, err := timed(ctx, gate, urls); err != nil { // connections are made
		return d, err
	}
	for range 2 {
		for _, url := range urls {
			if err := gate.Purge(ctx, url); err != nil {
				return d, err
			}
		}
		took, err := sources.want(len(urls), app.FromOrigin, func() (durations, error) { return timed(ctx, gate, urls) })
		if err != nil {
			return d, err
		}
		d.Cold = append(d.Cold, took...)
	}
	for range b.sharedRounds {
		took, err := sources.want(len(urls), app.FromShared, func() (durations, error) { return timed(ctx, unkept, urls) })
		if err != nil {
			return d, err
		}
		d.Shared = append(d.Shared, took...)
	}
	// A purge that was heard late has made somebody forget what came after it.
	if _, err := timed(ctx, gate, urls); err != nil {
		return d, err
	}
	d.Near, err = sources.want(0, app.FromShared, func() (all durations, err error) {
		for len(all) < b.nearAsks && err == nil {
			var took durations
			took, err = timed(ctx, gate, urls)
			all = append(all, took...)
		}
		return all, err
	})
	return d, err
}

// ping measures the way to Redis alone.
func (b *bench) ping(ctx context.Context, s spec) (took durations, err error) {
	store, err := s.store(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	for range 100 {
		start := time.Now()
		if err := store.Ping(ctx); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	return took, nil
}

// timed asks about each URL once, one after the other.
func timed(ctx context.Context, gate *app.Gate, urls []string) (durations, error) {
	took := make(durations, len(urls))
	for i, url := range urls {
		start := time.Now()
		decision, err := gate.Check(ctx, url)
		took[i] = time.Since(start)
		switch {
		case err != nil:
			return nil, err
		case decision.Access != policy.AccessSuccessful:
			return nil, fmt.Errorf("%s: %v", url, decision)
		}
	}
	return took, nil
}

// nearOff returns a Gate that shares everything with another and keeps nothing
// near: one of a reading beyond those that are kept.
func nearOff(gate *app.Gate) (other *app.Gate, err error) {
	const kept = 64
	for n := range kept + 1 {
		name := fixture.Agent + "-"
		for _, digit := range strconv.Itoa(n) {
			name += string('a' + digit - '0')
		}
		if other, err = gate.As(name); err != nil {
			return nil, err
		}
	}
	return other, nil
}

// sources count looks behind the near cache by where their answers came from.
type sources struct {
	by [app.FromFallback + 1]atomic.Int64
}

func (s *sources) hooks() app.Hooks {
	return app.Hooks{Looked: func(look app.Look) { s.by[look.Source].Add(1) }}
}

// want does something and fails unless it made so many looks, all with answers
// from one source.
func (s *sources) want(n int, from app.Source, do func() (durations, error)) (durations, error) {
	var before, made [len(s.by)]int64
	for i := range s.by {
		before[i] = s.by[i].Load()
	}
	took, err := do()
	if err != nil {
		return nil, err
	}
	for i := range s.by {
		made[i] = s.by[i].Load() - before[i]
	}
	expected := made
	clear(expected[:])
	expected[from] = int64(n)
	if made != expected {
		return nil, fmt.Errorf("answers came from elsewhere: %v looks by source, want %d from %v: %w", made, n, from, errNotMeasured)
	}
	return took, nil
}

// errNotMeasured says that something else was measured than was meant.
var errNotMeasured = errors.New("this measures nothing")

// durations are what each of some operations took.
type durations []time.Duration

// at returns the duration that such a part of them does not exceed.
func (d durations) at(part float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(d))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}
