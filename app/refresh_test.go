package app_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
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
