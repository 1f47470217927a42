package memory

import (
	"context"
	"sync"

	"github.com/polite-crawler/polite/domain/site"
)

// Watch implements ports.Watcher. It calls forget from the goroutine that called
// Watch, so that a slow forget holds up nobody's Delete.
func (s *Store) Watch(ctx context.Context, forget func(site.Origin)) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	w := &watch{heard: make(chan struct{}, 1)}
	w.tell(site.Origin{})
	s.watches[w] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watches, w)
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.closed:
			return errClosed
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

	mu      sync.Mutex
	pending []site.Origin
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
