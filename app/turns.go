package app

import "context"

// turns are the right to fetch: so many at once, however many origins are asked
// about. A crawler that starts with 100,000 hosts would otherwise open as many
// sockets. The limit stands here and not in the Fetcher, where a wait would eat
// the time of the exchange, and of the lease that is held for it, and so make a
// busy worker an unreachable origin (SEMANTICS F11).
type turns chan struct{}

func newTurns(most int) turns { return make(turns, most) }

// turn waits for one, first come, first served, until ctx or the desk is done.
// over gives it back.
func (d *desk) turn(ctx context.Context) (over func(), err error) {
	select {
	case d.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// A turn that comes free because the desk is closed sends nothing; ctx may
	// not know of that yet.
	for _, end := range []context.Context{d.life, ctx} {
		if err := end.Err(); err != nil {
			<-d.turns
			return nil, err
		}
	}
	return func() { <-d.turns }, nil
}
