package redisstore

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// SEMANTICS C1: Redis took the lease, and its answer was lost. Whoever asked for it
// gets it when it asks again, and others when it is given back.
func TestALeaseWhoseAnswerWasLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{})
		other := newWireTo(t, w.m, Options{})
		put(t, w.store, succeeded([]byte(body))) // there is a connection
		w.set(false, true)
		if _, held, err := w.store.TryLease(t.Context(), origin, time.Minute); held || !errors.Is(err, ports.ErrUnavailable) {
			t.Fatalf("TryLease: %v, %v, want its answer lost", held, err)
		}
		w.set(false, false)
		w.drop()
		key := w.store.keys.lease(origin)
		if _, held, err := other.store.TryLease(t.Context(), origin, time.Minute); held || err != nil {
			t.Fatalf("TryLease by another: %v, %v, want the lease taken: this test proves nothing", held, err)
		}
		token, _ := w.m.Get(key)
		release, held, err := w.store.TryLease(t.Context(), origin, time.Minute)
		if !held || err != nil {
			t.Fatalf("TryLease by who took it: %v, %v, want the lease", held, err)
		}
		if now, _ := w.m.Get(key); now == token {
			t.Errorf("the lease is still the lost one")
		}
		if _, held, err := w.store.TryLease(t.Context(), origin, time.Minute); held || err != nil {
			t.Errorf("TryLease while it is held: %v, %v", held, err)
		}
		release()
		if _, held, err := other.store.TryLease(t.Context(), origin, time.Minute); !held || err != nil {
			t.Errorf("TryLease by another once it is given back: %v, %v", held, err)
		}
	})
}

// What Redis refused it did not do.
func TestALeaseThatWasRefusedIsNotLost(t *testing.T) {
	m := serve(t)
	store := connect(t, urlOf(m), Options{})
	m.SetError("OOM command not allowed when used memory > 'maxmemory'.")
	if _, held, err := store.TryLease(t.Context(), origin, time.Minute); held || !errors.Is(err, ports.ErrUnavailable) {
		t.Fatalf("TryLease: %v, %v, want ErrUnavailable", held, err)
	}
	if token := store.lost.about(origin); token != "" {
		t.Errorf("it is taken for lost: %s", token)
	}
}

func TestLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lost
		if got := l.about(origin); got != "" {
			t.Errorf("an origin about which nothing was noted: %q", got)
		}
		l.note(origin, "one", time.Now().Add(time.Minute))
		l.note(origin, "two", time.Now().Add(time.Minute))
		if got := l.about(origin); got != "two" {
			t.Errorf("noted twice: %q, want two", got)
		}
		time.Sleep(2 * time.Minute)
		if got := l.about(origin); got != "" || len(l.tokens) != 0 {
			t.Errorf("when the lease has run out: %q, %d kept", got, len(l.tokens))
		}
		for i := range 5 * maxLost {
			o, err := site.ParseOrigin(fmt.Sprintf("https://o%d.example", i))
			if err != nil {
				t.Fatal(err)
			}
			l.note(o, "token", time.Now().Add(time.Minute))
			if l.about(o) != "token" || len(l.tokens) > maxLost {
				t.Fatalf("origin %d: %q, %d kept", i, l.about(o), len(l.tokens))
			}
		}
		l.note(origin, "one", time.Now().Add(time.Minute))
		l.forget(origin)
		if got := l.about(origin); got != "" {
			t.Errorf("forgotten: %q", got)
		}
	})
}
