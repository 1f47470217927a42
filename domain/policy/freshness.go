package policy

import (
	"strconv"
	"strings"
	"time"
)

// freshness returns how long a successful answer holds (F1; RFC 9309 §2.4, RFC
// 9111 §4.2): what the origin asked for, within Min and Max. Without a word of
// the origin it is Max, less up to a tenth so that origins fetched together
// drift apart.
func freshness(answer *Answer, lifetimes Lifetimes) time.Duration {
	asked, said := askedFreshness(answer.Response.Header, answer.At)
	if !said {
		return lifetimes.Max - jitter(answer.Origin, answer.At, lifetimes.Max)
	}
	return min(max(asked, lifetimes.Min), lifetimes.Max)
}

// askedFreshness returns how long caching headers let a response live, and
// whether they say anything. Zero or less is "not at all".
func askedFreshness(header Header, now time.Time) (lifetime time.Duration, said bool) {
	control := parseCacheControl(header.CacheControl)
	switch {
	case control.never:
		return 0, true
	case control.shared != nil:
		lifetime = *control.shared
	case control.any != nil:
		lifetime = *control.any
	case header.Expires != "":
		expires, ok := parseDate(header.Expires)
		if !ok {
			return 0, true // RFC 9111 §5.3: an invalid date is the past
		}
		date, ok := parseDate(header.Date)
		if !ok {
			date = now
		}
		lifetime = expires.Sub(date)
	default:
		return 0, false
	}
	if age, ok := parseSeconds(strings.TrimSpace(header.Age)); ok {
		lifetime -= age
	}
	return lifetime, true
}

// cacheControl is what bears on us in a Cache-Control field (RFC 9111 §5.2.2).
type cacheControl struct {
	never       bool // no-store, no-cache
	shared, any *time.Duration
}

func parseCacheControl(value string) (control cacheControl) {
	for directive := range strings.SplitSeq(value, ",") {
		name, argument, _ := strings.Cut(directive, "=")
		var to **time.Duration
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "no-store", "no-cache":
			control.never = true
			continue
		case "s-maxage":
			to = &control.shared
		case "max-age":
			to = &control.any
		default:
			continue
		}
		if *to != nil {
			continue // RFC 9111 §4.2.1: of several, the first
		}
		age, _ := parseSeconds(strings.Trim(strings.TrimSpace(argument), `"`)) // unreadable: zero, so Min
		*to = &age
	}
	return control
}

// RetryAfter reads a Retry-After field: seconds, or a date (RFC 9110 §10.2.3).
// The result is not negative.
func RetryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	value = strings.TrimSpace(value)
	if wait, ok := parseSeconds(value); ok {
		return wait, true
	}
	date, ok := parseDate(value)
	if !ok {
		return 0, false
	}
	return max(date.Sub(now), 0), true
}

// parseSeconds reads delta-seconds (RFC 9111 §1.2.2); what is too large is very
// long.
func parseSeconds(value string) (time.Duration, bool) {
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return 0, false
	}
	const veryLong = 1<<31 - 1
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err != nil || seconds > veryLong {
		seconds = veryLong
	}
	return time.Duration(seconds) * time.Second, true
}

// parseDate reads an HTTP-date in its three forms (RFC 9110 §5.6.7).
func parseDate(value string) (time.Time, bool) {
	value = strings.TrimSpace(value)
	for _, layout := range [...]string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		if date, err := time.Parse(layout, value); err == nil {
			return date, true
		}
	}
	return time.Time{}, false
}
