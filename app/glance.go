package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// A glance is one read of the shared cache, in the goroutine of whoever asks
// first: most looks need no more, and a flight of their own would cost as much
// again. Who asks meanwhile waits for it. It ends with its caller's context; who
// waited then takes a look, which is nobody's, so that none waits for one caller
// in a hurry after another (C3).
type glance struct {
	done   chan struct{}  // nil until somebody waits; of glances' mutex
	policy *policy.Policy // nil: it takes a look
	at     time.Time      // when the policy was good to answer
	seen   sight          // what the look need not read again; none: the caller left
	living living         // the caller's context, if that would never end
}

// A sight is what was read from the shared cache.
type sight struct {
	snapshot *policy.Snapshot
	err      error
	forgets  uint64 // purges heard before it was read
}

// made returns a glance that is done; nil if it came to nothing.
func (g *glance) made() *glance {
	if g.seen.snapshot == nil && g.seen.err == nil {
		return nil
	}
	return g
}

// glances are those under way.
type glances struct {
	mutex sync.Mutex
	of    map[glanceKey]*glance
}

// A glanceKey tells readings apart as the near cache does; beyond those that it
// knows, gates. None is joined after a purge that it may not have seen.
type glanceKey struct {
	near    nearKey
	gate    *Gate
	forgets uint64
}

// join returns the glance under way and its end, or a new one that is the caller's
// to make.
func (g *glances) join(key glanceKey) (current *glance, done <-chan struct{}) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if current := g.of[key]; current != nil {
		if current.done == nil {
			current.done = make(chan struct{})
		}
		return current, current.done
	}
	if g.of == nil {
		g.of = make(map[glanceKey]*glance)
	}
	current = new(glance)
	g.of[key] = current
	return current, nil
}

func (g *glances) end(key glanceKey, current *glance) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	delete(g.of, key)
	if current.done != nil { // nobody can come to wait any more
		close(current.done)
	}
}

// glance returns what one read of the shared cache says about an origin; nil if
// there was none.
func (d *desk) glance(ctx context.Context, origin site.Origin, g *Gate) *glance {
	key := glanceKey{near: nearKey{origin, g.near}, forgets: d.forgets.Load()}
	if g.near == noNear {
		key.gate = g
	}
	if ctx.Err() != nil || d.closed.Load() {
		return nil // the look says why
	}
	current, done := d.glances.join(key)
	if done == nil {
		d.makeGlance(ctx, origin, g, current, key)
		return current.made()
	}
	select {
	case <-done:
		return current.made()
	case <-ctx.Done():
	case <-d.life.Done():
	}
	return nil
}

func (d *desk) makeGlance(ctx context.Context, origin site.Origin, g *Gate, made *glance, key glanceKey) {
	defer d.glances.end(key, made)
	looked := d.options.Hooks.Looked
	var start time.Time
	if looked != nil {
		start = time.Now()
	}
	epoch := d.near.epoch.Load()
	var prev *policy.Policy
	var have policy.Hash
	if entry := d.near.get(origin, g.near); entry != nil {
		prev, have = entry.policy, entry.policy.Hash()
	}
	if ctx.Done() == nil {
		made.living = living{ctx, d.life}
		ctx = &made.living
	}
	snapshot, err := d.common.cache.Get(ctx, origin, have)
	// A read may end by the context's deadline before the context has noticed: that
	// is this caller's end, and nobody else's.
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ports.ErrUnavailable) {
		return
	}
	d.notice(&d.common.reading, err)
	made.seen = sight{snapshot, err, key.forgets}
	now := time.Now()
	if err != nil || !snapshot.Servable(now) || snapshot.Due(now) {
		return
	}
	p, err := policy.Compile(snapshot, g.reading, prev)
	if err != nil {
		return
	}
	made.policy, made.at = p, now
	d.keepNear(g.near, p, snapshot, FromShared, epoch, key.forgets)
	if looked != nil {
		looked(Look{Origin: origin, Source: FromShared, Took: now.Sub(start)})
	}
}

// living is a caller's context that would never end, and ends with the desk.
type living struct {
	context.Context
	life context.Context
}

func (l *living) Done() <-chan struct{} { return l.life.Done() }
func (l *living) Err() error            { return l.life.Err() }
