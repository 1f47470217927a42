package memory

import (
	"context"
	"time"

	"github.com/polite-crawler/polite/domain/site"
)

// A lease is held until it is released or its end fires.
type lease struct {
	until time.Time
	end   *time.Timer
}

// TryLease implements ports.Leaser.
func (s *Store) TryLease(ctx context.Context, origin site.Origin, ttl time.Duration) (release func(), held bool, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, false, err
	}
	defer s.mu.Unlock()
	now := time.Now()
	if s.leased(origin, now) {
		return nil, false, nil
	}
	mine := &lease{until: now.Add(ttl)}
	free := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		mine.end.Stop()
		// By identity: it may have run out and be somebody else's by now.
		if s.leases[origin] == mine {
			delete(s.leases, origin)
			s.wake(origin)
		}
	}
	mine.end = time.AfterFunc(ttl, free)
	if over := s.leases[origin]; over != nil {
		over.end.Stop()
	}
	s.leases[origin] = mine
	return free, true, nil
}

// Wait implements ports.Leaser. It returns at once if nobody holds the lease.
func (s *Store) Wait(ctx context.Context, origin site.Origin) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	if !s.leased(origin, time.Now()) {
		s.mu.Unlock()
		return nil
	}
	woken, found := s.waiting[origin]
	if !found {
		woken = make(chan struct{})
		s.waiting[origin] = woken
		// Whoever waits may leave before anything happens; a lease ends
		// in any case, and wake then removes the channel.
	}
	s.mu.Unlock()

	second := time.NewTimer(time.Second)
	defer second.Stop()
	select {
	case <-woken:
		return nil
	case <-second.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closed:
		return errClosed
	}
}

func (s *Store) leased(origin site.Origin, now time.Time) bool {
	l := s.leases[origin]
	return l != nil && now.Before(l.until)
}

// wake lets everybody who waits for origin look again.
func (s *Store) wake(origin site.Origin) {
	if woken, found := s.waiting[origin]; found {
		close(woken)
		delete(s.waiting, origin)
	}
}
