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
		if _, held, err := other.store.TryLease(t.Context(), origin, time.Minute); held || err != nil {
			t.Fatalf("TryLease by another: %v, %v, want the lease taken: this test proves nothing", held, err)
		}
		var release func()
		held, err := false, error(nil)
		for range 10 { // connections that were dropped fail once each
			if release, held, err = w.store.TryLease(t.Context(), origin, time.Minute); held {
				break
			}
		}
		if !held || err != nil {
			t.Fatalf("TryLease by who took it: %v, %v, want the lease", held, err)
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
	if token, is := store.lost.take(origin); is {
		t.Errorf("it is taken for lost: %v", token)
	}
}

// SEMANTICS F14: a lease is given back by a worker for which there is no connection
// for a moment.
func TestALeaseIsGivenBackALittleLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{})
		release, held, err := w.store.TryLease(t.Context(), origin, time.Minute)
		if !held || err != nil {
			t.Fatalf("TryLease: %v, %v", held, err)
		}
		w.set(true, false)
		w.drop()
		go release()
		time.Sleep(50 * time.Millisecond)
		if !w.m.Exists(w.store.keys.lease(origin)) {
			t.Fatal("the lease was given back: this test proves nothing")
		}
		w.set(false, false)
		time.Sleep(200 * time.Millisecond)
		if w.m.Exists(w.store.keys.lease(origin)) {
			t.Error("the lease was not given back")
		}
		w.set(true, false) // for good: it gives up
		w.drop()
		start := time.Now()
		w.store.giveBack(t.Context(), origin, "key", "token")
		if took := time.Since(start); took < 2*time.Second || took > 4*time.Second {
			t.Errorf("it gave up after %v", took)
		}
	})
}

// Two who ask at once after a lost answer get one lease between them.
func TestALostLeaseIsTakenBackOnce(t *testing.T) {
	store := connect(t, urlOf(serve(t)), Options{})
	store.lost.note(origin, lostToken{"lost", time.Now().Add(time.Minute)})
	if earlier, is := store.lost.take(origin); !is || earlier.token != "lost" {
		t.Fatalf("take: %v, %v", earlier, is)
	}
	if again, is := store.lost.take(origin); is {
		t.Errorf("the second who asks gets %v, too, and would give back the first one's lease", again)
	}

	// While another holds the lease, what was lost may be under way as yet.
	other := connect(t, store.String(), Options{})
	if _, held, err := other.TryLease(t.Context(), origin, time.Minute); !held || err != nil {
		t.Fatalf("TryLease by another: %v, %v", held, err)
	}
	store.lost.note(origin, lostToken{"lost", time.Now().Add(time.Minute)})
	if _, held, err := store.TryLease(t.Context(), origin, time.Minute); held || err != nil {
		t.Errorf("TryLease while another holds it: %v, %v", held, err)
	}
	if earlier, is := store.lost.take(origin); !is || earlier.token != "lost" {
		t.Errorf("after that it knows of %v, %v", earlier, is)
	}
}

func TestLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lost
		take := func() string {
			token, is := l.take(origin)
			if !is {
				return ""
			}
			return token.token
		}
		for name, row := range map[string]struct {
			noted []string
			later time.Duration
			want  string
		}{
			"an origin about which nothing was noted": {nil, 0, ""},
			"noted twice":                 {[]string{"one", "two"}, 0, "two"},
			"when the lease has run out":  {[]string{"one"}, 2 * time.Minute, ""},
			"while the lease may be held": {[]string{"one"}, 59 * time.Second, "one"},
		} {
			for _, token := range row.noted {
				l.note(origin, lostToken{token, time.Now().Add(time.Minute)})
			}
			time.Sleep(row.later)
			if got := take(); got != row.want || len(l.tokens) != 0 {
				t.Errorf("%s: %q and %d kept, want %q", name, got, len(l.tokens), row.want)
			}
		}
		for i := range 5 * maxLost {
			o, err := site.ParseOrigin(fmt.Sprintf("https://o%d.example", i))
			if err != nil {
				t.Fatal(err)
			}
			l.note(o, lostToken{"token", time.Now().Add(time.Minute)})
			if _, is := l.tokens[o]; !is || len(l.tokens) > maxLost {
				t.Fatalf("origin %d: %v, %d kept", i, is, len(l.tokens))
			}
		}
	})
}
