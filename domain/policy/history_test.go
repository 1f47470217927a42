package policy_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/polite-crawler/polite/domain/policy"
)

// An event is an answer by chance, and what it means for the last good copy and
// the count of failures (SEMANTICS F, below the table).
type event struct {
	answer  policy.Answer
	drops   bool // the copy
	fails   bool
	renews  bool // is a 304
	brings  bool // a copy
	retryIn bool // names a Retry-After
}

func drawEvent(t *rapid.T, at time.Time) event {
	var e event
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0, 1:
		text := someFile + fmt.Sprintf("# %d\n", rapid.IntRange(0, 3).Draw(t, "version"))
		e = event{answer: answer(rapid.SampledFrom([]int{200, 203, 226, 299}).Draw(t, "status"), policy.Response{Body: []byte(text)}), brings: true}
		e.answer.Response.Header.CacheControl = rapid.SampledFrom([]string{"", "max-age=60", "max-age=3600", "max-age=999999", "no-store"}).Draw(t, "caching")
	case 2:
		e = event{answer: answer(304, policy.Response{}), renews: true}
		e.answer.Conditional = rapid.Bool().Draw(t, "conditional")
	case 3:
		e = event{answer: answer(200, policy.Response{Body: []byte(somePage)}), drops: true}
	case 4:
		e = event{answer: answer(rapid.SampledFrom([]int{404, 410}).Draw(t, "status"), policy.Response{}), drops: true}
	case 5:
		e = event{answer: answer(rapid.SampledFrom([]int{400, 401, 402, 403, 418, 451}).Draw(t, "status"), policy.Response{})}
	case 6:
		stop := rapid.SampledFrom([]policy.Stop{policy.StopTooMany, policy.StopLoop, policy.StopLocation, policy.StopScheme}).Draw(t, "stop")
		e = event{answer: stopped(stop), fails: stop == policy.StopScheme}
	case 7:
		e = event{answer: failure(policy.Failure(rapid.IntRange(int(policy.FailedDNS), int(policy.FailedLocally)).Draw(t, "failure"))), fails: true}
		e.answer.Err.Local = rapid.IntRange(0, 4).Draw(t, "local") == 0 && e.answer.Err.Kind != policy.RefusedAddress
	default:
		e = event{answer: answer(rapid.SampledFrom([]int{100, 206, 408, 421, 425, 429, 500, 503, 599, 600}).Draw(t, "status"), policy.Response{}), fails: true}
		e.answer.Response.Header.RetryAfter = rapid.SampledFrom([]string{"", "", "5", "600", "7200", "999999", "soon"}).Draw(t, "retry")
		e.retryIn = e.answer.Response.Header.RetryAfter != ""
	}
	e.answer.At = at
	return e
}

// Whatever an origin does, in whatever order and by whatever clock: without a
// copy an unreachable origin is disallowed; a good copy outlives any number of
// failures; nothing holds for longer than Max while the origin answers; and it
// is never left alone for longer than an hour unless it asks for it.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lifetimes := rapid.SampledFrom([]policy.Lifetimes{{}, {Max: 2 * time.Hour}, {Min: time.Minute, NotFound: 48 * time.Hour}}).Draw(t, "lifetimes")
		most := lifetimes.OrDefault().Max
		var s *policy.Snapshot
		var copyOf policy.Hash // zero: there is none
		failures, at := 0, someTime
		var since time.Time
		for i := range rapid.IntRange(1, 40).Draw(t, "events") {
			at = at.Add(rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour, day, 40 * day, -time.Hour, -2 * day}).Draw(t, "step"))
			e := drawEvent(t, at)
			if s != nil {
				s.Rev = policy.Rev(fmt.Sprint(i))
			}
			before := clone(s)
			next := policy.Next(s, e.answer, lifetimes)
			if again := policy.Next(s, e.answer, lifetimes); !reflect.DeepEqual(next, again) {
				t.Fatalf("Next is not pure: %+v, and then %+v", next, again)
			}
			if !reflect.DeepEqual(s, before) {
				t.Fatalf("Next changed what was known: %+v, it was %+v", s, before)
			}

			fails := e.fails
			switch {
			case e.brings:
				copyOf = policy.HashOf(e.answer.Response.Body)
			case e.drops:
				copyOf = policy.Hash{}
			case e.renews:
				fails = !e.answer.Conditional || copyOf == policy.Hash{}
			}
			switch {
			case !fails:
				failures, since = 0, time.Time{}
			case failures == 0 && (s == nil || !s.Failing()):
				since = at
			case at.Before(since):
				since = at
			}
			if fails && !e.answer.Local() {
				failures++
			}

			if next.Copy.Hash != copyOf || next.HasCopy() != (copyOf != policy.Hash{}) {
				t.Fatalf("the copy is %s, want %s", next.Copy.Hash, copyOf)
			}
			if next.HasCopy() && policy.HashOf(next.Copy.Body) != copyOf {
				t.Fatalf("the copy's body is not what its hash says")
			}
			if next.Failing() != fails || next.Failures != failures || next.FailingSince != since {
				t.Fatalf("failing %t, %d since %s; want %t, %d since %s", next.Failing(), next.Failures, next.FailingSince, fails, failures, since)
			}
			if next.FetchedAt != at || next.RefreshAt.Before(at) || next.RefreshAt.After(next.FreshUntil) || !next.Servable(at) {
				t.Fatalf("at %s: %+v", at, next)
			}
			if s != nil && next.Rev != s.Rev {
				t.Fatalf("it was made from %q, and says %q", s.Rev, next.Rev)
			}
			holds := next.FreshUntil.Sub(at)
			switch {
			case !fails && (holds > most || holds < time.Minute):
				t.Fatalf("the origin answers, and it holds for %s", holds)
			case fails && !e.retryIn && holds > time.Hour, fails && holds > max(most, time.Hour), fails && holds < 54*time.Second:
				t.Fatalf("the origin fails, and is left alone for %s", holds)
			}
			// The back-off grows with the failures in a row, and begins anew after an answer.
			if step := min(time.Minute<<min(max(failures-1, 0), 6), time.Hour); fails && !e.answer.Local() && !e.retryIn && next.Outcome == policy.Unreachable &&
				(holds > step || holds < step-step/10) {
				t.Fatalf("after %d failures in a row it is left alone for %s, want %s", failures, holds, step)
			}
			if keep := next.KeepFor(at, lifetimes); keep < holds || next.HasCopy() && keep < 30*day {
				t.Fatalf("it is kept for %s", keep)
			}
			checkFailingDecisions(t, next, fails, copyOf != policy.Hash{})
			checkOtherProfiles(t, next, fails, copyOf != policy.Hash{})
			s = next
		}
	})
}

// checkFailingDecisions: an origin that fails is open to nobody but through the
// copy, now and in a year.
func checkFailingDecisions(t *rapid.T, s *policy.Snapshot, fails, copied bool) {
	for _, profile := range []policy.Profile{policy.RFC, policy.Strict} {
		p, err := policy.Compile(s, policy.Reading{Profile: profile}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, now := range []time.Time{s.FetchedAt, s.FreshUntil, s.FetchedAt.Add(31 * day), s.FetchedAt.Add(365 * day), s.FetchedAt.Add(-day)} {
			private, public, own := p.Decide("/private", now), p.Decide("/public", now), p.Decide("/robots.txt", now)
			if !own.Allowed {
				t.Fatalf("robots.txt: %s", own)
			}
			if fails && (private.Allowed || public.Allowed != copied || public.Stale != copied || public.Access != policy.AccessUnreachable) {
				t.Fatalf("failing, with a copy %t: %s; %s", copied, private, public)
			}
			if s.Outcome == policy.Successful && (private.Allowed || !public.Allowed) {
				t.Fatalf("%s; %s", private, public)
			}
		}
	}
}

// checkOtherProfiles: the copy of google and archive survives any number of
// failures, but not 30 days of them; google's first 12 hours are closed.
func checkOtherProfiles(t *rapid.T, s *policy.Snapshot, fails, copied bool) {
	if !fails {
		return
	}
	for after, want := range map[time.Duration][2]string{ // google, archive: with a copy "C", without one "A"
		0: {"D", "C"}, 12*time.Hour - 1: {"D", "C"}, 12 * time.Hour: {"C", "C"}, 30*day - 1: {"C", "C"}, 30 * day: {"A", "A"}, 365 * day: {"A", "A"},
	} {
		for i, profile := range []policy.Profile{policy.Google, policy.Archive} {
			p, err := policy.Compile(s, policy.Reading{Profile: profile}, nil)
			if err != nil {
				t.Fatal(err)
			}
			basis := want[i]
			if basis == "C" && !copied {
				basis = "A"
			}
			now := s.FailingSince.Add(after)
			private, public := p.Decide("/private", now), p.Decide("/public", now)
			if private.Allowed != (basis == "A") || public.Allowed != (basis != "D") || public.Stale != (basis == "C") {
				t.Fatalf("%s, failing for %s, with a copy %t: %s; %s", profile, after, copied, private, public)
			}
		}
	}
}

func clone(s *policy.Snapshot) *policy.Snapshot {
	if s == nil {
		return nil
	}
	same := *s
	same.Copy.Body = append([]byte(nil), s.Copy.Body...)
	if s.Copy.Body == nil {
		same.Copy.Body = nil
	}
	return &same
}
