package app_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

const (
	robotsURL = "https://example.com/robots.txt"
	open      = "https://example.com/open"
	private   = "https://example.com/private/page"
	rules     = "User-agent: *\nDisallow: /private/ # keep out\nCrawl-delay: 2\nSitemap: /sitemap.xml\nSitemap: https://example.com/sitemap.xml\n"
)

func example() *web { return newWeb(map[string]page{robotsURL: text(rules)}) }

func TestNewWantsPortsAndAgents(t *testing.T) {
	store := newStore(t)
	for name, adapters := range map[string]app.Ports{
		"no fetcher": {Cache: store},
		"no cache":   {Fetcher: example()},
		"no agents":  {Fetcher: example(), Cache: store},
	} {
		if _, err := app.New(adapters, app.Options{}); err == nil {
			t.Errorf("New with %s: no error", name)
		}
	}
}

func TestCheckRefusesBadURLs(t *testing.T) {
	gate := newGate(t, app.Ports{Fetcher: example(), Cache: newStore(t)})
	for _, url := range []string{"", "example.com/x", "ftp://example.com/", "https://", "https://exa mple.com/"} {
		var parse *site.ParseError
		if _, err := gate.Check(t.Context(), url); !errors.As(err, &parse) {
			t.Errorf("Check(%q) = %v, want a *site.ParseError", url, err)
		} else if got := app.ErrorKind(err); got != "invalid-url" {
			t.Errorf("ErrorKind = %s", got)
		}
	}
}

// C1, in one process: many goroutines at once, and one reading more, cost one
// request.
func TestOneRequestPerProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		gate := newGate(t, app.Ports{Fetcher: w, Cache: newStore(t)})
		other, err := gate.As("OtherBot")
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() { check(t, gate, open, true) })
			group.Go(func() { check(t, other, private, false) })
		}
		group.Wait()
		if got := w.requests(); got != 1 {
			t.Errorf("%d requests for robots.txt, want 1", got)
		}
	})
}

// C1, in a fleet: all workers get the same copy, by one request.
func TestOneRequestPerFleet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := example(), newStore(t)
		var group sync.WaitGroup
		decisions := make(chan policy.Decision, 10)
		for range 10 {
			gate := newGate(t, fleet(w, store))
			group.Go(func() { decisions <- check(t, gate, private, false) })
		}
		group.Wait()
		close(decisions)
		if got := w.requests(); got != 1 {
			t.Errorf("%d requests for robots.txt, want 1", got)
		}
		first := <-decisions
		for d := range decisions {
			if d != first {
				t.Errorf("one worker says %+v, another %+v", d, first)
			}
		}
		if first.Reason != policy.ReasonRule || first.Rule.Line != 2 || first.Delay.Interval != 2*time.Second {
			t.Errorf("decision = %+v", first)
		}
	})
}

// C3: a caller that leaves takes nobody's answer along.
func TestCancelledCallerLeavesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		gate := newGate(t, app.Ports{Fetcher: w, Cache: newStore(t)})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := gate.Check(ctx, open); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the first caller got %v, want its deadline", err)
			}
		})
		synctest.Wait()
		check(t, gate, open, true)
		group.Wait()
		if got := w.requests(); got != 1 {
			t.Errorf("%d requests, want 1", got)
		}
		if _, err := gate.Check(ctx, open); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Check with a done context = %v", err)
		}
	})
}

// C2: in the last tenth of its life a copy is renewed while callers go on. One
// worker of the fleet does it, by a conditional request (F2).
func TestHotOriginNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := text(rules)
		answer.Header = policy.Header{CacheControl: "max-age=36000", ETag: `"1"`}
		w, store := newWeb(map[string]page{robotsURL: answer}), newStore(t)
		gates := []*app.Gate{newGate(t, fleet(w, store)), newGate(t, fleet(w, store))}
		fetched := check(t, gates[0], private, false).FetchedAt
		check(t, gates[1], private, false)
		for range 59 { // ten hours and more, a question every ten minutes but one
			time.Sleep(10 * time.Minute)
			for _, gate := range gates {
				instantly(t, func() { check(t, gate, private, false) })
				synctest.Wait()
			}
		}
		time.Sleep(10 * time.Minute)
		check(t, gates[0], private, false)
		synctest.Wait()
		time.Sleep(time.Minute)
		d := check(t, gates[0], private, false)
		if got := w.requests(); got != 2 {
			t.Errorf("%d requests in ten hours, want 2", got)
		}
		if w.last().Validators.ETag != `"1"` {
			t.Errorf("the renewal was not conditional: %+v", w.last())
		}
		if !d.FetchedAt.After(fetched.Add(9*time.Hour)) || d.Stale {
			t.Errorf("fetched at %v, first at %v", d.FetchedAt, fetched)
		}
	})
}

// A cold origin is asked again once its answer is over, and the answer is new.
func TestColdOriginIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		gate := newGate(t, fleet(w, newStore(t)))
		check(t, gate, private, false)
		w.set(robotsURL, text("User-agent: *\nDisallow: /open\n"))
		time.Sleep(25 * time.Hour)
		check(t, gate, private, true)
		check(t, gate, open, false)
		if got := w.requests(); got != 2 {
			t.Errorf("%d requests, want 2", got)
		}
	})
}

// F11: unreachable is disallowed, answered at once, and tried again behind the
// callers' backs, once in the fleet, until it is over.
func TestUnreachableIsRetriedBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := newWeb(map[string]page{robotsURL: status(503)}), newStore(t)
		gates := []*app.Gate{newGate(t, fleet(w, store)), newGate(t, fleet(w, store))}
		for _, gate := range gates {
			d := check(t, gate, open, false)
			if d.Reason != policy.ReasonUnreachable || d.Access != policy.AccessUnreachable {
				t.Errorf("decision = %v", d)
			}
			check(t, gate, robotsURL, true)
		}
		start := w.requests()
		for range 9 * 60 { // nine minutes: tries at about 1, 3 and 7 minutes
			time.Sleep(time.Second)
			for _, gate := range gates {
				instantly(t, func() { check(t, gate, open, false) })
			}
		}
		if got := w.requests() - start; got != 3 {
			t.Errorf("%d tries in nine minutes, want 3", got)
		}
		w.set(robotsURL, text(rules))
		time.Sleep(10 * time.Minute)
		instantly(t, func() { check(t, gates[0], open, false) })
		time.Sleep(2 * time.Second)
		for _, gate := range gates {
			check(t, gate, open, true)
			check(t, gate, private, false)
		}
	})
}

// §2.3.1.4: the last good copy stands in for an origin that fails.
func TestLastGoodCopyStandsIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		gate := newGate(t, fleet(w, newStore(t)))
		hash := check(t, gate, private, false).Hash
		w.set(robotsURL, broken(&policy.FetchError{Kind: policy.FailedConnect}))
		for range 40 { // days
			time.Sleep(24 * time.Hour)
			check(t, gate, open, true)
			d := check(t, gate, private, false)
			if !d.Stale || d.Hash != hash || d.Access != policy.AccessUnreachable {
				t.Fatalf("decision = %v", d)
			}
		}
	})
}

// F14: a failure that may be ours is answered as unreachable, by this worker
// alone, and leaves the origin alone for a minute.
func TestOwnFailureStaysHere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		sick := newWeb(map[string]page{robotsURL: broken(&policy.FetchError{Kind: policy.FailedLocally, Local: true})})
		healthy := example()
		sickGate, gate := newGate(t, fleet(sick, store)), newGate(t, fleet(healthy, store))
		other, err := sickGate.As("OtherBot")
		if err != nil {
			t.Fatal(err)
		}
		for range 59 {
			check(t, sickGate, open, false)
			check(t, other, open, false)
			time.Sleep(time.Second)
		}
		if got := sick.requests(); got != 1 {
			t.Errorf("the sick worker tried %d times within a minute, want once", got)
		}
		check(t, gate, open, true)
		check(t, gate, private, false)
		time.Sleep(time.Minute)
		check(t, sickGate, open, false) // and looks behind
		time.Sleep(time.Second)
		d := check(t, sickGate, open, true) // by what the other worker learned
		if d.Access != policy.AccessSuccessful || healthy.requests() != 1 {
			t.Errorf("decision = %v after %d requests", d, healthy.requests())
		}
	})
}

// C4: a purge reaches every worker at once while purges are heard.
func TestPurgeReachesEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := example(), newStore(t)
		one, two := newGate(t, fleet(w, store)), newGate(t, fleet(w, store))
		check(t, one, private, false)
		check(t, two, private, false)
		w.set(robotsURL, status(404))
		if err := one.Purge(t.Context(), private); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		check(t, two, private, true)
		check(t, one, private, true)
		if got := w.requests(); got != 2 {
			t.Errorf("%d requests, want 2", got)
		}
		if err := one.Purge(t.Context(), "nonsense"); err == nil {
			t.Error("Purge of nonsense: no error")
		}
	})
}

// C4: without a Watcher a purge is seen within the near age.
func TestPurgeUnheard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := example(), newStore(t)
		deaf := app.Ports{Fetcher: w, Cache: store, Leaser: store}
		one, two := newGate(t, deaf), newGate(t, deaf)
		check(t, one, private, false)
		check(t, two, private, false)
		w.set(robotsURL, status(404))
		if err := one.Purge(t.Context(), private); err != nil {
			t.Fatal(err)
		}
		check(t, one, private, true)
		time.Sleep(time.Minute)
		check(t, two, private, true)
	})
}

// A fetch that a purge overtakes is made again: what it brought may be what was
// to be forgotten.
func TestPurgeDuringFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := example(), newStore(t)
		one, two := newGate(t, fleet(w, store)), newGate(t, fleet(w, store))
		var group sync.WaitGroup
		group.Go(func() { check(t, one, private, true) })
		time.Sleep(w.delay / 2)
		w.set(robotsURL, status(404))
		if err := two.Purge(t.Context(), private); err != nil {
			t.Fatal(err)
		}
		group.Wait()
		if got := w.requests(); got != 2 {
			t.Errorf("%d requests, want 2", got)
		}
	})
}

// A7, A6: a Gate of other agents shares the file; beyond 64 readings it is still
// right.
func TestAs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := rules
		for i := range 70 {
			body += "User-agent: bot" + strconv.Itoa(i) + "\nDisallow: /" + strconv.Itoa(i) + "$\n"
		}
		w := newWeb(map[string]page{robotsURL: text(body)})
		gate := newGate(t, app.Ports{Fetcher: w, Cache: newStore(t)})
		for range 2 {
			for i := range 70 {
				bot, err := gate.As("unknown", "bot"+strconv.Itoa(i))
				if err != nil {
					t.Fatal(err)
				}
				check(t, bot, "https://example.com/"+strconv.Itoa(i), false)
				check(t, bot, "https://example.com/"+strconv.Itoa(i+1), true)
			}
		}
		if got := w.requests(); got != 1 {
			t.Errorf("%d requests, want 1", got)
		}
		if _, err := gate.As("not a token"); err == nil {
			t.Error("As of nonsense: no error")
		}
	})
}

func TestSitemapsAndExplain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := newGate(t, app.Ports{Fetcher: example(), Cache: newStore(t)})
		maps, err := gate.Sitemaps(t.Context(), open)
		if err != nil || len(maps) != 1 || maps[0] != "https://example.com/sitemap.xml" {
			t.Errorf("Sitemaps = %q, %v", maps, err)
		}
		e, err := gate.Explain(t.Context(), private)
		if err != nil || e.Line != "Disallow: /private/ # keep out" || e.Decision.Allowed {
			t.Errorf("Explain = %+v, %v", e, err)
		}
		if e, err = gate.Explain(t.Context(), open); err != nil || e.Line != "" || !e.Decision.Allowed {
			t.Errorf("Explain = %+v, %v", e, err)
		}
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := example(), newStore(t)
		gate := newGate(t, fleet(w, store))
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := gate.Check(t.Context(), open); !errors.Is(err, app.ErrClosed) {
				t.Errorf("a waiting caller got %v, want ErrClosed", err)
			}
		})
		time.Sleep(w.delay / 2)
		if err := gate.Close(); err != nil {
			t.Fatal(err)
		}
		group.Wait()
		if _, err := gate.Check(t.Context(), open); !errors.Is(err, app.ErrClosed) {
			t.Errorf("Check after Close = %v", err)
		}
		if err := gate.Purge(t.Context(), open); !errors.Is(err, app.ErrClosed) {
			t.Errorf("Purge after Close = %v", err)
		}
		_ = gate.Close() // twice is once
		// What is near is no answer of a closed Gate either.
		known := newGate(t, app.Ports{Fetcher: w, Cache: newStore(t)})
		check(t, known, open, true)
		_ = known.Close()
		if _, err := known.Check(t.Context(), open); !errors.Is(err, app.ErrClosed) {
			t.Errorf("Check of what is near after Close = %v", err)
		}
		// What the shutdown broke off is nobody's knowledge (F14).
		check(t, newGate(t, fleet(w, store)), open, true)
	})
}

func TestHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var decided []policy.Decision
		var looks []app.Look
		var fetches []app.Fetch
		gate := newGate(t, app.Ports{Fetcher: example(), Cache: newStore(t)}, func(o *app.Options) {
			o.Hooks = app.Hooks{
				Decided: func(d policy.Decision) { decided = append(decided, d) },
				Looked:  func(l app.Look) { looks = append(looks, l) },
				Fetched: func(f app.Fetch) { fetches = append(fetches, f) },
			}
		})
		check(t, gate, open, true)
		check(t, gate, private, false)
		if len(decided) != 2 || len(looks) != 1 || len(fetches) != 1 {
			t.Fatalf("%d decided, %d looks, %d fetches", len(decided), len(looks), len(fetches))
		}
		if looks[0].Source != app.FromOrigin || looks[0].Took != 100*time.Millisecond {
			t.Errorf("look = %+v", looks[0])
		}
		if f := fetches[0]; f.Outcome != policy.Successful || f.Status != 200 || !f.Stored || f.Bytes != len(rules) {
			t.Errorf("fetch = %+v", f)
		}
	})
}

// A hot Check costs no allocation (M5, C4).
func TestHotCheckDoesNotAllocate(t *testing.T) {
	w := example()
	w.delay = 0
	gate := newGate(t, app.Ports{Fetcher: w, Cache: newStore(t)})
	ctx := t.Context()
	check(t, gate, private, false)
	allocs := testing.AllocsPerRun(1000, func() {
		if d, err := gate.Check(ctx, private); err != nil || d.Allowed {
			t.Fatal(d, err)
		}
	})
	if allocs != 0 {
		t.Errorf("a hot Check allocates %v times", allocs)
	}
}

// C4: the near cache is bounded, and what it dropped comes back from the shared
// one.
func TestNearCacheIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &outage{Store: newStore(t)}
		w := newWeb(map[string]page{})
		gate := newGate(t, app.Ports{Fetcher: w, Cache: store}, func(o *app.Options) { o.NearEntries = 10 })
		ask := func() {
			for i := range 50 {
				check(t, gate, "https://host"+strconv.Itoa(i)+".example/", true)
			}
		}
		ask()
		before := store.gets.Load()
		ask()
		if got := store.gets.Load() - before; got < 40 {
			t.Errorf("%d of 50 origins were looked up again, want 40 at least", got)
		}
		if got := w.requests(); got != 50 {
			t.Errorf("%d requests, want 50", got)
		}
	})
}

func BenchmarkHotCheck(b *testing.B) {
	w := example()
	w.delay = 0
	gate := benchGate(b, w)
	ctx := b.Context()
	if _, err := gate.Check(ctx, private); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := gate.Check(ctx, private); err != nil {
			b.Fatal(err)
		}
	}
}

var _ ports.Cache = (*outage)(nil)
