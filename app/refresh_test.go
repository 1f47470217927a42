package app_test

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// C1, at expiry: a question that comes when the answer is over, while a refresh is
// under way behind the callers' backs, waits for that refresh.
func TestOneRequestAtExpiry(t *testing.T) {
	for name, shared := range map[string]bool{"in process": false, "in a fleet": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, store := example(), newStore(t)
				w.delay = 10 * time.Second
				adapters := app.Ports{Fetcher: w, Cache: store}
				if shared {
					adapters = fleet(w, store)
				}
				gate := newGate(t, adapters)
				over := check(t, gate, private, false).ExpiresAt
				time.Sleep(time.Until(over) - time.Second)
				instantly(t, func() { check(t, gate, private, false) })
				check(t, gate, private, false)
				synctest.Wait()
				if got := w.requests(); got != 2 {
					t.Fatalf("%d requests, want 2: the refresh is not under way", got)
				}
				time.Sleep(2 * time.Second)
				d := check(t, gate, private, false)
				if !d.ExpiresAt.After(over) {
					t.Errorf("the answer is of before its end: %v", d)
				}
				if got := w.requests(); got != 2 {
					t.Errorf("%d requests, want 2: the first, and one refresh", got)
				}
			})
		})
	}
}

var ownFault = broken(&policy.FetchError{Kind: policy.FailedConnect, Local: true})

// F14: a refresh that fails for a reason which may be ours says nothing about
// the origin. The answer that still holds goes on, and the origin is left alone
// for a minute, by readings that keep nothing near, too.
func TestOwnFailureOfARefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(map[string]page{robotsURL: status(404)})
		w.delay = 0
		gate := newGate(t, fleet(w, newStore(t)))
		over := check(t, gate, open, true).ExpiresAt
		bots := []*app.Gate{gate}
		for i := range 70 {
			bot, err := gate.As("bot" + strconv.Itoa(i))
			if err != nil {
				t.Fatal(err)
			}
			bots = append(bots, bot)
		}
		w.set(robotsURL, ownFault)
		time.Sleep(time.Until(over) - time.Hour)
		before := w.requests()
		for range 59 {
			for _, bot := range bots {
				check(t, bot, open, true)
				synctest.Wait()
			}
			time.Sleep(time.Second)
		}
		if got := w.requests() - before; got != 1 {
			t.Errorf("%d requests by a worker that is at fault within a minute, want 1", got)
		}
		time.Sleep(2 * time.Hour)
		check(t, gate, open, false) // nothing holds any more, and it cannot ask
	})
}

// hiccup is a Cache of which some Gets fail in a way of its own.
type hiccup struct {
	*memory.Store
	failing atomic.Bool
	failed  atomic.Int64
}

func (h *hiccup) Get(ctx context.Context, origin site.Origin, have policy.Hash) (*policy.Snapshot, error) {
	if h.failing.Load() {
		h.failed.Add(1)
		return nil, errors.New("test: a hiccup")
	}
	return h.Store.Get(ctx, origin, have)
}

// C2: a look behind the callers' backs that fails is made again soon, not only
// when callers have to wait for it.
func TestFailedLookBehindIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hiccup{Store: newStore(t)}
		w := newWeb(map[string]page{robotsURL: status(503)})
		gate := newGate(t, app.Ports{Fetcher: w, Cache: store, Leaser: store, Watcher: store})
		synctest.Wait()
		check(t, gate, open, false)
		check(t, gate, open, false)
		synctest.Wait()
		w.set(robotsURL, text(rules))
		time.Sleep(time.Minute)
		store.failing.Store(true)
		check(t, gate, open, false)
		synctest.Wait()
		store.failing.Store(false)
		if store.failed.Load() != 1 {
			t.Fatalf("%d looks failed, want 1", store.failed.Load())
		}
		for range 2 {
			time.Sleep(10 * time.Second)
			instantly(t, func() { _, _ = gate.Check(t.Context(), open) })
			time.Sleep(time.Second)
		}
		instantly(t, func() { check(t, gate, open, true) })
	})
}
