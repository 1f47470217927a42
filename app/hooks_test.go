package app_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// counted counts what Hooks are told.
type counted struct {
	near, looked, waited, fetched, conflicted, lost atomic.Int64
	waitedFor                                       atomic.Int64 // time.Duration, the longest
}

func (c *counted) into(o *app.Options) {
	o.Hooks = app.Hooks{
		Near:   func(site.Origin) { c.near.Add(1) },
		Looked: func(app.Look) { c.looked.Add(1) },
		Waited: func(w app.Wait) {
			c.waited.Add(1)
			c.waitedFor.Store(max(c.waitedFor.Load(), int64(w.Took)))
		},
		Fetched:    func(app.Fetch) { c.fetched.Add(1) },
		Conflicted: func(site.Origin) { c.conflicted.Add(1) },
		LeaseLost:  func(site.Origin) { c.lost.Add(1) },
	}
}

func wantCounts(t *testing.T, what string, got int64, want int64) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d times, want %d", what, got, want)
	}
}

func TestHooksOfNearAndOfWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := example(), newStore(t)
		var one, other counted
		first, second := newGate(t, fleet(w, store), one.into), newGate(t, fleet(w, store), other.into)
		synctest.Wait() // both hear purges: from then on what is near has to be looked up again
		go func() { _, _ = first.Check(t.Context(), private) }()
		synctest.Wait() // it holds the lease
		check(t, second, private, false)
		synctest.Wait()
		for range 3 {
			check(t, first, private, false)
		}
		wantCounts(t, "the first was answered near", one.near.Load(), 3)
		wantCounts(t, "the first looked", one.looked.Load(), 1)
		wantCounts(t, "the first fetched", one.fetched.Load(), 1)
		wantCounts(t, "the first waited", one.waited.Load(), 0)
		wantCounts(t, "the second fetched", other.fetched.Load(), 0)
		wantCounts(t, "the second waited", other.waited.Load(), 1)
		wantCounts(t, "the second waited so long", other.waitedFor.Load(), int64(w.delay))
		// Near, but worth a look behind the callers' backs.
		time.Sleep(9 * time.Minute)
		check(t, first, private, false)
		wantCounts(t, "the first was answered near", one.near.Load(), 4)
		synctest.Wait()
		wantCounts(t, "the first looked", one.looked.Load(), 2)
	})
}

func TestHookOfConflicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := example(), newStore(t)
		var c counted
		gate, other := newGate(t, fleet(w, store), c.into), newGate(t, fleet(w, store))
		synctest.Wait()
		go func() { _, _ = gate.Check(t.Context(), private) }()
		synctest.Wait() // the request is under way
		if err := other.Purge(t.Context(), private); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		wantCounts(t, "conflicts", c.conflicted.Load(), 1)
		wantCounts(t, "fetches", c.fetched.Load(), 2)
		wantCounts(t, "leases lost", c.lost.Load(), 0)
	})
}

// stalls is a Cache one read of which takes longer than a lease holds.
type stalls struct {
	outage
	left atomic.Int64 // reads before that
}

func (s *stalls) Get(ctx context.Context, origin site.Origin, have policy.Hash) (*policy.Snapshot, error) {
	if s.left.Add(-1) == 0 {
		time.Sleep(70 * time.Second)
	}
	return s.Store.Get(ctx, origin, have)
}

func TestHookOfLostLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		cache := &stalls{outage: outage{Store: newStore(t)}}
		cache.left.Store(2) // that of who holds the lease
		var c counted
		gate := newGate(t, app.Ports{Fetcher: w, Cache: cache, Leaser: cache}, c.into)
		check(t, gate, private, false)
		wantCounts(t, "leases lost", c.lost.Load(), 1)
		wantCounts(t, "requests", int64(w.requests()), 1)
	})
}

// A hook on the hot path costs its call, and no allocation.
func TestHooksAllocateNothing(t *testing.T) {
	var c counted
	gate := newGate(t, app.Ports{Fetcher: example(), Cache: newStore(t)}, c.into, func(o *app.Options) {
		o.Hooks.Decided = func(policy.Decision) {}
	})
	check(t, gate, private, false)
	if n := testing.AllocsPerRun(100, func() { _, _ = gate.Check(context.Background(), private) }); n != 0 {
		t.Errorf("a question near costs %v allocations with hooks", n)
	}
	if c.near.Load() == 0 {
		t.Errorf("nothing was near: this test proves nothing")
	}
}
