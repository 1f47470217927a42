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

// An Inspection is all that is known of an origin, and how that came to be. It is
// for people and programs that look after a crawler; json.Marshal writes it with
// every key there.
type Inspection struct {
	URL      string          // as asked
	Decision policy.Decision // about URL
	// Snapshot is what is known. Its Copy has the file itself, or what a filtered
	// store keeps of it (Copy.Scope); nil if that is not at hand any more.
	Snapshot policy.Snapshot
	// Hops are the exchanges by which this was learned, if this process made them
	// for this question; nil: it was known already, or another worker asked.
	Hops []Hop
}

// Took is the time that all Hops took.
func (i Inspection) Took() (all time.Duration) {
	for _, hop := range i.Hops {
		all += hop.Took
	}
	return all
}

// Account says what is known of the robots.txt, how that was learned and, if it
// went wrong just now, what exactly. It is safe to print.
func (i Inspection) Account() string {
	text := i.Snapshot.Account()
	if n := len(i.Hops); n > 0 && i.Hops[n-1].Err != nil {
		text += " (" + Printable(i.Hops[n-1].Err.Error()) + ")"
	}
	return text
}

// Inspect answers like Check, and shows all that is known of url's origin. What
// is known already is not asked for again, be it here or in the shared cache; see
// Refresh. It asks the shared cache for the file and is meant for people, not for
// every request. Errors are those of Check.
func (g *Gate) Inspect(ctx context.Context, url string) (Inspection, error) {
	target, err := site.Parse(url)
	if err != nil {
		return Inspection{}, err
	}
	seen, remove := g.desk.observers.add(target.Origin)
	defer remove()
	p, now, err := g.policy(ctx, target.Origin)
	if err != nil {
		return Inspection{}, err
	}
	return g.inspection(ctx, url, target, p, now, seen), nil
}

// Refresh asks url's origin again, however much is known of it and even if it
// asked to be left alone, and is then like Inspect. The request is conditional if
// there is a copy. What it brings is for the whole fleet, which sees it when it
// next looks into the shared cache. Errors are those of Check.
func (g *Gate) Refresh(ctx context.Context, url string) (Inspection, error) {
	target, err := site.Parse(url)
	if err != nil {
		return Inspection{}, err
	}
	if err := ctx.Err(); err != nil {
		return Inspection{}, err
	}
	seen, remove := g.desk.observers.add(target.Origin)
	defer remove()
	snapshot, err := land[*policy.Snapshot](ctx, g.desk, g.desk.refetchFlight(ctx, target.Origin, g))
	if err != nil {
		return Inspection{}, err
	}
	p, err := g.desk.compile(ctx, snapshot, g.reading, nil)
	if err != nil {
		return Inspection{}, err
	}
	return g.inspection(ctx, url, target, p, time.Now(), seen), nil
}

// inspection puts together what a policy stands on.
func (g *Gate) inspection(ctx context.Context, url string, target site.URL, p *policy.Policy, now time.Time, seen *observer) Inspection {
	i := Inspection{URL: url, Decision: p.Decide(target.Path, now), Snapshot: *p.Snapshot()}
	if i.Snapshot.HasCopy() {
		// The policy's own times: another attempt may have ended meanwhile.
		kept, at := g.desk.copyOf(ctx, target.Origin, p.Hash()), &i.Snapshot.Copy
		at.Body, at.Scope, at.Charset, at.Validators = kept.Body, kept.Scope, kept.Charset, kept.Validators
	}
	if made := g.desk.observers.trailOf(seen, &i.Snapshot); made != nil {
		i.Hops = made.hops
	}
	return i
}

// refetchFlight asks an origin anyway, and brings what is near up to date.
func (d *desk) refetchFlight(ctx context.Context, origin site.Origin, g *Gate) <-chan singleflight.Result {
	origin = origin.Clone()
	return d.fly(ctx, refetchKey(origin), func(ctx context.Context) (any, error) {
		epoch, forgets := d.near.epoch.Load(), d.forgets.Load()
		var prev *policy.Policy
		if entry := d.near.get(origin, g.near); entry != nil {
			prev = entry.policy
		}
		snapshot, source, err := d.refetch(ctx, origin, g, prev)
		if err != nil && (errors.Is(err, errGaveUp) || ctx.Err() != nil) {
			snapshot, err = d.failHere(origin, prev, err), nil // as for any other question
		}
		if err != nil {
			return nil, fmt.Errorf("polite: %s could not be asked again: %w", origin, err)
		}
		if d.unwell.about(origin, time.Now()) == nil { // else the failure is our own (F14)
			d.renew(snapshot, source, epoch, forgets)
		}
		return snapshot, nil
	})
}

func refetchKey(origin site.Origin) string { return "refetch " + origin.String() }

// refetch asks an origin anyway: for the fleet or, while the store takes nothing,
// for this worker (C5).
func (d *desk) refetch(ctx context.Context, origin site.Origin, g *Gate, prev *policy.Policy) (*policy.Snapshot, Source, error) {
	d.unwell.forget(origin)
	snapshot, err := d.fetch(ctx, &d.common, origin, prev, anyway)
	if !errors.Is(err, ports.ErrUnavailable) || d.own.cache == nil {
		return snapshot, d.common.source, err
	}
	if known, err := d.common.cache.Get(ctx, origin, policy.Hash{}); prev == nil && err == nil && known.Known() {
		// It can be read and not written: a failure of the origin must not take
		// away what the fleet has.
		prev, _ = d.compile(ctx, known, g.reading, nil)
	}
	snapshot, err = d.fetch(ctx, &d.own, origin, prev, anyway)
	return snapshot, d.own.source, err
}
