package app_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/app"
)

// C4: a question that comes after a purge does not get the answer of a fetch that
// was stored before it and has not quite ended.
func TestPurgeAtTheEndOfAFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		gate := newGate(t, fleet(w, newStore(t)), func(o *app.Options) {
			o.Hooks.Fetched = func(app.Fetch) { time.Sleep(time.Second) } // after the Put
		})
		go func() { _, _ = gate.Check(t.Context(), private) }()
		time.Sleep(w.delay + time.Millisecond)
		w.set(robotsURL, status(404))
		if err := gate.Purge(t.Context(), private); err != nil {
			t.Fatal(err)
		}
		check(t, gate, private, true)
		time.Sleep(time.Minute)
		check(t, gate, private, true)
		if got := w.requests(); got != 2 {
			t.Errorf("%d requests, want 2", got)
		}
	})
}

// The same for a look at the shared cache that has not quite ended.
func TestPurgeAtTheEndOfALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := example(), newStore(t)
		check(t, newGate(t, fleet(w, store)), private, false)
		gate := newGate(t, fleet(w, store), func(o *app.Options) {
			o.Hooks.Looked = func(app.Look) { time.Sleep(time.Second) }
		})
		go func() { _, _ = gate.Check(t.Context(), private) }()
		synctest.Wait()
		w.set(robotsURL, status(404))
		if err := gate.Purge(t.Context(), private); err != nil {
			t.Fatal(err)
		}
		check(t, gate, private, true)
	})
}

// What a worker learned alone and handed in is the fleet's. A purge that this
// worker neither heard nor saw must not be undone by a copy that it kept.
func TestHandedInIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &outage{Store: newStore(t)}
		w := example()
		alone := newGate(t, local(t, w, store)) // without a Watcher
		store.down.Store(true)
		check(t, alone, private, false)
		store.down.Store(false)
		time.Sleep(time.Minute)
		check(t, alone, private, false)
		others := newGate(t, local(t, w, store))
		check(t, others, private, false)
		if got := w.requests(); got != 1 {
			t.Fatalf("%d requests, want 1: nothing was handed in", got)
		}
		if err := others.Purge(t.Context(), private); err != nil {
			t.Fatal(err)
		}
		w.set(robotsURL, status(404))
		time.Sleep(time.Hour) // a store forgets a purge after ten minutes
		check(t, alone, private, true)
	})
}
