package integration_test

import (
	"strings"
	"testing"
	"time"

	"github.com/polite-crawler/polite/integration_test/proxy"
)

// SEMANTICS C4: a purge by one worker reaches all others, whose near caches would
// go without a look at Redis for ten minutes.
func TestPurgeReachesEveryProcess(t *testing.T) {
	t.Parallel()
	fleet, o := newFleet(t), newOrigin(t)
	var workers []*worker
	for range 4 {
		workers = append(workers, hire(t, fleet.spec()))
	}
	eventually(t, "all workers hear purges", func() bool { return fleet.subscribers(t, fleet.deletes()) == 4 })
	check := func() (tallies []*tally) {
		for _, w := range workers {
			tallies = append(tallies, w.check(urls(o)...))
		}
		return tallies
	}
	wantSame(t, []*origin{o}, check()...)
	old := o.hash()

	o.publish("second edition")
	wantEdition(t, old, false, check()...) // it is not known without a purge
	start := time.Now()
	workers[0].purge(o.allowed())
	for _, w := range workers {
		eventually(t, "the worker has forgotten the old edition", func() bool {
			return w.check(o.allowed()).Answers[0].Hash == o.hash()
		})
	}
	took := time.Since(start)
	t.Logf("the purge reached the other processes within %v", took)
	if took > bounded { // C4 says a second, on a machine that has nothing else to do
		t.Errorf("the purge took %v to reach the other processes", took)
	}
	wantSame(t, []*origin{o}, check()...)
	wantAsked(t, 2, 2, o)
}

// SEMANTICS C4: a worker that could not hear for a while looks everything up again
// once it can: what was purged meanwhile, and what it had near before.
func TestPurgeInAGap(t *testing.T) {
	t.Parallel()
	const deaf = "purges by other workers are not being heard"
	for _, row := range []struct {
		name  string
		fault proxy.Fault
		cut   bool // what is open, too
	}{
		{"the subscription breaks", proxy.Fault{Only: "subscribe", Mute: true}, true},
		{"the subscription falls silent", proxy.Fault{Only: "subscribe", Mute: true}, false},
		{"what is told gets lost", proxy.Fault{Only: "subscribe", Deaf: true}, false},
		{"Redis is gone", proxy.Fault{Refuse: true}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := startRedis(t)
			fleet, all := fleetOn(t, server.url("")), newOrigins(t, 3)
			way := through(t, "unix", server.socket())
			spec := fleet.spec()
			a := hire(t, spec)
			spec.Redis = "redis://" + way.Addr() + "?" + strings.SplitN(spec.Redis, "?", 2)[1]
			b := hire(t, spec)
			eventually(t, "both workers hear purges", func() bool { return fleet.subscribers(t, fleet.deletes()) == 2 })
			wantSame(t, all, a.check(urls(all...)...), b.check(urls(all...)...))

			set(t, way, row.fault)
			if row.cut && way.Cut("subscribe") != 1 {
				t.Fatal("there was not one subscription to cut: this test proves nothing")
			}
			for _, o := range all {
				o.publish("second edition")
				a.purge(o.allowed())
			}
			eventually(t, "the purges do not reach the worker", func() bool {
				counted := way.Counts()
				if row.cut || row.fault.Refuse {
					return fleet.subscribers(t, fleet.deletes()) == 1
				}
				return counted.Held+counted.Lost > 0
			})
			wantSame(t, all, a.check(urls(all...)...))
			if late := b.check(all[0].allowed()).Answers[0]; late.Hash == all[0].hash() && !strings.Contains(b.facts().Log, deaf) {
				t.Fatalf("the worker knows what it has not heard: this test proves nothing")
			}
			eventually(t, "the worker has noticed", func() bool {
				return strings.Contains(b.facts().Log, deaf)
			})
			set(t, way, proxy.Fault{})
			eventually(t, "both workers hear purges", func() bool { return fleet.subscribers(t, fleet.deletes()) >= 2 })
			eventually(t, "the worker has forgotten what was purged", func() bool {
				return b.check(all[0].allowed()).Answers[0].Hash == all[0].hash()
			})
			for _, o := range all {
				eventually(t, "so it has for every origin", func() bool {
					return b.check(o.allowed()).Answers[0] == a.check(o.allowed()).Answers[0]
				})
			}
			wantSame(t, all, a.check(urls(all...)...), b.check(urls(all...)...))
			wantAsked(t, 2, 2, all...)
			if log := b.facts().Log; strings.Count(log, deaf) > 2 {
				t.Errorf("one gap is one line: %s", log)
			}
		})
	}
}
