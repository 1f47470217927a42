package porttest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// A Fleet is one empty store as several workers see it.
type Fleet struct {
	// Workers are clients of the one store, two at least, each as apart from
	// the others as the adapter can make them.
	Workers []Worker

	// Advance lets that much time pass for the store; nil if it cannot be
	// hurried. Checks then wait for short times and pass over long ones. In a
	// bubble of testing/synctest it is time.Sleep.
	Advance func(time.Duration)
}

// A Worker is one client of a store. A port that is not checked may be nil.
type Worker struct {
	ports.Cache
	ports.Leaser
	ports.Watcher

	// Now is this worker's clock, for adapters that can be given one, to try
	// workers whose clocks disagree; time.Now if nil.
	Now func() time.Time
}

// Open makes a Fleet with an empty store and closes it with t.Cleanup.
type Open func(t T) Fleet

// Store checks everything that a store of snapshots, leases and purges promises.
func Store(t *testing.T, open Open) {
	t.Helper()
	Run(t, StoreChecks(), open)
}

// StoreInFakeTime is Store in bubbles of testing/synctest.
func StoreInFakeTime(t *testing.T, open Open) {
	t.Helper()
	RunInFakeTime(t, StoreChecks(), open)
}

// StoreChecks returns the checks of all three ports.
func StoreChecks() []Check[Open] {
	return slices.Concat(CacheChecks(), LeaserChecks(), WatcherChecks())
}

// now is the worker's clock.
func (w Worker) now() time.Time {
	if w.Now != nil {
		return w.Now()
	}
	return time.Now()
}

// longest is what a check waits for when the store cannot be hurried.
const longest = 2 * time.Second

// pass lets time pass for the store; false: it would take too long.
func (f Fleet) pass(d time.Duration) bool {
	switch {
	case f.Advance != nil:
		f.Advance(d)
	case d > longest:
		return false
	default:
		<-time.After(d)
	}
	return true
}

// soon is how long anything may take that should be done at once, on a machine
// that is doing other things as well.
const soon = time.Minute

// within runs f and reports whether it came back soon, and after how long.
func within(f func()) (took time.Duration, back bool) {
	start, done := time.Now(), make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	limit := time.NewTimer(soon)
	defer limit.Stop()
	select {
	case <-done:
		return time.Since(start), true
	case <-limit.C:
		return soon, false
	}
}

// origin names an origin of a check; tests only know valid ones.
func origin(t T, url string) site.Origin {
	t.Helper()
	o, err := site.ParseOrigin(url)
	if err != nil {
		t.Fatalf("ParseOrigin(%q): %v", url, err)
	}
	return o
}

// get is a Get that must work.
func get(t T, w Worker, o site.Origin) *policy.Snapshot {
	t.Helper()
	s, err := w.Get(t.Context(), o, policy.Hash{})
	if err != nil {
		t.Fatalf("Get(%s): %v", o, err)
	}
	if s == nil {
		t.Fatalf("Get(%s) returned nil without an error", o)
	}
	return s
}

// put is a Put from rev that must work.
func put(t T, w Worker, s policy.Snapshot, rev policy.Rev) policy.Rev {
	t.Helper()
	s.Rev = rev
	next, err := w.Put(t.Context(), &s, keep)
	if err != nil {
		t.Fatalf("Put(%s) from Rev %q: %v", s.Origin, rev, err)
	}
	return next
}

// refused is a Put from rev that must conflict.
func refused(t T, w Worker, s policy.Snapshot, rev policy.Rev, why string) {
	t.Helper()
	s.Rev = rev
	next, err := w.Put(t.Context(), &s, keep)
	if !errors.Is(err, ports.ErrConflict) {
		t.Errorf("Put(%s) %s: Rev %q and error %v, want ErrConflict", s.Origin, why, next, err)
	}
}

// remove is a Delete that must work.
func remove(t T, w Worker, o site.Origin) {
	t.Helper()
	if err := w.Delete(t.Context(), o); err != nil {
		t.Fatalf("Delete(%s): %v", o, err)
	}
}

// keep is how long checks ask snapshots to be kept, unless it is about that.
const keep = time.Hour

// cancelled returns a context that is done.
func cancelled(t T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
