package app_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// busy is a web that counts the exchanges under way.
type busy struct {
	*web
	mutex     sync.Mutex
	now, most int
}

func (b *busy) Fetch(ctx context.Context, request policy.Request) (policy.Response, error) {
	b.count(+1)
	defer b.count(-1)
	return b.web.Fetch(ctx, request)
}

func (b *busy) count(by int) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.now += by
	b.most = max(b.most, b.now)
}

func host(i int) string { return fmt.Sprintf("https://host%d.example/", i) }

// However many origins are asked about, so many are fetched at once. Who waits
// for his turn fails at nothing, however long that takes: neither the budget nor
// the lease, and not the flight either, are on the clock meanwhile.
func TestTurns(t *testing.T) {
	const hosts, most = 20, 2
	for name, shared := range map[string]bool{"alone": false, "in a fleet": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, store := &busy{web: newWeb(nil)}, newStore(t)
				w.delay = 40 * time.Second
				adapters := app.Ports{Fetcher: w, Cache: store}
				if shared {
					adapters = app.Ports{Fetcher: w, Cache: store, Leaser: store, Watcher: store}
				}
				gate := newGate(t, adapters, func(o *app.Options) { o.MaxFetches = most })
				start := time.Now()
				var group sync.WaitGroup
				for i := range hosts {
					group.Go(func() {
						if d := check(t, gate, host(i), true); d.Reason != policy.ReasonUnavailable { // 404
							t.Errorf("%s: %v", host(i), d)
						}
					})
				}
				group.Wait()
				if took := time.Since(start); took < hosts/most*w.delay || took > hosts/most*w.delay+time.Minute {
					t.Errorf("%d fetches of %s, %d at once, took %s", hosts, w.delay, most, took)
				}
				if w.most != most || w.requests() != hosts {
					t.Errorf("%d requests, %d at once; want %d, %d at once", w.requests(), w.most, hosts, most)
				}
			})
		})
	}
}

// Who waits for a turn holds no lease: another worker with time may have it.
func TestNoLeaseWithoutATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other, store := newWeb(nil), example(), newStore(t)
		w.delay = 50 * time.Second
		gate := newGate(t, fleet(w, store), func(o *app.Options) { o.MaxFetches = 1 })
		idle := newGate(t, fleet(other, store))
		var group sync.WaitGroup
		group.Go(func() { check(t, gate, host(1), true) })
		synctest.Wait()
		group.Go(func() { check(t, gate, private, false) }) // waits for host 1
		synctest.Wait()
		origin, err := site.ParseOrigin(private)
		if err != nil {
			t.Fatal(err)
		}
		if w.requests() != 1 {
			t.Fatalf("%d requests: nobody waits for a turn", w.requests())
		}
		release, held, err := store.TryLease(t.Context(), origin, time.Minute)
		if err != nil || !held {
			t.Fatalf("the lease of an origin that waits for a turn: held %t, %v", held, err)
		}
		release()
		check(t, idle, private, false)
		group.Wait()
		if w.requests() != 1 || other.requests() != 1 {
			t.Errorf("%d and %d requests, want one each: the second worker was faster", w.requests(), other.requests())
		}
	})
}

// C3: a caller leaves the queue when its context is done, as ever; its place
// stays, for who asks next.
func TestLeavingTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(nil)
		w.delay = 50 * time.Second
		gate := newGate(t, app.Ports{Fetcher: w, Cache: newStore(t)}, func(o *app.Options) { o.MaxFetches = 1 })
		var group sync.WaitGroup
		group.Go(func() { check(t, gate, host(1), true) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := gate.Check(ctx, host(2)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Check in the queue: %v", err)
		}
		group.Wait()
		time.Sleep(51 * time.Second)
		if w.requests() != 2 {
			t.Errorf("%d requests, want 2", w.requests())
		}
		instantly(t, func() { check(t, gate, host(2), true) })
	})
}

// Closing ends the queue.
func TestCloseWithAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(nil)
		w.delay = 50 * time.Second
		gate := newGate(t, app.Ports{Fetcher: w, Cache: newStore(t)}, func(o *app.Options) { o.MaxFetches = 1 })
		var group sync.WaitGroup
		for i := range 5 {
			group.Go(func() {
				if _, err := gate.Check(t.Context(), host(i)); !errors.Is(err, app.ErrClosed) {
					t.Errorf("Check: %v", err)
				}
			})
		}
		synctest.Wait()
		instantly(t, func() {
			_ = gate.Close()
			group.Wait()
		})
		if w.requests() != 1 {
			t.Errorf("%d requests, want 1", w.requests())
		}
	})
}

// A refresh in the background takes a turn, too.
func TestRefreshTakesATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pages := map[string]page{}
		for i := range 4 {
			pages[host(i)+"robots.txt"] = text(rules)
		}
		w, store := &busy{web: newWeb(pages)}, newStore(t)
		w.delay = time.Second
		gate := newGate(t, app.Ports{Fetcher: w, Cache: store, Leaser: store, Watcher: store}, func(o *app.Options) { o.MaxFetches = 1 })
		for i := range 4 {
			check(t, gate, host(i), true)
		}
		time.Sleep(21*time.Hour + 35*time.Minute) // all are due: the last tenth of at least 21.6 h less
		for range 30 {
			for i := range 4 {
				instantly(t, func() { check(t, gate, host(i), true) })
			}
			time.Sleep(4 * time.Minute)
		}
		if w.requests() < 8 || w.most != 1 {
			t.Errorf("%d requests, %d at once; want each origin renewed, one at a time", w.requests(), w.most)
		}
	})
}
