package redisstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// graveTime is how long a Delete outlives the Puts made before it (ports.Cache).
const graveTime = 10 * time.Minute

// Get implements ports.Cache. With a hash at hand the body is fetched only if it
// is another.
func (s *Store) Get(ctx context.Context, origin site.Origin, have policy.Hash) (*policy.Snapshot, error) {
	op, cancel, err := s.operation(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	if have != (policy.Hash{}) {
		found, err := s.read(op, origin, false)
		if err != nil {
			return nil, s.unavailable(ctx, "get", origin, err)
		}
		if !found.HasCopy() || found.Copy.Hash == have {
			return found, nil
		}
	}
	found, err := s.read(op, origin, true)
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
	life := ceil(keep)
	r, err := s.codec.encode(next, s.options.now(), life)
	if err != nil {
		return "", s.unavailable(ctx, "put", next.Origin, err)
	}
	body := "set"
	if next.HasCopy() && r.body == nil {
		body = "keep"
	}
	rev := newRev()
	stored, err := s.scripts.put.Run(op, s.client, []string{s.keys.data(next.Origin)},
		string(next.Rev), string(rev), r.header, r.digest, body, r.body, life.Milliseconds(), s.keys.events(next.Origin)).Int()
	if err != nil {
		return "", s.unavailable(ctx, "put", next.Origin, err)
	}
	if stored == 0 {
		return "", ports.ErrConflict
	}
	return rev, nil
}

// Delete implements ports.Cache.
func (s *Store) Delete(ctx context.Context, origin site.Origin) error {
	op, cancel, err := s.operation(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	err = s.scripts.remove.Run(op, s.client, []string{s.keys.data(origin)},
		string(newRev()), graveTime.Milliseconds(), s.keys.events(origin), s.keys.deletes(), origin.String()).Err()
	if err != nil {
		return s.unavailable(ctx, "delete", origin, err)
	}
	return nil
}

// read reads what is stored, with or without the body. What cannot be decoded is
// reported and read as nothing, under the revision that a Put replaces it with.
func (s *Store) read(ctx context.Context, origin site.Origin, whole bool) (*policy.Snapshot, error) {
	stored, err := s.look(ctx, origin, whole)
	if err != nil {
		return nil, err
	}
	nothing := &policy.Snapshot{Origin: origin, Rev: stored.rev}
	if stored.fault == nil && stored.record == nil {
		return nothing, nil
	}
	found, fault := (*policy.Snapshot)(nil), stored.fault
	if fault == nil {
		found, fault = s.codec.decode(origin, *stored.record, stored.left, s.options.now())
	}
	if fault == nil && whole && found.HasCopy() && found.Copy.Body == nil {
		fault = fmt.Errorf("%w: there is no body", errCorrupt)
	}
	if fault != nil {
		if s.options.OnCorrupt != nil {
			s.options.OnCorrupt(origin, fault)
		}
		return nothing, nil
	}
	found.Rev = stored.rev
	return found, nil
}

// tries is how often a read is tried as a pipeline.
const tries = 2

// look reads the record and what is left of its life in one round trip. A write
// may come in between, and one state would be given the age of another: hence the
// revision once more at the end. If it is another, which Redis hardly ever lets
// happen as a pipeline comes to it in one piece, the read starts again, and the
// last time as a script, which takes longer and is one step.
//
// A transaction would be one step, too, but go-redis v9.23 puts a connection back
// out of step when MULTI itself is refused, and the next command gets the answer
// to another.
func (s *Store) look(ctx context.Context, origin site.Origin, whole bool) (stored, error) {
	key := s.keys.data(origin)
	fields := []string{fieldRevision, fieldHeader, fieldDigest, fieldBody}
	if !whole {
		fields = fields[:3]
	}
	for range tries {
		pipeline := s.client.Pipeline()
		values := pipeline.HMGet(ctx, key, fields...)
		life := pipeline.PTTL(ctx, key)
		again := pipeline.HGet(ctx, key, fieldRevision)
		_, _ = pipeline.Exec(ctx) // each command has its own error
		if redis.HasErrorPrefix(values.Err(), "WRONGTYPE") {
			return stored{fault: fmt.Errorf("%w: the key is no hash", errCorrupt)}, nil
		}
		for _, err := range []error{values.Err(), life.Err(), again.Err()} {
			if err != nil && !errors.Is(err, redis.Nil) {
				return stored{}, err
			}
		}
		found := newStored(values.Val(), life.Val())
		if again.Val() == string(found.rev) && (found.empty() || found.left != gone) {
			return found, nil
		}
	}
	arguments := make([]any, len(fields))
	for i, field := range fields {
		arguments[i] = field
	}
	reply, err := s.scripts.read.Run(ctx, s.client, []string{key}, arguments...).Slice()
	if err != nil {
		return stored{}, err
	}
	if len(reply) == 2 {
		values, isSlice := reply[0].([]any)
		left, isInt := reply[1].(int64)
		if isSlice && isInt {
			return newStored(values, milliseconds(left)), nil
		}
	}
	return stored{}, fmt.Errorf("the script that reads returned %T", reply)
}

// stored is what was found in Redis.
type stored struct {
	rev    policy.Rev
	record *record       // nil: nothing, or no more than a revision
	left   time.Duration // what is left of the key's life; negative: it has no end
	fault  error         // it cannot even be taken for a record
}

// newStored takes the fields in the order in which they were asked for.
func newStored(values []any, left time.Duration) stored {
	field := func(i int) (string, bool) {
		if i >= len(values) {
			return "", false
		}
		text, is := values[i].(string)
		return text, is
	}
	rev, hasRev := field(0)
	header, hasHeader := field(1)
	digest, hasDigest := field(2)
	body, hasBody := field(3)
	found := stored{rev: policy.Rev(rev), left: left}
	switch {
	case !hasRev && (hasHeader || hasDigest || hasBody):
		found.fault = fmt.Errorf("%w: there is no revision", errCorrupt)
	case hasHeader:
		found.record = &record{header: []byte(header), digest: []byte(digest)}
		if hasBody {
			found.record.body = []byte(body)
		}
	case hasDigest || hasBody:
		found.fault = fmt.Errorf("%w: there is no header", errCorrupt)
	}
	return found
}

func (s stored) empty() bool { return s.rev == "" && s.record == nil && s.fault == nil }

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
