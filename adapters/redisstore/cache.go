package redisstore

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// Get implements ports.Cache. With a hash at hand the body is fetched only if it
// is another.
func (s *Store) Get(ctx context.Context, origin site.Origin, have policy.Hash) (*policy.Snapshot, error) {
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	op := s.limited(ctx)
	if have != (policy.Hash{}) {
		found, err := s.read(op, origin, headerOnly) //nolint:contextcheck // op is ctx, with an earlier deadline
		if err != nil {
			return nil, s.unavailable(ctx, "get", origin, err)
		}
		if found != nil && (!found.HasCopy() || found.Copy.Hash == have) {
			return found, nil
		}
	}
	found, err := s.read(op, origin, wholeValue) //nolint:contextcheck // as above
	if err != nil {
		return nil, s.unavailable(ctx, "get", origin, err)
	}
	return found, nil
}

// Put implements ports.Cache.
func (s *Store) Put(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
	op, cancel, err := s.operation(ctx)
	if err != nil {
		return "", err
	}
	defer cancel()
	life, rev := ceil(keep), newRev()
	v, err := s.codec.encode(next, rev, s.options.now(), life)
	if err != nil {
		return "", s.unavailable(ctx, "put", next.Origin, err)
	}
	body := "set"
	if next.HasCopy() && next.Copy.Body == nil {
		body = "keep"
	}
	stored, err := s.scripts.put.Run(op, s.client, []string{s.keys.data(next.Origin)},
		string(next.Rev), []byte(v), body, life.Milliseconds(), s.keys.events(next.Origin)).Int()
	if err != nil {
		return "", s.unavailable(ctx, "put", next.Origin, err)
	}
	if stored == 0 {
		return "", ports.ErrConflict
	}
	return rev, nil
}

// A part is how much of a value is read.
type part int64

const (
	wholeValue part = -1
	// headerOnly is where most headers end long before. A longer one, as from an
	// origin with long validators, is read with its body.
	headerOnly part = 511
)

// read reads what is stored; nil if the part was too little to tell. What cannot
// be decoded is reported and read as nothing, under the state that a Put replaces
// it with.
//
// A write may come in between a value and its PTTL, and one state would be given
// the age of another. That shows, as it does when a clock is off, by the writer's
// clock; then both are read again in one step, by a script, which takes longer.
//
// A transaction would be one step, too, but go-redis v9.23 puts a connection back
// out of step when MULTI itself is refused, and the next command gets the answer
// to another.
func (s *Store) read(ctx context.Context, origin site.Origin, most part) (*policy.Snapshot, error) {
	v, left, err := s.look(ctx, origin, most)
	if err != nil && !isOther(err) {
		return nil, err
	}
	if most != wholeValue {
		if end, ok := v.headerEnd(); !ok && end > 0 {
			return nil, nil
		}
	}
	var found *policy.Snapshot
	fits, fault := true, err
	switch {
	case fault != nil:
		fault = fmt.Errorf("%w: the key is no string", errCorrupt)
	case len(v) == 0 || v.deleted():
		return &policy.Snapshot{Origin: origin, Rev: v.rev()}, nil
	default:
		found, fits, fault = s.codec.decode(origin, v, most == wholeValue, left, s.options.now())
	}
	if !fits || left == gone {
		if v, left, err = s.lookInOneStep(ctx, origin); err != nil {
			return nil, err
		}
		if len(v) == 0 || v.deleted() {
			return &policy.Snapshot{Origin: origin, Rev: v.rev()}, nil
		}
		found, _, fault = s.codec.decode(origin, v, true, left, s.options.now())
	}
	if fault != nil {
		if s.options.OnCorrupt != nil {
			s.options.OnCorrupt(origin, fault)
		}
		return &policy.Snapshot{Origin: origin, Rev: v.rev()}, nil
	}
	found.Rev = v.rev()
	return found, nil
}

// look reads a value and what is left of its life in one round trip.
func (s *Store) look(ctx context.Context, origin site.Origin, most part) (value, time.Duration, error) {
	if most == headerOnly {
		return s.headers.ask(ctx, s.keys.data(origin))
	}
	return s.values.ask(ctx, s.keys.data(origin))
}

// lookInOneStep is look with nothing in between.
func (s *Store) lookInOneStep(ctx context.Context, origin site.Origin) (value, time.Duration, error) {
	reply, err := s.scripts.read.Run(ctx, s.client, []string{s.keys.data(origin)}).Slice()
	if err != nil {
		return nil, 0, err
	}
	if len(reply) == 2 {
		text, isText := reply[0].(string) // nil if there is none
		left, isInt := reply[1].(int64)
		if (isText || reply[0] == nil) && isInt {
			return octetsOf(text), milliseconds(left), nil
		}
	}
	return nil, 0, fmt.Errorf("the script that reads returned %T", reply)
}

// isOther reports whether an error says that a key holds something else than a
// string.
func isOther(err error) bool { return redis.HasErrorPrefix(err, "WRONGTYPE") }

// milliseconds is a PTTL as go-redis returns it: what is negative says something
// else.
func milliseconds(pttl int64) time.Duration {
	if pttl < 0 {
		return time.Duration(pttl)
	}
	return time.Duration(pttl) * time.Millisecond
}

// gone is go-redis' PTTL of a key that is not there.
const gone = -2 * time.Nanosecond

// ceil rounds up to milliseconds, the unit of Redis, and to one at least: a key
// must not have less life than it was promised.
func ceil(d time.Duration) time.Duration {
	whole := d.Truncate(time.Millisecond)
	if whole < d && whole < math.MaxInt64-time.Millisecond {
		whole += time.Millisecond
	}
	return max(whole, time.Millisecond)
}
