package app_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// slow is a Cache whose reads take their time, or for ever if it is mute.
type slow struct {
	outage
	mute atomic.Bool
}

func (s *slow) Get(ctx context.Context, origin site.Origin, have policy.Hash) (*policy.Snapshot, error) {
	s.gets.Add(1)
	never := make(chan time.Time)
	timer := (<-chan time.Time)(never)
	if !s.mute.Load() {
		timer = time.After(time.Second)
	}
	select {
	case <-timer:
		return s.Store.Get(ctx, origin, have)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// known is a slow Cache that another worker has filled.
func known(t *testing.T, w *web) *slow {
	t.Helper()
	s := &slow{outage: outage{Store: newStore(t)}}
	check(t, newGate(t, fleet(w, s.Store)), private, false)
	return s
}

// However many ask at once, the shared cache is read once (C1), and nothing in
// the process outlives that but what is near.
func TestOneReadForAllWhoAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		cache := known(t, w)
		var looks atomic.Int64
		gate := newGate(t, app.Ports{Fetcher: w, Cache: cache}, func(o *app.Options) {
			o.Hooks.Looked = func(look app.Look) {
				if looks.Add(1); look.Source != app.FromShared || look.Took != time.Second {
					t.Errorf("looked: %+v", look)
				}
			}
		})
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() { check(t, gate, private, false) })
		}
		all.Wait()
		if got := cache.gets.Load(); got != 1 || looks.Load() != 1 || w.requests() != 1 {
			t.Errorf("%d reads, %d looks and %d requests, want one of each", got, looks.Load(), w.requests())
		}
	})
}

// C3: who asked first and leaves takes nobody's answer along.
func TestWhoReadsForAllMayLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		cache := known(t, w)
		gate := newGate(t, app.Ports{Fetcher: w, Cache: cache})
		ctx, leave := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer leave()
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := gate.Check(ctx, private); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("who left got %v", err)
			}
		})
		synctest.Wait()
		for range 10 {
			all.Go(func() { check(t, gate, private, false) })
		}
		all.Wait()
		if got := cache.gets.Load(); got != 2 {
			t.Errorf("%d reads, want that of who left and one for all others", got)
		}
	})
}

// C3: those in a hurry come to nothing, and hold up nobody who can wait.
func TestAPatientCallerWaitsForNoneInAHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		cache := known(t, w)
		gate := newGate(t, app.Ports{Fetcher: w, Cache: cache})
		start := time.Now()
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				ctx, leave := context.WithTimeout(t.Context(), 500*time.Millisecond+time.Duration(i)*time.Millisecond)
				defer leave()
				if _, err := gate.Check(ctx, private); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("who left got %v", err)
				}
			})
			synctest.Wait()
		}
		check(t, gate, private, false)
		if took := time.Since(start); took != 1500*time.Millisecond {
			t.Errorf("that took %v, want what the first of them waited and one read", took)
		}
		all.Wait()
	})
}

// hasty is a Cache whose first read ends at its context's deadline, before the
// context has noticed.
type hasty struct{ slow }

func (h *hasty) Get(ctx context.Context, origin site.Origin, have policy.Hash) (*policy.Snapshot, error) {
	snapshot, err := h.slow.Get(ctx, origin, have)
	if h.gets.Load() == 1 {
		return nil, context.DeadlineExceeded
	}
	return snapshot, err
}

// C3: one caller's deadline is not that of those who wait with it.
func TestADeadlineIsItsCallersAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		cache := &hasty{slow: slow{outage: outage{Store: newStore(t)}}}
		check(t, newGate(t, fleet(w, cache.Store)), private, false)
		gate := newGate(t, app.Ports{Fetcher: w, Cache: cache})
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { check(t, gate, private, false) })
		}
		all.Wait()
		if got := cache.gets.Load(); got != 2 {
			t.Errorf("%d reads, want the one that ended early and one for all", got)
		}
	})
}

// What was read is not read again by the look that it takes.
func TestAColdLookReadsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		cache := &slow{outage: outage{Store: newStore(t)}}
		gate := newGate(t, app.Ports{Fetcher: w, Cache: cache})
		check(t, gate, private, false)
		const asIfThereWereNone = 2 // one by the look, one by the fetch
		if got := cache.gets.Load(); got != asIfThereWereNone {
			t.Errorf("%d reads, want %d", got, asIfThereWereNone)
		}
	})
}

// A Gate that is closed lets go of those who wait for a cache that is mute.
func TestCloseEndsAGlance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		cache := known(t, w)
		cache.mute.Store(true)
		gate := newGate(t, app.Ports{Fetcher: w, Cache: cache})
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if _, err := gate.Check(context.Background(), private); !errors.Is(err, app.ErrClosed) {
					t.Errorf("Check: %v, want ErrClosed", err)
				}
			})
		}
		synctest.Wait()
		_ = gate.Close()
		all.Wait()
		if cache.gets.Load() == 0 {
			t.Errorf("nobody waited: this test proves nothing")
		}
	})
}
