package app_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// SEMANTICS C1: the answer is there once it is stored. To give the lease back is
// one way to the store more, for which callers do not wait. Close does.
func TestNobodyWaitsForARelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := example(), newStore(t)
		const slow = 10 * time.Second
		adapters := fleet(w, store)
		adapters.Leaser = slowRelease{store, slow}
		gate := newGate(t, adapters)
		held := func() bool {
			t.Helper()
			origin, err := site.ParseOrigin(private)
			if err != nil {
				t.Fatal(err)
			}
			release, free, err := store.TryLease(t.Context(), origin, time.Hour)
			if err != nil {
				t.Fatalf("TryLease: %v", err)
			}
			if free {
				release()
			}
			return !free
		}

		start := time.Now()
		check(t, gate, private, false)
		if took := time.Since(start); took != w.delay {
			t.Errorf("the answer took %v, want the fetch alone, %v", took, w.delay)
		}
		if !held() {
			t.Fatal("the lease was given back at once: this test proves nothing")
		}
		if err := gate.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if took := time.Since(start); took != w.delay+slow {
			t.Errorf("Close came after %v, want it when the lease is given back, %v", took, w.delay+slow)
		}
		if held() {
			t.Error("the lease was not given back")
		}
	})
}

// slowRelease is a Leaser that is far away when a lease is given back.
type slowRelease struct {
	ports.Leaser
	while time.Duration
}

func (s slowRelease) TryLease(ctx context.Context, origin site.Origin, ttl time.Duration) (func(), bool, error) {
	release, held, err := s.Leaser.TryLease(ctx, origin, ttl)
	return func() { time.Sleep(s.while); release() }, held, err
}
