package app_test

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
)

// F4, §2.3.1.2: five redirects are followed, to any authority, and what is found
// applies to the origin that was asked first, and to it alone.
func TestRedirects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pages := map[string]page{"https://last.example/rules": text(rules)}
		from := robotsURL
		for i := range 4 {
			next := "https://hop" + strconv.Itoa(i) + ".example/robots.txt"
			pages[from] = to(next)
			from = next
		}
		pages[from] = to("https://last.example/rules")
		w := newWeb(pages)
		gate := newGate(t, app.Ports{Fetcher: w, Cache: newStore(t)})
		d := check(t, gate, private, false)
		if d.Origin.String() != "https://example.com" || d.Access != policy.AccessSuccessful {
			t.Errorf("decision = %v", d)
		}
		if got := w.requests(); got != 6 {
			t.Errorf("%d requests, want 6", got)
		}
		// F6: once an answer came from a public address, only public ones follow.
		for i, request := range w.asked {
			if request.PublicOnly != (i > 0) {
				t.Errorf("request %d: PublicOnly = %v", i, request.PublicOnly)
			}
		}
		// One more is too many, and counts as unavailable (F5).
		w.set("https://last.example/rules", to("https://more.example/"))
		w.set("https://more.example/", text(rules))
		check(t, gate, "https://hop0.example/private/", false) // five from here
		time.Sleep(25 * time.Hour)
		if d := check(t, gate, private, true); d.Access != policy.AccessUnavailable {
			t.Errorf("six redirects: %v", d)
		}
	})
}

// F8, F12: workers that choose otherwise share what is stored, and one request.
func TestChoicesShareASnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := text(rules)
		cut.Truncated = true
		for _, row := range []struct {
			page    page
			choices policy.Choices
			chosen  policy.Chosen
		}{
			{status(403), policy.Choices{OnForbidden: policy.ForbiddenDisallow}, policy.ChosenForbiddenDisallow},
			{cut, policy.Choices{OnTooLong: policy.TooLongUnreachable}, policy.ChosenTooLongUnreachable},
		} {
			w, store := newWeb(map[string]page{robotsURL: row.page}), newStore(t)
			if d := check(t, newGate(t, fleet(w, store)), open, true); d.Chosen != policy.ChosenNothing {
				t.Errorf("without a choice: %v", d)
			}
			chosen := newGate(t, fleet(w, store), func(o *app.Options) { o.Choices = row.choices })
			if d := check(t, chosen, open, false); d.Chosen != row.chosen {
				t.Errorf("with %+v: %v", row.choices, d)
			}
			if got := w.requests(); got != 1 {
				t.Errorf("%d requests, want 1", got)
			}
		}
	})
}

// A fetch that takes longer than the budget is the origin's failure (F11), and
// callers get that answer, not an error.
func TestBudgetBoundsTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(map[string]page{robotsURL: to("https://example.com/a"), "https://example.com/a": to("https://example.com/b")})
		w.delay = 25 * time.Second
		gate := newGate(t, app.Ports{Fetcher: w, Cache: newStore(t)})
		start := time.Now()
		d := check(t, gate, open, false)
		if d.Reason != policy.ReasonUnreachable {
			t.Errorf("decision = %v", d)
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("the answer took %v, want the budget of a minute", took)
		}
		var failure policy.Failure
		e, err := gate.Explain(t.Context(), open)
		if failure = e.Snapshot.Failure; err != nil || failure != policy.FailedTimeout {
			t.Errorf("failure = %v, %v, want a time-out", failure, err)
		}
	})
}

// C1: a lease holder that dies costs one request more, after its lease.
func TestLeaseHolderDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := example(), newStore(t)
		gate := newGate(t, fleet(w, store))
		origin := check(t, newGate(t, app.Ports{Fetcher: example(), Cache: newStore(t)}), open, true).Origin
		if _, held, err := store.TryLease(t.Context(), origin, 65*time.Second); !held || err != nil {
			t.Fatal("the lease was not taken")
		}
		start := time.Now()
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() { check(t, gate, private, false) })
		}
		group.Wait()
		if took := time.Since(start); took < 65*time.Second || took > 67*time.Second {
			t.Errorf("the answer took %v, want the dead holder's lease", took)
		}
		if got := w.requests(); got != 1 {
			t.Errorf("%d requests, want 1", got)
		}
	})
}

// A late holder's answer gives way to what was stored meanwhile (compare-and-put).
func TestLateHolderGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := example(), newStore(t)
		slow := example()
		slow.delay = time.Second
		slow.pages[robotsURL] = text("User-agent: *\nDisallow: /\n")
		// Without a Leaser both fetch: two holders.
		var fetches []app.Fetch
		late := newGate(t, app.Ports{Fetcher: slow, Cache: store}, func(o *app.Options) {
			o.Hooks.Fetched = func(f app.Fetch) { fetches = append(fetches, f) }
		})
		quick := newGate(t, app.Ports{Fetcher: w, Cache: store})
		var group sync.WaitGroup
		group.Go(func() { check(t, late, open, true) })
		synctest.Wait()
		check(t, quick, open, true)
		group.Wait()
		if slow.requests() != 1 || w.requests() != 1 {
			t.Errorf("%d and %d requests: the race did not happen", slow.requests(), w.requests())
		}
		if len(fetches) != 1 || fetches[0].Stored {
			t.Errorf("the late holder's fetches = %+v, want one that was not stored", fetches)
		}
	})
}
