package app_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/ports"
)

// filtered is a Cache that keeps what concerns some crawlers (C8).
type filtered struct {
	outage
	scope policy.Scope
}

func (f *filtered) Put(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
	kept := *next
	kept.Copy = f.scope.Cut(next.Copy)
	return f.outage.Put(ctx, &kept, keep)
}

// ofTwo has a group for ExampleBot, for whom the store is, and one for OtherBot.
const ofTwo = "User-agent: OtherBot\nDisallow: /other # theirs\n\nUser-agent: ExampleBot\nDisallow: /private # ours\n"

func newFiltered(t *testing.T) *filtered {
	t.Helper()
	agents, err := agent.ParseTokens("ExampleBot")
	if err != nil {
		t.Fatal(err)
	}
	return &filtered{outage{Store: newStore(t)}, policy.Scope{Agents: agents}}
}

func as(t *testing.T, gate *app.Gate, name string) *app.Gate {
	t.Helper()
	other, err := gate.As(name)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// Those whom the store is for are answered, and explained, as ever. Another has
// each worker ask the origin once more, and not again while the file is the same.
func TestAFilteredStoreRefetchesForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		page := text(ofTwo)
		page.Header.ETag, page.Header.CacheControl = `"1"`, "max-age=3600"
		w.set(robotsURL, page)
		cache := newFiltered(t)
		adapters := app.Ports{Fetcher: w, Cache: cache, Leaser: cache.Store}
		check(t, newGate(t, adapters), private, false)

		gate := newGate(t, adapters)
		decision := check(t, gate, private, false)
		explanation, err := gate.Explain(t.Context(), private)
		if err != nil || decision.Rule.Line != 5 || explanation.Line != "Disallow: /private # ours" || decision.Hash != policy.HashOf([]byte(ofTwo)) {
			t.Errorf("%+v by %q, %v", decision, explanation.Line, err)
		}
		wantCounts(t, "requests", int64(w.requests()), 1)

		other := as(t, gate, "OtherBot")
		if got := check(t, other, "https://example.com/other", false); got.Rule.Line != 2 || got.Hash != decision.Hash {
			t.Errorf("OtherBot: %+v", got)
		}
		check(t, other, private, true)
		wantCounts(t, "requests", int64(w.requests()), 2)
		if last := w.last(); !last.Validators.IsZero() {
			t.Errorf("it was asked whether the file changed, %+v: the answer would be of no use", last.Validators)
		}
		for range 30 { // past near ages and refreshes, which are conditional
			time.Sleep(5 * time.Minute)
			check(t, gate, private, false)
			check(t, other, private, true)
			check(t, other, "https://example.com/other", false)
			synctest.Wait()
		}
		wantCounts(t, "requests", int64(w.requests()), 2+1)
		if uses, err := as(t, gate, "ThirdBot").Usage(t.Context(), private); err == nil {
			t.Errorf("ThirdBot: a usage of what was not kept: %+v", uses)
		}
	})
}

// An origin that fails is left alone, and one whom nothing was kept for is
// answered as if nothing were known: disallowed.
func TestAFilteredStoreOfAFailingOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		page := text(ofTwo)
		page.Header.CacheControl = "max-age=300"
		w.set(robotsURL, page)
		cache := newFiltered(t)
		gate := newGate(t, app.Ports{Fetcher: w, Cache: cache, Leaser: cache.Store})
		check(t, gate, open, true)
		w.set(robotsURL, broken(&policy.FetchError{Kind: policy.FailedConnect, Err: errors.New("refused")}))
		other := as(t, gate, "OtherBot")
		for range 5 {
			if got := check(t, other, open, false); got.Reason != policy.ReasonUnreachable {
				t.Errorf("OtherBot: %v", got)
			}
			check(t, gate, open, true) // by the last good copy
		}
		wantCounts(t, "requests", int64(w.requests()), 2)
		time.Sleep(time.Hour)
		w.set(robotsURL, text(ofTwo))
		for range 3 {
			_, _ = other.Check(t.Context(), open)
			time.Sleep(time.Minute)
		}
		check(t, other, open, true)
	})
}

// Readings that keep nothing near would have the origin asked with every
// question: they are not answered by what was not kept.
func TestAFilteredStoreAndManyReadings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		w.set(robotsURL, text(ofTwo))
		cache := newFiltered(t)
		gate := newGate(t, app.Ports{Fetcher: w, Cache: cache, Leaser: cache.Store})
		check(t, gate, open, true)
		for i := range 70 {
			_, _ = as(t, gate, fmt.Sprintf("Bot%d", i)).Check(t.Context(), open)
		}
		asked := w.requests()
		last := as(t, gate, "Bot69")
		for range 10 {
			check(t, last, open, false)
		}
		wantCounts(t, "more requests", int64(w.requests()-asked), 0)
	})
}

// With the store read-only, or down, it is the same by this worker's own copies.
func TestAFilteredStoreInAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		w.set(robotsURL, text(ofTwo))
		cache := newFiltered(t)
		check(t, newGate(t, app.Ports{Fetcher: w, Cache: cache, Leaser: cache}), open, true)
		gate := newGate(t, app.Ports{Fetcher: w, Cache: cache, Leaser: cache, Fallback: newStore(t)})
		other := as(t, gate, "OtherBot")
		cache.readOnly.Store(true)
		check(t, other, "https://example.com/other", false)
		cache.down.Store(true)
		check(t, other, "https://example.com/other", false)
		check(t, gate, private, false)
		closed := as(t, newGate(t, app.Ports{Fetcher: w, Cache: cache, Leaser: cache}), "OtherBot")
		if _, err := closed.Check(t.Context(), open); !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("closed: %v", err)
		}
	})
}
