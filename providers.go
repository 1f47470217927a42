package polite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/adapters/redisstore"
	"github.com/polite-crawler/polite/adapters/restyfetch"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/site"
)

// The providers that wire.go puts together: how each part is made from the
// Config, and how it is closed.

func newGate(adapters app.Ports, options app.Options) (*app.Gate, func(), error) {
	gate, err := app.New(adapters, options)
	if err != nil {
		return nil, nil, err
	}
	return gate, func() { _ = gate.Close() }, nil
}

func newOptions(config Config) (app.Options, error) {
	agents, err := agent.ParseTokens(config.Agents...)
	return app.Options{
		Agents:         agents,
		Identification: config.UserAgent,
		Dialect:        config.Dialect,
		Profile:        config.Profile,
		Choices:        config.Choices,
		Lifetimes:      config.Lifetimes,
		MaxRedirects:   config.Fetch.MaxRedirects,
		MaxFetches:     config.Fetch.MaxFetches,
		// Room for a redirect that takes as long as it may.
		FetchBudget: cmp.Or(config.Fetch.Budget, max(time.Minute, 2*config.Fetch.Timeout)),
		PublicOnly:  config.Fetch.PublicOnly,
		NearBytes:   config.NearBytes,
		NearAge:     config.NearAge,
		Logger:      config.Logger,
		Hooks:       config.Hooks,
	}, err
}

func newFetcher(config Config) (*restyfetch.Fetcher, func(), error) {
	fetcher, err := restyfetch.New(config.UserAgent, fetchOptions(config))
	if err != nil {
		return nil, nil, inConfig(err)
	}
	return fetcher, func() { _ = fetcher.Close() }, nil
}

func fetchOptions(config Config) restyfetch.Options {
	return restyfetch.Options{
		MaxBytes:       config.Fetch.MaxBytes,
		Charset:        config.Fetch.Charset,
		DialTimeout:    config.Fetch.DialTimeout,
		TLSTimeout:     config.Fetch.TLSTimeout,
		HeaderTimeout:  config.Fetch.HeaderTimeout,
		Timeout:        config.Fetch.Timeout,
		MaxHeaderBytes: config.Fetch.MaxHeaderBytes,
		MaxIdle:        config.Fetch.MaxIdle,
		IdleTime:       config.Fetch.IdleTime,
		PublicOnly:     config.Fetch.PublicOnly,
		RootCAs:        config.Fetch.RootCAs,
		Proxy:          config.Fetch.Proxy,
	}
}

// inConfig says where in a Config stands what the Fetcher does not take.
func inConfig(err error) error {
	var refused *restyfetch.OptionError
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Field == "UserAgent":
		return fmt.Errorf("polite: Config.UserAgent: %w", refused.Err)
	}
	return fmt.Errorf("polite: Config.Fetch.%s: %w", refused.Field, refused.Err)
}

func newMemory(config Config) (*memory.Store, error) {
	return memory.New(memory.Options{MaxBytes: config.CacheBytes})
}

// newRedis opens the store. A Redis that does not answer is worth a warning and
// no more: what to do about it is Config.Outage's.
func newRedis(ctx context.Context, config Config) (*redisstore.Store, func(), error) {
	scope, _, err := config.scope()
	if err != nil {
		return nil, nil, err
	}
	store, err := redisstore.Open(ctx, config.Redis, redisstore.Options{
		Scope:     scope,
		Prefix:    config.Prefix,
		TLS:       config.RedisTLS,
		OnCorrupt: onCorrupt(config),
		OnBreaker: func(node, from, to string) {
			// A breaker that is open tries again and again: no news.
			level := zerolog.InfoLevel
			if to == "half-open" || from == "half-open" && to == "open" {
				level = zerolog.DebugLevel
			}
			config.Logger.WithLevel(level).Str("node", node).Str("from", from).Str("to", to).Msg("redis: circuit breaker")
			if told := config.Hooks.Breaker; told != nil {
				told(app.Breaker{Node: node, From: from, To: to})
			}
		},
		OnDelete: func(origin site.Origin, heard int) {
			if told := config.Hooks.Purged; told != nil {
				told(app.Purge{Origin: origin, Heard: heard})
			}
		},
	})
	if err != nil {
		return nil, nil, err
	}
	if err := store.Ping(ctx); err != nil {
		config.Logger.Warn().Err(err).Str("redis", store.String()).Msg("redis does not answer; going on without it")
		return store, func() { _ = store.Close() }, nil
	}
	for _, node := range store.Evictions(ctx) {
		config.Logger.Warn().Str("node", node.Node).Str("maxmemory_policy", node.Policy).
			Msg("redis may drop leases and the memory of purges when it is full: set maxmemory-policy to noeviction, volatile-lru or volatile-lfu")
	}
	return store, func() { _ = store.Close() }, nil
}

// onCorrupt says what cannot be read: after a change of the format that is every
// value, and with a Redis that takes no writes each with every look, hence a line a
// minute, and the rest for who debugs. Hooks are told of all.
func onCorrupt(config Config) func(site.Origin, error) {
	const pause = time.Minute
	var mutex sync.Mutex
	var quiet time.Time // until then
	level := func() zerolog.Level {
		mutex.Lock()
		defer mutex.Unlock()
		now := time.Now()
		if now.Before(quiet) {
			return zerolog.DebugLevel
		}
		quiet = now.Add(pause)
		return zerolog.WarnLevel
	}
	return func(origin site.Origin, err error) {
		config.Logger.WithLevel(level()).Stringer("origin", origin).Err(err).Msg("redis: a stored value cannot be read and is replaced")
		if told := config.Hooks.Undecodable; told != nil {
			told(origin, err)
		}
	}
}

func portsInProcess(fetcher *restyfetch.Fetcher, local *memory.Store) app.Ports {
	return app.Ports{Fetcher: fetcher, Cache: local}
}

func portsThroughRedis(config Config, fetcher *restyfetch.Fetcher, local *memory.Store, shared *redisstore.Store) app.Ports {
	adapters := app.Ports{Fetcher: fetcher, Cache: shared, Leaser: shared, Watcher: shared}
	if config.Outage == Local {
		adapters.Fallback = local
	}
	return adapters
}
