package porttest

import (
	"fmt"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

func bodyKept(t T, open Open) {
	fleet := open(t)
	a, b := fleet.Workers[0], fleet.Workers[1]
	for i, body := range [][]byte{robots, {}} {
		o := origin(t, fmt.Sprintf("https://host%d.example", i))
		s := successful(o, a.now(), body)
		rev := put(t, a, s, "")
		// The origin fails twice; the copy stays (SEMANTICS F11).
		s.Outcome, s.Copy.Body = policy.Unreachable, nil
		for failures := 1; failures <= 2; failures++ {
			s.Failures = failures
			rev = put(t, b, s, rev)
			got := get(t, a, o)
			if got.Failures != failures || got.Outcome != policy.Unreachable {
				t.Errorf("Put without body: got %d failures and %v, want %d and unreachable", got.Failures, got.Outcome, failures)
			}
			if string(got.Copy.Body) != string(body) || got.Copy.Body == nil || got.Copy.Hash != s.Copy.Hash {
				t.Errorf("Put without body: %q is stored, want the body %q that was there", got.Copy.Body, body)
			}
		}
	}
}

func bodyMissing(t T, open Open) {
	w := open(t).Workers[0]
	o := origin(t, "https://example.com")
	bodiless := func(body string) policy.Snapshot {
		s := successful(o, w.now(), []byte(body))
		s.Copy.Body = nil
		return s
	}
	refused(t, w, bodiless("# a"), "", "without a body, where none is stored")
	rev := put(t, w, successful(o, w.now(), []byte("# a")), "")
	refused(t, w, bodiless("# b"), rev, "without a body, where another is stored")
	if s := get(t, w, o); s.Rev != rev || string(s.Copy.Body) != "# a" {
		t.Errorf("after conflicts Rev %q with %q is stored, want nothing changed", s.Rev, s.Copy.Body)
	}
}

func bodyDropped(t T, open Open) {
	w := open(t).Workers[0]
	for i, drop := range []struct {
		how string
		run func(site.Origin, policy.Rev) policy.Rev
	}{
		{"a Put without copy (SEMANTICS F7)", func(o site.Origin, rev policy.Rev) policy.Rev {
			return put(t, w, policy.Snapshot{Origin: o, Outcome: policy.NotFound, Status: 404, FetchedAt: w.now()}, rev)
		}},
		{"a Delete", func(o site.Origin, _ policy.Rev) policy.Rev {
			remove(t, w, o)
			return get(t, w, o).Rev
		}},
		{"a Put of another body", func(o site.Origin, rev policy.Rev) policy.Rev {
			return put(t, w, successful(o, w.now(), []byte("# another")), rev)
		}},
	} {
		o := origin(t, fmt.Sprintf("https://host%d.example", i))
		s := successful(o, w.now(), robots)
		rev := drop.run(o, put(t, w, s, ""))
		if got := get(t, w, o); string(got.Copy.Body) == string(robots) || got.Copy.Hash == s.Copy.Hash {
			t.Errorf("after %s the copy is still there", drop.how)
		}
		s.Copy.Body = nil
		refused(t, w, s, rev, "that asks for a body dropped by "+drop.how)
	}
}

func bodyAtHand(t T, open Open) {
	fleet := open(t)
	a, b := fleet.Workers[0], fleet.Workers[1]
	s := full(origin(t, "https://example.com"), a.now())
	put(t, a, s, "")
	for name, have := range map[string]policy.Hash{
		"its hash": s.Copy.Hash, "another hash": policy.HashOf([]byte("another")), "no hash": {},
	} {
		got, err := b.Get(t.Context(), s.Origin, have)
		if err != nil || got == nil {
			t.Fatalf("Get with %s at hand: %v, %v", name, got, err)
		}
		if have == s.Copy.Hash && got.Copy.Body == nil {
			got.Copy.Body = s.Copy.Body
		}
		for _, fault := range differences(&s, got, b.now().Sub(a.now())) {
			t.Errorf("Get with %s at hand: %s", name, fault)
		}
	}
}
