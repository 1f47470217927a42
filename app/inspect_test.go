package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/ports"
)

// inspect asks and expects an answer.
func inspect(t *testing.T, gate *app.Gate, url string) app.Inspection {
	t.Helper()
	i, err := gate.Inspect(t.Context(), url)
	if err != nil {
		t.Fatalf("Inspect(%s): %v", url, err)
	}
	return i
}

// refresh asks again and expects an answer.
func refresh(t *testing.T, gate *app.Gate, url string) app.Inspection {
	t.Helper()
	i, err := gate.Refresh(t.Context(), url)
	if err != nil {
		t.Fatalf("Refresh(%s): %v", url, err)
	}
	return i
}

const tag = `"first"`

// moved is example behind a redirect, with validators (F2, F4).
func moved() *web {
	there := text(rules)
	there.Charset = "windows-1252"
	there.Header = policy.Header{ETag: tag, LastModified: "Thu, 01 Jan 1970 00:00:00 GMT"}
	return newWeb(map[string]page{robotsURL: to("//www.example.com/r"), "https://www.example.com/r": there})
}

// An Inspection shows each hop of a fetch that was made for it, and the file.
func TestInspect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := moved(), newStore(t)
		gate := newGate(t, fleet(w, store))
		start := time.Now()
		i := inspect(t, gate, private)

		wantHops := []app.Hop{
			{URL: robotsURL, Status: 301, Location: "//www.example.com/r", Took: 100 * time.Millisecond},
			{URL: "https://www.example.com/r", Status: 200, Took: 100 * time.Millisecond},
		}
		if len(i.Hops) != 2 || i.Hops[0] != wantHops[0] || i.Hops[1] != wantHops[1] || i.Took() != 200*time.Millisecond {
			t.Errorf("hops = %+v in %v, want %+v", i.Hops, i.Took(), wantHops)
		}
		if i.URL != private || i.Decision.Allowed || i.Decision.Reason != policy.ReasonRule {
			t.Errorf("%s: %v", i.URL, i.Decision)
		}
		s := i.Snapshot
		if s.FinalURL != wantHops[1].URL || s.Hops != 1 || !s.FetchedAt.Equal(start.Add(i.Took())) || !s.RefreshAt.Before(s.FreshUntil) {
			t.Errorf("facts = %+v", s)
		}
		if string(s.Copy.Body) != rules || s.Copy.Charset != "windows-1252" || s.Copy.Validators.ETag != tag || s.Copy.Validators.LastModified == "" {
			t.Errorf("copy = %+v", s.Copy)
		}

		// Known, here or in the fleet, it is shown without asking, and without hops.
		other := newGate(t, fleet(newWeb(nil), store))
		for _, at := range []*app.Gate{gate, other} {
			again := inspect(t, at, private)
			if again.Hops != nil || again.Took() != 0 {
				t.Errorf("hops = %+v, want none", again.Hops)
			}
			if string(again.Snapshot.Copy.Body) != rules || again.Snapshot.Copy.Validators != s.Copy.Validators ||
				again.Snapshot.FinalURL != s.FinalURL || again.Decision.Rule != i.Decision.Rule {
				t.Errorf("known: %+v, want what was fetched: %+v", again, i)
			}
		}
		if got := w.requests(); got != 2 {
			t.Errorf("%d requests, want 2", got)
		}
	})
}

// Whoever inspects while others ask sees the hops, too, whoever came first; by
// one request (C1).
func TestInspectWithOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		gate := newGate(t, fleet(w, newStore(t)))
		var group sync.WaitGroup
		group.Go(func() { check(t, gate, open, true) })
		synctest.Wait()
		for range 3 {
			group.Go(func() {
				if i := inspect(t, gate, open); len(i.Hops) != 1 {
					t.Errorf("hops = %+v, want one", i.Hops)
				}
			})
		}
		group.Wait()
		if got := w.requests(); got != 1 {
			t.Errorf("%d requests, want 1", got)
		}
	})
}

// A refresh behind an answer is not what the answer came of.
func TestInspectBeforeARefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		gate := newGate(t, fleet(w, newStore(t)))
		fetched := inspect(t, gate, open).Snapshot
		time.Sleep(time.Until(fetched.RefreshAt) + time.Minute)
		if i := inspect(t, gate, open); i.Hops != nil || !i.Snapshot.FetchedAt.Equal(fetched.FetchedAt) {
			t.Errorf("hops %+v of %v, want none, and what was known", i.Hops, i.Snapshot.FetchedAt)
		}
		synctest.Wait()
		time.Sleep(time.Second)
		if got := w.requests(); got != 2 {
			t.Errorf("%d requests, want a second one in the background: else this shows nothing", got)
		}
	})
}

// What went wrong is told in words, by the kind of the outcome and by its cause.
func TestInspectFailures(t *testing.T) {
	for name, row := range map[string]struct {
		pages   map[string]page
		account string
		hops    int
		failure policy.Failure
		stop    policy.Stop
	}{
		"F5, a loop": {
			map[string]page{robotsURL: to("/a"), "https://example.com/a": to("/robots.txt")},
			"it is unavailable: it is redirected in a loop", 2, policy.NoFailure, policy.StopLoop,
		},
		"F5, no Location": {
			map[string]page{robotsURL: status(302)},
			"it is unavailable: it is redirected without saying where to, or to what is no URL", 1, policy.NoFailure, policy.StopLocation,
		},
		"F6": {
			map[string]page{robotsURL: to("ftp://example.com/")},
			"it could not be fetched: it is redirected to another scheme than http and https", 1, policy.NoFailure, policy.StopScheme,
		},
		"F11, behind a redirect": {
			map[string]page{robotsURL: to("/a"), "https://example.com/a": broken(&policy.FetchError{Kind: policy.FailedConnect, Err: syscall.ECONNREFUSED})},
			"it could not be fetched: the connection was refused or broken off after 1 redirect (connect: connection refused)", 2, policy.FailedConnect, policy.Final,
		},
		"F11, half a body": {
			map[string]page{robotsURL: broken(&policy.FetchError{Kind: policy.FailedBody, Status: 200, Err: errors.New("unexpected EOF")})},
			"it could not be fetched: the answer broke off (status 200) (body: unexpected EOF)", 1, policy.FailedBody, policy.Final,
		},
		"F14": {
			map[string]page{robotsURL: broken(&policy.FetchError{Kind: policy.FailedLocally, Local: true, Err: syscall.ENETUNREACH})},
			"it could not be fetched: this worker could not ask, perhaps by a fault of its own (local: network is unreachable)", 1, policy.FailedLocally, policy.Final,
		},
		"a Fetcher that breaks its promise, with an escape sequence": {
			map[string]page{robotsURL: broken(errors.New("\x1b[31mred"))},
			`it could not be fetched: this worker could not ask, perhaps by a fault of its own ("local: \x1b[31mred")`, 1, policy.FailedLocally, policy.Final,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := newGate(t, fleet(newWeb(row.pages), newStore(t)))
				i := inspect(t, gate, open)
				if got := i.Account(); got != row.account {
					t.Errorf("account = %s, want %s", got, row.account)
				}
				if len(i.Hops) != row.hops || i.Snapshot.Stop != row.stop {
					t.Fatalf("hops = %+v, stop = %v; want %d and %v", i.Hops, i.Snapshot.Stop, row.hops, row.stop)
				}
				if got := i.Hops[row.hops-1].Failure(); got != row.failure {
					t.Errorf("failure = %v, want %v", got, row.failure)
				}
			})
		})
	}
}

// Refresh asks though what is known is fresh, with the validators (F2); this
// process goes by the result at once, the fleet when it looks again.
func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := moved(), newStore(t)
		gate, other := newGate(t, fleet(w, store)), newGate(t, fleet(w, store))
		first := refresh(t, gate, private) // of nothing known
		if len(first.Hops) != 2 || first.Decision.Allowed {
			t.Errorf("first = %+v", first)
		}
		check(t, other, private, false)
		time.Sleep(time.Second)
		second := refresh(t, gate, private)
		if w.last().Validators.ETag != tag || second.Snapshot.Status != 304 {
			t.Errorf("the second request had the validators %+v and got %d", w.last().Validators, second.Snapshot.Status)
		}
		if string(second.Snapshot.Copy.Body) != rules || !second.Snapshot.Copy.ConfirmedAt.After(first.Snapshot.Copy.ConfirmedAt) {
			t.Errorf("copy = %+v, want it confirmed", second.Snapshot.Copy)
		}

		w.set("https://www.example.com/r", text("User-agent: *\nDisallow: /open\n"))
		if third := refresh(t, gate, private); !third.Decision.Allowed {
			t.Errorf("third = %v", third.Decision)
		}
		instantly(t, func() { check(t, gate, open, false) })
		check(t, other, open, true) // not yet
		time.Sleep(11 * time.Minute)
		check(t, other, open, false)
		if got := w.requests(); got != 6 {
			t.Errorf("%d requests, want 6", got)
		}
	})
}

// A lease that somebody else holds is waited for; then the origin is asked all
// the same.
func TestRefreshWaitsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := example(), newStore(t)
		gate := newGate(t, fleet(w, store))
		origin := check(t, gate, open, true).Origin
		synctest.Wait() // until the Gate has given back its own
		release, held, err := store.TryLease(t.Context(), origin, time.Minute)
		if !held || err != nil {
			t.Fatal("the lease was not taken")
		}
		start := time.Now()
		time.AfterFunc(10*time.Second, release)
		if i := refresh(t, gate, open); len(i.Hops) != 1 || time.Since(start) < 10*time.Second {
			t.Errorf("hops %+v after %v", i.Hops, time.Since(start))
		}
		if got := w.requests(); got != 2 {
			t.Errorf("%d requests, want 2", got)
		}
	})
}

// A failure of our own (F14) does not keep a Refresh from trying, and takes
// nobody's answers away.
func TestRefreshAfterAFailureOfOurOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		gate := newGate(t, fleet(w, newStore(t)))
		check(t, gate, open, true)
		w.set(robotsURL, broken(&policy.FetchError{Kind: policy.FailedLocally, Local: true, Err: syscall.ENETUNREACH}))
		if i := refresh(t, gate, open); i.Snapshot.Failure != policy.FailedLocally || !i.Decision.Allowed || !i.Decision.Stale {
			t.Errorf("failed: %+v, %v", i.Snapshot, i.Decision)
		}
		if d := check(t, gate, open, true); d.Stale {
			t.Errorf("the near answer is %v, want what the fleet knows", d)
		}
		w.set(robotsURL, text("User-agent: *\nDisallow: /\n"))
		if i := refresh(t, gate, open); i.Decision.Allowed {
			t.Errorf("asked again: %v", i.Decision)
		}
		check(t, gate, open, false)
	})
}

// C5: while the store is down a Refresh goes on alone, or says so.
func TestRefreshWithoutTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &outage{Store: newStore(t)}
		store.down.Store(true)
		w := example()
		local := newGate(t, app.Ports{Fetcher: w, Cache: store, Leaser: store, Fallback: newStore(t)})
		if i := refresh(t, local, private); i.Decision.Allowed || len(i.Hops) != 1 || string(i.Snapshot.Copy.Body) != rules {
			t.Errorf("local: %+v", i)
		}
		closed := newGate(t, app.Ports{Fetcher: w, Cache: store, Leaser: store})
		if _, err := closed.Refresh(t.Context(), private); !errors.Is(err, ports.ErrUnavailable) || !strings.Contains(err.Error(), "https://example.com could not be asked again") {
			t.Errorf("closed: %v", err)
		}
		if _, err := closed.Inspect(t.Context(), private); !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("closed: %v", err)
		}
		if got := w.requests(); got != 1 {
			t.Errorf("%d requests, want 1", got)
		}
	})
}

// C8: of a file that a filtered store keeps in part, it is said for whom.
func TestInspectAFilteredStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		gate := newGate(t, fleet(example(), store))
		seen := inspect(t, gate, private)
		stored, err := store.Get(t.Context(), seen.Snapshot.Origin, policy.Hash{})
		if err != nil {
			t.Fatal(err)
		}
		cut := *stored
		cut.Copy = policy.Scope{Agents: gate.Agents(), Dialect: robots.Default()}.Cut(stored.Copy)
		if _, err := store.Put(t.Context(), &cut, time.Hour); err != nil {
			t.Fatal(err)
		}
		i := inspect(t, newGate(t, fleet(newWeb(nil), store)), private)
		text, err := json.Marshal(i)
		if i.Snapshot.Copy.Scope.IsZero() || err != nil || !strings.Contains(string(text), `"kept_for":["ExampleBot"]`) {
			t.Errorf("scope = %+v, json = %s, %v", i.Snapshot.Copy.Scope, text, err)
		}
		if text, _ := json.Marshal(seen); !strings.Contains(string(text), `"kept_for":null`) {
			t.Errorf("a whole file: %s", text)
		}
	})
}

// C5: a store that takes nothing is still read: the last good copy stands in.
func TestRefreshOnAReadOnlyStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &outage{Store: newStore(t)}
		w := example()
		ports := func() app.Ports {
			return app.Ports{Fetcher: w, Cache: store, Leaser: store, Fallback: newStore(t)}
		}
		check(t, newGate(t, ports()), open, true)
		store.readOnly.Store(true)
		w.set(robotsURL, status(500))
		gate := newGate(t, ports()) // with nothing near
		for range 2 {
			i := refresh(t, gate, private)
			if i.Decision.Allowed || i.Decision.Reason != policy.ReasonRule || !i.Decision.Stale || i.Snapshot.Status != 500 || len(i.Hops) != 1 {
				t.Errorf("%v, of %+v", i.Decision, i.Snapshot)
			}
		}
		if d := check(t, gate, open, true); d.Reason != policy.ReasonNoRule {
			t.Errorf("the next answer is %v", d)
		}
	})
}

// C3, and errors that are Check's.
func TestInspectErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := example()
		gate := newGate(t, fleet(w, newStore(t)))
		for name, ask := range map[string]func(context.Context, string) (app.Inspection, error){"Inspect": gate.Inspect, "Refresh": gate.Refresh} {
			if _, err := ask(t.Context(), "example.com"); app.ErrorKind(err) != "invalid-url" {
				t.Errorf("%s of no URL: %v", name, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := ask(ctx, open); !errors.Is(err, context.Canceled) || w.requests() != 0 {
				t.Errorf("%s for nobody: %v, %d requests", name, err, w.requests())
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := gate.Refresh(ctx, open); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Refresh with 50 ms: %v", err)
		}
		time.Sleep(time.Second)
		if check(t, gate, open, true); w.requests() != 1 {
			t.Errorf("%d requests, want the one that nobody waited for", w.requests())
		}
		_ = gate.Close()
		if _, err := gate.Inspect(t.Context(), open); !errors.Is(err, app.ErrClosed) {
			t.Errorf("Inspect of a closed Gate: %v", err)
		}
		if _, err := gate.Refresh(t.Context(), open); !errors.Is(err, app.ErrClosed) {
			t.Errorf("Refresh of a closed Gate: %v", err)
		}
	})
}

// Every key is there, whatever is known, and null where there is nothing.
func TestInspectionJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := func(i app.Inspection) map[string]any {
			t.Helper()
			text, err := json.Marshal(i)
			if err != nil {
				t.Fatal(err)
			}
			var object map[string]any
			if err := json.Unmarshal(text, &object); err != nil {
				t.Fatal(err)
			}
			return object
		}
		w := moved()
		gate := newGate(t, fleet(w, newStore(t)))
		fetched, known := keys(inspect(t, gate, private)), keys(inspect(t, gate, private))
		w.set("https://down.example/robots.txt", broken(&policy.FetchError{Kind: policy.FailedTimeout, Err: errors.New("slow")}))
		down := keys(inspect(t, gate, "https://down.example/"))
		if len(fetched) != 21 || len(known) != len(fetched) || len(down) != len(fetched) || len(keys(app.Inspection{})) != len(fetched) {
			t.Errorf("there are %d, %d and %d keys, want 21", len(fetched), len(known), len(down))
		}
		for _, row := range []struct {
			object map[string]any
			key    string
			want   string
		}{
			{fetched, "took", "0.2"},
			{fetched, "redirects", "1"},
			{fetched, "access", `"successful"`},
			{fetched, "hops", `[{"error":null,"location":"//www.example.com/r","status":301,"took":0.1,"url":"https://example.com/robots.txt"},` +
				`{"error":null,"location":null,"status":200,"took":0.1,"url":"https://www.example.com/r"}]`},
			{known, "took", "null"},
			{known, "hops", "null"},
			{known, "failing_since", "null"},
			{down, "copy", "null"},
			{down, "status", "null"},
			{down, "failure", `"timeout"`},
			{down, "account", `"it could not be fetched: there was no whole answer in time (timeout: slow)"`},
			{down, "hops", `[{"error":{"kind":"timeout","message":"timeout: slow"},"location":null,"status":null,"took":0.1,"url":"https://down.example/robots.txt"}]`},
		} {
			if got, err := json.Marshal(row.object[row.key]); err != nil || string(got) != row.want {
				t.Errorf("%s = %s, %v, want %s", row.key, got, err, row.want)
			}
		}
	})
}
