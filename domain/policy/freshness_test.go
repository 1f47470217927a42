package policy_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
)

// F1: how long a good answer holds, by its caching headers (RFC 9111 §4.2).
func TestFreshness(t *testing.T) {
	const (
		least = 5 * time.Minute // Lifetimes.Min
		most  = day             // Lifetimes.Max
	)
	// The answer came at 12:00:00.
	tests := []struct {
		rule   string
		header policy.Header
		want   time.Duration
	}{
		{"max-age", policy.Header{CacheControl: "max-age=3600"}, time.Hour},
		{"max-age", policy.Header{CacheControl: "public, max-age=3600, must-revalidate"}, time.Hour},
		{"max-age", policy.Header{CacheControl: "PRIVATE,Max-Age=3600"}, time.Hour},
		{"max-age", policy.Header{CacheControl: " ,, max-age=3600 ,"}, time.Hour},
		{"max-age", policy.Header{CacheControl: `max-age="3600"`}, time.Hour},
		{"max-age", policy.Header{CacheControl: "max-age=007200"}, 2 * time.Hour},
		{"max-age, the first of several", policy.Header{CacheControl: "max-age=3600, max-age=7200"}, time.Hour},
		{"max-age, within Min and Max", policy.Header{CacheControl: "max-age=300"}, least},
		{"max-age, within Min and Max", policy.Header{CacheControl: "max-age=299"}, least},
		{"max-age, within Min and Max", policy.Header{CacheControl: "max-age=0"}, least},
		{"max-age, within Min and Max", policy.Header{CacheControl: "max-age=86400"}, most},
		{"max-age, within Min and Max", policy.Header{CacheControl: "max-age=86401"}, most},
		{"max-age, within Min and Max", policy.Header{CacheControl: "max-age=31536000, immutable"}, most},
		{"max-age, within Min and Max", policy.Header{CacheControl: "max-age=99999999999999999999999"}, most},
		{"s-maxage before max-age", policy.Header{CacheControl: "max-age=3600, s-maxage=7200"}, 2 * time.Hour},
		{"s-maxage before max-age", policy.Header{CacheControl: "s-maxage=600, max-age=7200"}, 10 * time.Minute},
		{"s-maxage before max-age", policy.Header{CacheControl: "s-maxage=0, max-age=7200"}, least},
		{"max-age before Expires", policy.Header{CacheControl: "max-age=3600", Expires: "Sat, 21 Nov 2026 18:00:00 GMT"}, time.Hour},

		{"Expires − Date", policy.Header{Expires: "Sat, 21 Nov 2026 14:00:00 GMT", Date: "Sat, 21 Nov 2026 11:00:00 GMT"}, 3 * time.Hour},
		{"Expires − Date, in the server's clock", policy.Header{Expires: "Fri, 01 Jan 2021 02:00:00 GMT", Date: "Fri, 01 Jan 2021 00:00:00 GMT"}, 2 * time.Hour},
		{"Expires without Date", policy.Header{Expires: "Sat, 21 Nov 2026 14:00:00 GMT"}, 2 * time.Hour},
		{"Expires without a readable Date", policy.Header{Expires: "Sat, 21 Nov 2026 14:00:00 GMT", Date: "today"}, 2 * time.Hour},
		{"Expires in the three forms", policy.Header{Expires: "Saturday, 21-Nov-26 14:00:00 GMT"}, 2 * time.Hour},
		{"Expires in the three forms", policy.Header{Expires: "Sat Nov 21 14:00:00 2026"}, 2 * time.Hour},
		{"Expires, within Min and Max", policy.Header{Expires: "Sat, 21 Nov 2026 12:01:00 GMT"}, least},
		{"Expires, within Min and Max", policy.Header{Expires: "Sun, 21 Nov 2027 12:00:00 GMT"}, most},
		{"Expires, within Min and Max", policy.Header{Expires: "Fri, 31 Dec 9999 23:59:59 GMT"}, most},
		{"Expires past", policy.Header{Expires: "Thu, 01 Jan 1970 00:00:00 GMT"}, least},
		{"Expires past", policy.Header{Expires: "Sat, 21 Nov 2026 11:59:59 GMT"}, least},
		{"Expires unreadable", policy.Header{Expires: "0"}, least},
		{"Expires unreadable", policy.Header{Expires: "-1"}, least},
		{"Expires unreadable", policy.Header{Expires: "tomorrow"}, least},
		{"Expires besides other directives", policy.Header{CacheControl: "public", Expires: "Sat, 21 Nov 2026 14:00:00 GMT"}, 2 * time.Hour},

		{"less Age", policy.Header{CacheControl: "max-age=3600", Age: "600"}, 50 * time.Minute},
		{"less Age", policy.Header{CacheControl: "s-maxage=7200", Age: " 1800 "}, 90 * time.Minute},
		{"less Age", policy.Header{Expires: "Sat, 21 Nov 2026 14:00:00 GMT", Age: "3600"}, time.Hour},
		{"less Age", policy.Header{CacheControl: "max-age=172800", Age: "43200"}, most},
		{"less Age, not under Min", policy.Header{CacheControl: "max-age=3600", Age: "3500"}, least},
		{"less Age, not under Min", policy.Header{CacheControl: "max-age=3600", Age: "7200"}, least},
		{"less Age, not under Min", policy.Header{CacheControl: "max-age=3600", Age: "99999999999999999999"}, least},
		{"unreadable Age", policy.Header{CacheControl: "max-age=3600", Age: "old"}, time.Hour},
		{"unreadable Age", policy.Header{CacheControl: "max-age=3600", Age: "-600"}, time.Hour},

		{"no-store", policy.Header{CacheControl: "no-store"}, least},
		{"no-store", policy.Header{CacheControl: "max-age=3600, No-Store"}, least},
		{"no-cache", policy.Header{CacheControl: "no-cache"}, least},
		{"no-cache", policy.Header{CacheControl: "no-cache, s-maxage=3600"}, least},
		{"no-cache", policy.Header{CacheControl: `no-cache="Set-Cookie"`}, least},
		{"no-cache", policy.Header{CacheControl: "no-cache", Expires: "Sat, 21 Nov 2026 14:00:00 GMT"}, least},
		{"unreadable", policy.Header{CacheControl: "max-age=soon"}, least},
		{"unreadable", policy.Header{CacheControl: "max-age=-1"}, least},
		{"unreadable", policy.Header{CacheControl: "max-age=1.5"}, least},
		{"unreadable", policy.Header{CacheControl: "max-age="}, least},
		{"unreadable", policy.Header{CacheControl: "max-age"}, least},
		{"unreadable", policy.Header{CacheControl: "s-maxage=x, max-age=3600"}, least},
		{"unreadable", policy.Header{CacheControl: "max-age=x", Expires: "Sat, 21 Nov 2026 14:00:00 GMT"}, least},
	}
	conditional := answer(304, policy.Response{})
	conditional.Conditional = true
	for _, test := range tests {
		for _, a := range []policy.Answer{answer(200, policy.Response{Body: []byte(someFile)}), conditional} { // F2: as F1
			a.Response.Header = test.header
			s := policy.Next(withCopy(), a, policy.Lifetimes{})
			if got := s.FreshUntil.Sub(someTime); got != test.want {
				t.Errorf("F1 %s: a %d with %+v holds for %s, want %s", test.rule, a.Response.Status, test.header, got, test.want)
			}
			// C2: it is asked again in the last tenth, before anybody has to wait.
			if early := s.FreshUntil.Sub(s.RefreshAt); early <= 0 || early > test.want/10 {
				t.Errorf("C2: what holds for %s is asked again %s before", test.want, early)
			}
		}
	}
}

// F1: without a word of the origin, Max less up to a tenth, spread evenly.
func TestFreshnessWithoutHeaders(t *testing.T) {
	for _, header := range []policy.Header{{}, {CacheControl: "public"}, {CacheControl: "must-revalidate"}, {Age: "600"}, {Date: "Sat, 21 Nov 2026 12:00:00 GMT"}} {
		a := answer(200, policy.Response{Body: []byte(someFile), Header: header})
		if got := policy.Next(nil, a, policy.Lifetimes{}).FreshUntil.Sub(someTime); got > day || got < day-day/10 {
			t.Errorf("F1: %+v: holds for %s", header, got)
		}
	}
	// Origins fetched together are not asked again together, nor is one origin
	// always early.
	const many = 2000
	byOrigin, byTime := map[time.Duration]bool{}, map[time.Duration]bool{}
	var tenths [10]int
	for i := range many {
		a := answer(200, policy.Response{Body: []byte(someFile)})
		a.Origin = mustOrigin(fmt.Sprintf("https://host%d.example.com", i))
		lifetime := policy.Next(nil, a, policy.Lifetimes{}).FreshUntil.Sub(someTime)
		if again := policy.Next(nil, a, policy.Lifetimes{}).FreshUntil.Sub(someTime); again != lifetime {
			t.Fatalf("F: Next is not pure: %s, and then %s", lifetime, again)
		}
		byOrigin[lifetime] = true
		tenths[min(int((day-lifetime)*100/day), 9)]++

		a = answer(200, policy.Response{Body: []byte(someFile)})
		a.At = someTime.Add(time.Duration(i) * time.Millisecond)
		byTime[policy.Next(nil, a, policy.Lifetimes{}).FreshUntil.Sub(a.At)] = true
	}
	if len(byOrigin) < 100 || len(byTime) < 100 {
		t.Errorf("F1: %d origins hold for %d lifetimes, one at as many times for %d", many, len(byOrigin), len(byTime))
	}
	for i, n := range tenths {
		if n < many/20 {
			t.Errorf("F1: the lifetimes are not spread: %v by percent of %d (%d)", tenths, many, i)
			break
		}
	}
}

// The lifetimes are settings, and Max bounds them all: RFC 9309 §2.4 knows one
// limit for what an origin that answers is asked again.
func TestLifetimes(t *testing.T) {
	html := policy.Response{Body: []byte(somePage)}
	maxAge := func(seconds int) policy.Answer {
		return answer(200, policy.Response{Body: []byte(someFile), Header: policy.Header{CacheControl: fmt.Sprint("max-age=", seconds)}})
	}
	tests := []struct {
		rule      string
		lifetimes policy.Lifetimes
		answer    policy.Answer
		want      time.Duration
	}{
		{"Min", policy.Lifetimes{Min: time.Minute}, maxAge(30), time.Minute},
		{"Min", policy.Lifetimes{Min: time.Minute}, maxAge(90), 90 * time.Second},
		{"Min", policy.Lifetimes{Min: time.Hour}, maxAge(90), time.Hour},
		{"Max", policy.Lifetimes{Max: time.Hour}, maxAge(7200), time.Hour},
		{"Max", policy.Lifetimes{Max: 48 * time.Hour}, maxAge(129600), 36 * time.Hour},
		{"Max before Min", policy.Lifetimes{Min: 2 * time.Hour, Max: time.Hour}, maxAge(60), time.Hour},
		{"F7 NotFound", policy.Lifetimes{NotFound: time.Hour}, answer(404, policy.Response{}), time.Hour},
		{"F7 NotFound", policy.Lifetimes{NotFound: time.Hour}, answer(410, policy.Response{}), time.Hour},
		{"F7 Unavailable", policy.Lifetimes{Unavailable: time.Hour}, answer(418, policy.Response{}), time.Hour},
		{"F8 Unavailable", policy.Lifetimes{Unavailable: time.Hour}, answer(403, policy.Response{}), time.Hour},
		{"F3 SoftNotFound", policy.Lifetimes{SoftNotFound: 2 * time.Hour}, answer(200, html), 2 * time.Hour},
		{"F5 SoftNotFound", policy.Lifetimes{SoftNotFound: 2 * time.Hour}, stopped(policy.StopLoop), 2 * time.Hour},
		{"Max bounds NotFound", policy.Lifetimes{Max: time.Hour}, answer(404, policy.Response{}), time.Hour},
		{"Max bounds NotFound", policy.Lifetimes{NotFound: 48 * time.Hour}, answer(404, policy.Response{}), day},
		{"Max bounds Unavailable", policy.Lifetimes{Max: time.Hour}, answer(403, policy.Response{}), time.Hour},
		{"Max bounds SoftNotFound", policy.Lifetimes{Max: 10 * time.Minute}, answer(200, html), 10 * time.Minute},
		{"Max bounds SoftNotFound", policy.Lifetimes{Max: 10 * time.Minute}, stopped(policy.StopLoop), 10 * time.Minute},
		{"headers mean nothing to F7", policy.Lifetimes{}, answer(404, policy.Response{Header: policy.Header{CacheControl: "max-age=60"}}), day},
		{"nonsense is the default", policy.Lifetimes{Min: -1, Max: -1, NotFound: -1}, answer(404, policy.Response{}), day},
	}
	for _, test := range tests {
		if got := policy.Next(nil, test.answer, test.lifetimes).FreshUntil.Sub(someTime); got != test.want {
			t.Errorf("F %s: with %+v, a %d holds for %s, want %s", test.rule, test.lifetimes, test.answer.Response.Status, got, test.want)
		}
	}
	if got := policy.Next(nil, answer(200, policy.Response{Body: []byte(someFile)}), policy.Lifetimes{Max: time.Hour}).FreshUntil.Sub(someTime); got > time.Hour || got < 54*time.Minute {
		t.Errorf("F1: with a Max of 1 h and no headers, it holds for %s", got)
	}
	want := policy.Lifetimes{Min: 5 * time.Minute, Max: day, NotFound: day, Unavailable: 6 * time.Hour, SoftNotFound: time.Hour, LastGoodMax: 30 * day}
	if got := (policy.Lifetimes{}).OrDefault(); got != want {
		t.Errorf("F: the defaults are %+v, want %+v", got, want)
	}
}

// F10, F11: Retry-After is seconds, or a date in one of three forms (RFC 9110
// §10.2.3, §5.6.7).
func TestRetryAfter(t *testing.T) {
	good := map[string]time.Duration{
		"0":                                0,
		"120":                              2 * time.Minute,
		" 120 ":                            2 * time.Minute,
		"00120":                            2 * time.Minute,
		"Sat, 21 Nov 2026 12:02:00 GMT":    2 * time.Minute,
		" Sat, 21 Nov 2026 12:02:00 GMT\t": 2 * time.Minute,
		"Saturday, 21-Nov-26 12:02:00 GMT": 2 * time.Minute,
		"Sat Nov 21 12:02:00 2026":         2 * time.Minute,
		"Tue Dec  1 12:00:00 2026":         10 * day,
		"Sat, 21 Nov 2026 12:00:00 GMT":    0,
		"Sat, 21 Nov 2026 11:00:00 GMT":    0,
		"Thu, 01 Jan 1970 00:00:00 GMT":    0,
	}
	for value, want := range good {
		if got, ok := policy.RetryAfter(value, someTime); !ok || got != want {
			t.Errorf("F10: Retry-After %q is %s, %t, want %s", value, got, ok, want)
		}
	}
	for _, value := range []string{
		"", " ", "soon", "-1", "+1", "1.5", "1s", "1,2", "0x10", "１２０", "Sat, 21 Nov 2026 12:02:00", "2026-11-21T12:02:00Z",
		"Sat, 21 Nov 2026 12:02:00 CET", "21 Nov 2026 12:02:00 GMT", "Sat, 32 Nov 2026 12:02:00 GMT", "1764763320 GMT",
	} {
		if got, ok := policy.RetryAfter(value, someTime); ok {
			t.Errorf("F10: Retry-After %q is %s", value, got)
		}
	}
	// What is too long is long, and not negative.
	for _, value := range []string{"4294967296", "9223372036854775807", "9223372036854775808", "99999999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		if got, ok := policy.RetryAfter(value, someTime); !ok || got < 365*day {
			t.Errorf("F10: Retry-After %q is %s, %t", value, got, ok)
		}
	}
}
