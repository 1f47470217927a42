package main

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// base is the URL that a file's relative sitemaps are resolved against, nil for
// a file in hand.
func (p *parsed) base() *url.URL {
	if p.url == "" {
		return nil
	}
	at, err := url.Parse(p.url)
	if err != nil {
		return nil
	}
	return at.ResolveReference(&url.URL{Path: site.RobotsPath})
}

// meant is what a record says in other words than its own, "" if these will do or
// it is not understood.
func meant(r *robots.Record, base *url.URL) string {
	if rate, ok := r.Rate(); ok {
		return "every " + rate.Interval().String() + during(rate.During)
	}
	if window, ok := r.Window(); ok {
		return strings.TrimPrefix(during(window), ", ")
	}
	if _, absolute := r.URL(nil); !absolute {
		if location, ok := r.URL(base); ok {
			return location.String()
		}
	}
	if rule, ok := r.UsageRule(); ok {
		return preferences(&rule)
	}
	return ""
}

// during writes a time of day, "" for the whole of it.
func during(w robots.Window) string {
	if w.Whole() {
		return ""
	}
	return fmt.Sprintf(", from %s to %s UTC", clock(w.From), clock(w.To))
}

// clock writes a time since midnight.
func clock(t time.Duration) string {
	return fmt.Sprintf("%02d:%02d", int(t.Hours()), int(t.Minutes())%60)
}

// preferences writes what may be done with what.
func preferences(rule *robots.UsageRule) string {
	const shown = 20
	var parts []string
	for i, p := range rule.Preferences {
		if i == shown {
			parts = append(parts, fmt.Sprintf("and %d more", len(rule.Preferences)-shown))
			break
		}
		parts = append(parts, p.Purpose+": "+yesOrNo(p.Allowed))
	}
	if rule.Reuse != "" {
		parts = append(parts, "use: "+rule.Reuse)
	}
	if rule.Path == "" {
		return strings.Join(parts, ", ")
	}
	return strings.Join(parts, ", ") + ", for " + rule.Path
}

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// says is a record as a typed value for programs, nil if it is not understood or
// there is no type for it.
func says(r *robots.Record, base *url.URL) any {
	if delay, ok := r.Delay(); ok {
		return delayJSON{delay.Seconds()}
	}
	if rate, ok := r.Rate(); ok {
		out := rateJSON{Requests: rate.Requests, Seconds: rate.Per.Seconds()}
		if w := rate.During; !w.Whole() {
			out.During = &windowJSON{clock(w.From), clock(w.To)}
		}
		return out
	}
	if window, ok := r.Window(); ok {
		return windowJSON{clock(window.From), clock(window.To)}
	}
	if mirror, ok := r.Mirror(); ok {
		return mirrorJSON{unlessZero(mirror.Scheme), mirror.Name, unlessZero(mirror.Port)}
	}
	if clean, ok := r.CleanRule(); ok {
		return cleanJSON{clean.Parameters, clean.Path}
	}
	if pattern, ok := r.Pattern(); ok {
		return pathJSON{pattern}
	}
	if location, ok := r.URL(base); ok {
		return locationJSON{location.String()}
	}
	if rule, ok := r.UsageRule(); ok {
		out := usageJSON{Path: rule.Path, Preferences: make([]preferenceJSON, 0, len(rule.Preferences)), Reuse: unlessZero(rule.Reuse)}
		for _, p := range rule.Preferences {
			out.Preferences = append(out.Preferences, preferenceJSON{p.Purpose, p.Allowed})
		}
		return out
	}
	return nil
}

func unlessZero[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

type delayJSON struct {
	Seconds float64 `json:"seconds"`
}

type rateJSON struct {
	Requests int         `json:"requests"`
	Seconds  float64     `json:"seconds"`
	During   *windowJSON `json:"during"` // null: the whole day
}

type windowJSON struct {
	From string `json:"from"` // UTC
	To   string `json:"to"`
}

type mirrorJSON struct {
	Scheme *string `json:"scheme"`
	Name   string  `json:"name"`
	Port   *int    `json:"port"`
}

type cleanJSON struct {
	Parameters []string `json:"parameters"`
	Path       string   `json:"path"` // "" for every path
}

type pathJSON struct {
	Path string `json:"path"`
}

type locationJSON struct {
	URL string `json:"url"`
}

type usageJSON struct {
	Path        string           `json:"path"` // "" for every path
	Preferences []preferenceJSON `json:"preferences"`
	Reuse       *string          `json:"reuse"`
}

type preferenceJSON struct {
	Purpose string `json:"purpose"`
	Allowed bool   `json:"allowed"`
}
