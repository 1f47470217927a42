package policy_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
)

// C2, F: when a snapshot answers at once, and when it is asked for again.
func TestServableAndDue(t *testing.T) {
	good := policy.Next(nil, answer(200, policy.Response{Body: []byte(someFile), Header: policy.Header{CacheControl: "max-age=36000"}}), policy.Lifetimes{})
	failing := policy.Next(nil, failure(policy.FailedConnect), policy.Lifetimes{})
	refused := policy.Next(nil, stopped(policy.StopScheme), policy.Lifetimes{})
	tests := []struct {
		rule          string
		snapshot      *policy.Snapshot
		after         time.Duration
		servable, due bool
	}{
		{"fresh", good, 0, true, false},
		{"fresh", good, 9*time.Hour - 1, true, false},
		{"in the last tenth", good, 9 * time.Hour, true, true},
		{"in the last tenth", good, 10*time.Hour - 1, true, true},
		{"over", good, 10 * time.Hour, false, true},
		{"over", good, 1000 * time.Hour, false, true},
		{"before it was fetched", good, -time.Hour, true, false},
		{"failing", failing, 0, true, false},
		{"failing, to be retried", failing, time.Minute, true, true},
		{"failing for long", failing, 1000 * day, true, true},
		{"refused", refused, time.Hour - 1, true, false},
		{"refused, to be retried", refused, time.Hour, true, true},
		{"unknown", &policy.Snapshot{}, 0, false, true},
		{"unknown, whatever it says", &policy.Snapshot{FreshUntil: someTime.Add(day)}, 0, false, true},
	}
	for _, test := range tests {
		now := someTime.Add(test.after)
		if test.snapshot.Servable(now) != test.servable || test.snapshot.Due(now) != test.due {
			t.Errorf("%s, after %s: servable %t, due %t, want %t, %t", test.rule, test.after,
				test.snapshot.Servable(now), test.snapshot.Due(now), test.servable, test.due)
		}
	}
	var none *policy.Snapshot
	if none.Known() || (&policy.Snapshot{}).Known() || !good.Known() || !failing.Known() {
		t.Error("Known")
	}
}

// A store keeps a snapshot for as long as it has a use: beyond its freshness,
// for the back-off to grow, and for the copy to stand in (F11, F13).
func TestKeepFor(t *testing.T) {
	copied := withCopy()
	failing := policy.Next(copied, failure(policy.FailedConnect), policy.Lifetimes{})
	gone := policy.Next(copied, answer(404, policy.Response{}), policy.Lifetimes{})
	alone := policy.Next(nil, failure(policy.FailedConnect), policy.Lifetimes{})
	tests := []struct {
		rule      string
		snapshot  *policy.Snapshot
		lifetimes policy.Lifetimes
		at        time.Time
		least     time.Duration
		most      time.Duration
	}{
		{"a copy", copied, policy.Lifetimes{}, someTime, 30 * day, 31 * day},
		{"a copy that stands in", failing, policy.Lifetimes{}, someTime, 30 * day, 31 * day},
		{"a copy, for as long as is said", copied, policy.Lifetimes{LastGoodMax: 60 * day}, someTime, 60 * day, 61 * day},
		{"a copy, beyond its freshness", copied, policy.Lifetimes{LastGoodMax: time.Hour}, someTime, 20 * time.Hour, 27 * time.Hour},
		{"no copy", gone, policy.Lifetimes{}, someTime, day, day + 2*time.Hour},
		{"a count of failures", alone, policy.Lifetimes{}, someTime, 2 * time.Hour, 3 * time.Hour},
		{"past its time", gone, policy.Lifetimes{}, someTime.Add(100 * day), 2 * time.Hour, 2 * time.Hour},
	}
	for _, test := range tests {
		if got := test.snapshot.KeepFor(test.at, test.lifetimes); got < test.least || got > test.most {
			t.Errorf("%s: kept for %s, want %s to %s", test.rule, got, test.least, test.most)
		}
	}
}

func TestHash(t *testing.T) {
	if got := policy.HashOf(nil).String(); got != "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("the hash of nothing is %s", got)
	}
	if got := (policy.Hash{}).String(); got != "" {
		t.Errorf("no hash is %q", got)
	}
}

func TestFetchError(t *testing.T) {
	cause := errors.New("refused")
	var err error = &policy.FetchError{Kind: policy.FailedConnect, Err: cause}
	if err.Error() != "connect: refused" || !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
	if err := (&policy.FetchError{Kind: policy.FailedTimeout}); err.Error() != "timeout" || err.Unwrap() != nil {
		t.Errorf("%v", err)
	}
	a := failure(policy.FailedTLS)
	if !errors.Is(a.Cause(), a.Err.Err) {
		t.Errorf("the cause is %v", a.Cause())
	}
	if a := answer(500, policy.Response{}); a.Cause() != nil {
		t.Errorf("the cause of an answer is %v", a.Cause())
	}
}

// Every value of an enumeration has a name of its own, and no value panics.
func TestNames(t *testing.T) {
	namesOf := func(what string, values int, name func(int) string) {
		seen := map[string]bool{}
		for value := range values {
			text := name(value)
			if text == "" || seen[text] || strings.HasPrefix(text, "unknown-") || strings.ToLower(text) != text {
				t.Errorf("%s %d is %q", what, value, text)
			}
			seen[text] = true
		}
		if text := name(200); !strings.HasPrefix(text, "unknown") {
			t.Errorf("%s 200 is %q", what, text)
		}
	}
	namesOf("outcome", int(policy.Unreachable)+1, func(i int) string { return policy.Outcome(i).String() })
	namesOf("failure", int(policy.FailedLocally)+1, func(i int) string { return policy.Failure(i).String() })
	namesOf("profile", int(policy.Strict)+1, func(i int) string { return policy.Profile(i).String() })
	namesOf("access", int(policy.AccessOffline)+1, func(i int) string { return policy.Access(i).String() })
	namesOf("reason", int(policy.ReasonChallenged)+1, func(i int) string { return policy.Reason(i).String() })

	for profile := policy.RFC; profile <= policy.Strict; profile++ {
		text, err := profile.MarshalText()
		var again policy.Profile
		if err != nil || again.UnmarshalText(text) != nil || again != profile {
			t.Errorf("profile %d is %q, %v, and again %d", profile, text, err, again)
		}
	}
	for _, text := range []string{"", "RFC", "lenient", "unknown-4", "\x1B[31m"} {
		profile := policy.Archive
		err := profile.UnmarshalText([]byte(text))
		var refused *policy.NameError
		if !errors.As(err, &refused) || profile != policy.Archive || strings.ContainsAny(err.Error(), "\x1B\n") || !strings.Contains(err.Error(), "strict") {
			t.Errorf("profile %q is %s, %v", text, profile, err)
		}
	}
	for value, want := range map[interface{ MarshalText() ([]byte, error) }]string{
		policy.ReasonSoft404: "soft-404", policy.AccessUnreachable: "unreachable", policy.ReasonRobotsTxt: "robots-txt",
	} {
		if text, err := value.MarshalText(); err != nil || string(text) != want {
			t.Errorf("%v is %q, %v, want %q", value, text, err, want)
		}
	}
}
