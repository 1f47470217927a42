package app

import (
	"context"
	"errors"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

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

// again reports whether what a lease holder learned came too late.
func again(err error) bool { return errors.Is(err, ports.ErrConflict) || errors.Is(err, errLeaseOver) }

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
	if now := time.Now(); known.Servable(now) && !known.Due(now) && need == ifNeeded {
		return known, nil // somebody was faster
	}
	base := known
	if prev != nil && !known.Known() && at == &d.own {
		facts := *prev.Snapshot() // of before the outage; its copy is compiled, not at hand
		facts.Rev = known.Rev
		base = &facts
	}
	start := time.Now()
	asked := base
	if need == whole {
		asked = &policy.Snapshot{Origin: origin} // a 304 would not bring it
	}
	answer, err := d.walk(ctx, origin, asked, over)
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
		next.Rev = "" // which nothing has that the store took
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
