package integration_test

import (
	"testing"
	"time"
)

// SEMANTICS C4: a purge by one worker reaches the others, whose near caches would
// go without a look at Redis for ten minutes.
func TestPurgeReachesTheOtherProcess(t *testing.T) {
	t.Parallel()
	fleet, o := newFleet(t), newOrigin(t)
	a, b := hire(t, fleet.spec()), hire(t, fleet.spec())
	eventually(t, "both workers hear purges", func() bool { return fleet.subscribers(t, fleet.deletes()) == 2 })
	wantSame(t, []*origin{o}, a.check(urls(o)...), b.check(urls(o)...))
	old := o.hash()

	o.publish("second edition")
	for _, w := range []*worker{a, b} {
		for _, answer := range w.check(urls(o)...).Answers {
			if answer.Hash != old {
				t.Fatalf("the new edition is known without a purge: this test proves nothing")
			}
		}
	}
	start := time.Now()
	a.purge(o.allowed())
	eventually(t, "the other worker has forgotten the old edition", func() bool {
		return b.check(o.allowed()).Answers[0].Hash == o.hash()
	})
	took := time.Since(start)
	t.Logf("the purge reached the other process after %v", took)
	if took > bounded { // C4 says a second, on a machine that has nothing else to do
		t.Errorf("the purge took %v to reach the other process", took)
	}
	wantSame(t, []*origin{o}, a.check(urls(o)...), b.check(urls(o)...))
	wantAsked(t, 2, 2, o)
}
