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

// maxRaces is how often a read starts again because of a write in the midst of
// it. Redis hardly ever lets one in, as a pipeline comes to it in one piece.
const maxRaces = 10

var errRaces = errors.New("it is being written all the time")

// read reads what is stored, with or without the body. What cannot be decoded is
// reported and read as nothing, under the revision that a Put replaces it with.
func (s *Store) read(ctx context.Context, origin site.Origin, whole bool) (*policy.Snapshot, error) {
	for range maxRaces {
		stored, settled, err := s.look(ctx, origin, whole)
		if err != nil {
			return nil, err
		}
		if !settled {
			continue
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
	return nil, errRaces
}

// stored is what was found in Redis.
type stored struct {
	rev    policy.Rev
	record *record       // nil: nothing, or no more than a revision
	left   time.Duration // what is left of the key's life; negative: it has no end
	fault  error         // it cannot even be taken for a record
}

// look makes one pipeline: the record, what is left of its life, and the
// revision once more, since a write may come in between and the life of one
// state would give another the wrong times.
func (s *Store) look(ctx context.Context, origin site.Origin, whole bool) (found stored, settled bool, err error) {
	key := s.keys.data(origin)
	fields := []string{fieldRevision, fieldHeader, fieldDigest, fieldBody}
	if !whole {
		fields = fields[:3]
	}
	pipeline := s.client.Pipeline()
	values := pipeline.HMGet(ctx, key, fields...)
	life := pipeline.PTTL(ctx, key)
	again := pipeline.HGet(ctx, key, fieldRevision)
	_, _ = pipeline.Exec(ctx) // each command has its own error

	if redis.HasErrorPrefix(values.Err(), "WRONGTYPE") {
		return stored{fault: fmt.Errorf("%w: the key is no hash", errCorrupt)}, true, nil
	}
	for _, err := range []error{values.Err(), life.Err(), again.Err()} {
		if err != nil && !errors.Is(err, redis.Nil) {
			return stored{}, false, err
		}
	}
	field := func(i int) (string, bool) {
		if i >= len(values.Val()) {
			return "", false
		}
		text, is := values.Val()[i].(string)
		return text, is
	}
	rev, has := field(0)
	found = stored{rev: policy.Rev(rev), left: life.Val()}
	header, hasHeader := field(1)
	digest, hasDigest := field(2)
	body, hasBody := field(3)
	switch {
	case again.Val() != rev || (again.Err() == nil) != has || has && found.left == gone:
		return stored{}, false, nil
	case !has && (hasHeader || hasDigest || hasBody):
		found.fault = fmt.Errorf("%w: there is no revision", errCorrupt)
	case has && !hasHeader && (hasDigest || hasBody):
		found.fault = fmt.Errorf("%w: there is no header", errCorrupt)
	case hasHeader:
		found.record = &record{header: []byte(header), digest: []byte(digest)}
		if hasBody {
			found.record.body = []byte(body)
		}
	}
	return found, true, nil
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
