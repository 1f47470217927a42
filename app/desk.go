package app

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// A desk is what the Gates of one process share: the ports, the near cache, and
// the work that is under way.
type desk struct {
	ports     Ports
	options   Options
	near      *nearCache
	turns     turns  // to fetch
	unwell    unwell // origins that this worker failed at by what may be its own fault
	readings  readings
	observers observers
	common    shelf // the fleet's
	own       shelf // this worker's, while the fleet's is unavailable

	opened  time.Time     // near ages count from here, on the monotonic clock
	watched atomic.Bool   // purges are being heard
	deaf    atomic.Bool   // they are not, and that was said
	forgets atomic.Uint64 // purges heard so far

	glances glances
	flights singleflight.Group
	life    context.Context // done when the desk is closed
	end     context.CancelFunc
	closed  atomic.Bool
	door    sync.Mutex // no work begins once closed is set
	work    sync.WaitGroup
}

func newDesk(adapters Ports, options Options) (*desk, error) {
	near, err := newNearCache(options.NearBytes, options.NearEntries)
	if err != nil {
		return nil, err
	}
	d := &desk{ports: adapters, options: options, near: near, turns: newTurns(options.MaxFetches), opened: time.Now()}
	d.common = shelf{cache: adapters.Cache, leaser: adapters.Leaser, source: FromShared}
	d.own = shelf{cache: adapters.Fallback, source: FromFallback}
	d.life, d.end = context.WithCancel(context.Background())
	if adapters.Watcher != nil {
		d.work.Go(d.watch)
	}
	return d, nil
}

// gate returns a Gate of this desk for a crawler.
func (d *desk) gate(agents agent.Identity) *Gate {
	reading := policy.Reading{
		Agents:         agents,
		Identification: d.options.Identification,
		Options:        robots.Options{Dialect: d.options.Dialect},
		Profile:        d.options.Profile,
		Choices:        d.options.Choices,
		LastGoodMax:    d.options.Lifetimes.LastGoodMax,
	}
	return &Gate{desk: d, reading: reading, near: d.readings.number(reading)}
}

// age judges a near entry.
func (d *desk) age(entry *nearEntry, now time.Time) age { return d.near.age(entry, now.Sub(d.opened)) }

// fly does work once for all who ask for it under the same key, on behalf of
// none of them: a caller that leaves takes nobody's answer along (C3). It ends
// with the desk. What it does has limits of its own, none of which counts the
// wait for a turn to fetch.
func (d *desk) fly(ctx context.Context, key string, work func(context.Context) (any, error)) <-chan singleflight.Result {
	return d.flights.DoChan(key, func() (any, error) {
		if !d.begin() {
			return nil, ErrClosed
		}
		defer d.work.Done()
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(d.life, cancel)()
		return work(ctx)
	})
}

// flightTime bounds a fetch: another worker's whole lease, should it have died,
// and then one of our own.
func (d *desk) flightTime() time.Duration { return 2 * d.leaseTime() }

// leaseTime is how long a lease holds without renewal.
func (d *desk) leaseTime() time.Duration { return d.options.FetchBudget + leaseMargin }

// land waits for a flight, as long as ctx and the desk last.
func land[T any](ctx context.Context, d *desk, flight <-chan singleflight.Result) (value T, err error) {
	select {
	case result := <-flight:
		if result.Err != nil {
			if d.closed.Load() {
				return value, ErrClosed
			}
			return value, result.Err
		}
		return result.Val.(T), nil
	case <-ctx.Done():
		return value, ctx.Err()
	case <-d.life.Done():
		return value, ErrClosed
	}
}

// begin counts work in, unless the desk is closed.
func (d *desk) begin() bool {
	d.door.Lock()
	defer d.door.Unlock()
	if d.closed.Load() {
		return false
	}
	d.work.Add(1)
	return true
}

func (d *desk) close() {
	d.door.Lock()
	d.closed.Store(true)
	d.door.Unlock()
	d.end()
	d.work.Wait()
}

// maxReadings is how many readings of a process keep compiled policies; beyond
// it a caller that makes up agents would push out everybody else's.
const maxReadings = 64

// noNear numbers the readings that keep none.
const noNear = -1

// readings numbers the readings in use, so that near keys are small.
type readings struct {
	mutex sync.Mutex
	of    map[policy.Reading]int
}

func (r *readings) number(reading policy.Reading) int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if number, ok := r.of[reading]; ok {
		return number
	}
	if len(r.of) == maxReadings {
		return noNear
	}
	if r.of == nil {
		r.of = make(map[policy.Reading]int)
	}
	number := len(r.of)
	r.of[reading] = number
	return number
}

// has reports whether a reading keeps compiled policies.
func (r *readings) has(reading policy.Reading) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	_, ok := r.of[reading]
	return ok
}

func (r *readings) count() int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return len(r.of)
}

// unwell remembers origins that this worker just failed at by what may be its
// own fault, so that it leaves them alone for a while (F14). It is small: what
// is over is dropped on the way.
type unwell struct {
	mutex   sync.Mutex
	origins map[site.Origin]*policy.Snapshot
}

// maxUnwell bounds the memory of a worker without network; what is dropped is
// tried again sooner.
const maxUnwell = 10_000

func (u *unwell) note(snapshot *policy.Snapshot) {
	facts := *snapshot
	facts.Copy.Body = nil // thousands of origins may be affected at once
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.origins == nil {
		u.origins = make(map[site.Origin]*policy.Snapshot)
	}
	if len(u.origins) >= maxUnwell {
		clear(u.origins)
	}
	u.origins[facts.Origin] = &facts
}

// about returns what a failure of this worker left to say about an origin, or
// nil if it may try again.
func (u *unwell) about(origin site.Origin, now time.Time) *policy.Snapshot {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	snapshot := u.origins[origin]
	if snapshot != nil && snapshot.Due(now) {
		delete(u.origins, origin)
		return nil
	}
	return snapshot
}

func (u *unwell) forget(origin site.Origin) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	delete(u.origins, origin)
}
