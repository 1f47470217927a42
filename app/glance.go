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
	done   chan struct{}
	policy *policy.Policy // nil: it takes a look
	sight  *sight         // what the look need not read again; nil: the caller left
}

// A sight is what was read from the shared cache.
type sight struct {
	snapshot *policy.Snapshot
	err      error
	forgets  uint64 // purges heard before it was read
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

// join returns the glance under way, or a new one that is the caller's to make.
func (g *glances) join(key glanceKey) (current *glance, mine bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if current := g.of[key]; current != nil {
		return current, false
	}
	if g.of == nil {
		g.of = make(map[glanceKey]*glance)
	}
	current = &glance{done: make(chan struct{})}
	g.of[key] = current
	return current, true
}

func (g *glances) end(key glanceKey, current *glance) {
	g.mutex.Lock()
	delete(g.of, key)
	g.mutex.Unlock()
	close(current.done)
}

// glance returns what decides about an origin if one read of the shared cache
// says so; else nil, and what was read.
func (d *desk) glance(ctx context.Context, origin site.Origin, g *Gate) (*policy.Policy, *sight) {
	key := glanceKey{near: nearKey{origin, g.near}, forgets: d.forgets.Load()}
	if g.near == noNear {
		key.gate = g
	}
	if ctx.Err() != nil || d.closed.Load() {
		return nil, nil // the look says why
	}
	current, mine := d.glances.join(key)
	if mine {
		d.makeGlance(ctx, origin, g, current, key)
		return current.policy, current.sight
	}
	select {
	case <-current.done:
		return current.policy, current.sight
	case <-ctx.Done():
	case <-d.life.Done():
	}
	return nil, nil
}

func (d *desk) makeGlance(ctx context.Context, origin site.Origin, g *Gate, made *glance, key glanceKey) {
	defer d.glances.end(key, made)
	start, epoch := time.Now(), d.near.epoch.Load()
	var prev *policy.Policy
	var have policy.Hash
	if entry := d.near.get(origin, g.near); entry != nil {
		prev, have = entry.policy, entry.policy.Hash()
	}
	if ctx.Done() == nil {
		ctx = living{ctx, d.life}
	}
	snapshot, err := d.common.cache.Get(ctx, origin, have)
	// A read may end by the context's deadline before the context has noticed: that
	// is this caller's end, and nobody else's.
	if ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ports.ErrUnavailable) {
		return
	}
	d.notice(&d.common.reading, err)
	made.sight = &sight{snapshot, err, key.forgets}
	now := time.Now()
	if err != nil || !snapshot.Servable(now) || snapshot.Due(now) {
		return
	}
	p, err := policy.Compile(snapshot, g.reading, prev)
	if err != nil {
		return
	}
	made.policy = p
	d.keepNear(g.near, p, FromShared, epoch, key.forgets)
	if looked := d.options.Hooks.Looked; looked != nil {
		looked(Look{Origin: origin, Source: FromShared, Took: now.Sub(start)})
	}
}

// living is a caller's context that would never end, and ends with the desk.
type living struct {
	context.Context
	life context.Context
}

func (l living) Done() <-chan struct{} { return l.life.Done() }
func (l living) Err() error            { return l.life.Err() }
