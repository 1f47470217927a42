package integration_test

import (
	"testing"
	"time"
)

// shortAge is the near age of workers that are to look at Redis.
const shortAge = 20 * time.Millisecond

// short has workers look everything up again all the time, and take a busy Redis
// for what it is.
func (f *fleet) short() spec {
	s := f.spec()
	s.Tuned = &tuning{NearAge: shortAge, RedisTimeout: patience}
	return s
}

// SEMANTICS C1: what is over is fetched once, however many ask.
func TestManyProcessesAtExpiry(t *testing.T) {
	t.Parallel()
	const processes, askers, origins = 3, 20, 10
	fleet, all := newFleet(t), newOrigins(t, origins)
	var workers []*worker
	for range processes {
		workers = append(workers, hire(t, fleet.short()))
	}
	for _, w := range workers {
		wantRight(t, all, w.check(urls(all...)...))
	}
	wantAsked(t, 1, 1, all...)

	for _, o := range all {
		o.publish("second edition")
		o.dawdle(100 * time.Millisecond) // so that others come to ask meanwhile
		fleet.age(t, o, lifetime+time.Hour)
	}
	<-time.After(5 * shortAge) // or what is near could still be answered
	var errands []*errand
	for _, w := range workers {
		errands = append(errands, w.begin(round{URLs: urls(all...), Askers: askers}))
	}
	var tallies []*tally
	for _, e := range errands {
		tallies = append(tallies, e.tally())
	}
	wantSame(t, all, tallies...)
	wantAsked(t, 2, 2, all...)
	for i, w := range workers {
		if so := w.facts(); so.Down > 0 {
			t.Errorf("worker %d has seen an outage where there was none: %s", i, so.Log)
		}
	}
}

// SEMANTICS C2: in the last tenth of its life a robots.txt is fetched again behind
// everybody's back, once in the fleet. The origin takes its time: nobody waits.
func TestRefreshAhead(t *testing.T) {
	t.Parallel()
	fleet, o := newFleet(t), newOrigin(t)
	workers := []*worker{hire(t, fleet.short()), hire(t, fleet.short()), hire(t, fleet.short())}
	for _, w := range workers {
		wantRight(t, []*origin{o}, w.check(urls(o)...))
	}
	wantAsked(t, 1, 1, o)
	old := o.hash()

	o.publish("second edition")
	arrived, release := o.hold(t)
	fleet.age(t, o, lifetime*95/100)
	var errands []*errand
	for _, w := range workers {
		errands = append(errands, w.begin(round{URLs: urls(o), Askers: 5, Endless: true}))
	}
	receive(t, "request", arrived)
	for _, w := range workers {
		looks := w.facts().Looked["shared"]
		eventually(t, "the worker has looked at what is stored again and again", func() bool {
			return w.facts().Looked["shared"] > looks+3
		})
		// Whatever is asked meanwhile is answered by what is known.
		wantEdition(t, old, false, w.check(urls(o)...))
	}
	wantAsked(t, 2, 2, o)
	release()
	for _, w := range workers {
		eventually(t, "the worker has the new edition", func() bool {
			return w.check(o.allowed()).Answers[0].Hash == o.hash()
		})
	}
	var tallies []*tally
	for _, w := range workers {
		tallies = append(tallies, w.check(urls(o)...))
	}
	wantSame(t, []*origin{o}, tallies...)
	for _, e := range errands {
		wantBounded(t, e.stop())
	}
	wantAsked(t, 2, 2, o)
}

// SEMANTICS C2, F11: an origin that fails is answered at once from the last good
// copy, and asked again behind everybody's back, once in the fleet.
func TestFailingOriginIsRetriedOnce(t *testing.T) {
	t.Parallel()
	fleet, o := newFleet(t), newOrigin(t)
	workers := []*worker{hire(t, fleet.short()), hire(t, fleet.short()), hire(t, fleet.short())}
	wantRight(t, []*origin{o}, workers[0].check(urls(o)...))
	old := o.hash()

	o.publish("second edition")
	o.fail(503)
	fleet.age(t, o, lifetime+time.Hour)
	var tallies []*tally
	for _, w := range workers {
		eventually(t, "the worker has learned that the origin fails", func() bool { return w.check(o.allowed()).Answers[0].Stale })
		tallies = append(tallies, w.check(urls(o)...))
	}
	wantEdition(t, old, true, tallies...)
	wantAsked(t, 2, 2, o)

	arrived, release := o.hold(t)
	fleet.age(t, o, 2*time.Minute) // the first pause is one
	tallies = nil
	var errands []*errand
	for _, w := range workers {
		errands = append(errands, w.begin(round{URLs: urls(o), Askers: 5, Endless: true}))
	}
	receive(t, "second attempt", arrived)
	for _, w := range workers {
		looks := w.facts().Looked["shared"]
		eventually(t, "the worker has looked at what is stored again and again", func() bool {
			return w.facts().Looked["shared"] > looks+3
		})
		tallies = append(tallies, w.check(urls(o)...))
	}
	wantEdition(t, old, true, tallies...)
	wantAsked(t, 3, 3, o)
	release()
	for _, w := range workers {
		eventually(t, "the worker has the new edition", func() bool {
			return w.check(o.allowed()).Answers[0].Hash == o.hash()
		})
	}
	tallies = nil
	for i, w := range workers {
		tallies = append(tallies, w.check(urls(o)...))
		wantBounded(t, errands[i].stop())
	}
	wantSame(t, []*origin{o}, tallies...)
	wantAsked(t, 3, 3, o)
}

// wantEdition fails unless every answer is by the rules of an edition.
func wantEdition(t *testing.T, hash string, stale bool, tallies ...*tally) {
	t.Helper()
	for worker, tally := range tallies {
		for _, a := range tally.Answers {
			if a.Hash != hash || a.Stale != stale || a.Reason != "rule" || a.Error != "" {
				t.Errorf("worker %d: the answer is %+v, want one by the edition %s, stale %v", worker, a, hash, stale)
			}
		}
	}
}
