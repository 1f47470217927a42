package integration_test

import (
	"testing"
	"time"
)

// SEMANTICS C1: a worker is killed while it holds the lease. Those who wait for it
// get their answer when the lease is over, for one request more.
func TestLeaseHolderKilled(t *testing.T) {
	t.Parallel()
	fleet, o := newFleet(t), newOrigin(t)
	spec := fleet.spec()
	// The lease is that and 5 seconds. It is also how long this test has for
	// killing the holder, which else would give up by itself.
	spec.Tuned = &tuning{FetchBudget: 3 * time.Second, RedisTimeout: patience}
	holder, b, c := hire(t, spec), hire(t, spec), hire(t, spec)

	arrived, _ := o.hold(t) // for ever
	holder.begin(round{URLs: urls(o)})
	receive(t, "request", arrived)
	ofB, ofC := b.begin(round{URLs: urls(o), Askers: 10}), c.begin(round{URLs: urls(o), Askers: 10})
	fleet.waitForWaiters(t, 2, o)
	holder.kill()
	fleet.wantHolder(t, holder, o)
	if ofB.over() || ofC.over() {
		t.Errorf("there are answers, though nobody has asked the origin but the one that was killed")
	}
	wantAsked(t, 1, 1, o)

	o.serve()
	wantSame(t, []*origin{o}, ofB.tally(), ofC.tally())
	wantAsked(t, 2, 2, o)
}
