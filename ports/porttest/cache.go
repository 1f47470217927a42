package porttest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// Cache checks what ports.Cache promises.
func Cache(t *testing.T, open Open) {
	t.Helper()
	Run(t, CacheChecks(), open)
}

// CacheChecks returns the checks of ports.Cache. In each, two workers or more
// share one store.
func CacheChecks() []Check[Open] {
	return []Check[Open]{
		{"an unknown origin is a snapshot", "ports.Cache.Get", unknownOrigin},
		{"what is put comes out everywhere", "ports.Cache.Get, SEMANTICS F", roundTrip},
		{"origins are kept apart", "SEMANTICS F, key", originsApart},
		{"every Put makes a Rev of its own", "ports.Cache.Put", freshRevs},
		{"a Put from a state that is gone conflicts", "ports.Cache.Put", lostUpdate},
		{"of many Puts from one state one is stored", "ports.Cache.Put", oneWinner},
		{"a Put from before a Delete conflicts", "ports.Cache.Delete", putAfterDelete},
		{"a Delete is remembered for ten minutes", "ports.Cache.Delete", tombstoneLasts},
		{"a Rev never comes back, by Delete or by age", "ports.Cache.Delete", noABA},
		{"a snapshot is there for as long as asked", "ports.Cache.Put, keep", keptLongEnough},
		{"a Put without body keeps the stored one", "ports.Cache.Put, nil Body", bodyKept},
		{"a Put without body conflicts if it is another's", "ports.Cache.Put, nil Body", bodyMissing},
		{"a body that was dropped stays dropped", "ports.Cache.Put, nil Body", bodyDropped},
		{"a body at hand may be left out", "ports.Cache.Get, have", bodyAtHand},
		{"what was put is the caller's again", "ports.Cache.Put, ownership", callersOwn},
		{"a done context ends every method", "ports.Cache", cacheContext},
		{"a reader never sees two states mixed", "ports.Cache", neverMixed},
	}
}

func unknownOrigin(t T, open Open) {
	o := origin(t, "https://unknown.example")
	s := get(t, open(t).Workers[0], o)
	if s.Known() || s.HasCopy() {
		t.Errorf("Get of an origin that nobody put is %+v, want nothing known", *s)
	}
	if s.Origin != o {
		t.Errorf("Get of an unknown origin is about %q, want %q", s.Origin, o)
	}
	if s.Rev != "" {
		t.Errorf("Get of an origin about which nothing was ever stored has Rev %q, want none", s.Rev)
	}
}

func roundTrip(t T, open Open) {
	fleet := open(t)
	writer := fleet.Workers[0]
	for i, sample := range samples(origin(t, "https://example.com:8443"), writer.now()) {
		s := sample.snapshot
		s.Origin = origin(t, fmt.Sprintf("https://host%d.example.com:8443", i))
		if sample.name == "final URL as expected" {
			s.FinalURL = s.Origin.RobotsURL()
		}
		rev := put(t, writer, s, "")
		for n, reader := range fleet.Workers {
			got := get(t, reader, s.Origin)
			shift := reader.now().Sub(writer.now())
			for _, fault := range differences(&s, got, shift) {
				t.Errorf("%s, read by worker %d: %s", sample.name, n, fault)
			}
			if got.Rev != rev {
				t.Errorf("%s, read by worker %d: Rev %q, want Put's %q", sample.name, n, got.Rev, rev)
			}
		}
	}
}

func originsApart(t T, open Open) {
	fleet := open(t)
	a, b := fleet.Workers[0], fleet.Workers[1]
	origins := []site.Origin{
		origin(t, "http://example.com"), origin(t, "https://example.com"),
		origin(t, "https://example.com:8443"), origin(t, "https://www.example.com"), origin(t, "https://[2001:db8::1]"),
	}
	for _, o := range origins {
		put(t, a, successful(o, a.now(), []byte("# "+o.String())), "")
	}
	remove(t, b, origins[1])
	for i, o := range origins {
		if s, want := get(t, b, o), "# "+o.String(); i == 1 && s.Known() || i != 1 && string(s.Copy.Body) != want {
			t.Errorf("after a Delete of %s, Get(%s) is known: %v, with body %q", origins[1], o, s.Known(), s.Copy.Body)
		}
	}
}

func callersOwn(t T, open Open) {
	w := open(t).Workers[0]
	s := full(origin(t, "https://example.com"), w.now())
	given := s
	rev, err := w.Put(t.Context(), &given, keep)
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	if faults := differences(&s, &given, 0); len(faults) > 0 || given.Rev != "" {
		t.Errorf("Put changed the caller's snapshot: %q, Rev %q", faults, given.Rev)
	}
	// The caller goes on with its snapshot, as it may.
	given.Rev, given.Outcome, given.Failures, given.Copy.Hash = rev, policy.NotFound, 99, policy.Hash{}
	if faults := differences(&s, get(t, w, s.Origin), 0); len(faults) > 0 {
		t.Errorf("what is stored changed with the caller's snapshot: %q", faults)
	}
}

func cacheContext(t T, open Open) {
	w := open(t).Workers[0]
	o := origin(t, "https://example.com")
	s := successful(o, w.now(), robots)
	done := cancelled(t)
	if _, err := w.Get(done, o, policy.Hash{}); !errors.Is(err, done.Err()) {
		t.Errorf("Get with a done context: error %v, want the context's", err)
	}
	if rev, err := w.Put(done, &s, keep); !errors.Is(err, done.Err()) {
		t.Errorf("Put with a done context: %q and error %v, want the context's", rev, err)
	}
	if get(t, w, o).Known() {
		t.Errorf("Put with a done context was stored")
	}
	put(t, w, s, "")
	if err := w.Delete(done, o); !errors.Is(err, done.Err()) {
		t.Errorf("Delete with a done context: error %v, want the context's", err)
	}
	if !get(t, w, o).Known() {
		t.Errorf("Delete with a done context forgot the origin")
	}
}

// neverMixed has one worker put two very different states in turn while others
// read. What the adapter reads in parts must be parts of one state: the header of
// one with the body or the age of the other would be a wrong answer.
func neverMixed(t T, open Open) {
	fleet := open(t)
	writer := fleet.Workers[0]
	o := origin(t, "https://example.com")
	now := writer.now()
	young := successful(o, now, []byte("# young"))
	old := full(o, now)
	old.FetchedAt = now.Add(-20 * 24 * time.Hour)
	keeps := map[policy.Outcome]time.Duration{young.Outcome: time.Hour, old.Outcome: 31 * 24 * time.Hour}

	var readers sync.WaitGroup
	for _, reader := range fleet.Workers {
		readers.Go(func() {
			for read, have := 0, (policy.Hash{}); read < 100; have = young.Copy.Hash {
				got, err := reader.Get(t.Context(), o, have)
				if err != nil {
					t.Errorf("Get: %v", err)
					return
				}
				if !got.Known() {
					continue
				}
				read++
				want := young
				if got.Outcome == old.Outcome {
					want = old
				}
				if got.Copy.Body == nil && want.Copy.Hash == have {
					got.Copy.Body = want.Copy.Body
				}
				if faults := differences(&want, got, reader.now().Sub(writer.now())); len(faults) > 0 {
					t.Errorf("Get of %v is mixed with another state: %q", got.Outcome, faults)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		readers.Wait()
	}()
	rev := policy.Rev("")
	for i := 0; ; i++ {
		next := young
		if i%2 == 1 {
			next = old
		}
		next.Rev = rev
		var err error
		if rev, err = writer.Put(t.Context(), &next, keeps[next.Outcome]); err != nil {
			t.Fatalf("Put: %v", err)
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
