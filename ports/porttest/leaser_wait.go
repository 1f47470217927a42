package porttest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// A Wait that is woken comes back well before the second that ends any Wait.
const (
	woken   = 700 * time.Millisecond
	theLast = 1500 * time.Millisecond
)

func waitEnds(t T, open Open) {
	fleet := open(t)
	o := origin(t, "https://example.com")
	holds(t, fleet.Workers[0], o, ttl, "though it is free")
	// One of three: a machine may be slow, but a promise kept once is no accident
	// where the fault would be to sleep longer always.
	var took time.Duration
	for range 3 {
		var back bool
		var err error
		ctx, cancel := context.WithCancel(t.Context())
		took, back = within(func() { err = fleet.Workers[1].Wait(ctx, o) })
		cancel()
		if !back || err != nil {
			t.Fatalf("Wait came back: %v, error %v, want nil within a second", back, err)
		}
		if took <= theLast {
			return
		}
	}
	t.Errorf("Wait took %v, want about a second at most", took)
}

// wakes checks that Wait is woken by what nudge does: over and over while it
// lasts, as a nudge that comes before Wait listens need not be heard.
func wakes(t T, by string, w Worker, o site.Origin, nudge func()) {
	t.Helper()
	var took time.Duration
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		start := time.Now()
		go func() { done <- w.Wait(ctx, o) }()
		ticker := time.NewTicker(20 * time.Millisecond)
		limit := time.NewTimer(soon)
		for waiting := true; waiting; {
			select {
			case err := <-done:
				if err != nil {
					t.Errorf("Wait: %v", err)
				}
				took, waiting = time.Since(start), false
			case <-ticker.C:
				nudge()
			case <-limit.C:
				t.Errorf("Wait did not come back")
				took, waiting = soon, false
			}
		}
		ticker.Stop()
		limit.Stop()
		cancel()
		if took < woken {
			return
		}
	}
	t.Errorf("Wait took %v, it was not woken by %s", took, by)
}

func wakesAtRelease(t T, open Open) {
	fleet := open(t)
	o := origin(t, "https://example.com")
	release := holds(t, fleet.Workers[0], o, ttl, "though it is free")
	wakes(t, "a release", fleet.Workers[1], o, func() {
		release()
		release = holds(t, fleet.Workers[0], o, ttl, "though it was released")
	})
}

func wakesAtEnd(t T, open Open) {
	fleet := open(t)
	o := origin(t, "https://example.com")
	for i := range 3 {
		release := holds(t, fleet.Workers[0], o, 250*time.Millisecond, "though it is free")
		took, back := within(func() { _ = fleet.Workers[1].Wait(t.Context(), o) })
		if back && took < woken {
			return
		}
		if i == 2 {
			t.Errorf("Wait took %v for a lease of 250 ms", took)
		}
		fleet.pass(time.Second)
		release()
	}
}

func wakesAtPut(t T, open Open) {
	fleet := open(t)
	w := fleet.Workers[0]
	o := origin(t, "https://example.com")
	holds(t, w, o, ttl, "though it is free")
	rev := policy.Rev("")
	wakes(t, "a Put", fleet.Workers[1], o, func() {
		rev = put(t, w, successful(o, w.now(), robots), rev)
	})
}

func waitContext(t T, open Open) {
	fleet := open(t)
	o := origin(t, "https://example.com")
	w := fleet.Workers[1]
	holds(t, fleet.Workers[0], o, ttl, "though it is free")
	if err := w.Wait(cancelled(t), o); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait with a done context: error %v, want the context's", err)
	}
	var took time.Duration
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		var err error
		var back bool
		took, back = within(func() { err = w.Wait(ctx, o) })
		cancel()
		if !back || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait with a context of 100 ms came back: %v, error %v, want the context's", back, err)
			return
		}
		if took < woken {
			return
		}
	}
	t.Errorf("Wait went on for %v after its context was done", took)
}

func allComeBack(t T, open Open) {
	fleet := open(t)
	o := origin(t, "https://example.com")
	release := holds(t, fleet.Workers[0], o, ttl, "though it is free")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	_, back := within(func() {
		for i := range 200 {
			all.Go(func() {
				if err := fleet.Workers[i%len(fleet.Workers)].Wait(ctx, o); err != nil {
					t.Errorf("Wait: %v", err)
				}
			})
		}
		release()
		all.Wait()
	})
	if !back {
		t.Errorf("of 200 who wait some never come back")
	}
}
