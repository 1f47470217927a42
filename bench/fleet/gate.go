package main

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/adapters/redisstore"
	"github.com/polite-crawler/polite/adapters/restyfetch"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/ports"
)

const userAgent = fixture.Agent + "/1.0 (+https://polite.example/bot)"

// A spec says what Gate is opened: that of polite.New, but for times that a
// busy machine would make outages of.
type spec struct {
	Redis  string // host and port
	Prefix string

	fetcher ports.Fetcher // nil: restyfetch
	hooks   app.Hooks
}

// patience is how long Redis may take: these figures are not about what a busy
// machine makes of time-outs.
const patience = "10s"

// fetchBudget bounds a fetch; a lease holds that and 5 s.
const fetchBudget = 10 * time.Second

// open opens the Gate. done closes all of it again.
func (s spec) open(ctx context.Context) (gate *app.Gate, done func(), err error) {
	var closers []func() error
	done = func() {
		for i := len(closers) - 1; i >= 0; i-- {
			_ = closers[i]()
		}
	}
	defer func() {
		if err != nil {
			done()
		}
	}()
	agents, err := agent.ParseTokens(fixture.Agent)
	if err != nil {
		return nil, nil, err
	}
	fetcher := s.fetcher
	if fetcher == nil {
		resty, err := restyfetch.New(userAgent, restyfetch.Options{})
		if err != nil {
			return nil, nil, err
		}
		fetcher, closers = resty, append(closers, resty.Close)
	}
	own, err := memory.New(memory.Options{})
	if err != nil {
		return nil, nil, err
	}
	closers = append(closers, own.Close)
	shared, err := s.store(ctx)
	if err != nil {
		return nil, nil, err
	}
	closers = append(closers, shared.Close)
	gate, err = app.New(
		app.Ports{Fetcher: fetcher, Cache: shared, Leaser: shared, Watcher: shared, Fallback: own},
		app.Options{Agents: agents, FetchBudget: fetchBudget, Hooks: s.hooks},
	)
	if err != nil {
		return nil, nil, err
	}
	closers = append(closers, gate.Close)
	return gate, done, nil
}

// store opens what is shared.
func (s spec) store(ctx context.Context) (*redisstore.Store, error) {
	limits := url.Values{"dial_timeout": {patience}, "read_timeout": {patience}, "write_timeout": {patience}, "pool_timeout": {patience}}
	long, err := time.ParseDuration(patience)
	if err != nil {
		return nil, err
	}
	store, err := redisstore.Open(ctx, "redis://"+s.Redis+"?"+limits.Encode(), redisstore.Options{Prefix: s.Prefix, Timeout: 2 * long})
	if err != nil {
		return nil, err
	}
	if err := store.Ping(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}
