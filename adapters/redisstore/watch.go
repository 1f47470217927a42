package redisstore

import (
	"context"
	"fmt"
	"sync"

	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// Watch implements ports.Watcher. It hears or returns: when the connection is
// lost, or cannot be had, it ends with an error that wraps ports.ErrUnavailable,
// so that nobody relies on what is not being heard. Started again at once it
// tries again, after a pause of a second at most. It calls forget from the goroutine
// that called Watch.
func (s *Store) Watch(ctx context.Context, forget func(site.Origin)) error {
	_, cancel, err := s.operation(ctx)
	if err != nil {
		return err
	}
	cancel()
	w := s.ears.watch()
	defer s.ears.unwatch(w)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.closed:
			return errClosed
		case err := <-w.ended:
			return fmt.Errorf("%w: hear deletes: %w", ports.ErrUnavailable, err)
		case <-w.heard:
		}
		for _, origin := range w.take() {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			forget(origin)
		}
	}
}

// A watch holds what its Watch has yet to say.
type watch struct {
	heard chan struct{} // holds a token while there is something to take
	ended chan error    // why there will be nothing more

	mu      sync.Mutex
	pending []site.Origin
}

func newWatch() *watch {
	return &watch{heard: make(chan struct{}, 1), ended: make(chan error, 1)}
}

// maxPending bounds what a slow forget lets pile up.
const maxPending = 1024

func (w *watch) tell(origin site.Origin) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending) == maxPending {
		// Too many to tell one by one: the zero Origin stands for them all.
		w.pending = w.pending[:0]
		origin = site.Origin{}
	}
	w.pending = append(w.pending, origin)
	select {
	case w.heard <- struct{}{}:
	default:
	}
}

func (w *watch) take() []site.Origin {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.pending
	w.pending = nil
	return taken
}

// end is called once, by who takes the watch off the list.
func (w *watch) end(err error) { w.ended <- err }
