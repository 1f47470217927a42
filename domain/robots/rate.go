package robots

import (
	"strconv"
	"strings"
	"time"
)

// A Rate is what a Request-rate says: so many requests in so much time, and at
// what time of day.
type Rate struct {
	Requests int
	Per      time.Duration
	During   Window
}

// ParseRate reads a Request-rate value: "n/m", m in seconds or with an 's', 'm'
// or 'h' behind it, and perhaps white space and a time of day (P10). Neither
// number is 0, and the time is ten years at most.
func ParseRate(value string) (rate Rate, ok bool) {
	value, during, timed := cutSpace(value)
	if timed {
		if rate.During, ok = ParseVisitTime(during); !ok {
			return Rate{}, false
		}
	}
	requests, per, _ := strings.Cut(value, "/")
	unit := time.Second
	if per != "" {
		switch last := len(per) - 1; per[last] {
		case 's':
			per = per[:last]
		case 'm':
			per, unit = per[:last], time.Minute
		case 'h':
			per, unit = per[:last], time.Hour
		}
	}
	rate.Requests = count(requests)
	n := count(per)
	if rate.Requests == 0 || n == 0 || n > int(MaxDelay/unit) {
		return Rate{}, false
	}
	rate.Per = time.Duration(n) * unit
	return rate, true
}

// Interval returns the time from one request to the next.
func (r Rate) Interval() time.Duration {
	if r.Requests <= 0 {
		return 0
	}
	return r.Per / time.Duration(r.Requests)
}

// count reads a number of at most nine digits; 0 for anything else.
func count(text string) int {
	if !digits(text) || len(text) > 9 {
		return 0
	}
	n, _ := strconv.Atoi(text)
	return n
}

// A Window is a time of every day, in UTC. It may go past midnight; the zero
// Window, like any whose ends are the same, is the whole day.
type Window struct {
	From, To time.Duration // since midnight
}

// ParseVisitTime reads a Visit-time value: "hhmm-hhmm" in UTC (P10). "2400" is
// midnight, at the end of a day.
func ParseVisitTime(value string) (window Window, ok bool) {
	from, to, ok := strings.Cut(value, "-")
	if !ok {
		return Window{}, false
	}
	window.From, ok = clock(from)
	if !ok || window.From == 24*time.Hour {
		return Window{}, false
	}
	if window.To, ok = clock(to); !ok {
		return Window{}, false
	}
	return window, true
}

// clock reads a time of day, "hhmm".
func clock(text string) (since time.Duration, ok bool) {
	if len(text) != 4 || !digits(text) {
		return 0, false
	}
	hours, _ := strconv.Atoi(text[:2])
	minutes, _ := strconv.Atoi(text[2:])
	since = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	return since, minutes < 60 && since <= 24*time.Hour
}

// Whole reports whether the window is the whole day.
func (w Window) Whole() bool {
	return w.From == w.To || w.From == 0 && w.To == 24*time.Hour
}

// Contains reports whether a time is within the window, its beginning included
// and its end not.
func (w Window) Contains(t time.Time) bool {
	t = t.UTC()
	now := t.Sub(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC))
	if w.From <= w.To && !w.Whole() {
		return w.From <= now && now < w.To
	}
	return w.Whole() || now >= w.From || now < w.To
}

// cutSpace parts a text at its first white space.
func cutSpace(text string) (before, after string, found bool) {
	for i := 0; i < len(text); i++ {
		if space(text[i]) {
			return text[:i], trimLeft(text[i:]), true
		}
	}
	return text, "", false
}
