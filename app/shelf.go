package app

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/ports"
)

// A shelf is where snapshots are kept: the fleet's, or this worker's own.
type shelf struct {
	cache  ports.Cache
	leaser ports.Leaser // nil: single flight in this process is enough
	source Source

	reading health
	writing health
}

// health is whether something can be done at the moment.
type health struct {
	down   atomic.Bool
	failed atomic.Int64 // when it last could not, since the desk was opened
}

// calm is for how long nothing may fail before a shared cache counts as back: of
// a Cluster a part can be down, and every other operation then goes well.
const calm = 5 * time.Second

// notice takes note of how an operation on the shared cache went. It says so
// when that is news: a line at each change, not one for each request.
func (d *desk) notice(of *health, err error) {
	if err == nil && !of.down.Load() {
		return // as nearly always
	}
	down := errors.Is(err, ports.ErrUnavailable)
	if err != nil && !down {
		return
	}
	what, now := "read", time.Since(d.opened)
	switch {
	case of == &d.common.writing:
		what = "written"
		if down && d.common.reading.down.Load() {
			return // that was said already
		}
	case of != &d.common.reading:
		return
	}
	if down {
		of.failed.Store(int64(now))
	} else if of.down.Load() && now-time.Duration(of.failed.Load()) < calm {
		return
	}
	if of.down.Load() == down || !of.down.CompareAndSwap(!down, down) {
		return
	}
	if down {
		d.options.Logger.Warn().Err(err).Str("operation", what).Bool("fallback", d.own.cache != nil).
			Msg("the shared cache is unavailable")
	} else {
		d.options.Logger.Info().Str("operation", what).Msg("the shared cache is back")
	}
	if shared := d.options.Hooks.Shared; shared != nil {
		shared(err)
	}
}

// handIn gives the fleet what this worker learned on its own, while the shared
// cache was unavailable or refused it, and returns it if it says more than what
// was found in the shared cache and may answer.
func (d *desk) handIn(ctx context.Context, found *policy.Snapshot) *policy.Snapshot {
	if d.own.cache == nil {
		return nil
	}
	own, err := d.own.cache.Get(ctx, found.Origin, policy.Hash{})
	if err != nil || !own.Servable(time.Now()) {
		return nil
	}
	purged := !found.Known() && found.Rev != ""
	if purged || found.Known() && !own.FetchedAt.After(found.FetchedAt) {
		_ = d.own.cache.Delete(ctx, found.Origin) // the fleet is past it
		return nil
	}
	shared := *own
	shared.Rev = found.Rev
	_, err = d.common.cache.Put(ctx, &shared, shared.KeepFor(time.Now(), d.options.Lifetimes))
	d.notice(&d.common.writing, err)
	d.conflicted(&d.common, found.Origin, err)
	switch {
	case err == nil:
		// It is the fleet's now. Kept here, it could come back after a purge
		// that this worker did not hear and the store has forgotten.
		_ = d.own.cache.Delete(ctx, found.Origin)
	case own.Due(time.Now()):
		return nil // it has to be asked again, and the fleet cannot be told
	}
	return own
}
