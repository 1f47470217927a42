package integration_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/adapters/redisstore"
	"github.com/polite-crawler/polite/adapters/restyfetch"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
)

const userAgent = "IntegrationBot/1.0 (+https://polite.example/bot)"

// A spec says what Gate a worker opens.
type spec struct {
	Redis  string // its address
	Prefix string
	Closed bool   // polite.Closed instead of polite.Local
	CA     string // that Redis' certificate is signed by, in PEM; the system's
	Proxy  string // through which robots.txt is fetched, host and port; none

	// Tuned, if it is set, is what polite.Config has no field for: the Gate is
	// then put together here, of the same parts.
	Tuned *tuning
}

// A tuning is of times that are long in a crawler and must be short in a test,
// or the other way round.
type tuning struct {
	FetchBudget  time.Duration // app.Options.FetchBudget
	NearAge      time.Duration // app.Options.NearAge and NearAgeWatched
	RedisTimeout time.Duration // redisstore.Options.Timeout
}

// open opens the Gate. close closes all of it again.
func (s spec) open(ctx context.Context, n *notes) (gate *polite.Gate, done func(), err error) {
	if s.Tuned == nil {
		config := polite.Config{
			UserAgent: userAgent, Redis: s.Redis, RedisTLS: s.tls(), Prefix: s.Prefix,
			Fetch:  polite.Fetch{Proxy: s.proxy()},
			Logger: n.logger(), Hooks: n.hooks(),
		}
		if s.Closed {
			config.Outage = polite.Closed
		}
		return polite.New(ctx, config)
	}

	agents, err := agent.ParseTokens("IntegrationBot")
	if err != nil {
		return nil, nil, err
	}
	fetcher, err := restyfetch.New(userAgent, restyfetch.Options{Proxy: s.proxy()})
	if err != nil {
		return nil, nil, err
	}
	own, err := memory.New(memory.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, fetcher.Close())
	}
	shared, err := redisstore.Open(ctx, s.Redis, redisstore.Options{
		Prefix: s.Prefix, Timeout: s.Tuned.RedisTimeout, TLS: s.tls(),
	})
	if err != nil {
		return nil, nil, errors.Join(err, fetcher.Close())
	}
	adapters := app.Ports{Fetcher: fetcher, Cache: shared, Leaser: shared, Watcher: shared}
	if !s.Closed {
		adapters.Fallback = own
	}
	gate, err = app.New(adapters, app.Options{
		Agents:      agents,
		FetchBudget: s.Tuned.FetchBudget,
		NearAge:     s.Tuned.NearAge, NearAgeWatched: s.Tuned.NearAge,
		Logger: n.logger(), Hooks: n.hooks(),
	})
	if err != nil {
		return nil, nil, errors.Join(err, shared.Close(), fetcher.Close())
	}
	return gate, func() { _, _, _ = gate.Close(), shared.Close(), fetcher.Close() }, nil
}

// tls is how to speak to Redis, nil for the default.
func (s spec) tls() *tls.Config {
	if s.CA == "" {
		return nil
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(s.CA))
	return &tls.Config{RootCAs: pool}
}

func (s spec) proxy() *url.URL {
	if s.Proxy == "" {
		return nil
	}
	return &url.URL{Scheme: "http", Host: s.Proxy}
}

// openGate opens a Gate in this process, as a worker would in its own.
func openGate(t *testing.T, s spec) (*polite.Gate, *notes) {
	t.Helper()
	n := &notes{}
	gate, done, err := s.open(t.Context(), n)
	if err != nil {
		t.Fatalf("open a Gate: %v", err)
	}
	t.Cleanup(done)
	return gate, n
}

// notes are what a Gate has said about itself.
type notes struct {
	mu    sync.Mutex
	facts facts
	log   bytes.Buffer
}

// facts are notes as they stand.
type facts struct {
	Down, Up int            // how often the shared cache went away, and came back
	Fetched  int            // attempts to fetch a robots.txt
	Stored   int            // those whose result the shared cache took
	Sick     int            // those that failed for a reason that may be the worker's own
	Looked   map[string]int // looks behind the near cache, by source
	Log      string
}

func (n *notes) logger() zerolog.Logger {
	return zerolog.New(zerolog.SyncWriter(n)).Level(zerolog.InfoLevel)
}

// Write takes a line of the log.
func (n *notes) Write(line []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.log.Write(line)
}

func (n *notes) hooks() polite.Hooks {
	take := func(note func(*facts)) {
		n.mu.Lock()
		defer n.mu.Unlock()
		note(&n.facts)
	}
	return polite.Hooks{
		Shared: func(err error) {
			take(func(f *facts) {
				if err != nil {
					f.Down++
				} else {
					f.Up++
				}
			})
		},
		Fetched: func(fetch app.Fetch) {
			take(func(f *facts) {
				f.Fetched++
				if fetch.Stored {
					f.Stored++
				}
				if fetch.Failure == policy.FailedLocally {
					f.Sick++
				}
			})
		},
		Looked: func(look app.Look) {
			take(func(f *facts) {
				if f.Looked == nil {
					f.Looked = make(map[string]int)
				}
				f.Looked[look.Source.String()]++
			})
		},
	}
}

// now returns the notes so far.
func (n *notes) now() facts {
	n.mu.Lock()
	defer n.mu.Unlock()
	so := n.facts
	so.Looked = make(map[string]int)
	for source, times := range n.facts.Looked {
		so.Looked[source] = times
	}
	so.Log = n.log.String()
	return so
}
