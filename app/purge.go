package app

import (
	"context"
	"time"

	"github.com/polite-crawler/polite/domain/site"
)

// purge makes the fleet forget an origin: this worker at once, the others
// through their Watchers.
func (d *desk) purge(ctx context.Context, origin site.Origin) error {
	if d.closed.Load() {
		return ErrClosed
	}
	err := d.common.cache.Delete(ctx, origin)
	d.notice(&d.common.writing, err)
	d.forget(origin)
	return err
}

// forget drops what this process holds of an origin. A look that is under way
// sees by the count that it may be about to keep what was just dropped.
func (d *desk) forget(origin site.Origin) {
	// A fetch that stored its answer before the purge may still be on its way
	// back: before the count says that looks are new, none can join it.
	for _, key := range []string{fetchKey(&d.common, origin), fetchKey(&d.own, origin), wholeKey(origin), refetchKey(origin)} {
		d.flights.Forget(key)
	}
	d.forgets.Add(1)
	d.near.forget(origin, d.readings.count())
	d.unwell.forget(origin)
	if d.own.cache != nil {
		_ = d.own.cache.Delete(d.life, origin) // in this process; there is nothing to do about a failure
	}
}

// rewatch is how long after a Watcher gave up it is started again.
const rewatch = time.Second

// watch hears the fleet's purges for as long as the desk is open.
func (d *desk) watch() {
	for first := true; ; first = false {
		err := d.ports.Watcher.Watch(d.life, d.heard)
		heard := d.watched.Swap(false)
		if d.life.Err() != nil {
			return
		}
		if heard {
			d.near.epoch.Add(1) // what is near was to live long because purges were heard
		}
		if heard || first { // a line at each change
			d.deaf.Store(true)
			d.hearing(false)
			d.options.Logger.Warn().Err(err).Msg("purges by other workers are not being heard")
		}
		select {
		case <-time.After(rewatch):
		case <-d.life.Done():
			return
		}
	}
}

// hearing tells whether purges are being heard.
func (d *desk) hearing(is bool) {
	if told := d.options.Hooks.Hearing; told != nil {
		told(is)
	}
}

// heard takes a purge by any worker. The zero Origin says that some may have
// been missed: everything near is looked up again.
func (d *desk) heard(origin site.Origin) {
	if origin.IsZero() {
		d.near.epoch.Add(1)
		if !d.watched.Swap(true) {
			d.hearing(true)
		}
		if d.deaf.Swap(false) {
			d.options.Logger.Info().Msg("purges by other workers are being heard again")
		}
		return
	}
	d.forget(origin)
}
