package policy

import (
	"fmt"
	"time"
)

// Lifetimes say how long outcomes hold (SEMANTICS F). The zero value of each
// field is its default.
type Lifetimes struct {
	Min          time.Duration // the shortest that caching headers can ask for; 5 minutes
	Max          time.Duration // the longest anything holds while the origin answers; 24 hours (RFC 9309 §2.4)
	NotFound     time.Duration // 404 and 410; 24 hours
	Unavailable  time.Duration // any other 4xx; 6 hours
	SoftNotFound time.Duration // HTML instead of a robots.txt, and redirects that lead nowhere; 1 hour
	LastGoodMax  time.Duration // how long a last good copy stands in for an unreachable origin; 30 days (RFC 9309 §2.3.1.4)
}

// Check returns an error that names the field which cannot be meant, or nil.
func (l Lifetimes) Check() error {
	for _, field := range []struct {
		name  string
		value time.Duration
	}{
		{"Min", l.Min}, {"Max", l.Max}, {"NotFound", l.NotFound}, {"Unavailable", l.Unavailable}, {"SoftNotFound", l.SoftNotFound},
		{"LastGoodMax", l.LastGoodMax},
	} {
		if field.value < 0 {
			return fmt.Errorf("%s: %s is negative; leave it at 0 for its default", field.name, field.value)
		}
	}
	if l.Min > l.Max && l.Max > 0 {
		return fmt.Errorf("%s: %s is longer than Max, %s; make it shorter", "Min", l.Min, l.Max)
	}
	return nil
}

// usualLastGoodMax is the default of LastGoodMax (RFC 9309 §2.3.1.4).
const usualLastGoodMax = 30 * 24 * time.Hour

// longestLifetime bounds every field: sums of times must not overflow.
const longestLifetime = 100 * 365 * 24 * time.Hour

// OrDefault fills in the defaults, and cuts what is longer than a hundred years.
func (l Lifetimes) OrDefault() Lifetimes {
	or := func(value *time.Duration, otherwise time.Duration) {
		if *value <= 0 {
			*value = otherwise
		}
		*value = min(*value, longestLifetime)
	}
	or(&l.Min, 5*time.Minute)
	or(&l.Max, 24*time.Hour)
	or(&l.NotFound, 24*time.Hour)
	or(&l.Unavailable, 6*time.Hour)
	or(&l.SoftNotFound, time.Hour)
	or(&l.LastGoodMax, usualLastGoodMax)
	return l
}
