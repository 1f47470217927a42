package integration_test

import (
	"slices"
	"testing"
	"time"
)

// SEMANTICS F14: one of eight workers is sick. It is quick to win the leases, and
// cannot fetch anything: its own callers are told that the origins are
// unreachable, nothing of that is stored, and the others' answers are right, for
// one request an origin. So are its own, once somebody else has asked.
func TestOneSickWorker(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		proxy string // in place of the world's
		bare  bool
	}{
		{"its proxy is down", "127.0.0.1:1", false},
		{"it has no sockets left", "", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			fleet := newFleet(t)
			web, all := newWorld(t, 41)
			first, alone, together := all[:1], all[1:21], all[21:]
			spec := fleet.spec()
			spec.Proxy = web
			// The lease is 5 seconds more: it ends well within the patience of this test
			// if the sick worker has no connection even to give it back.
			spec.Tuned = &tuning{NearAge: shortAge, RedisTimeout: patience, FetchBudget: 5 * time.Second}
			var workers []*worker
			for range 7 {
				workers = append(workers, hire(t, spec))
			}
			if row.proxy != "" {
				spec.Proxy = row.proxy
			}
			sick := hire(t, spec)
			for _, w := range slices.Concat(workers, []*worker{sick}) { // there are connections to Redis
				wantRight(t, first, w.check(urls(first...)...))
			}
			if row.bare {
				sick.bare()
			}

			for _, a := range sick.check(urls(alone...)...).Answers {
				if a.Allowed || a.Reason != "unreachable" || a.Error != "" {
					t.Errorf("the sick worker answers %+v, want unreachable", a)
				}
			}
			if so := sick.facts(); so.Sick != len(alone) || so.Stored != 0 {
				t.Fatalf("the sick worker failed %d times and should have %d times: this test proves nothing: %+v", so.Sick, len(alone), so)
			}
			wantAsked(t, 0, 0, alone...)
			for _, o := range alone {
				if fleet.knows(t, o) {
					t.Errorf("the sick worker has told others about %s", o.url)
				}
			}

			both := slices.Concat(alone, together)
			ill := sick.begin(round{URLs: urls(together...)})
			var errands []*errand
			for _, w := range workers {
				errands = append(errands, w.begin(round{URLs: urls(both...), Askers: 5}))
			}
			var tallies []*tally
			for _, e := range errands {
				tallies = append(tallies, e.tally())
			}
			ill.tally()
			wantSame(t, both, tallies...)
			wantAsked(t, 1, 1, both...)
			eventually(t, "the sick worker goes by what the others have learned", func() bool {
				return !slices.ContainsFunc(sick.check(urls(both...)...).Answers, func(a answer) bool { return a.Reason != "rule" })
			})
			wantSame(t, both, tallies[0], sick.check(urls(both...)...))
		})
	}
}
