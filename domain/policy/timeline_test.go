package policy_test

import (
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
)

// What is known of an origin as time goes by: what came when, and what that means
// from then on, to rfc, google, archive and strict in this order ("A" allowed,
// "D" disallowed, "C" by the last copy). Times are since the beginning, and need
// not go forward: clocks step.
func TestTimelines(t *testing.T) {
	good := answer(200, policy.Response{Body: []byte(someFile), Header: policy.Header{ETag: `"v1"`}})
	same := answer(304, policy.Response{})
	same.Conditional = true
	status := func(code int) policy.Answer { return answer(code, policy.Response{Body: []byte(somePage)}) }
	busy := answer(429, policy.Response{Header: policy.Header{RetryAfter: "7200"}})
	down := failure(policy.FailedConnect)
	refused := failure(policy.RefusedAddress)
	ours := failure(policy.FailedLocally)
	ours.Err.Local = true
	nothing := policy.Answer{}

	type step struct {
		at     time.Duration
		answer policy.Answer // nothing: only a question
		want   string
		fresh  time.Duration // the longest that it may hold for
	}
	for _, line := range []struct {
		rules    string
		sections string
		steps    []step
	}{
		{"F1, F11: the last good copy stands in and recovers", "§2.3.1.1, §2.3.1.4, §2.4", []step{
			{0, good, "CCCC", day},
			{day, status(500), "CDCC", time.Minute},
			{day + time.Minute, down, "CDCC", 2 * time.Minute},
			{day + 3*time.Minute, busy, "CDCC", 2 * time.Hour},
			{day + 12*time.Hour - time.Second, nothing, "CDCC", 0}, // google's 12 h are from the first failure on
			{day + 12*time.Hour, nothing, "CCCC", 0},
			{2 * day, same, "CCCC", day}, // F2
			{3 * day, status(503), "CDCC", time.Minute},
		}},
		{"F13: for ever, or for 30 days", "§2.3.1.4; G: 30 days", []step{
			{0, good, "CCCC", day},
			{day, down, "CDCC", time.Minute},
			{2 * day, down, "CCCC", 2 * time.Minute},
			{31*day - 1, down, "CCCC", 4 * time.Minute},
			{31 * day, nothing, "CAAC", 0},
			{400 * day, down, "CAAC", 8 * time.Minute},
			{401 * day, good, "CCCC", day},
		}},
		{"F11: without a copy", "§2.3.1.4; G: 12 hours", []step{
			{0, down, "DDAD", time.Minute},
			{time.Minute, status(502), "DDAD", 2 * time.Minute},
			{12 * time.Hour, nothing, "DAAD", 0},
			{400 * day, nothing, "DAAD", 0},
		}},
		{"F7: a 404 is no copy, and drops one", "§2.3.1.3, §2.3.1.4", []step{
			{0, good, "CCCC", day},
			{day, status(404), "AAAA", day},
			{2 * day, status(500), "DDAD", time.Minute},
			{3 * day, good, "CCCC", day},
			{4 * day, status(410), "AAAA", day},
			{5 * day, down, "DDAD", time.Minute},
		}},
		{"F3: nor is a page", "§2.3.1.1, §2.3.1.4", []step{
			{0, good, "CCCC", day},
			{day, status(200), "AAAA", time.Hour},
			{2 * day, down, "DDAD", time.Minute},
		}},
		{"F5, F7, F8 keep it", "§2.3.1.2, §2.3.1.3", []step{
			{0, good, "CCCC", day},
			{day, status(403), "AAAD", 6 * time.Hour},
			{2 * day, status(418), "AAAA", 6 * time.Hour},
			{3 * day, stopped(policy.StopTooMany), "AAAC", time.Hour},
			{4 * day, down, "CDCC", time.Minute},
		}},
		{"F6, F9, F10 are failures like others", "§2.3.1.4; G: 429", []step{
			{0, good, "CCCC", day},
			{day, refused, "CDCC", time.Hour},
			{day + time.Hour, status(408), "CDCC", 2 * time.Minute},
			{day + 2*time.Hour, status(429), "CDCC", 4 * time.Minute},
			{day + 13*time.Hour, stopped(policy.StopScheme), "CCCC", time.Hour},
		}},
		{"F14: a failure of our own says nothing", "§2.3.1.4", []step{
			{0, ours, "DDAD", time.Minute},
			{time.Minute, ours, "DDAD", time.Minute},
			{2 * time.Minute, good, "CCCC", day},
			{day, ours, "CDCC", time.Minute},
			{day + time.Minute, down, "CDCC", time.Minute},
			{day + 2*time.Minute, ours, "CDCC", time.Minute},
			{day + 3*time.Minute, down, "CDCC", 2 * time.Minute},
		}},
		{"the clock goes back while the origin answers", "§2.4", []step{
			{10 * day, good, "CCCC", day},
			{0, good, "CCCC", day},
			{-400 * day, same, "CCCC", day},
			{0, status(404), "AAAA", day},
			{-day, down, "DDAD", time.Minute},
		}},
		{"the clock goes back while the origin fails", "§2.3.1.4", []step{
			{0, good, "CCCC", day},
			{10 * day, down, "CDCC", time.Minute},
			{5 * day, nothing, "CDCC", 0}, // as if it had just begun
			{2 * day, down, "CDCC", 2 * time.Minute},
			{2*day + 12*time.Hour, nothing, "CCCC", 0}, // from the earlier of the two on
			{-400 * day, nothing, "CDCC", 0},
			{-400 * day, down, "CDCC", 4 * time.Minute},
			{3 * day, nothing, "CAAC", 0}, // and forward again: it failed for 403 days, as far as anybody can tell
			{3 * day, same, "CCCC", day},
		}},
	} {
		var s *policy.Snapshot
		for i, step := range line.steps {
			at := someTime.Add(step.at)
			if step.answer.Origin == someOrigin {
				a := step.answer
				a.At = at
				s = policy.Next(s, a, policy.Lifetimes{})
				if holds := s.FreshUntil.Sub(at); holds > step.fresh || holds < step.fresh-step.fresh/10 {
					t.Errorf("%s (%s), step %d: it holds for %s, want %s", line.rules, line.sections, i, holds, step.fresh)
				}
			}
			for profile := policy.RFC; profile <= policy.Strict; profile++ {
				if got, d := basisOf(t, s, profile, at); got != step.want[profile:profile+1] {
					t.Errorf("%s (%s), step %d, %s: %s, want %s: %s", line.rules, line.sections, i, profile, got, step.want[profile:profile+1], d)
				}
			}
		}
	}
}
