package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/domain/site"
)

// TryLease implements ports.Leaser. If Redis takes the lease and its answer is
// lost, nobody knows who holds it until this Store tries again, or it runs out.
func (s *Store) TryLease(ctx context.Context, origin site.Origin, ttl time.Duration) (release func(), held bool, err error) {
	op, cancel, err := s.operation(ctx)
	if err != nil {
		return nil, false, err
	}
	defer cancel()
	key, mine := s.keys.lease(origin), lostToken{newToken(), time.Now().Add(2 * ttl)}
	earlier, tried := s.lost.take(origin)
	if tried {
		mine.token = earlier.token
	}
	take := func() error {
		return s.client.SetArgs(op, key, mine.token, redis.SetArgs{Mode: "NX", TTL: ceil(ttl)}).Err()
	}
	err = take()
	if tried && errors.Is(err, redis.Nil) {
		if freed, _ := s.release(op, origin, key, mine.token); freed {
			err = take()
		}
	}
	var reply redis.Error
	switch answered := err == nil || errors.As(err, &reply); {
	case !answered:
		s.lost.note(origin, mine) // it may be under way as yet
	case err != nil && tried:
		s.lost.note(origin, earlier) // as may the earlier one
	}
	switch {
	case errors.Is(err, redis.Nil):
		return nil, false, nil
	case err != nil:
		return nil, false, s.unavailable(ctx, "lease", origin, err)
	}
	var once sync.Once
	late := context.WithoutCancel(ctx) // which may be done by then
	return func() { once.Do(func() { s.giveBack(late, origin, key, mine.token) }) }, true, nil
}

// giveBack gives a lease back. The whole fleet waits for that, so what says nothing
// about Redis is tried again: a connection that broke, or none to be had in a
// process that has no sockets left (SEMANTICS F14). If it fails for good the lease
// runs out by itself.
func (s *Store) giveBack(ctx context.Context, origin site.Origin, key, token string) {
	for _, pause := range [...]time.Duration{20 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second, 0} {
		_, err := s.release(ctx, origin, key, token)
		var reply redis.Error
		if err == nil || errors.As(err, &reply) || pause == 0 {
			return
		}
		select {
		case <-time.After(pause):
		case <-s.closed:
			return
		}
	}
}

// release gives a lease back once, and reports whether it was held.
func (s *Store) release(ctx context.Context, origin site.Origin, key, token string) (freed bool, err error) {
	op, cancel, err := s.operation(ctx)
	if err != nil {
		return false, err
	}
	defer cancel()
	n, err := s.scripts.release.Run(op, s.client, []string{key}, token, s.keys.events(origin)).Int()
	return n == 1, err
}

const (
	// longestWait ends any Wait (ports.Leaser).
	longestWait = time.Second
	// hearing is how long a Wait gives its channel to be subscribed before it
	// looks at the lease all the same.
	hearing = 200 * time.Millisecond
	// spread is over how much time those are spread who wait for the same end.
	spread = 50 * time.Millisecond
)

// Wait implements ports.Leaser. It listens on the connection that all Waits of
// the Store share. It returns at once if nobody holds the lease.
func (s *Store) Wait(ctx context.Context, origin site.Origin) error {
	// The second bounds the look at the lease as well. Whoever began to wait at
	// the same time, in whatever process, ends at another.
	second := time.NewTimer(longestWait - jitter(2*spread))
	defer second.Stop()
	op, cancel, err := s.operation(ctx)
	if err != nil {
		return err
	}
	defer cancel()

	topic := s.ears.join(s.keys.events(origin))
	defer s.ears.leave(topic)
	patience := time.NewTimer(hearing)
	defer patience.Stop()
	select {
	case <-topic.heard: // from here on a release is not missed: look whether it was before
	case <-patience.C:
	case <-topic.woken:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closed:
		return errClosed
	}

	left, err := s.client.PTTL(op, s.keys.lease(origin)).Result()
	switch {
	case err != nil:
		return s.unavailable(ctx, "wait for", origin, err)
	case left == gone:
		return nil
	case left < 0:
		left = longestWait // no end
	}
	end := time.NewTimer(left + time.Millisecond + jitter(spread))
	defer end.Stop()
	select {
	case <-topic.woken:
	case <-end.C:
	case <-second.C:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closed:
		return errClosed
	}
	return nil
}

// newToken names one holding of a lease: the process, for who looks at a key by
// hand, and 128 random bits.
func newToken() string { return strconv.Itoa(os.Getpid()) + "-" + rand.Text() }

func jitter(most time.Duration) time.Duration {
	return time.Duration(mathrand.Int64N(int64(most)))
}
