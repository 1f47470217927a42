package porttest

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

func freshRevs(t T, open Open) {
	w := open(t).Workers[0]
	s := successful(origin(t, "https://example.com"), w.now(), robots)
	seen, rev := map[policy.Rev]bool{"": true}, policy.Rev("")
	for range 20 {
		rev = put(t, w, s, rev)
		if seen[rev] {
			t.Fatalf("Put returned Rev %q a second time", rev)
		}
		seen[rev] = true
	}
}

func lostUpdate(t T, open Open) {
	fleet := open(t)
	a, b := fleet.Workers[0], fleet.Workers[1]
	o := origin(t, "https://example.com")
	first := successful(o, a.now(), []byte("# first"))
	second := successful(o, a.now(), []byte("# second"))
	third := successful(o, a.now(), []byte("# third"))

	rev := put(t, a, first, "")
	refused(t, b, second, "", "from nothing, over a snapshot")
	next := put(t, a, second, rev)
	refused(t, b, third, rev, "from a state that was put over")
	refused(t, b, third, "", "from nothing, over the second snapshot")
	refused(t, b, third, "never-was", "from a Rev that never was")
	if s := get(t, b, o); s.Rev != next || string(s.Copy.Body) != "# second" {
		t.Errorf("after conflicts Rev %q with %q is stored, want %q with the second body", s.Rev, s.Copy.Body, next)
	}
}

func oneWinner(t T, open Open) {
	fleet := open(t)
	w := fleet.Workers[0]
	s := successful(origin(t, "https://example.com"), w.now(), robots)
	rev := policy.Rev("")
	for round := range 3 {
		const workers = 16
		revs, errs := make([]policy.Rev, workers), make([]error, workers)
		var all sync.WaitGroup
		for i := range workers {
			all.Go(func() {
				mine := s
				mine.Rev, mine.Hops = rev, i
				revs[i], errs[i] = fleet.Workers[i%len(fleet.Workers)].Put(t.Context(), &mine, keep)
			})
		}
		all.Wait()
		winner := -1
		for i, err := range errs {
			switch {
			case errors.Is(err, ports.ErrConflict):
			case err != nil:
				t.Errorf("round %d: Put: %v", round, err)
			case winner >= 0:
				t.Errorf("round %d: two Puts from Rev %q were stored", round, rev)
			default:
				winner = i
			}
		}
		if winner < 0 {
			t.Fatalf("round %d: no Put from Rev %q was stored", round, rev)
		}
		got := get(t, w, s.Origin)
		if got.Hops != winner || got.Rev != revs[winner] {
			t.Errorf("round %d: stored is Put %d with Rev %q, want the winner %d with %q",
				round, got.Hops, got.Rev, winner, revs[winner])
		}
		rev = got.Rev
	}
}

func putAfterDelete(t T, open Open) {
	fleet := open(t)
	a, b := fleet.Workers[0], fleet.Workers[1]
	stored, never := origin(t, "https://stored.example"), origin(t, "https://never.example")

	rev := put(t, a, successful(stored, a.now(), robots), "")
	remove(t, b, stored)
	refused(t, a, successful(stored, a.now(), robots), rev, "from the state that was deleted")
	refused(t, a, successful(stored, a.now(), robots), "", "from nothing, after a Delete")

	blank := get(t, a, never)
	remove(t, b, never)
	refused(t, a, successful(never, a.now(), robots), blank.Rev, "from before a Delete of an unknown origin")

	for _, o := range []site.Origin{stored, never} {
		s := get(t, a, o)
		if s.Known() || s.HasCopy() {
			t.Errorf("Get(%s) after a Delete is %+v, want nothing known", o, *s)
		}
		if s.Rev == "" || s.Rev == rev {
			t.Errorf("Get(%s) after a Delete has Rev %q, want one never used before", o, s.Rev)
		}
		remove(t, b, o)
		refused(t, a, successful(o, a.now(), robots), s.Rev, "from the state between two Deletes")
		put(t, a, successful(o, a.now(), robots), get(t, b, o).Rev)
		if !get(t, b, o).Known() {
			t.Errorf("%s cannot be put any more after a Delete", o)
		}
	}
}

func tombstoneLasts(t T, open Open) {
	fleet := open(t)
	w := fleet.Workers[0]
	o := origin(t, "https://example.com")
	before := get(t, w, o)
	remove(t, w, o)
	if !fleet.pass(10*time.Minute - time.Second) {
		t.Logf("this store cannot be hurried: not checked")
		return
	}
	refused(t, w, successful(o, w.now(), robots), before.Rev, "ten minutes after a Delete")
	fleet.pass(time.Hour)
	put(t, w, successful(o, w.now(), robots), get(t, w, o).Rev)
}

func noABA(t T, open Open) {
	fleet := open(t)
	w := fleet.Workers[0]
	o := origin(t, "https://example.com")
	s := successful(o, w.now(), robots)

	old := []policy.Rev{put(t, w, s, "")}
	remove(t, w, o)
	old = append(old, put(t, w, s, get(t, w, o).Rev))
	remove(t, w, o)
	put(t, w, s, get(t, w, o).Rev)
	for i, rev := range old {
		refused(t, w, s, rev, fmt.Sprintf("from the state %d Deletes ago", len(old)-i))
	}

	o = origin(t, "https://aged.example")
	s = successful(o, w.now(), robots)
	first, err := w.Put(t.Context(), &s, 300*time.Millisecond)
	if err != nil {
		t.Fatalf("Put(%s): %v", o, err)
	}
	fleet.pass(time.Second)
	gone := get(t, w, o)
	if gone.Known() {
		t.Logf("this store keeps longer than asked: a Rev's age is not checked")
		return
	}
	refused(t, w, s, first, "from a state that is too old to be there")
	put(t, w, s, gone.Rev)
	refused(t, w, s, first, "from a state before the one that was too old")
}

func keptLongEnough(t T, open Open) {
	fleet := open(t)
	a, b := fleet.Workers[0], fleet.Workers[1]
	for i, keep := range []time.Duration{1500 * time.Millisecond, 2 * time.Hour, 32 * 24 * time.Hour} {
		s := successful(origin(t, fmt.Sprintf("https://host%d.example", i)), a.now(), robots)
		if _, err := a.Put(t.Context(), &s, keep); err != nil {
			t.Fatalf("Put with keep %v: %v", keep, err)
		}
		if !fleet.pass(keep * 2 / 3) {
			t.Logf("this store cannot be hurried: keep %v is not checked", keep)
			continue
		}
		if got := get(t, b, s.Origin); !got.Known() || len(got.Copy.Body) == 0 {
			t.Errorf("a snapshot to be kept for %v is gone after two thirds of it", keep)
		}
	}
	// A time that a careless sum would wrap.
	s := successful(origin(t, "https://long.example"), a.now(), robots)
	if _, err := a.Put(t.Context(), &s, math.MaxInt64); err != nil {
		t.Fatalf("Put with the longest keep: %v", err)
	}
	if !get(t, b, s.Origin).Known() {
		t.Errorf("a snapshot with the longest keep is not there")
	}
}
