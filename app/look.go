package app

import (
	"context"
	"errors"
	"strconv"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// look finds what decides about an origin behind the near cache, and since when,
// and waits for it.
func (d *desk) look(ctx context.Context, origin site.Origin, g *Gate) (*policy.Policy, time.Time, error) {
	var seen *sight
	if made := d.glance(ctx, origin, g); made != nil {
		if made.policy != nil {
			return made.policy, made.at, nil
		}
		seen = &made.seen
	}
	if err := ctx.Err(); err != nil {
		return nil, time.Time{}, err
	}
	p, err := land[*policy.Policy](ctx, d, d.lookFlight(ctx, origin, g, seen))
	return p, time.Now(), err
}

// lookBehind does the same behind the callers' backs.
func (d *desk) lookBehind(origin site.Origin, g *Gate) {
	d.lookFlight(context.Background(), origin, g, nil)
}

// Look flights are by reading, as each compiles for itself; what they fetch is
// shared by all readings (see fetchFlight). None is joined after a purge that it
// may not have seen. What a glance has seen is not read again.
func (d *desk) lookFlight(ctx context.Context, origin site.Origin, g *Gate, seen *sight) <-chan singleflight.Result {
	origin = origin.Clone()
	key := "look " + strconv.FormatUint(d.forgets.Load(), 10) + " " + origin.String() + " " + g.reading.Agents.String()
	return d.fly(ctx, key, func(ctx context.Context) (any, error) {
		start := time.Now()
		p, source, err := d.lookUp(ctx, origin, g, seen)
		if looked := d.options.Hooks.Looked; looked != nil {
			looked(Look{Origin: origin, Source: source, Took: time.Since(start), Err: err})
		}
		return p, err
	})
}

// lookUp learns what is known about an origin, compiles it and keeps it near.
func (d *desk) lookUp(ctx context.Context, origin site.Origin, g *Gate, seen *sight) (*policy.Policy, Source, error) {
	// What is put near below must not outlive a purge that comes meanwhile.
	epoch, forgets := d.near.epoch.Load(), d.forgets.Load()
	var prev *policy.Policy
	entry := d.near.get(origin, g.near)
	if entry != nil {
		prev = entry.policy
	}
	if seen != nil && seen.forgets != forgets {
		seen = nil
	}
	snapshot, source, err := d.know(ctx, origin, prev, seen)
	var p *policy.Policy
	if err == nil {
		p, err = d.compile(ctx, snapshot, g.reading, prev)
	}
	if err != nil {
		if entry != nil { // which this look may have claimed
			entry.soon.Store(int64(time.Since(d.opened) + downAge))
		}
		return nil, FromNowhere, err
	}
	d.keepNear(g.near, p, p.Snapshot(), d.lent(snapshot, source), epoch, forgets)
	return p, source, nil
}

// keepNear puts a policy near, and the facts it stands on, that was looked up when
// the desk had counted so many epochs and forgets.
func (d *desk) keepNear(reading int, p *policy.Policy, facts *policy.Snapshot, source Source, epoch, forgets uint64) {
	if reading == noNear {
		return
	}
	soon, late := d.nearAges(facts, source, time.Now())
	d.near.put(p.Origin(), reading, p, epoch, soon, late)
	// In this order: of a purge that comes between the two, either forget finds
	// what was put, or this finds the count raised.
	if d.forgets.Load() != forgets {
		d.near.drop(p.Origin(), reading)
	}
}

// renew brings what is near about an origin up to date, for every reading of it.
func (d *desk) renew(snapshot *policy.Snapshot, source Source, epoch, forgets uint64) {
	for reading := range d.readings.count() {
		entry := d.near.get(snapshot.Origin, reading)
		if entry == nil {
			continue
		}
		if p, err := policy.Compile(snapshot, entry.policy.Reading(), entry.policy); err == nil {
			d.keepNear(reading, p, snapshot, d.lent(snapshot, source), epoch, forgets)
		}
	}
}

// lent returns the source that a policy's near age goes by: what the store did not
// take, which has no Rev, is this worker's own and soon to be handed in. A Policy
// cannot tell, as its facts never have one.
func (d *desk) lent(snapshot *policy.Snapshot, source Source) Source {
	if snapshot.Rev == "" && d.own.cache != nil {
		return FromFallback
	}
	return source
}

const (
	// dueAge is after how long a policy whose refresh is under way is looked at
	// again.
	dueAge = time.Second
	// downAge is the same for one that the shared cache could not give, and for
	// one whose look failed.
	downAge = 5 * time.Second
)

// nearAges returns from when on a policy is looked up again behind the callers'
// backs, and from when on they wait for that (C2, C4).
func (d *desk) nearAges(facts *policy.Snapshot, source Source, now time.Time) (soon, late time.Duration) {
	age := d.options.NearAge
	if d.watched.Load() {
		age = d.options.NearAgeWatched
	}
	at := now.Sub(d.opened)
	late = at + age
	if !facts.Failing() { // a failing origin is answered at once, whatever its age
		late = at + min(age, max(facts.FreshUntil.Sub(now), 0))
	}
	switch {
	case source == FromFallback: // to be handed in
		soon = at + downAge
	case facts.Due(now):
		soon = at + dueAge
	default:
		soon = at + min(age/4*3, facts.RefreshAt.Sub(now))
	}
	return min(soon, late), late
}

// know returns what is known about an origin, having it fetched if that is too
// little to answer. prev is what this process made of it before.
//
// While the shared cache is unavailable that is, in this order (C5): what is
// near, this worker's own copies, the origin, asked once in this process. And
// without a Fallback an error: never "allowed because the cache is down".
func (d *desk) know(ctx context.Context, origin site.Origin, prev *policy.Policy, seen *sight) (*policy.Snapshot, Source, error) {
	snapshot, source, err := d.knowFrom(ctx, &d.common, origin, prev, seen)
	if !errors.Is(err, ports.ErrUnavailable) {
		return snapshot, source, err
	}
	now := time.Now()
	if servable(prev, now) && (d.own.cache == nil || !prev.Snapshot().Due(now)) {
		return prev.Snapshot(), FromFallback, nil
	}
	if d.own.cache == nil {
		return nil, FromNowhere, closedMode(origin, err)
	}
	return d.knowFrom(ctx, &d.own, origin, prev, nil)
}

// knowFrom is know by one shelf. seen is what was read from it already.
func (d *desk) knowFrom(ctx context.Context, from *shelf, origin site.Origin, prev *policy.Policy, seen *sight) (*policy.Snapshot, Source, error) {
	bounded, cancel := context.WithTimeout(ctx, d.flightTime())
	defer cancel()
	if seen == nil {
		var have policy.Hash
		if prev != nil {
			have = prev.Hash()
		}
		snapshot, err := from.cache.Get(bounded, origin, have)
		d.notice(&from.reading, err)
		seen = &sight{snapshot: snapshot, err: err}
	}
	snapshot, err := seen.snapshot, seen.err
	if err != nil {
		return nil, FromNowhere, err
	}
	now := time.Now()
	source := from.source
	switch {
	case snapshot.Servable(now) && !snapshot.Due(now):
		return snapshot, source, nil
	case from == &d.common:
		if own := d.handIn(bounded, snapshot); own != nil {
			snapshot, source = own, FromFallback
		}
	case !snapshot.Servable(now) && servable(prev, now):
		snapshot = prev.Snapshot()
	}
	if snapshot.Servable(now) {
		if snapshot.Due(now) {
			d.refreshBehind(from, origin, prev)
		}
		return snapshot, source, nil
	}
	snapshot, err = land[*policy.Snapshot](ctx, d, d.fetchFlight(ctx, from, origin, prev))
	if errors.Is(err, errGaveUp) {
		// The origin could not be asked in all that time: that is an answer
		// too, and this worker's alone.
		snapshot, err = d.failHere(origin, prev, err), nil
	}
	return snapshot, FromOrigin, err
}

// servable reports whether a policy from before may answer without a look.
func servable(p *policy.Policy, now time.Time) bool { return p != nil && p.Snapshot().Servable(now) }

// compile reads a snapshot as a crawler does. Where its copy is not at hand, and
// nowhere to be had, an origin is answered as without one.
func (d *desk) compile(ctx context.Context, snapshot *policy.Snapshot, reading policy.Reading, prev *policy.Policy) (*policy.Policy, error) {
	p, err := policy.Compile(snapshot, reading, prev)
	if errors.Is(err, policy.ErrNoBody) {
		whole := *snapshot
		bounded, cancel := context.WithTimeout(ctx, d.flightTime())
		whole.Copy = d.copyOf(bounded, snapshot.Origin, snapshot.Copy.Hash)
		cancel()
		if whole.Copy.Body == nil {
			return compileWithout(snapshot, reading)
		}
		snapshot = &whole
		p, err = policy.Compile(snapshot, reading, nil)
	}
	if errors.Is(err, policy.ErrOutOfScope) {
		if snapshot, err = d.knowWhole(ctx, snapshot, reading, prev); err != nil {
			return nil, err
		}
		p, err = policy.Compile(snapshot, reading, prev)
	}
	if errors.Is(err, policy.ErrNoBody) || errors.Is(err, policy.ErrOutOfScope) {
		return compileWithout(snapshot, reading)
	}
	return p, err
}

// compileWithout reads a snapshot whose copy is not to be had.
func compileWithout(snapshot *policy.Snapshot, reading policy.Reading) (*policy.Policy, error) {
	without := *snapshot
	without.Copy = policy.Copy{}
	if without.Outcome == policy.Successful {
		without.Outcome, without.Failure = policy.Unreachable, policy.FailedLocally
	}
	return policy.Compile(&without, reading, nil)
}
