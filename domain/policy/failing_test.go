package policy_test

import (
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
)

// F11, F13: what an origin that stays unreachable means, as time goes by.
func TestUnreachableForLong(t *testing.T) {
	const month = 30 * day
	type span struct {
		since time.Duration // the first failure
		basis string        // as basisOf tells it
	}
	tests := []struct {
		rule        string
		profile     policy.Profile
		lastGoodMax time.Duration
		copied      bool
		spans       []span
	}{
		{"F11 complete disallow", policy.RFC, 0, false, []span{{0, "D"}, {12 * time.Hour, "D"}, {month, "D"}, {12 * month, "D"}}},
		{"F11 last good copy", policy.RFC, 0, true, []span{{0, "C"}, {12 * time.Hour, "C"}, {month - 1, "C"}}},
		{"F13 the last good copy is still used", policy.RFC, 0, true, []span{{month, "C"}, {12 * month, "C"}}},
		{"F13 the last good copy is still used", policy.RFC, 48 * time.Hour, true, []span{{48 * time.Hour, "C"}, {month, "C"}}},
		{"F11 strict", policy.Strict, 0, false, []span{{0, "D"}, {month, "D"}, {12 * month, "D"}}},
		{"F11 strict", policy.Strict, 0, true, []span{{0, "C"}, {month, "C"}, {12 * month, "C"}}},
		{"F11 google, 12 hours", policy.Google, 0, false, []span{{0, "D"}, {12*time.Hour - 1, "D"}}},
		{"F11 google, 12 hours", policy.Google, 0, true, []span{{0, "D"}, {12*time.Hour - 1, "D"}}},
		{"F11 google, then the copy, without one allowed", policy.Google, 0, true, []span{{12 * time.Hour, "C"}, {month - 1, "C"}}},
		{"F11 google, then the copy, without one allowed", policy.Google, 0, false, []span{{12 * time.Hour, "A"}, {month, "A"}}},
		{"F11 google, after 30 days allowed", policy.Google, 0, true, []span{{month, "A"}, {12 * month, "A"}}},
		{"archive: the copy, else allowed", policy.Archive, 0, true, []span{{0, "C"}, {month - 1, "C"}, {month, "A"}}},
		{"archive: the copy, else allowed", policy.Archive, 0, false, []span{{0, "A"}, {month, "A"}}},
		{"archive: for as long as is said", policy.Archive, 48 * time.Hour, true, []span{{0, "C"}, {48*time.Hour - 1, "C"}, {48 * time.Hour, "A"}}},
	}
	for _, test := range tests {
		for _, span := range test.spans {
			var prev *policy.Snapshot
			if test.copied {
				prev = withCopy()
			}
			// The first failure is at someTime, others follow up to the question.
			s := policy.Next(prev, failure(policy.FailedConnect), policy.Lifetimes{})
			now := someTime.Add(span.since)
			for at := someTime.Add(max(span.since/10, 1)); at.Before(now); at = at.Add(max(span.since/10, 1)) {
				a := answer(500, policy.Response{})
				a.At = at
				s = policy.Next(s, a, policy.Lifetimes{})
			}
			p, err := policy.Compile(s, policy.Reading{Profile: test.profile, LastGoodMax: test.lastGoodMax}, nil)
			if err != nil {
				t.Fatal(err)
			}
			private, public := p.Decide("/private", now), p.Decide("/public", now)
			want := map[string][2]bool{"A": {true, true}, "D": {false, false}, "C": {false, true}}[span.basis]
			if [2]bool{private.Allowed, public.Allowed} != want {
				t.Errorf("%s: after %s: %s; %s", test.rule, span.since, private, public)
			}
			if public.Access != policy.AccessUnreachable || public.Stale != (span.basis == "C") || public.Profile != test.profile {
				t.Errorf("M7: %s: after %s: %+v", test.rule, span.since, public)
			}
			if own := p.Decide("/robots.txt", now); !own.Allowed {
				t.Errorf("F: under complete disallow, robots.txt itself: %s", own)
			}
		}
	}
}

// F11: a 404 is no copy. It drops one, and a later failure disallows.
func TestNoCopyOfNothing(t *testing.T) {
	for _, gone := range []policy.Answer{
		answer(404, policy.Response{}),
		answer(410, policy.Response{}),
		answer(200, policy.Response{Body: []byte(somePage)}),
	} {
		s := policy.Next(withCopy(), gone, policy.Lifetimes{})
		if got, d := basisOf(t, s, policy.RFC, someTime); got != "A" || s.HasCopy() {
			t.Errorf("F7: %s", d)
		}
		later := answer(500, policy.Response{})
		later.At = someTime.Add(day)
		s = policy.Next(s, later, policy.Lifetimes{})
		if got, d := basisOf(t, s, policy.RFC, later.At); got != "D" {
			t.Errorf("F11: a 500 after a %d: %s", gone.Response.Status, d)
		}
	}
	// Other answers keep it, and it stands in again.
	s := policy.Next(withCopy(), answer(403, policy.Response{}), policy.Lifetimes{})
	s = policy.Next(s, failure(policy.FailedDNS), policy.Lifetimes{})
	if got, d := basisOf(t, s, policy.RFC, someTime); got != "C" || !d.Stale {
		t.Errorf("F11: a failure after a 403: %s", d)
	}
}

// F11: retried at 1 min × 2ⁿ up to 1 h, less up to a tenth.
func TestBackOff(t *testing.T) {
	minutes := []int{1, 2, 4, 8, 16, 32, 60, 60, 60, 60}
	s, at := withCopy(), someTime
	for n, most := range minutes {
		a := failure(policy.FailedTimeout)
		if n%2 == 1 {
			a = answer(503, policy.Response{})
		}
		a.At = at
		s = policy.Next(s, a, policy.Lifetimes{})
		wait, step := s.RefreshAt.Sub(at), time.Duration(most)*time.Minute
		if wait > step || wait < step-step/10 || s.FreshUntil != s.RefreshAt {
			t.Errorf("F11: after failure %d, retried in %s, want %s", n+1, wait, step)
		}
		if s.Failures != n+1 || s.FailingSince != someTime || !s.Failing() {
			t.Errorf("F11: after failure %d: %d since %s", n+1, s.Failures, s.FailingSince)
		}
		at = s.RefreshAt
	}

	// It recovers with any answer of the origin, whatever that means.
	for _, a := range []policy.Answer{
		answer(200, policy.Response{Body: []byte(someFile)}),
		answer(200, policy.Response{Body: []byte(somePage)}),
		answer(403, policy.Response{}),
		answer(404, policy.Response{}),
		answer(418, policy.Response{}),
		stopped(policy.StopLoop),
	} {
		a.At = at
		recovered := policy.Next(s, a, policy.Lifetimes{})
		if recovered.Failures != 0 || !recovered.FailingSince.IsZero() || recovered.Failing() {
			t.Errorf("F11: recovered by %d: %+v", a.Response.Status, recovered)
		}
		again := failure(policy.FailedTLS)
		again.At = at.Add(time.Hour)
		first := policy.Next(recovered, again, policy.Lifetimes{})
		if wait := first.RefreshAt.Sub(again.At); first.Failures != 1 || first.FailingSince != again.At || wait > time.Minute {
			t.Errorf("F11: the first failure after a recovery is number %d since %s, retried in %s", first.Failures, first.FailingSince, wait)
		}
	}
}

// F11: a store may hold anything; no count of failures is a reason to panic, or
// to leave an origin alone for longer.
func TestBackOffOfOddCounts(t *testing.T) {
	for _, count := range []int{-1 << 62, -1000, -2, -1, 0, 63, 64, 65, 1000, 1<<31 - 1, 1 << 31, 1 << 62} {
		prev := &policy.Snapshot{Origin: someOrigin, Outcome: policy.Unreachable, Failures: count, FailingSince: someTime.Add(-day)}
		s := policy.Next(prev, failure(policy.FailedConnect), policy.Lifetimes{})
		if wait := s.RefreshAt.Sub(someTime); wait < 54*time.Second || wait > time.Hour {
			t.Errorf("F11: after %d failures, retried in %s", count, wait)
		}
	}
}

// F10, F11: Retry-After is honoured, up to Lifetimes.Max.
func TestRetryAfterOfFailures(t *testing.T) {
	tests := []struct {
		rule     string
		status   int
		header   string
		failures int // before
		from, to time.Duration
	}{
		{"F10 seconds", 429, "120", 0, 2 * time.Minute, 2 * time.Minute},
		{"F10 seconds", 429, "7200", 0, 2 * time.Hour, 2 * time.Hour},
		{"F10 a date", 429, "Sat, 21 Nov 2026 14:00:00 GMT", 0, 2 * time.Hour, 2 * time.Hour},
		{"F10 it means that and no more", 429, "120", 8, 2 * time.Minute, 2 * time.Minute},
		{"F10 not at once", 429, "0", 0, time.Minute, time.Minute},
		{"F10 not at once", 429, "1", 8, time.Minute, time.Minute},
		{"F10 not at once", 429, "Sat, 21 Nov 2026 11:00:00 GMT", 0, time.Minute, time.Minute},
		{"F10 at most Max", 429, "9999999999", 0, day, day},
		{"F10 at most Max", 429, "Mon, 21 Nov 2050 14:00:00 GMT", 0, day, day},
		{"F10 else 1 min × 2ⁿ", 429, "", 0, 54 * time.Second, time.Minute},
		{"F10 else 1 min × 2ⁿ", 429, "", 3, 7*time.Minute + 12*time.Second, 8 * time.Minute},
		{"F10 else 1 min × 2ⁿ", 429, "soon", 3, 7*time.Minute + 12*time.Second, 8 * time.Minute},
		{"F10 else 1 min × 2ⁿ", 429, "-5", 9, 54 * time.Minute, time.Hour},
		{"F11 longer than ours", 503, "7200", 0, 2 * time.Hour, 2 * time.Hour},
		{"F11 longer than ours", 500, "Sat, 21 Nov 2026 14:00:00 GMT", 2, 2 * time.Hour, 2 * time.Hour},
		{"F11 not shorter than ours", 503, "5", 0, 54 * time.Second, time.Minute},
		{"F11 not shorter than ours", 503, "120", 5, 28*time.Minute + 48*time.Second, 32 * time.Minute},
		{"F11 at most Max", 503, "9999999999", 0, day, day},
		{"F9", 408, "600", 0, 10 * time.Minute, 10 * time.Minute},
	}
	for _, test := range tests {
		prev := withCopy()
		if test.failures > 0 {
			prev.Outcome, prev.Failures, prev.FailingSince = policy.Unreachable, test.failures, someTime.Add(-time.Hour)
		}
		a := answer(test.status, policy.Response{Header: policy.Header{RetryAfter: test.header}})
		s := policy.Next(prev, a, policy.Lifetimes{})
		if wait := s.RefreshAt.Sub(someTime); wait < test.from || wait > test.to {
			t.Errorf("%s: %d, Retry-After %q after %d failures: retried in %s, want %s to %s", test.rule, test.status, test.header, test.failures, wait, test.from, test.to)
		}
		if got, d := basisOf(t, s, policy.RFC, someTime); got != "C" {
			t.Errorf("%s: %s", test.rule, d)
		}
	}
	a := answer(503, policy.Response{Header: policy.Header{RetryAfter: "86400"}})
	if s := policy.Next(nil, a, policy.Lifetimes{Max: 2 * time.Hour}); s.RefreshAt.Sub(someTime) != 2*time.Hour {
		t.Errorf("F11: with a Max of 2 h, retried in %s", s.RefreshAt.Sub(someTime))
	}
	// Where there is nothing to retry it means nothing.
	for _, status := range []int{200, 403, 404, 418} {
		a := answer(status, policy.Response{Body: []byte(someFile), Header: policy.Header{RetryAfter: "60"}})
		if s := policy.Next(nil, a, policy.Lifetimes{}); s.FreshUntil.Sub(someTime) < time.Hour {
			t.Errorf("F: a %d with Retry-After holds for %s", status, s.FreshUntil.Sub(someTime))
		}
	}
}

// F14: what may be this worker's own failure counts for nothing, and is not to
// be stored; this worker leaves the origin alone for a minute.
func TestLocalFailure(t *testing.T) {
	for _, kind := range []policy.Failure{policy.FailedLocally, policy.FailedDNS, policy.FailedConnect} {
		a := failure(kind)
		a.Err.Local = true
		if !a.Local() {
			t.Errorf("F14: %s is not local", kind)
		}
		failed := policy.Next(withCopy(), failure(policy.FailedTimeout), policy.Lifetimes{})
		for _, prev := range []*policy.Snapshot{nil, withCopy(), failed} {
			s := policy.Next(prev, a, policy.Lifetimes{})
			before := 0
			if prev != nil {
				before = prev.Failures
			}
			if s.Outcome != policy.Unreachable || s.Failures != before || s.RefreshAt != someTime.Add(time.Minute) {
				t.Errorf("F14: after %d failures: %+v", before, s)
			}
			want := map[bool]string{true: "C", false: "D"}[prev != nil]
			if got, d := basisOf(t, s, policy.RFC, someTime); got != want || d.Access != policy.AccessUnreachable {
				t.Errorf("F14: %s", d)
			}
		}
	}
	other := failure(policy.FailedLocally)
	plain := answer(500, policy.Response{})
	if other.Local() || plain.Local() {
		t.Error("F14: a failure is local that does not say so")
	}
}

// Clocks step. A snapshot from the future neither panics nor keeps an origin
// from being asked for longer than its lifetime.
func TestTimeGoesBack(t *testing.T) {
	s := policy.Next(withCopy(), failure(policy.FailedConnect), policy.Lifetimes{})
	a := failure(policy.FailedConnect)
	a.At = someTime.Add(-48 * time.Hour)
	back := policy.Next(s, a, policy.Lifetimes{})
	if back.FailingSince != a.At || back.Failures != 2 || back.RefreshAt.Sub(a.At) > 2*time.Minute {
		t.Errorf("F11: two days earlier: %+v", back)
	}
	if got, d := basisOf(t, back, policy.RFC, a.At); got != "C" {
		t.Errorf("F11: two days earlier: %s", d)
	}
	for profile := policy.RFC; profile <= policy.Strict; profile++ {
		// As if no time had gone by since the first failure.
		want, _ := basisOf(t, s, profile, someTime)
		if got, d := basisOf(t, s, profile, someTime.Add(-48*time.Hour)); got != want {
			t.Errorf("F11: asked before the failure: %s", d)
		}
	}
	good := answer(200, policy.Response{Body: []byte(someFile)})
	good.At = someTime.Add(-48 * time.Hour)
	if s := policy.Next(s, good, policy.Lifetimes{}); s.FreshUntil.After(good.At.Add(day)) {
		t.Errorf("F1: fetched two days earlier, it holds until %s", s.FreshUntil)
	}
}

// Nothing is known: whatever else a snapshot says, it must not open an origin.
func TestUnknown(t *testing.T) {
	odd := withCopy()
	odd.Outcome = policy.Unknown
	for _, s := range []*policy.Snapshot{{Origin: someOrigin}, odd} {
		if s.Known() {
			t.Error("it is known")
		}
		next := policy.Next(s, failure(policy.FailedConnect), policy.Lifetimes{})
		if next.HasCopy() || next.Rev != s.Rev || next.Failures != 1 {
			t.Errorf("made from nothing: %+v", next)
		}
		a := answer(304, policy.Response{})
		a.Conditional = true
		if next := policy.Next(s, a, policy.Lifetimes{}); next.Outcome != policy.Unreachable || next.HasCopy() {
			t.Errorf("a 304 about nothing: %+v", next)
		}
		for profile := policy.RFC; profile <= policy.Strict; profile++ {
			if got, d := basisOf(t, s, profile, someTime); got != "D" || d.Access != policy.AccessUnreachable {
				t.Errorf("%s about nothing: %s", profile, d)
			}
		}
	}
	// Nor is a snapshot that speaks of a copy and has none, or of no origin.
	for _, s := range []*policy.Snapshot{
		{Origin: someOrigin, Outcome: policy.Successful, FetchedAt: someTime, FreshUntil: someTime.Add(day)},
		{Outcome: policy.Successful},
		{Origin: someOrigin, Outcome: 200},
		{},
	} {
		for profile := range policy.Profile(4) {
			if profile == policy.Archive { // which crawls freely for want of an answer
				continue
			}
			if got, d := basisOf(t, s, profile, someTime); got != "D" {
				t.Errorf("%s about %+v: %s", profile, s, d)
			}
		}
	}
}
