// Package memory keeps what workers share in this process: the store of a
// crawler that is one process, and the fake of tests.
//
// It implements the Cache, Leaser and Watcher of package ports and follows
// SEMANTICS C as far as one process goes. Use it when there is no Redis, or in
// a test; workers in several processes need redisstore.
//
// It runs no goroutine of its own and works in a bubble of testing/synctest, as
// long as the Store is made inside.
package memory

import (
	"container/list"
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

var (
	_ ports.Cache   = (*Store)(nil)
	_ ports.Leaser  = (*Store)(nil)
	_ ports.Watcher = (*Store)(nil)
)

// Options bound a Store. The zero value of each field is its default.
type Options struct {
	MaxBytes   int // what the snapshots may take, about; 64 MiB
	MaxEntries int // how many origins are remembered; 100,000
}

// A Store holds snapshots, leases and watchers in memory. It is safe for
// concurrent use.
//
// It is bounded: over a limit the snapshot that was not asked for the longest is
// dropped, before its time. That costs a fetch and no wrong answer, as a dropped
// snapshot's Rev is gone and every Rev is used once. A Delete is remembered for
// 10 minutes beside the snapshots; if more than a quarter of MaxEntries are
// deleted within that time, the oldest are forgotten early. From then on an
// unknown origin has a Rev never used before, so that a Put made from any
// unknown state that was seen until then conflicts, about whatever origin it is:
// a few fetches too many, and still no old Put gets past a Delete.
type Store struct {
	maxBytes   int
	maxEntries int
	maxGraves  int

	mu      sync.Mutex
	entries map[site.Origin]*list.Element // of *entry, in used or in graves
	used    list.List                     // snapshots, the last used first
	graves  list.List                     // deleted origins, the oldest first
	bytes   int                           // what the snapshots take
	unknown policy.Rev                    // the Rev of an origin without an entry
	revs    revs

	leases  map[site.Origin]*lease
	waiting map[site.Origin]chan struct{} // closed when it may be worth looking again
	watches map[*watch]struct{}
	closed  chan struct{}
}

// entry is the state of one origin: a snapshot, or in a grave only its Rev.
type entry struct {
	snapshot policy.Snapshot
	until    time.Time
	bytes    int
	grave    bool
}

// graveTime is how long a Delete outlives the Puts made before it (ports.Cache).
const graveTime = 10 * time.Minute

// New returns an empty Store. It fails if a limit is negative.
func New(options Options) (*Store, error) {
	if options.MaxBytes < 0 || options.MaxEntries < 0 {
		return nil, fmt.Errorf("memory: MaxBytes %d and MaxEntries %d must not be negative; 0 is the default",
			options.MaxBytes, options.MaxEntries)
	}
	s := &Store{
		maxBytes:   options.MaxBytes,
		maxEntries: options.MaxEntries,
		entries:    make(map[site.Origin]*list.Element),
		revs:       revs{prefix: rand.Text()[:8]},
		leases:     make(map[site.Origin]*lease),
		waiting:    make(map[site.Origin]chan struct{}),
		watches:    make(map[*watch]struct{}),
		closed:     make(chan struct{}),
	}
	if s.maxBytes == 0 {
		s.maxBytes = 64 << 20
	}
	if s.maxEntries == 0 {
		s.maxEntries = 100_000
	}
	s.maxGraves = max(1, s.maxEntries/4)
	return s, nil
}

// Get implements ports.Cache. The body is always at hand.
func (s *Store) Get(ctx context.Context, origin site.Origin, _ policy.Hash) (*policy.Snapshot, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	element, found := s.find(origin, time.Now())
	if !found {
		return &policy.Snapshot{Origin: origin, Rev: s.unknown}, nil
	}
	e := element.Value.(*entry)
	if !e.grave {
		s.used.MoveToFront(element)
	}
	// A copy: the caller may put a changed one without touching what is stored.
	snapshot := e.snapshot
	return &snapshot, nil
}

// Put implements ports.Cache.
func (s *Store) Put(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
	if err := s.enter(ctx); err != nil {
		return "", err
	}
	defer s.mu.Unlock()
	now := time.Now()
	element, found := s.find(next.Origin, now)
	stored := policy.Snapshot{Rev: s.unknown}
	if found {
		stored = element.Value.(*entry).snapshot
	}
	if next.Rev != stored.Rev {
		return "", ports.ErrConflict
	}
	e := &entry{snapshot: *next, until: now.Add(max(keep, 0))}
	copied := &e.snapshot.Copy
	switch {
	case !e.snapshot.HasCopy():
		copied.Body = nil
	case copied.Body == nil:
		if stored.Copy.Body == nil || stored.Copy.Hash != copied.Hash {
			return "", ports.ErrConflict
		}
		copied.Body, copied.Scope = stored.Copy.Body, stored.Copy.Scope
	default:
		copied.Body = clip(copied.Body)
	}
	e.bytes = sizeOf(&e.snapshot)
	e.snapshot.Rev = s.revs.next()
	if found {
		s.remove(element)
	}
	s.entries[next.Origin] = s.used.PushFront(e)
	s.bytes += e.bytes
	s.shrink(now)
	s.wake(next.Origin)
	return e.snapshot.Rev, nil
}

// Delete implements ports.Cache.
func (s *Store) Delete(ctx context.Context, origin site.Origin) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	now := time.Now()
	if element, found := s.find(origin, now); found {
		s.remove(element)
	}
	s.entries[origin] = s.graves.PushBack(&entry{
		snapshot: policy.Snapshot{Origin: origin, Rev: s.revs.next()},
		until:    now.Add(graveTime),
		grave:    true,
	})
	s.shrink(now)
	for w := range s.watches {
		w.tell(origin)
	}
	s.wake(origin)
	return nil
}

// Close ends every Wait and Watch; from then on the Store answers with an error
// that wraps ports.ErrUnavailable. What was stored is gone.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed() {
		return nil
	}
	close(s.closed)
	for origin, l := range s.leases {
		l.end.Stop()
		delete(s.leases, origin)
	}
	clear(s.entries)
	s.used.Init()
	s.graves.Init()
	s.bytes = 0
	return nil
}

var errClosed = fmt.Errorf("%w: the memory store is closed", ports.ErrUnavailable)

// enter takes the lock, unless ctx is done or the Store closed.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.isClosed() {
		s.mu.Unlock()
		return errClosed
	}
	return nil
}

func (s *Store) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// find returns origin's entry unless its time is over.
func (s *Store) find(origin site.Origin, now time.Time) (*list.Element, bool) {
	element, found := s.entries[origin]
	if found && !now.Before(element.Value.(*entry).until) {
		s.remove(element)
		return nil, false
	}
	return element, found
}

// shrink brings the Store back under its limits.
func (s *Store) shrink(now time.Time) {
	for front := s.graves.Front(); front != nil; front = s.graves.Front() {
		over := !now.Before(front.Value.(*entry).until)
		if !over && s.graves.Len() <= s.maxGraves {
			break
		}
		if !over {
			// A Put from before this Delete may still come. Nothing says so any
			// more but the Rev, which must not be one that it can have seen.
			s.unknown = s.revs.next()
		}
		s.remove(front)
	}
	for s.used.Len() > 0 && (s.bytes > s.maxBytes || len(s.entries) > s.maxEntries) {
		s.remove(s.used.Back())
	}
}

func (s *Store) remove(element *list.Element) {
	e := element.Value.(*entry)
	delete(s.entries, e.snapshot.Origin)
	if e.grave {
		s.graves.Remove(element)
		return
	}
	s.used.Remove(element)
	s.bytes -= e.bytes
}

// revs makes Revs, each once. The prefix keeps those of two Stores apart, and
// from those of a shared store that this one stands in for.
type revs struct {
	prefix string
	last   uint64
}

func (r *revs) next() policy.Rev {
	r.last++
	return policy.Rev(r.prefix + "-" + strconv.FormatUint(r.last, 36))
}

// clip returns body in an array of its own if it would otherwise keep a much
// larger one from being freed.
func clip(body []byte) []byte {
	if cap(body)-len(body) <= len(body)/4 {
		return body
	}
	return append(make([]byte, 0, len(body)), body...)
}

// overhead is what an entry takes besides its texts: the structs, the list's and
// the map's parts.
const overhead = 768

func sizeOf(s *policy.Snapshot) int {
	return overhead + len(s.Copy.Body) + len(s.Origin.String()) + len(s.FinalURL) + len(s.Copy.Charset) +
		len(s.Copy.Validators.URL) + len(s.Copy.Validators.ETag) + len(s.Copy.Validators.LastModified)
}
