package memory_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNewRefusesNegativeLimits(t *testing.T) {
	for _, options := range []memory.Options{{MaxBytes: -1}, {MaxEntries: -1}} {
		if _, err := memory.New(options); err == nil {
			t.Errorf("New(%+v) gave no error", options)
		}
	}
}

func open(t testing.TB, options memory.Options) *memory.Store {
	t.Helper()
	store, err := memory.New(options)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func host(i int) site.Origin {
	origin, err := site.ParseOrigin(fmt.Sprintf("https://host%d.example", i))
	if err != nil {
		panic(err)
	}
	return origin
}

// known reports whether the store has something about an origin, and its Rev.
func known(t testing.TB, store *memory.Store, origin site.Origin) (bool, policy.Rev) {
	t.Helper()
	s, err := store.Get(t.Context(), origin, policy.Hash{})
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	return s.Known(), s.Rev
}

// put tries to store a body, made from rev.
func put(t testing.TB, store *memory.Store, origin site.Origin, rev policy.Rev, body []byte) (policy.Rev, error) {
	t.Helper()
	return store.Put(t.Context(), &policy.Snapshot{
		Origin: origin, Rev: rev, Outcome: policy.Successful,
		Copy: policy.Copy{Hash: policy.HashOf(body), Body: body},
	}, time.Hour)
}

// SEMANTICS C4: bounded by bytes and by entries, the least used goes first.
func TestStoreIsBounded(t *testing.T) {
	for _, row := range []struct {
		name    string
		options memory.Options
		body    int
		most    int
	}{
		{"by bytes", memory.Options{MaxBytes: 64 << 10}, 4 << 10, 15},
		{"by bytes, an array larger than the body", memory.Options{MaxBytes: 64 << 10}, 1 << 10, 63},
		{"by entries", memory.Options{MaxEntries: 10}, 10, 10},
		{"a body larger than the store", memory.Options{MaxBytes: 64 << 10}, 100 << 10, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			store := open(t, row.options)
			const all = 100
			for i := range all {
				known(t, store, host(0)) // asked for all the time
				if _, err := put(t, store, host(i), "", make([]byte, row.body, 2*row.body)); err != nil {
					t.Fatalf("Put %d: %v", i, err)
				}
			}
			kept := 0
			for i := range all {
				if is, _ := known(t, store, host(i)); is {
					kept++
				}
			}
			if kept > row.most || row.most > 0 && kept < row.most/2 {
				t.Errorf("%d of %d snapshots are kept, want about %d and not more", kept, all, row.most)
			}
			if row.most == 0 {
				return
			}
			for _, i := range []int{0, all - 1} {
				if is, _ := known(t, store, host(i)); !is {
					t.Errorf("snapshot %d was dropped, though it was used last", i)
				}
			}
		})
	}
}

func TestAPutFromADroppedStateConflicts(t *testing.T) {
	store := open(t, memory.Options{MaxEntries: 1})
	rev, err := put(t, store, host(0), "", []byte("# a"))
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	if _, err := put(t, store, host(1), "", []byte("# b")); err != nil {
		t.Fatalf("Put: %v", err)
	}
	if is, _ := known(t, store, host(0)); is {
		t.Fatalf("nothing was dropped: this test proves nothing")
	}
	if _, err := put(t, store, host(0), rev, []byte("# c")); !errors.Is(err, ports.ErrConflict) {
		t.Errorf("Put from a dropped state: %v, want ErrConflict", err)
	}
}

// A Delete that had to be forgotten early still holds off the Puts made before
// it, and costs those of other origins one conflict.
func TestDeletesUnderPressure(t *testing.T) {
	store := open(t, memory.Options{MaxEntries: 8})
	_, before := known(t, store, host(0))
	for i := range 10 {
		if err := store.Delete(t.Context(), host(i)); err != nil {
			t.Fatalf("Delete: %v", err)
		}
	}
	for _, i := range []int{0, 9, 99} {
		if _, err := put(t, store, host(i), before, []byte("# old")); !errors.Is(err, ports.ErrConflict) {
			t.Errorf("Put of origin %d from before the Deletes: %v, want ErrConflict", i, err)
		}
		_, now := known(t, store, host(i))
		if _, err := put(t, store, host(i), now, []byte("# now")); err != nil {
			t.Errorf("Put of origin %d from what is stored now: %v", i, err)
		}
	}
}

// However small the store and in whatever order: what was made from a state
// before a Delete is never stored after it, and what is made from the state of
// now always is.
func TestNoPutGetsPastADelete(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		store, err := memory.New(memory.Options{MaxEntries: rapid.IntRange(1, 9).Draw(r, "entries")})
		if err != nil {
			r.Fatalf("New: %v", err)
		}
		defer func() { _ = store.Close() }()
		ctx := context.Background()
		type look struct {
			rev     policy.Rev
			deleted bool // the origin was deleted since
		}
		looks := make(map[site.Origin][]*look)
		for range rapid.IntRange(1, 80).Draw(r, "steps") {
			origin := host(rapid.IntRange(0, 9).Draw(r, "origin"))
			stored, err := store.Get(ctx, origin, policy.Hash{})
			if err != nil {
				r.Fatalf("Get: %v", err)
			}
			switch rapid.SampledFrom([]string{"get", "put", "delete"}).Draw(r, "step") {
			case "get":
				looks[origin] = append(looks[origin], &look{rev: stored.Rev})
			case "delete":
				if err := store.Delete(ctx, origin); err != nil {
					r.Fatalf("Delete: %v", err)
				}
				for _, l := range looks[origin] {
					l.deleted = true
				}
			case "put":
				from := &look{rev: stored.Rev}
				if len(looks[origin]) > 0 {
					from = rapid.SampledFrom(looks[origin]).Draw(r, "look")
				}
				_, err := store.Put(ctx, &policy.Snapshot{Origin: origin, Rev: from.rev, Outcome: policy.NotFound}, time.Hour)
				switch {
				case err == nil && from.deleted:
					r.Fatalf("a Put from before a Delete was stored")
				case (err == nil) != (from.rev == stored.Rev):
					r.Fatalf("Put from Rev %q, while %q is stored: %v", from.rev, stored.Rev, err)
				}
			}
		}
	})
}

func TestCloseEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := open(t, memory.Options{})
		release, held, err := store.TryLease(t.Context(), host(0), time.Hour)
		if err != nil || !held {
			t.Fatalf("TryLease: held %v, %v", held, err)
		}
		ended := make(chan error, 2)
		go func() { ended <- store.Wait(t.Context(), host(0)) }()
		go func() { ended <- store.Watch(t.Context(), func(site.Origin) {}) }()
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("ended before Close: %v", err)
		default:
		}
		for range 2 {
			if err := store.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
		synctest.Wait()
		for range 2 {
			if err := <-ended; !errors.Is(err, ports.ErrUnavailable) {
				t.Errorf("Wait or Watch ended with %v, want ErrUnavailable", err)
			}
		}
		release() // late, and harmless
		_, getErr := store.Get(t.Context(), host(0), policy.Hash{})
		_, putErr := put(t, store, host(0), "", []byte("# late"))
		_, _, leaseErr := store.TryLease(t.Context(), host(0), time.Hour)
		for method, err := range map[string]error{
			"Get": getErr, "Put": putErr, "Delete": store.Delete(t.Context(), host(0)), "TryLease": leaseErr,
			"Wait": store.Wait(t.Context(), host(0)), "Watch": store.Watch(t.Context(), nil),
		} {
			if !errors.Is(err, ports.ErrUnavailable) {
				t.Errorf("%s after Close: %v, want ErrUnavailable", method, err)
			}
		}
	})
}

// What a slow forget let pile up is bounded; the zero Origin stands for the rest.
func TestWatchSaysWhatItMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := open(t, memory.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		gate := make(chan struct{})
		var said []site.Origin
		go func() {
			_ = store.Watch(ctx, func(origin site.Origin) {
				said = append(said, origin)
				<-gate
			})
		}()
		synctest.Wait()
		const deletes = 5000
		for i := range deletes {
			if err := store.Delete(t.Context(), host(i)); err != nil {
				t.Fatalf("Delete: %v", err)
			}
		}
		close(gate)
		synctest.Wait()
		if len(said) > deletes/2 || len(said) < 2 || !said[1].IsZero() {
			t.Errorf("after the first, Watch said %d origins, want few, and the zero Origin before them", len(said)-1)
		}
		if last := said[len(said)-1]; last != host(deletes-1) {
			t.Errorf("the last thing said is %s, want the last Delete", last)
		}
	})
}
