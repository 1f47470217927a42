package integration_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// SEMANTICS C5, mode local: redis-server is killed, and right answers go on, about
// what is known and what is not; it comes back, empty, and all is shared again.
func TestRedisKilled(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	fleet := fleetOn(t, server.url(""))
	a, b := hire(t, fleet.spec()), hire(t, fleet.spec())
	both, onlyA, during, after := newOrigin(t), newOrigin(t), newOrigin(t), newOrigin(t)

	wantSame(t, []*origin{both}, a.check(urls(both)...), b.check(urls(both)...))
	wantRight(t, []*origin{onlyA}, a.check(urls(onlyA)...))

	server.kill(t)
	c := hire(t, fleet.spec()) // begins without Redis
	all := []*origin{both, onlyA, during}
	var tallies []*tally
	for _, w := range []*worker{a, b, c} {
		tallies = append(tallies, w.begin(round{URLs: urls(all...), Askers: 5}).tally())
		if so := w.facts(); so.Down == 0 {
			t.Errorf("a worker has not seen that Redis is gone: %+v", so)
		}
	}
	wantRight(t, all, tallies...)
	wantBounded(t, tallies...)
	wantAsked(t, 2, 2, both)   // before, and by c, which never knew it
	wantAsked(t, 3, 3, onlyA)  // before, and by b and c
	wantAsked(t, 3, 3, during) // by each for itself

	server.restart(t)
	// What was learned meanwhile is handed in, without asking the origin again.
	for _, w := range []*worker{a, b, c} {
		eventually(t, "the worker has seen that Redis is back", func() bool {
			wantRight(t, all, w.check(urls(all...)...))
			return w.facts().Up > 0
		})
	}
	eventually(t, "what was learned without Redis is handed in", func() bool {
		for _, w := range []*worker{a, b, c} {
			wantRight(t, all, w.check(urls(all...)...))
		}
		return fleet.knows(t, during)
	})
	d := hire(t, fleet.spec())
	wantRight(t, []*origin{during}, d.check(urls(during)...))
	wantAsked(t, 3, 3, during)

	// What was only near is asked for anew, once in the fleet.
	wantAsked(t, 2, 3, both)
	wantAsked(t, 3, 4, onlyA)

	// And what is new is asked for once.
	tallies = nil
	for _, w := range []*worker{a, b, c, d} {
		tallies = append(tallies, w.check(urls(after)...))
	}
	wantSame(t, []*origin{after}, tallies...)
	wantAsked(t, 1, 1, after)
}

// SEMANTICS C5: the same under load, with every answer counted: Redis is being
// asked all the time when it is killed.
func TestRedisKilledInMidRun(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	fleet := fleetOn(t, server.url(""))
	spec := fleet.spec()
	spec.Tuned = &tuning{NearAge: 20 * time.Millisecond}
	workers := []*worker{hire(t, spec), hire(t, spec)}
	known, unknown := newOrigins(t, 5), newOrigins(t, 5)
	looks := func(w *worker, source string) int { return w.facts().Looked[source] }

	var errands []*errand
	for _, w := range workers {
		errands = append(errands, w.begin(round{URLs: urls(known...), Askers: 8, Endless: true}))
	}
	for _, w := range workers {
		eventually(t, "the worker is looking things up in Redis", func() bool { return looks(w, "shared") > 50 })
	}
	server.kill(t)
	for _, w := range workers {
		eventually(t, "the worker has seen that Redis is gone", func() bool { return w.facts().Down > 0 })
		before := looks(w, "fallback")
		eventually(t, "the worker goes on without Redis", func() bool { return looks(w, "fallback") > before+50 })
	}
	var fresh []*tally
	for _, w := range workers {
		fresh = append(fresh, w.check(urls(unknown...)...))
	}
	wantRight(t, unknown, fresh...)
	wantBounded(t, fresh...)
	wantAsked(t, 2, 2, unknown...) // by each worker for itself

	server.restart(t)
	for _, w := range workers {
		eventually(t, "the worker has seen that Redis is back", func() bool { return w.facts().Up > 0 })
		before := looks(w, "shared")
		eventually(t, "the worker is looking things up in Redis again", func() bool { return looks(w, "shared") > before+50 })
	}
	var tallies []*tally
	for _, e := range errands {
		tallies = append(tallies, e.stop())
	}
	wantRight(t, known, tallies...)
	wantBounded(t, tallies...)
	wantAsked(t, 1, 3, known...) // before, and once for each worker since
}

// SEMANTICS C5, mode closed: what is near is answered, and nothing else.
func TestClosedWithoutRedis(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	fleet := fleetOn(t, server.url(""))
	spec := fleet.spec()
	spec.Closed = true
	w := hire(t, spec)
	near, other := newOrigin(t), newOrigin(t)
	wantRight(t, []*origin{near}, w.check(urls(near)...))

	server.kill(t)
	late := hire(t, spec)
	for name, tally := range map[string]*tally{
		"a worker that knows another origin": w.check(urls(other)...),
		"a worker that knows nothing":        late.check(urls(near, other)...),
	} {
		wantBounded(t, tally)
		for _, a := range tally.Answers {
			if !a.Unavailable || a.Allowed {
				t.Errorf("%s: the answer is %+v, want an error that wraps ErrUnavailable", name, a)
			}
		}
	}
	tally := w.begin(round{URLs: urls(near), Askers: 5}).tally()
	wantRight(t, []*origin{near}, tally)
	wantBounded(t, tally)
	wantAsked(t, 1, 1, near)
	wantAsked(t, 0, 0, other)

	server.restart(t)
	for _, w := range []*worker{w, late} {
		eventually(t, "the worker answers again", func() bool { return w.check(other.allowed()).Answers[0].Error == "" })
	}
	wantSame(t, []*origin{other}, w.check(urls(other)...), late.check(urls(other)...))
	wantAsked(t, 1, 1, other)
}

// SEMANTICS C5: an outage is visible, as a line in the log at each change, and not one for each question.
func TestOutageIsLoggedOnce(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	fleet := fleetOn(t, server.url(""))
	gate, notes := openGate(t, fleet.spec())
	origins := newOrigins(t, 10)
	wantRight(t, origins[:1], round{URLs: urls(origins[0])}.run(t.Context(), gate))

	server.kill(t)
	wantRight(t, origins, round{URLs: urls(origins...), Askers: 10}.run(t.Context(), gate))
	counts := make(map[string]int)
	for line := range strings.Lines(notes.now().Log) {
		var event struct{ Message, Operation string }
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("the log is no JSON: %v: %s", err, line)
		}
		counts[event.Message+event.Operation]++
	}
	if counts["the shared cache is unavailable"+"read"] == 0 {
		t.Errorf("there is no line about the outage: %v", counts)
	}
	for what, n := range counts {
		// The breaker lets one command through each second, whatever time this takes.
		if n > 1 && !strings.Contains(what, "circuit breaker") {
			t.Errorf("an outage is one change, and there are %d lines that say %q", n, what)
		}
	}
}
