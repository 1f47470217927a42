package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polite-crawler/polite"

	"github.com/polite-crawler/polite/bench/race"
)

const agent = "PoliteBench/1.0 (+https://example.com/bot)"

// A contestant asks origins, and is closed when nothing more is to come.
type contestant struct {
	name string
	open func(wide int) (ask func(context.Context, string) error, done func(), err error)
}

var contestants = []contestant{
	{"polite", openPolite},
	{"net/http", openBare},
}

// openPolite is what a crawler does: it asks whether it may fetch a page.
func openPolite(wide int) (func(context.Context, string) error, func(), error) {
	gate, done, err := polite.New(context.Background(), polite.Config{UserAgent: agent, Fetch: polite.Fetch{MaxFetches: wide}})
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, origin string) error {
		decision, err := gate.Check(ctx, origin+"/private/page")
		switch {
		case err != nil:
			return err
		case decision.Allowed || decision.Rule.Line != 2:
			return fmt.Errorf("%s: %s", origin, decision)
		}
		return nil
	}, done, nil
}

// openBare fetches the file, and nothing else.
func openBare(int) (func(context.Context, string) error, func(), error) {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return nil, nil, errors.New("net/http's transport is not its own")
	}
	transport := base.Clone()
	transport.Proxy = nil
	client := &http.Client{Transport: transport}
	return func(ctx context.Context, origin string) error {
		get, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/robots.txt", nil)
		if err != nil {
			return err
		}
		get.Header.Set("User-Agent", agent)
		answer, err := client.Do(get)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err == nil && len(body) != len(robots) {
			err = fmt.Errorf("%s: %d octets", origin, len(body))
		}
		return err
	}, transport.CloseIdleConnections, nil
}

// A turnout is what one contestant took for a crowd.
type turnout struct {
	name      string
	took      race.Times // ms, a figure a round
	allocated float64    // KiB an origin, in the last round
	sockets   int        // at most, in any round
	after     int        // left open when all have answered
	heap      float64    // KiB an origin that are still held then, in the last round
}

// measureCrowd lets the contestants ask all origins in turns.
func measureCrowd(ctx context.Context, p plan) ([]turnout, error) {
	w, err := startWeb(p.delay)
	if err != nil {
		return nil, err
	}
	defer w.stop()
	runs := make([]turnout, len(contestants))
	for round := range p.rounds + 1 { // the first warms up
		for turn := range contestants {
			i := (round + turn) % len(contestants) // nobody is always first
			if err := runs[i].measure(ctx, contestants[i], w, p, round > 0); err != nil {
				return nil, fmt.Errorf("%s: %w", contestants[i].name, err)
			}
		}
	}
	return runs, nil
}

func (r *turnout) measure(ctx context.Context, c contestant, w *web, p plan, counts bool) error {
	before, start := takeCensus(), allocated()
	ask, done, err := c.open(p.wide)
	if err != nil {
		return err
	}
	defer done()
	most := mostSockets()
	began := time.Now()
	err = askAll(ctx, w, ask, p.origins, p.wide)
	took := time.Since(began)
	sockets := most()
	if err != nil || !counts {
		return err
	}
	made := allocated() - start
	after := takeCensus()
	r.name = c.name
	r.took = append(r.took, float64(took.Microseconds())/1000)
	r.allocated = float64(made) / float64(p.origins) / 1024
	r.sockets = max(r.sockets, sockets-before.sockets)
	r.after = after.sockets - before.sockets
	r.heap = (float64(after.heap) - float64(before.heap)) / float64(p.origins) / 1024
	return nil
}

// askAll asks so many origins, so many at once.
func askAll(ctx context.Context, w *web, ask func(context.Context, string) error, origins, wide int) error {
	var (
		next   atomic.Int64
		group  sync.WaitGroup
		once   sync.Once
		failed error
	)
	for range wide {
		group.Go(func() {
			for n := int(next.Add(1)) - 1; n < origins; n = int(next.Add(1)) - 1 {
				if err := ask(ctx, w.origin(n)); err != nil {
					once.Do(func() { failed = err })
					next.Store(int64(origins))
				}
			}
		})
	}
	group.Wait()
	return failed
}
