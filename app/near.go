package app

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// nearCache holds compiled policies in this process, bounded by bytes and
// entries (SEMANTICS C4). It knows when a policy has to be looked up again, and
// nothing of how.
type nearCache struct {
	entries *otter.Cache[nearKey, *nearEntry]
	// epoch rises when purges may have been missed: entries of an earlier epoch
	// have to be looked up again.
	epoch atomic.Uint64
	floor uint32 // the least that an entry weighs, which bounds their number
}

type nearKey struct {
	origin  site.Origin
	reading int
}

// A nearEntry is a policy and its age. Times are since the desk was opened: a
// step of the wall clock must not make an entry eternal.
type nearEntry struct {
	policy *policy.Policy
	epoch  uint64
	soon   atomic.Int64  // from here on it is looked up again behind the callers' backs; claimed with claimed
	late   time.Duration // from here on callers wait for the look
}

// claimed stands in nearEntry.soon while somebody looks.
const claimed = math.MaxInt64

func newNearCache(maxBytes, maxEntries int) (*nearCache, error) {
	n := &nearCache{floor: uint32(min(max(maxBytes/maxEntries, 1), math.MaxInt32))}
	var err error
	n.entries, err = otter.New(&otter.Options[nearKey, *nearEntry]{
		MaximumWeight: uint64(maxBytes),
		Weigher: func(_ nearKey, entry *nearEntry) uint32 {
			return max(n.floor, uint32(min(entry.policy.Size(), math.MaxInt32)))
		},
		// Upkeep runs on the goroutine that causes it, so that none is left
		// behind when the Gate is closed.
		Executor: func(upkeep func()) { upkeep() },
	})
	return n, err
}

// get returns the entry of an origin for a reading, or nil.
func (n *nearCache) get(origin site.Origin, reading int) *nearEntry {
	if reading == noNear {
		return nil
	}
	entry, _ := n.entries.GetIfPresent(nearKey{origin, reading})
	return entry
}

// put keeps a policy that was looked up in an epoch.
func (n *nearCache) put(origin site.Origin, reading int, p *policy.Policy, epoch uint64, soon, late time.Duration) {
	if reading == noNear {
		return
	}
	entry := &nearEntry{policy: p, epoch: epoch, late: late}
	entry.soon.Store(int64(soon))
	n.entries.Set(nearKey{origin.Clone(), reading}, entry)
}

// forget drops every reading of an origin.
func (n *nearCache) forget(origin site.Origin, readings int) {
	for reading := range readings {
		n.drop(origin, reading)
	}
}

// drop drops one reading of an origin.
func (n *nearCache) drop(origin site.Origin, reading int) {
	n.entries.Invalidate(nearKey{origin, reading})
}

// age is what a nearEntry's age asks for.
type age uint8

const (
	young  age = iota // nothing
	ageing            // the caller is the one to start a look behind the callers' backs
	old               // callers wait for the look
)

// age judges an entry at a time since the desk was opened.
func (n *nearCache) age(entry *nearEntry, at time.Duration) age {
	if at >= entry.late || entry.epoch != n.epoch.Load() {
		return old
	}
	if soon := entry.soon.Load(); int64(at) >= soon && entry.soon.CompareAndSwap(soon, claimed) {
		return ageing
	}
	return young
}
