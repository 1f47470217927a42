package app

import (
	"context"
	"errors"

	"golang.org/x/sync/singleflight"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// knowWhole has an origin asked again whose copy the shared cache keeps for other
// crawlers only (SEMANTICS C8). It costs each worker a request, and as the rules
// are kept near by the hash of the whole file, one more only when that changes or
// they are pushed out.
//
// An origin that is failing is left alone; and readings that keep nothing near
// would have it asked with every question. Both are answered as without a copy.
func (d *desk) knowWhole(ctx context.Context, kept *policy.Snapshot, reading policy.Reading, prev *policy.Policy) (*policy.Snapshot, error) {
	if kept.Failing() || !d.readings.has(reading) {
		return kept, nil
	}
	snapshot, err := land[*policy.Snapshot](ctx, d, d.wholeFlight(ctx, kept.Origin, prev))
	if errors.Is(err, errGaveUp) {
		return d.failHere(kept.Origin, prev, err), nil
	}
	return snapshot, err
}

// wholeFlight asks an origin for all of its robots.txt, once for all readings.
func (d *desk) wholeFlight(ctx context.Context, origin site.Origin, prev *policy.Policy) <-chan singleflight.Result {
	return d.fly(ctx, wholeKey(origin), func(ctx context.Context) (any, error) {
		snapshot, err := d.fetch(ctx, &d.common, origin, prev, whole)
		if errors.Is(err, ports.ErrUnavailable) && d.own.cache != nil {
			snapshot, err = d.fetch(ctx, &d.own, origin, prev, whole)
		}
		return snapshot, err
	})
}

func wholeKey(origin site.Origin) string { return "whole " + origin.String() }
