package app_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/ports"
)

func benchGate(b *testing.B, w *web) *app.Gate {
	b.Helper()
	store, err := memory.New(memory.Options{})
	if err != nil {
		b.Fatal(err)
	}
	agents, err := agent.ParseTokens("ExampleBot")
	if err != nil {
		b.Fatal(err)
	}
	gate, err := app.New(app.Ports{Fetcher: w, Cache: store}, app.Options{Agents: agents})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = gate.Close(), store.Close() })
	return gate
}

// local are the ports of a worker that goes on alone while the store is down.
func local(t *testing.T, w *web, store *outage) app.Ports {
	t.Helper()
	return app.Ports{Fetcher: w, Cache: store, Leaser: store, Fallback: newStore(t)}
}

// C5, local: right answers, allowed and disallowed, go on; each change is one
// line in the log; what was learned alone is handed in when the store is back.
func TestOutageLocal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var changes []error
		store := &outage{Store: newStore(t)}
		w := example()
		w.pages["https://other.example/robots.txt"] = text("User-agent: *\nDisallow: /no\n")
		gate := newGate(t, local(t, w, store), func(o *app.Options) {
			o.Logger = zerolog.New(&log).Level(zerolog.InfoLevel)
			o.Hooks.Shared = func(err error) { changes = append(changes, err) }
		})
		check(t, gate, private, false)

		store.down.Store(true)
		for range 10 {
			time.Sleep(time.Minute)
			check(t, gate, open, true)
			check(t, gate, private, false)
			check(t, gate, "https://other.example/yes", true)
			check(t, gate, "https://other.example/no", false)
		}
		if got := w.requests(); got != 2 {
			t.Errorf("%d requests, want 2: one for each origin", got)
		}
		if _, err := store.Get(t.Context(), check(t, gate, open, true).Origin, policy.Hash{}); !errors.Is(err, ports.ErrUnavailable) {
			t.Fatal("the outage did not happen")
		}

		store.down.Store(false)
		time.Sleep(10 * time.Second)
		check(t, gate, "https://other.example/no", false)
		synctest.Wait()
		// Another worker finds what was learned during the outage.
		another := newGate(t, local(t, w, store))
		check(t, another, "https://other.example/no", false)
		check(t, another, private, false)
		if got := w.requests(); got != 2 {
			t.Errorf("%d requests after the outage, want 2", got)
		}
		if got := strings.Count(log.String(), "\n"); got != 2 {
			t.Errorf("the log has %d lines, want one for each change:\n%s", got, &log)
		}
		if len(changes) != 2 || changes[0] == nil || changes[1] != nil {
			t.Errorf("Hooks.Shared heard %v", changes)
		}
	})
}

// C5 at start-up: a store that was never there is no reason to allow, nor to
// stop.
func TestOutageFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &outage{Store: newStore(t)}
		store.down.Store(true)
		w := example()
		gate := newGate(t, local(t, w, store))
		check(t, gate, open, true)
		check(t, gate, private, false)
		w.set(robotsURL, status(500))
		time.Sleep(30 * time.Hour)
		d := check(t, gate, private, false)
		if !d.Stale {
			t.Errorf("after a failure: %v, want the last good copy", d)
		}
	})
}

// C5, closed: what is near is answered while it is fresh; else an error.
func TestOutageClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &outage{Store: newStore(t)}
		w := example()
		gate := newGate(t, app.Ports{Fetcher: w, Cache: store, Leaser: store})
		check(t, gate, private, false)
		store.down.Store(true)
		time.Sleep(time.Hour)
		check(t, gate, private, false)
		_, err := gate.Check(t.Context(), "https://other.example/")
		if !errors.Is(err, ports.ErrUnavailable) || app.ErrorKind(err) != "store-unavailable" {
			t.Errorf("Check = %v, want ErrUnavailable", err)
		}
		time.Sleep(24 * time.Hour)
		if _, err := gate.Check(t.Context(), open); !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("Check once the near copy is over = %v, want ErrUnavailable", err)
		}
		if got := w.requests(); got != 1 {
			t.Errorf("%d requests, want 1: closed means that nobody fetches alone", got)
		}
		store.down.Store(false)
		check(t, gate, open, true)
	})
}

// C5: a store that refuses writes counts as down for a refresh; reads go on. An
// origin that fails is not kept failing by it.
func TestWritesRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &outage{Store: newStore(t)}
		w := newWeb(map[string]page{robotsURL: status(503)})
		gate := newGate(t, local(t, w, store))
		check(t, gate, open, false)
		store.readOnly.Store(true)
		w.set(robotsURL, text(rules))
		for range 5 * 60 {
			time.Sleep(time.Second)
			instantly(t, func() {
				if _, err := gate.Check(t.Context(), open); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		check(t, gate, open, true)
		check(t, gate, private, false)
		if got := w.requests(); got != 2 {
			t.Errorf("%d requests, want 2", got)
		}
		store.readOnly.Store(false)
		time.Sleep(10 * time.Second)
		check(t, gate, open, true)
		time.Sleep(time.Second)
		check(t, newGate(t, local(t, w, store)), private, false)
		if got := w.requests(); got != 2 {
			t.Errorf("%d requests once writes are taken again, want 2", got)
		}
	})
}

// C5: a store that does not take one Put gets it with the next look, before the
// others' waiting for it becomes a request of their own.
func TestWhatOnePutLostIsHandedIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &outage{Store: newStore(t), putError: errDown}
		w := example()
		gate := newGate(t, local(t, w, store))
		check(t, gate, private, false)
		if known, err := store.Get(t.Context(), check(t, gate, open, true).Origin, policy.Hash{}); err != nil || known.Known() {
			t.Fatalf("the store has %+v (%v): the Put was not lost, this test proves nothing", known, err)
		}
		store.putError = nil
		time.Sleep(6 * time.Second)
		instantly(t, func() { check(t, gate, private, false) })
		synctest.Wait()
		check(t, newGate(t, local(t, w, store)), private, false)
		if got := w.requests(); got != 1 {
			t.Errorf("%d requests, want 1", got)
		}
	})
}

// A worker that purged while it was alone must not bring back what it purged,
// and a purge that it could not hear wins over its own copy.
func TestPurgeOutlivesOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &outage{Store: newStore(t)}
		w := example()
		alone := newGate(t, local(t, w, store))
		store.down.Store(true)
		check(t, alone, private, false)
		store.down.Store(false)
		// Others learn and purge the origin meanwhile.
		others := newGate(t, local(t, w, store))
		check(t, others, private, false)
		if err := others.Purge(t.Context(), private); err != nil {
			t.Fatal(err)
		}
		w.set(robotsURL, status(404))
		time.Sleep(time.Minute)
		check(t, alone, private, true)
	})
}

// Another reading of an origin that this worker failed at finds the last good
// copy on the worker's own shelf while the store is down.
func TestLastGoodCopyOfOurOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &outage{Store: newStore(t)}
		store.down.Store(true)
		w := example()
		gate := newGate(t, local(t, w, store))
		check(t, gate, private, false)
		w.set(robotsURL, ownFault)
		time.Sleep(25 * time.Hour)
		check(t, gate, open, true)
		other, err := gate.As("OtherBot")
		if err != nil {
			t.Fatal(err)
		}
		if d := check(t, other, open, true); !d.Stale {
			t.Errorf("decision = %v, want the last good copy", d)
		}
		check(t, other, private, false)
	})
}

// C2 and C5: an origin that is renewed during an outage, and says the same as
// before, is asked once. What was known is compiled and not at hand, so that what
// came has to be kept whole.
func TestRenewedDuringAnOutage(t *testing.T) {
	for _, row := range []struct {
		name  string
		sleep time.Duration
	}{
		{"in the last tenth of its life", 21*time.Hour + 36*time.Minute},
		{"when its life is over", 25 * time.Hour},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, w := &outage{Store: newStore(t)}, example()
				gate := newGate(t, local(t, w, store))
				check(t, gate, private, false)
				time.Sleep(row.sleep)
				store.down.Store(true)
				for range 6 {
					if decision := check(t, gate, private, false); decision.Stale {
						t.Errorf("the answer is stale: %v", decision)
					}
					time.Sleep(10 * time.Minute)
				}
				if got := w.requests(); got != 2 {
					t.Errorf("%d requests, want 2: one before the outage and one in it", got)
				}
			})
		})
	}
}

// SEMANTICS C4: a worker that could go on alone keeps near what the store has for
// as long as any other: three quarters of the near age.
func TestNearAgeWithAFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &outage{Store: newStore(t)}
		gate := newGate(t, local(t, example(), store))
		check(t, gate, private, false) // fetched
		for _, row := range []string{"fetched", "found in the store"} {
			before := store.gets.Load()
			for range 8 {
				time.Sleep(5 * time.Second)
				check(t, gate, private, false)
			}
			synctest.Wait()
			if looks := store.gets.Load() - before; looks != 0 {
				t.Errorf("%s: %d looks in 40 seconds, want none in 45", row, looks)
			}
			time.Sleep(10 * time.Second)
			check(t, gate, private, false)
			synctest.Wait()
			if looks := store.gets.Load() - before; looks != 1 {
				t.Errorf("%s: %d looks after 50 seconds, want one", row, looks)
			}
		}
	})
}
