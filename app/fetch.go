package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// errGaveUp says that an origin could not be asked for want of time or luck.
var errGaveUp = errors.New("the origin could not be asked in time")

// maxConflicts is how often a fetch whose result the store refused is made anew:
// each time somebody purged meanwhile.
const maxConflicts = 3

// fetchFlight learns an origin's robots.txt once for the whole process, and with
// a Leaser for the whole fleet (C1). prev is a hint at what was known.
func (d *desk) fetchFlight(ctx context.Context, at *shelf, origin site.Origin, prev *policy.Policy) <-chan singleflight.Result {
	return d.fly(ctx, fetchKey(at, origin), func(ctx context.Context) (any, error) {
		return d.fetch(ctx, at, origin, prev, ifNeeded)
	})
}

func fetchKey(at *shelf, origin site.Origin) string {
	return "fetch " + at.source.String() + " " + origin.String()
}

// refreshBehind does the same behind the callers' backs, unless somebody else in
// the fleet is at it: what is known is good enough to wait.
func (d *desk) refreshBehind(at *shelf, origin site.Origin, prev *policy.Policy) {
	if d.unwell.about(origin, time.Now()) != nil {
		return
	}
	d.fly(context.Background(), "refresh "+at.source.String()+" "+origin.String(), func(ctx context.Context) (any, error) {
		epoch, forgets := d.near.epoch.Load(), d.forgets.Load()
		snapshot, source, err := d.refresh(ctx, at, origin, prev)
		// A failure of our own says nothing about the origin: what is known
		// goes on to answer (F14).
		if err == nil && snapshot != nil && d.unwell.about(origin, time.Now()) == nil {
			d.renew(snapshot, source, epoch, forgets)
		}
		return nil, err
	})
}

// refresh asks the origin again if nobody else in the fleet is at it; else the
// snapshot is nil.
func (d *desk) refresh(ctx context.Context, at *shelf, origin site.Origin, prev *policy.Policy) (*policy.Snapshot, Source, error) {
	if at.leaser != nil {
		snapshot, led, err := d.refreshLeased(ctx, at, origin, prev)
		switch {
		case err == nil && !led:
			return nil, FromNowhere, nil
		case led:
			return snapshot, at.source, err
		case !errors.Is(err, ports.ErrUnavailable) || d.own.cache == nil:
			return nil, FromNowhere, err
		}
		// The store can be read and not written. Waiting for it would keep a
		// failing origin failing.
		at = &d.own
	}
	// Where no lease says that somebody is at it, the flight does: a question
	// that comes when the answer is over joins this one (C1).
	snapshot, err := land[*policy.Snapshot](ctx, d, d.fetchFlight(ctx, at, origin, prev))
	return snapshot, at.source, err
}

// A need is whether an origin is asked though what is known, or becomes known
// meanwhile, would do.
type need bool

const (
	ifNeeded need = false
	anyway   need = true
)

// refreshLeased asks the origin if this worker gets the lease; else led is false.
func (d *desk) refreshLeased(ctx context.Context, at *shelf, origin site.Origin, prev *policy.Policy) (snapshot *policy.Snapshot, led bool, err error) {
	over, err := d.turn(ctx)
	if err != nil {
		return nil, false, err
	}
	defer over()
	ctx, cancel := context.WithTimeout(ctx, d.flightTime())
	defer cancel()
	return d.leadLeased(ctx, at, origin, prev, ifNeeded)
}

// leadLeased asks the origin if this worker gets the lease; else led is false.
func (d *desk) leadLeased(ctx context.Context, at *shelf, origin site.Origin, prev *policy.Policy, need need) (snapshot *policy.Snapshot, led bool, err error) {
	release, held, err := d.lease(ctx, at, origin)
	if err != nil || !held {
		return nil, false, err
	}
	snapshot, err = d.lead(ctx, at, origin, prev, need)
	if lost := d.options.Hooks.LeaseLost; lost != nil && errors.Is(err, errLeaseOver) {
		lost(origin)
	}
	if again(err) {
		release()
	} else {
		d.work.Go(release) // nobody has to wait for that; this flight counts as work, so that more may begin
	}
	return snapshot, true, err
}

// fetch takes the lease and asks the origin, or waits for who holds it. The time
// for that is what is left of a flight's; waiting for a turn is not on it.
func (d *desk) fetch(ctx context.Context, at *shelf, origin site.Origin, prev *policy.Policy, need need) (*policy.Snapshot, error) {
	left := d.flightTime()
	for conflicts := 0; conflicts < maxConflicts; {
		if ours := d.unwell.about(origin, time.Now()); ours != nil {
			return ours, nil
		}
		over, err := d.turn(ctx)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		bounded, cancel := context.WithTimeout(ctx, left)
		snapshot, led, err := d.leadLeased(bounded, at, origin, prev, need)
		over() // who waits for another worker needs no turn
		if err == nil && !led {
			snapshot, err = d.await(bounded, at, origin)
			if need == anyway { // theirs may be from before
				snapshot = nil
			}
		}
		left -= time.Since(start)
		late := bounded.Err() != nil
		cancel()
		switch {
		case led && again(err):
			conflicts++
		case err != nil && late:
			return nil, fmt.Errorf("%w: %w", errGaveUp, err)
		case err != nil || snapshot != nil:
			return snapshot, err
		}
	}
	return nil, errGaveUp
}

// again reports whether what a lease holder learned came too late.
func again(err error) bool { return errors.Is(err, ports.ErrConflict) || errors.Is(err, errLeaseOver) }

// await waits for who holds the lease, and returns what came of it; nil if that
// is nothing to go by.
func (d *desk) await(ctx context.Context, at *shelf, origin site.Origin) (*policy.Snapshot, error) {
	start := time.Now()
	err := at.leaser.Wait(ctx, origin)
	if waited := d.options.Hooks.Waited; waited != nil {
		waited(Wait{Origin: origin, Took: time.Since(start), Err: err})
	}
	if err != nil {
		return nil, err
	}
	snapshot, err := at.cache.Get(ctx, origin, policy.Hash{})
	if err != nil || !snapshot.Servable(time.Now()) {
		return nil, err
	}
	return snapshot, nil
}

// lease takes an origin's lease; without a Leaser it is always ours.
func (d *desk) lease(ctx context.Context, at *shelf, origin site.Origin) (release func(), held bool, err error) {
	if at.leaser == nil {
		return func() {}, true, nil
	}
	release, held, err = at.leaser.TryLease(ctx, origin, d.leaseTime())
	d.notice(&at.writing, err)
	return release, held, err
}

// lead asks the origin and stores what came of it. It returns ErrConflict if
// that must be done again: the origin was purged meanwhile.
func (d *desk) lead(ctx context.Context, at *shelf, origin site.Origin, prev *policy.Policy, need need) (*policy.Snapshot, error) {
	over := time.Now().Add(d.leaseTime())
	known, err := at.cache.Get(ctx, origin, policy.Hash{})
	if err != nil {
		return nil, err
	}
	if now := time.Now(); known.Servable(now) && !known.Due(now) && need != anyway {
		return known, nil // somebody was faster
	}
	base := known
	if prev != nil && !known.Known() && at == &d.own {
		facts := *prev.Snapshot() // of before the outage; its copy is compiled, not at hand
		facts.Rev = known.Rev
		base = &facts
	}
	start := time.Now()
	answer, err := d.walk(ctx, origin, base, over)
	if err != nil {
		return nil, err
	}
	next := policy.Next(base, answer, d.options.Lifetimes)
	if answer.Local() {
		d.unwell.note(next)
		d.tell(next, answer, time.Since(start), false)
		return next, nil
	}
	current, taken, err := d.store(ctx, at, base, next)
	d.tell(next, answer, time.Since(start), taken && at == &d.common)
	return current, err
}

// store puts what was learned, and returns what to go by now, and whether the
// shelf took it.
func (d *desk) store(ctx context.Context, at *shelf, base, next *policy.Snapshot) (current *policy.Snapshot, taken bool, err error) {
	if next.HasCopy() && next.Copy.Body == nil {
		return next, false, nil // of before an outage: compiled, but not at hand
	}
	keep := next.KeepFor(time.Now(), d.options.Lifetimes)
	put := *next
	// A base with its body was read from this shelf; one without is of before an
	// outage, and the shelf has never seen it.
	if next.HasCopy() && next.Copy.Hash == base.Copy.Hash && base.Copy.Body != nil {
		put.Copy.Body = nil // the store has it
	}
	rev, err := at.cache.Put(ctx, &put, keep)
	d.notice(&at.writing, err)
	d.conflicted(at, next.Origin, err)
	switch {
	case err == nil:
		next.Rev = rev
		return next, true, nil
	case errors.Is(err, ports.ErrConflict):
		theirs, getErr := at.cache.Get(ctx, next.Origin, policy.Hash{})
		if getErr == nil && theirs.Servable(time.Now()) {
			return theirs, false, nil // a late holder's answer gives way
		}
	case errors.Is(err, ports.ErrUnavailable):
		// The store refuses writes, or went down: what was learned is this
		// worker's own until it can be handed in.
		d.keepOwn(ctx, next, keep)
		return next, false, nil
	}
	return nil, false, err
}

// conflicted tells of a Put that the shared cache refused.
func (d *desk) conflicted(at *shelf, origin site.Origin, err error) {
	if told := d.options.Hooks.Conflicted; told != nil && at == &d.common && errors.Is(err, ports.ErrConflict) {
		told(origin)
	}
}

// keepOwn puts a snapshot on this worker's own shelf.
func (d *desk) keepOwn(ctx context.Context, next *policy.Snapshot, keep time.Duration) {
	if d.own.cache == nil {
		return
	}
	known, err := d.own.cache.Get(ctx, next.Origin, policy.Hash{})
	if err != nil {
		return
	}
	own := *next
	own.Rev = known.Rev
	_, _ = d.own.cache.Put(ctx, &own, keep) // a bounded cache may refuse: then it is asked again
}

// failHere says what is known once this worker could not ask an origin.
func (d *desk) failHere(origin site.Origin, prev *policy.Policy, cause error) *policy.Snapshot {
	var base *policy.Snapshot
	if prev != nil {
		base = prev.Snapshot()
	}
	failed := policy.Next(base, policy.Answer{
		Origin: origin,
		URL:    origin.RobotsURL(),
		Err:    &policy.FetchError{Kind: policy.FailedLocally, Local: true, Err: cause},
		At:     time.Now(),
	}, d.options.Lifetimes)
	d.unwell.note(failed)
	return failed
}

// tell reports an attempt.
func (d *desk) tell(next *policy.Snapshot, answer policy.Answer, took time.Duration, stored bool) {
	d.options.Logger.Debug().
		Str("origin", next.Origin.String()).Stringer("outcome", next.Outcome).Stringer("failure", next.Failure).
		Int("status", next.Status).Int("hops", next.Hops).Dur("took", took).Bool("stored", stored).
		AnErr("cause", answer.Cause()).
		Msg("robots.txt fetched")
	if fetched := d.options.Hooks.Fetched; fetched != nil {
		fetched(Fetch{
			Origin:  next.Origin,
			Outcome: next.Outcome,
			Failure: next.Failure,
			Status:  next.Status,
			Hops:    next.Hops,
			Bytes:   len(answer.Response.Body),
			Took:    took,
			Stored:  stored,
		})
	}
}
