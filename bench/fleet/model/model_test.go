package model

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// The model does what Gates do that are asked the same questions at the same
// times: real ones, in fake time, on ports that count.
func TestTheModelDoesWhatGatesDo(t *testing.T) {
	const day = 24 * time.Hour
	f := Fleet{
		Workers: 5, Origins: 60, Checks: 86.4 * 60 / 5 / day.Seconds(),
		NearAge: 10 * time.Minute, Life: day, Fetch: 500 * time.Millisecond,
	}
	busy := f // so that many look while one fetches
	busy.Checks, busy.Origins, busy.Fetch, busy.Life = 0.5, 5, 30*time.Second, 30*time.Minute
	for _, row := range []struct {
		name   string
		fleet  Fleet
		change func(*Fleet)
	}{
		{"uniform, by any worker", f, func(*Fleet) {}},
		{"uniform, by the host's worker", f, func(f *Fleet) { f.ByHost = true }},
		{"Zipf, by any worker", f, func(f *Fleet) { f.Zipf = 1 }},
		{"busy", busy, func(*Fleet) {}},
		{"an outage", f, func(f *Fleet) {
			f.Origins, f.Checks = 4*f.Origins, 4*f.Checks
			f.Outage, f.OutageFor = 30*time.Hour, 5*time.Hour
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := row.fleet
			row.change(&f)
			const seed = 9309
			some := 2 * day
			if row.fleet == busy {
				some = 15 * time.Hour
			}
			played, real := f.Play(seed, 0, some), Counts{}
			synctest.Test(t, func(t *testing.T) { real = f.ask(t, seed, some) })
			for _, count := range []struct {
				name         string
				played, real float64
			}{
				{"checks", played.Checks, real.Checks},
				{"gets", played.Gets, real.Gets},
				{"gets with a hash", played.GetsHash, real.GetsHash},
				{"leases", played.Leases, real.Leases},
				{"refused", played.Refused, real.Refused},
				{"waits", played.Waits, real.Waits},
				{"puts", played.Puts, real.Puts},
				{"fetches", played.Fetches, real.Fetches},
				{"fetches on their own", played.Own, real.Own},
			} {
				// Lives are of other lengths, so that a few things happen to
				// fall on the other side.
				if slack := 3 + 0.05*count.real; count.played < count.real-slack || count.played > count.real+slack {
					t.Errorf("%s: the model counts %.0f, Gates %.0f", count.name, count.played, count.real)
				}
			}
			if row.fleet == busy && real.Refused == 0 {
				t.Error("nobody looked while somebody fetched: this row proves nothing")
			}
			if f.OutageFor > 0 && real.Own == 0 {
				t.Error("nobody noticed the outage: this row proves nothing")
			}
		})
	}
}

// ask asks real Gates what the model's are asked.
func (f Fleet) ask(t *testing.T, seed uint64, some time.Duration) Counts {
	start := time.Now()
	c := &counting{fleet: f, start: start}
	var err error
	if c.Store, err = memory.New(memory.Options{}); err != nil {
		t.Fatal(err)
	}
	defer c.Store.Close()
	p := f.begin(seed)
	for i, s := range p.shared {
		known := snapshot(i, start.Add(s.refreshAt), start.Add(s.freshTo))
		if _, err := c.Store.Put(t.Context(), known, known.KeepFor(start, policy.Lifetimes{})); err != nil {
			t.Fatal(err)
		}
	}
	agents, err := agent.ParseTokens("ModelBot")
	if err != nil {
		t.Fatal(err)
	}
	gates := make([]*app.Gate, f.Workers)
	for i := range gates {
		own, err := memory.New(memory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		gates[i], err = app.New(
			app.Ports{Fetcher: c, Cache: c, Leaser: c, Watcher: c.Store, Fallback: own},
			app.Options{Agents: agents, NearAgeWatched: f.NearAge, Lifetimes: policy.Lifetimes{Max: f.Life}},
		)
		if err != nil {
			t.Fatal(err)
		}
		defer gates[i].Close()
	}
	synctest.Wait() // purges are heard

	var asked sync.WaitGroup
	for now, origin := range p.questions(some) {
		time.Sleep(now - time.Since(start))
		gate := gates[p.choose(origin)]
		asked.Go(func() {
			if _, err := gate.Check(t.Context(), url(origin)+"/page"); err != nil {
				t.Errorf("Check: %v", err)
			}
		})
		c.checks.Add(1)
	}
	asked.Wait()
	synctest.Wait()
	return Counts{
		Checks: n(&c.checks), Gets: n(&c.gets), GetsHash: n(&c.hashes), Leases: n(&c.leases), Refused: n(&c.refused),
		Waits: n(&c.waits), Puts: n(&c.puts), Fetches: n(&c.fetches), Own: n(&c.own),
	}
}

func n(count *atomic.Int64) float64 { return float64(count.Load()) }

func url(origin int) string { return fmt.Sprintf("https://site-%d.example", origin) }

var body = []byte("User-agent: *\nDisallow: /private\n")

func snapshot(i int, refreshAt, freshTo time.Time) *policy.Snapshot {
	origin, err := site.ParseOrigin(url(i))
	if err != nil {
		panic(err)
	}
	at := freshTo.Add(-24 * time.Hour)
	return &policy.Snapshot{
		Origin: origin, Outcome: policy.Successful, Status: 200, FinalURL: origin.RobotsURL(),
		FetchedAt: at, RefreshAt: refreshAt, FreshUntil: freshTo,
		Copy: policy.Copy{Hash: policy.HashOf(body), Body: body, FetchedAt: at, ConfirmedAt: at},
	}
}

// counting are the ports of a fleet that count, and have an outage.
type counting struct {
	*memory.Store
	fleet Fleet
	start time.Time

	checks, gets, hashes, leases, refused, waits, puts, fetches, own atomic.Int64
}

var errDown = errors.Join(ports.ErrUnavailable, errors.New("test: the store is down"))

func (c *counting) down() bool {
	now := time.Since(c.start)
	return now >= c.fleet.Outage && now < c.fleet.Outage+c.fleet.OutageFor
}

func (c *counting) Get(ctx context.Context, origin site.Origin, have policy.Hash) (*policy.Snapshot, error) {
	if c.down() {
		return nil, errDown
	}
	c.gets.Add(1)
	if have != (policy.Hash{}) {
		c.hashes.Add(1)
	}
	return c.Store.Get(ctx, origin, have)
}

func (c *counting) Put(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
	if c.down() {
		return "", errDown
	}
	c.puts.Add(1)
	return c.Store.Put(ctx, next, keep)
}

func (c *counting) TryLease(ctx context.Context, origin site.Origin, ttl time.Duration) (func(), bool, error) {
	if c.down() {
		return nil, false, errDown
	}
	c.leases.Add(1)
	release, held, err := c.Store.TryLease(ctx, origin, ttl)
	if err == nil && !held {
		c.refused.Add(1)
	}
	return release, held, err
}

func (c *counting) Wait(ctx context.Context, origin site.Origin) error {
	if c.down() {
		return errDown
	}
	c.waits.Add(1)
	return c.Store.Wait(ctx, origin)
}

// Fetch implements ports.Fetcher.
func (c *counting) Fetch(ctx context.Context, _ policy.Request) (policy.Response, error) {
	c.fetches.Add(1)
	if c.down() {
		c.own.Add(1)
	}
	select {
	case <-time.After(c.fleet.Fetch):
	case <-ctx.Done():
		return policy.Response{}, &policy.FetchError{Kind: policy.FailedTimeout, Local: true, Err: ctx.Err()}
	}
	return policy.Response{Status: 200, Body: body}, nil
}
