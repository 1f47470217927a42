package integration_test

import (
	"testing"
	"time"
)

// SEMANTICS C1: two Gates that ask at the same time, in one process, make one
// request, and say the same.
func TestTwoGatesShare(t *testing.T) {
	t.Parallel()
	fleet, o := newFleet(t), newOrigin(t)
	arrived, release := o.hold(t)

	tallies := make(chan *tally, 2)
	for range 2 {
		gate, _ := openGate(t, fleet.spec())
		go func() { tallies <- round{URLs: urls(o), Askers: 20}.run(t.Context(), gate) }()
	}
	receive(t, "request", arrived)
	fleet.waitForWaiters(t, 1, o)
	release()

	wantSame(t, []*origin{o}, receive(t, "answers of one Gate", tallies), receive(t, "answers of the other", tallies))
	wantAsked(t, 1, 1, o)
}

// SEMANTICS C1: and so do two processes.
func TestTwoProcessesShare(t *testing.T) {
	t.Parallel()
	fleet, o := newFleet(t), newOrigin(t)
	arrived, release := o.hold(t)

	a, b := hire(t, fleet.spec()), hire(t, fleet.spec())
	ofA, ofB := a.begin(round{URLs: urls(o), Askers: 20}), b.begin(round{URLs: urls(o), Askers: 20})
	receive(t, "request", arrived)
	fleet.waitForWaiters(t, 1, o)
	if ofA.over() || ofB.over() {
		t.Errorf("a worker has answers, though the origin has not said anything")
	}
	release()
	wantSame(t, []*origin{o}, ofA.tally(), ofB.tally())

	// Who comes later finds it in Redis.
	late := hire(t, fleet.spec())
	wantSame(t, []*origin{o}, a.check(urls(o)...), late.check(urls(o)...))
	wantAsked(t, 1, 1, o)
	if fetched := a.facts().Fetched + b.facts().Fetched + late.facts().Fetched; fetched != 1 {
		t.Errorf("the workers say that they fetched %d times, want once", fetched)
	}
}

// SEMANTICS C1: however many ask, cold and all at once.
func TestManyProcessesShare(t *testing.T) {
	t.Parallel()
	const processes, askers, origins = 4, 20, 25
	fleet, all := newFleet(t), newOrigins(t, origins)
	for _, o := range all {
		o.dawdle(100 * time.Millisecond) // so that others come to ask meanwhile
	}
	spec := fleet.spec()
	spec.Tuned = &tuning{RedisTimeout: patience} // what a busy machine does is no outage

	var workers []*worker
	for range processes {
		workers = append(workers, hire(t, spec))
	}
	var errands []*errand
	for _, w := range workers {
		errands = append(errands, w.begin(round{URLs: urls(all...), Askers: askers}))
	}
	var tallies []*tally
	for i, e := range errands {
		tallies = append(tallies, e.tally())
		if times, want := sum(tallies[i].Times), askers*2*origins; times != want {
			t.Errorf("worker %d gave %d answers, want %d", i, times, want)
		}
	}
	wantSame(t, all, tallies...)
	wantAsked(t, 1, 1, all...)
	for i, w := range workers {
		if so := w.facts(); so.Down > 0 {
			t.Errorf("worker %d has seen an outage where there was none: %s", i, so.Log)
		}
	}
}

func sum(numbers []int) (all int) {
	for _, n := range numbers {
		all += n
	}
	return all
}
