package policy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
)

const (
	day      = 24 * time.Hour
	someFile = "user-agent: *\ndisallow: /private\n"
	somePage = "<!DOCTYPE html>\n<html><title>Not found</title><p>Sorry: it is gone.</html>\n"
)

// An answer of a status, for someOrigin at someTime; with is changed into it.
func answer(status int, with policy.Response) policy.Answer {
	with.Status = status
	return policy.Answer{Origin: someOrigin, URL: someOrigin.RobotsURL(), Response: with, At: someTime}
}

func failure(kind policy.Failure) policy.Answer {
	a := answer(0, policy.Response{})
	a.Err = &policy.FetchError{Kind: kind, Err: errors.New("as said")}
	return a
}

func stopped(stop policy.Stop) policy.Answer {
	a := answer(301, policy.Response{Header: policy.Header{Location: "ftp://example.com/"}})
	a.Stop, a.Hops = stop, 3
	return a
}

// withCopy is what is known after someFile was fetched an hour ago.
func withCopy() *policy.Snapshot {
	a := answer(200, policy.Response{Body: []byte(someFile), Charset: "utf-8", Header: policy.Header{ETag: `"v1"`, LastModified: "then"}})
	a.At = someTime.Add(-time.Hour)
	s := policy.Next(nil, a, policy.Lifetimes{})
	s.Rev = "7"
	return s
}

// basisOf tells what answers a profile gives: "A" everything is allowed, "D"
// nothing is, "C" someFile decides; and holds the rest of the decisions against
// the outcome.
func basisOf(t *testing.T, s *policy.Snapshot, profile policy.Profile, now time.Time) (basis string, other policy.Decision) {
	t.Helper()
	p, err := policy.Compile(s, policy.Reading{Profile: profile}, nil)
	if err != nil {
		t.Fatal(err)
	}
	private, public := p.Decide("/private", now), p.Decide("/public", now)
	for _, d := range []policy.Decision{private, public} {
		if d.Profile != profile || d.Origin != s.Origin || d.ExpiresAt != s.FreshUntil {
			t.Errorf("%s: %+v", profile, d)
		}
	}
	if own := p.Decide("/robots.txt", now); !own.Allowed || own.Reason != policy.ReasonRobotsTxt {
		t.Errorf("M4: %s: %s", profile, own)
	}
	switch [2]bool{private.Allowed, public.Allowed} {
	case [2]bool{true, true}:
		basis = "A"
	case [2]bool{false, false}:
		basis = "D"
	case [2]bool{false, true}:
		basis = "C"
		if private.Reason != policy.ReasonRule || private.Rule.Pattern != "/private" || public.Reason != policy.ReasonNoRule {
			t.Errorf("%s: %s; %s", profile, private, public)
		}
		if private.Hash != s.Copy.Hash || private.FetchedAt != s.Copy.ConfirmedAt {
			t.Errorf("M7: %s: hash %s, fetched %s; want the copy's", profile, private.Hash, private.FetchedAt)
		}
	default:
		basis = "?"
	}
	if basis != "C" && s.Outcome != policy.Successful && public.Hash != (policy.Hash{}) {
		t.Errorf("M7: %s: the hash %s of a file that did not decide", profile, public.Hash)
	}
	return basis, public
}

// SEMANTICS F: what each outcome means to each profile, for how long, and what
// becomes of the last good copy.
func TestOutcomes(t *testing.T) {
	const (
		unavailable = policy.ReasonUnavailable
		unreachable = policy.ReasonUnreachable
		forbidden   = policy.ReasonForbidden
	)
	body := func(text string) policy.Response { return policy.Response{Body: []byte(text)} }
	typed := func(kind, text string) policy.Response {
		return policy.Response{Body: []byte(text), Header: policy.Header{ContentType: kind}}
	}
	type row struct {
		rule     string
		section  string // of RFC 9309, or of Google's documentation (G)
		answer   policy.Answer
		outcome  policy.Outcome
		from, to time.Duration // it holds for
		// For rfc, google, archive, strict: without a copy, and with one.
		without, with string
		copy          string // what becomes of the copy: "kept", "dropped", "new"
		reason        policy.Reason
		access        policy.Access
	}
	const successful, soft, none = policy.AccessSuccessful, policy.ReasonSoft404, policy.ReasonNone
	rows := []row{
		{"F1 200", "§2.3.1.1", answer(200, body(someFile)), policy.Successful, 21*time.Hour + 36*time.Minute, day, "CCCC", "CCCC", "new", none, successful},
		{"F1 299", "§2.3.1.1", answer(299, body(someFile)), policy.Successful, 21*time.Hour + 36*time.Minute, day, "CCCC", "CCCC", "new", none, successful},
		{"F1 203", "§2.3.1.1", answer(203, typed("text/html", someFile)), policy.Successful, 21*time.Hour + 36*time.Minute, day, "CCCC", "CCCC", "new", none, successful},
		{"F1 any type", "§2.3.1.1", answer(200, typed("application/octet-stream", someFile)), policy.Successful, 21*time.Hour + 36*time.Minute, day, "CCCC", "CCCC", "new", none, successful},
		{"F1 empty", "§2.3.1.1", answer(200, body("")), policy.Successful, 21*time.Hour + 36*time.Minute, day, "AAAA", "AAAA", "new", policy.ReasonEmpty, successful},
		{"F1 204", "§2.3.1.1", answer(204, policy.Response{}), policy.Successful, 21*time.Hour + 36*time.Minute, day, "AAAA", "AAAA", "new", policy.ReasonEmpty, successful},
		{"F1 text without a directive", "§2.3.1.1", answer(200, typed("text/plain", "hello\n")), policy.Successful, 21*time.Hour + 36*time.Minute, day, "AAAA", "AAAA", "new", none, successful},

		{"F3 by its type", "§2.3.1.1", answer(200, typed("text/html; charset=utf-8", "<p>Not found: sorry</p>")), policy.SoftNotFound, time.Hour, time.Hour, "AAAA", "AAAA", "dropped", soft, successful},
		{"F3 by its type", "§2.3.1.1", answer(200, typed(" Text/HTML ", "")), policy.SoftNotFound, time.Hour, time.Hour, "AAAA", "AAAA", "dropped", soft, successful},
		{"F3 by its type", "§2.3.1.1", answer(200, typed("application/xhtml+xml", "<p/>")), policy.SoftNotFound, time.Hour, time.Hour, "AAAA", "AAAA", "dropped", soft, successful},
		{"F3 by its start", "§2.3.1.1", answer(200, typed("text/plain", somePage)), policy.SoftNotFound, time.Hour, time.Hour, "AAAA", "AAAA", "dropped", soft, successful},
		{"F3 by its start", "§2.3.1.1", answer(202, body("\uFEFF \r\n\t<HTML>\n<p>x")), policy.SoftNotFound, time.Hour, time.Hour, "AAAA", "AAAA", "dropped", soft, successful},
		{"F3 not with a directive", "§2.3.1.1", answer(200, typed("text/html", "<html><pre>\n"+someFile)), policy.Successful, 21*time.Hour + 36*time.Minute, day, "CCCC", "CCCC", "new", none, successful},
		{"F3 not with a directive", "§2.3.1.1", answer(200, body("<!doctype html>\nsitemap: /s.xml")), policy.Successful, 21*time.Hour + 36*time.Minute, day, "AAAA", "AAAA", "new", none, successful},
		{"F3 not text that speaks of HTML", "§2.3.1.1", answer(200, body("# <html>\n")), policy.Successful, 21*time.Hour + 36*time.Minute, day, "AAAA", "AAAA", "new", none, successful},

		{"F5 too many", "§2.3.1.2", stopped(policy.StopTooMany), policy.BrokenRedirect, time.Hour, time.Hour, "AAAD", "AAAC", "kept", unavailable, policy.AccessUnavailable},
		{"F5 a loop", "§2.3.1.2", stopped(policy.StopLoop), policy.BrokenRedirect, time.Hour, time.Hour, "AAAD", "AAAC", "kept", unavailable, policy.AccessUnavailable},
		{"F5 no or bad Location", "§2.3.1.2", stopped(policy.StopLocation), policy.BrokenRedirect, time.Hour, time.Hour, "AAAD", "AAAC", "kept", unavailable, policy.AccessUnavailable},
		{"F6 another scheme", "§2.3.1.4", stopped(policy.StopScheme), policy.RefusedRedirect, time.Hour, time.Hour, "DDAD", "CDCC", "kept", unreachable, policy.AccessUnreachable},
		{"F6 a private address", "§2.3.1.4", failure(policy.RefusedAddress), policy.RefusedRedirect, time.Hour, time.Hour, "DDAD", "CDCC", "kept", unreachable, policy.AccessUnreachable},
	}
	for _, status := range []int{404, 410} {
		rows = append(rows, row{fmt.Sprint("F7 ", status), "§2.3.1.3", answer(status, body(somePage)), policy.NotFound, day, day, "AAAA", "AAAA", "dropped", unavailable, policy.AccessUnavailable})
	}
	for _, status := range []int{400, 405, 406, 407, 409, 411, 418, 422, 424, 426, 428, 430, 431, 444, 451, 499} {
		rows = append(rows, row{fmt.Sprint("F7 ", status), "§2.3.1.3", answer(status, body(someFile)), policy.Unavailable, 6 * time.Hour, 6 * time.Hour, "AAAA", "AAAA", "kept", unavailable, policy.AccessUnavailable})
	}
	for _, status := range []int{401, 402, 403} {
		rows = append(rows, row{fmt.Sprint("F8 ", status), "§2.3.1.3; G: 4xx but 429", answer(status, body(someFile)), policy.Forbidden, 6 * time.Hour, 6 * time.Hour, "AAAD", "AAAD", "kept", forbidden, policy.AccessUnavailable})
	}
	sections := map[string]string{
		"F9": "§2.3.1.4", "F10": "G: 429 is a server error", "F11": "§2.3.1.4; G: 5xx", "F11 a part": "§2.3.1.4", "F11 unasked": "§2.3.1.4",
		"F11 no such class": "§2.3.1.4", "F11 not followed": "§2.3.1.4",
	}
	for rule, statuses := range map[string][]int{
		"F9":                {408, 421, 425},
		"F10":               {429},
		"F11":               {500, 501, 502, 503, 504, 505, 511, 520, 530, 599},
		"F11 a part":        {206},
		"F11 unasked":       {304},
		"F11 no such class": {-1, 0, 1, 99, 100, 101, 103, 199, 600, 999, 1000},
		"F11 not followed":  {300, 301, 302, 307, 308, 399}, // Follow would have said why
	} {
		for _, status := range statuses {
			rows = append(rows, row{fmt.Sprint(rule, " ", status), sections[rule], answer(status, body(someFile)), policy.Unreachable,
				54 * time.Second, time.Minute, "DDAD", "CDCC", "kept", unreachable, policy.AccessUnreachable})
		}
	}
	for kind := policy.FailedDNS; kind <= policy.FailedLocally; kind++ {
		if kind != policy.RefusedAddress {
			rows = append(rows, row{fmt.Sprint("F11 ", kind), "§2.3.1.4; G: DNS and networking errors", failure(kind), policy.Unreachable,
				54 * time.Second, time.Minute, "DDAD", "CDCC", "kept", unreachable, policy.AccessUnreachable})
		}
	}

	for _, row := range rows {
		for _, prev := range []*policy.Snapshot{nil, withCopy()} {
			s := policy.Next(prev, row.answer, policy.Lifetimes{})
			if s.Outcome != row.outcome || s.Origin != someOrigin || s.FetchedAt != someTime {
				t.Errorf("%s (%s): the outcome is %s of %s at %s, want %s", row.rule, row.section, s.Outcome, s.Origin, s.FetchedAt, row.outcome)
				continue
			}
			if holds := s.FreshUntil.Sub(someTime); holds < row.from || holds > row.to {
				t.Errorf("%s (%s): it holds for %s, want %s to %s", row.rule, row.section, holds, row.from, row.to)
			}
			checkCopy(t, row.rule, row.copy, prev, s)
			want := row.without
			if prev != nil {
				want = row.with
			}
			for profile := policy.RFC; profile <= policy.Strict; profile++ {
				got, d := basisOf(t, s, profile, someTime.Add(time.Second))
				if got != want[profile:profile+1] {
					t.Errorf("%s (%s): with a copy %t, %s answers %s, want %s: %s", row.rule, row.section, prev != nil, profile, got, want[profile:profile+1], d)
				}
				checkWhy(t, row.rule, row.reason, row.access, got, d)
			}
		}
	}
}

// checkCopy holds what became of the last good copy against what should.
func checkCopy(t *testing.T, rule, want string, prev, s *policy.Snapshot) {
	t.Helper()
	switch {
	case want == "new":
		if !s.HasCopy() || s.Copy.Hash != policy.HashOf(s.Copy.Body) || s.Copy.FetchedAt != someTime || s.Copy.ConfirmedAt != someTime {
			t.Errorf("%s: the copy is %+v", rule, s.Copy)
		}
		if s.Copy.Body == nil {
			t.Errorf("%s: the copy's body is not at hand", rule)
		}
	case want == "kept" && prev != nil:
		if s.Copy.Hash != prev.Copy.Hash || s.Copy.ConfirmedAt != prev.Copy.ConfirmedAt || s.Copy.Validators != prev.Copy.Validators || s.Rev != prev.Rev {
			t.Errorf("%s: the copy is %+v, want it as before: %+v", rule, s.Copy, prev.Copy)
		}
	case s.HasCopy():
		t.Errorf("%s: there is a copy: %+v", rule, s.Copy)
	}
}

// checkWhy holds reason, access and staleness of a decision about a path that no
// rule is about.
func checkWhy(t *testing.T, rule string, reason policy.Reason, access policy.Access, basis string, d policy.Decision) {
	t.Helper()
	lastGood := basis == "C" && access != policy.AccessSuccessful // the copy stands in
	if d.Stale != lastGood {
		t.Errorf("F11: %s: stale is %t: %s", rule, d.Stale, d)
	}
	if d.Profile == policy.Strict && strings.HasPrefix(rule, "F5") {
		reason, access = policy.ReasonUnreachable, policy.AccessUnreachable
	}
	if d.Access != access {
		t.Errorf("%s: %s: the access is %s, want %s", rule, d.Profile, d.Access, access)
	}
	if basis != "C" && reason != policy.ReasonNone && d.Reason != reason {
		t.Errorf("%s: %s: the reason is %s, want %s", rule, d.Profile, d.Reason, reason)
	}
}

// F2: a 304 to a conditional request renews the copy.
func TestNotModified(t *testing.T) {
	prev := withCopy()
	a := answer(304, policy.Response{Header: policy.Header{CacheControl: "max-age=3600"}})
	a.Conditional = true
	s := policy.Next(prev, a, policy.Lifetimes{})
	if s.Outcome != policy.Successful || s.Status != 304 || s.FreshUntil != someTime.Add(time.Hour) || s.Rev != prev.Rev {
		t.Errorf("F2: %+v", s)
	}
	if s.Copy.ConfirmedAt != someTime || s.Copy.FetchedAt != prev.Copy.FetchedAt || s.Copy.Hash != prev.Copy.Hash || string(s.Copy.Body) != someFile {
		t.Errorf("F2: the copy is %+v", s.Copy)
	}
	if s.Copy.Validators != prev.Copy.Validators {
		t.Errorf("F2: the validators are %+v, want %+v", s.Copy.Validators, prev.Copy.Validators)
	}
	if got, d := basisOf(t, s, policy.RFC, someTime); got != "C" || d.Stale {
		t.Errorf("F2: %s", d)
	}

	// What it says of the version is the version from now on (RFC 9111 §4.3.4).
	for _, renewed := range []struct{ sent, want policy.Header }{
		{policy.Header{ETag: `"v2"`}, policy.Header{ETag: `"v2"`, LastModified: "then"}},
		{policy.Header{LastModified: "now"}, policy.Header{ETag: `"v1"`, LastModified: "now"}},
		{policy.Header{ETag: `"v2"`, LastModified: "now"}, policy.Header{ETag: `"v2"`, LastModified: "now"}},
	} {
		b := a
		b.Response.Header = renewed.sent
		want := policy.Validators{URL: prev.Copy.Validators.URL, ETag: renewed.want.ETag, LastModified: renewed.want.LastModified}
		if got := policy.Next(prev, b, policy.Lifetimes{}).Copy.Validators; got != want {
			t.Errorf("F2: a 304 with %+v makes the validators %+v, want %+v", renewed.sent, got, want)
		}
	}

	// It renews a copy that stood in for an unreachable origin, too, and one
	// whose body is not at hand.
	failing := policy.Next(prev, failure(policy.FailedTimeout), policy.Lifetimes{})
	failing.Copy.Body = nil
	if s := policy.Next(failing, a, policy.Lifetimes{}); s.Outcome != policy.Successful || s.Failures != 0 || s.Copy.Hash != prev.Copy.Hash || s.Copy.Body != nil {
		t.Errorf("F2: after a failure, %+v", s)
	}

	// F11: without a copy, or unasked, it says nothing.
	if s := policy.Next(nil, a, policy.Lifetimes{}); s.Outcome != policy.Unreachable || s.HasCopy() {
		t.Errorf("F11: a 304 without a copy is %+v", s)
	}
	a.Conditional = false
	if s := policy.Next(prev, a, policy.Lifetimes{}); s.Outcome != policy.Unreachable || s.Copy.ConfirmedAt != prev.Copy.ConfirmedAt {
		t.Errorf("F11: an unasked 304 is %+v", s)
	}
}

// F2: what a request is made conditional with, and until when.
func TestValidators(t *testing.T) {
	s := withCopy()
	fetched := s.Copy.FetchedAt
	want := policy.Validators{URL: "https://example.com/robots.txt", ETag: `"v1"`, LastModified: "then"}
	failing := policy.Next(s, failure(policy.FailedConnect), policy.Lifetimes{})
	gone := policy.Next(s, answer(404, policy.Response{}), policy.Lifetimes{})
	forbidden := policy.Next(s, answer(403, policy.Response{}), policy.Lifetimes{})
	tests := []struct {
		rule     string
		snapshot *policy.Snapshot
		at       time.Time
		want     policy.Validators
	}{
		{"F2 a copy", s, someTime, want},
		{"F2 a copy that stands in", failing, someTime, want},
		{"F2 young enough", s, fetched.Add(7*day - 1), want},
		{"F2 in full every 7 days", s, fetched.Add(7 * day), policy.Validators{}},
		{"F2 in full every 7 days", failing, fetched.Add(30 * day), policy.Validators{}},
		{"F2 a clock that went back", s, fetched.Add(-time.Hour), policy.Validators{}},
		{"F2 no copy", gone, someTime, policy.Validators{}},
		{"F2 a copy that is not in use", forbidden, someTime, policy.Validators{}},
		{"F2 nothing known", &policy.Snapshot{}, someTime, policy.Validators{}},
	}
	for _, test := range tests {
		if got := test.snapshot.Validators(test.at); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.rule, got, test.want)
		}
	}
	if (policy.Validators{URL: "https://example.com/"}).IsZero() != true || want.IsZero() {
		t.Error("IsZero")
	}

	// Renewals do not make a copy younger.
	a := answer(304, policy.Response{})
	a.Conditional = true
	for at := fetched.Add(day); at.Before(fetched.Add(7 * day)); at = at.Add(day) {
		if s.Validators(at) != want {
			t.Fatalf("F2: after %s: %+v", at.Sub(fetched), s.Validators(at))
		}
		a.At = at
		s = policy.Next(s, a, policy.Lifetimes{})
	}
	if got := s.Validators(fetched.Add(7 * day)); !got.IsZero() {
		t.Errorf("F2: after 7 days of renewals: %+v", got)
	}
}

// F12: what was cut is cut at a line, and says so.
func TestTruncated(t *testing.T) {
	a := answer(200, policy.Response{Body: []byte(someFile + "disallow: /pub"), Truncated: true})
	s := policy.Next(nil, a, policy.Lifetimes{})
	if s.Outcome != policy.Successful || string(s.Copy.Body) != someFile || !s.Copy.Truncated || s.Copy.Hash != policy.HashOf([]byte(someFile)) {
		t.Errorf("F12: the copy is %+v", s.Copy)
	}
	if got, d := basisOf(t, s, policy.RFC, someTime); got != "C" || !d.Limited {
		t.Errorf("F12: %s", d)
	}
	a.Response.Truncated = false
	if s := policy.Next(nil, a, policy.Lifetimes{}); s.Copy.Truncated || len(s.Copy.Body) == len(someFile) {
		t.Errorf("F1: a whole file without an end is cut: %q", s.Copy.Body)
	}
	// A 304 does not make it whole.
	again := answer(304, policy.Response{})
	again.Conditional = true
	if s := policy.Next(s, again, policy.Lifetimes{}); !s.Copy.Truncated {
		t.Error("F12: renewed, the copy is no longer marked")
	}
}

// The facts that a Snapshot keeps of an attempt.
func TestFacts(t *testing.T) {
	a := answer(503, policy.Response{Header: policy.Header{Challenge: "cf-mitigated: challenge"}})
	a.Hops, a.URL = 2, "https://other.example/robots.txt"
	s := policy.Next(nil, a, policy.Lifetimes{})
	if s.Status != 503 || s.Failure != policy.NoFailure || s.Hops != 2 || s.FinalURL != a.URL || !s.Challenged || s.Origin != someOrigin || s.Rev != "" {
		t.Errorf("F4: %+v", s)
	}
	a = failure(policy.FailedBody)
	a.Err.Status = 200
	s = policy.Next(withCopy(), a, policy.Lifetimes{})
	if s.Status != 200 || s.Failure != policy.FailedBody || s.Challenged || s.Rev != "7" {
		t.Errorf("F11: %+v", s)
	}
	good := answer(200, policy.Response{Body: []byte("x"), Charset: "windows-1252", Header: policy.Header{ETag: "e", LastModified: "l"}})
	good.URL = "https://other.example/robots.txt"
	s = policy.Next(nil, good, policy.Lifetimes{})
	if want := (policy.Validators{URL: good.URL, ETag: "e", LastModified: "l"}); s.Copy.Validators != want || s.Copy.Charset != "windows-1252" {
		t.Errorf("F4: the copy is %+v", s.Copy)
	}
}

// A challenge instead of an answer is said to be one.
func TestChallenged(t *testing.T) {
	challenge := policy.Response{Header: policy.Header{Challenge: "cf-mitigated: challenge"}}
	for status, allowed := range map[int]string{403: "AAAD", 401: "AAAD", 503: "DDAD", 429: "DDAD"} {
		s := policy.Next(nil, answer(status, challenge), policy.Lifetimes{})
		for profile := policy.RFC; profile <= policy.Strict; profile++ {
			got, d := basisOf(t, s, profile, someTime)
			if got != allowed[profile:profile+1] || d.Reason != policy.ReasonChallenged {
				t.Errorf("F8, F11: %d, %s: %s", status, profile, d)
			}
		}
	}
	// One that comes with a 2xx (some do) is no robots.txt, be it a page or
	// nothing at all: taken for one it would open the origin, and drop the copy.
	for _, body := range []string{somePage, "", "checking your browser"} {
		for _, status := range []int{200, 202} {
			challenge.Body = []byte(body)
			s := policy.Next(withCopy(), answer(status, challenge), policy.Lifetimes{})
			if got, d := basisOf(t, s, policy.RFC, someTime); got != "C" || s.Outcome != policy.Unreachable || !d.Stale {
				t.Errorf("F11: a challenge with %d and %q: %s", status, body, d)
			}
			s = policy.Next(nil, answer(status, challenge), policy.Lifetimes{})
			if got, d := basisOf(t, s, policy.RFC, someTime); got != "D" || d.Reason != policy.ReasonChallenged {
				t.Errorf("F11: a challenge with %d and %q: %s", status, body, d)
			}
		}
	}
	// What has a directive is the site's own, whatever its header says.
	challenge.Body = []byte(someFile)
	if got, d := basisOf(t, policy.Next(nil, answer(200, challenge), policy.Lifetimes{}), policy.RFC, someTime); got != "C" {
		t.Errorf("F1: %s", d)
	}
}
