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
type need uint8

const (
	ifNeeded need = iota
	anyway
	whole // anyway, and all of the file: what is known of it does not do
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
			if need != ifNeeded { // theirs may be from before
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
