package porttest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/site"
)

// Leaser checks what ports.Leaser promises. The workers need a Cache as well, as
// a Put wakes who waits.
func Leaser(t *testing.T, open Open) {
	t.Helper()
	Run(t, LeaserChecks(), open)
}

// LeaserChecks returns the checks of ports.Leaser.
func LeaserChecks() []Check[Open] {
	return []Check[Open]{
		{"one worker holds the lease", "ports.Leaser.TryLease, SEMANTICS C1", oneHolder},
		{"of many who try one gets the lease", "SEMANTICS C1", oneOfMany},
		{"TryLease never blocks", "ports.Leaser.TryLease", neverBlocks},
		{"a released lease is free", "ports.Leaser.TryLease, release", released},
		{"release frees only what is still its own", "ports.Leaser.TryLease, release", lateRelease},
		{"release does not depend on the context", "ports.Leaser.TryLease, release", releaseContext},
		{"a lease runs out", "ports.Leaser.TryLease, ttl", leaseEnds},
		{"a lease is not cut short", "ports.Leaser.TryLease, ttl", leaseLasts},
		{"Wait ends within a second", "ports.Leaser.Wait", waitEnds},
		{"Wait wakes when the lease is freed", "ports.Leaser.Wait", wakesAtRelease},
		{"Wait wakes when the lease runs out", "ports.Leaser.Wait", wakesAtEnd},
		{"Wait wakes at a Put", "ports.Leaser.Wait", wakesAtPut},
		{"Wait ends with its context", "ports.Leaser.Wait", waitContext},
		{"everybody who waits comes back", "ports.Leaser.Wait, SEMANTICS C1", allComeBack},
	}
}

// ttl is how long checks take leases for, unless it is about that.
const ttl = time.Minute

// lease is a TryLease that must not fail.
func lease(t T, w Worker, o site.Origin, ttl time.Duration) (release func(), held bool) {
	t.Helper()
	release, held, err := w.TryLease(t.Context(), o, ttl)
	if err != nil {
		t.Fatalf("TryLease(%s): %v", o, err)
	}
	if held && release == nil {
		t.Fatalf("TryLease(%s) is held and has no release", o)
	}
	return release, held
}

// holds is a lease that must be held.
func holds(t T, w Worker, o site.Origin, ttl time.Duration, why string) (release func()) {
	t.Helper()
	release, held := lease(t, w, o, ttl)
	if !held {
		t.Fatalf("TryLease(%s) is not held, %s", o, why)
	}
	return release
}

// taken checks that the lease is not to be had.
func taken(t T, w Worker, o site.Origin, why string) {
	t.Helper()
	if _, held := lease(t, w, o, ttl); held {
		t.Errorf("TryLease(%s) is held, %s", o, why)
	}
}

func oneHolder(t T, open Open) {
	fleet := open(t)
	a, b := fleet.Workers[0], fleet.Workers[1]
	o, other := origin(t, "https://example.com"), origin(t, "http://example.com")
	holds(t, a, o, ttl, "though it is free")
	taken(t, b, o, "though another worker holds it")
	taken(t, a, o, "though this worker holds it already")
	holds(t, b, other, ttl, "though only another origin's is taken")
}

func oneOfMany(t T, open Open) {
	fleet := open(t)
	o := origin(t, "https://example.com")
	var holders atomic.Int32
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			_, held, err := fleet.Workers[i%len(fleet.Workers)].TryLease(t.Context(), o, ttl)
			if err != nil {
				t.Errorf("TryLease: %v", err)
			}
			if held {
				holders.Add(1)
			}
		})
	}
	all.Wait()
	if n := holders.Load(); n != 1 {
		t.Errorf("%d of 32 who tried at once hold the lease, want 1", n)
	}
}

func neverBlocks(t T, open Open) {
	fleet := open(t)
	o := origin(t, "https://example.com")
	release := holds(t, fleet.Workers[0], o, ttl, "though it is free")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var held bool
	var err error
	if _, back := within(func() { _, held, err = fleet.Workers[1].TryLease(ctx, o, ttl) }); !back {
		t.Fatalf("TryLease has been blocking for %v while another worker holds the lease", soon)
	}
	if held || err != nil {
		t.Errorf("TryLease of a taken lease: held %v, error %v", held, err)
	}
	release()
}

func released(t T, open Open) {
	fleet := open(t)
	a, b := fleet.Workers[0], fleet.Workers[1]
	o := origin(t, "https://example.com")
	release := holds(t, a, o, ttl, "though it is free")
	release()
	again := holds(t, b, o, ttl, "though it was released")
	release()
	taken(t, a, o, "as a release was called again after another worker took it")
	again()
	holds(t, a, o, ttl, "though the second holder released it")
}

func lateRelease(t T, open Open) {
	fleet := open(t)
	a, b := fleet.Workers[0], fleet.Workers[1]
	o := origin(t, "https://example.com")
	late := holds(t, a, o, 200*time.Millisecond, "though it is free")
	fleet.pass(time.Second)
	holds(t, b, o, ttl, "though it ran out")
	late()
	taken(t, a, o, "as a late release freed another worker's lease")
}

func releaseContext(t T, open Open) {
	fleet := open(t)
	o := origin(t, "https://example.com")
	ctx, cancel := context.WithCancel(t.Context())
	release, held, err := fleet.Workers[0].TryLease(ctx, o, ttl)
	cancel()
	if err != nil || !held {
		t.Fatalf("TryLease of a free lease: held %v, error %v", held, err)
	}
	release()
	holds(t, fleet.Workers[1], o, ttl, "though it was released, after its context was done")

	if _, held, err := fleet.Workers[0].TryLease(cancelled(t), origin(t, "https://done.example"), ttl); held || !errors.Is(err, context.Canceled) {
		t.Errorf("TryLease with a done context: held %v, error %v, want the context's", held, err)
	}
}

func leaseEnds(t T, open Open) {
	fleet := open(t)
	o := origin(t, "https://example.com")
	holds(t, fleet.Workers[0], o, 500*time.Millisecond, "though it is free")
	fleet.pass(1500 * time.Millisecond)
	holds(t, fleet.Workers[1], o, ttl, "though the first ran out")
}

func leaseLasts(t T, open Open) {
	fleet := open(t)
	o := origin(t, "https://example.com")
	holds(t, fleet.Workers[0], o, 35*time.Second, "though it is free")
	if !fleet.pass(30 * time.Second) {
		fleet.pass(longest)
	}
	taken(t, fleet.Workers[1], o, "before its time was over")
}
