package app_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/app"
)

// Settings that mean "for ever", or next to nothing, cost speed at most.
func TestExtremeOptions(t *testing.T) {
	const forever = time.Duration(math.MaxInt64)
	for name, change := range map[string]func(*app.Options){
		"a budget for ever":        func(o *app.Options) { o.FetchBudget = forever },
		"a near age for ever":      func(o *app.Options) { o.NearAge, o.NearAgeWatched = forever, forever },
		"lifetimes of centuries":   func(o *app.Options) { o.Lifetimes.Max, o.Lifetimes.NotFound = forever/2, forever/2 },
		"a last good one for ever": func(o *app.Options) { o.Lifetimes.LastGoodMax = forever },
		"a near cache of one byte": func(o *app.Options) { o.NearBytes = 1 },
		"many near entries":        func(o *app.Options) { o.NearEntries = math.MaxInt },
		"many near bytes":          func(o *app.Options) { o.NearBytes = math.MaxInt },
		"many redirects":           func(o *app.Options) { o.MaxRedirects = math.MaxInt },
		"a near age of nothing":    func(o *app.Options) { o.NearAge, o.NearAgeWatched = 1, 1 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				looks := 0
				w := example()
				gate := newGate(t, fleet(w, newStore(t)), change, func(o *app.Options) {
					o.Hooks.Looked = func(app.Look) { looks++ }
				})
				synctest.Wait() // the Watcher has begun to hear
				for range 10 {
					check(t, gate, open, true)
					check(t, gate, private, false)
				}
				if got := w.requests(); got != 1 {
					t.Errorf("%d requests, want 1", got)
				}
				if name != "a near cache of one byte" && name != "a near age of nothing" && looks != 1 {
					t.Errorf("%d looks behind the near cache, want 1", looks)
				}
			})
		})
	}
}

// C4: a near age that is longer than usual is so while purges are heard, too.
func TestANearAgeIsNoShorterWhilePurgesAreHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		gate := newGate(t, fleet(example(), newStore(t)), func(o *app.Options) {
			o.NearAge = time.Hour
			o.Hooks.Looked = func(app.Look) { looks++ }
		})
		synctest.Wait() // the Watcher has begun to hear
		check(t, gate, private, false)
		time.Sleep(44 * time.Minute)
		check(t, gate, private, false)
		synctest.Wait()
		if looks != 1 {
			t.Errorf("%d looks within three quarters of a near age, want 1", looks)
		}
		time.Sleep(17 * time.Minute)
		check(t, gate, private, false)
		if looks != 2 {
			t.Errorf("%d looks after it, want 2", looks)
		}
	})
}
