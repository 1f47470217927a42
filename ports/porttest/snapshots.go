package porttest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// A sample is a snapshot to put, and what it shows.
type sample struct {
	name     string
	snapshot policy.Snapshot
}

// robots is a small body.
var robots = []byte("User-agent: *\nDisallow: /private\n")

// full returns a snapshot with every field set.
func full(o site.Origin, now time.Time) policy.Snapshot {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	return policy.Snapshot{
		Origin:       o,
		Outcome:      policy.Unreachable,
		Failure:      policy.FailedTimeout,
		Stop:         policy.StopLocation,
		Status:       503,
		Challenged:   true,
		Hops:         3,
		FinalURL:     "https://www.example.com/robots.txt?x=1",
		FetchedAt:    ago(1500 * time.Millisecond),
		RefreshAt:    now.Add(64321 * time.Millisecond),
		FreshUntil:   now.Add(23*time.Hour + 59*time.Minute + 31*time.Second),
		Failures:     7,
		FailingSince: ago(3*time.Hour + 29*time.Second),
		Copy: policy.Copy{
			Hash:      policy.HashOf(robots),
			Body:      robots,
			Truncated: true,
			Charset:   "iso-8859-1",
			Validators: policy.Validators{
				URL:          "https://example.com/robots.txt",
				ETag:         `W/"a,b\"c"`,
				LastModified: "Sat, 21 Nov 2026 01:02:03 GMT",
			},
			FetchedAt:   ago(29*24*time.Hour + 31*time.Second),
			ConfirmedAt: ago(5*24*time.Hour + 29*time.Minute),
		},
	}
}

// successful returns a snapshot with body as its copy, as a fetch makes it.
func successful(o site.Origin, now time.Time, body []byte) policy.Snapshot {
	return policy.Snapshot{
		Origin:     o,
		Outcome:    policy.Successful,
		Status:     200,
		FinalURL:   o.RobotsURL(),
		FetchedAt:  now,
		RefreshAt:  now.Add(9 * time.Hour),
		FreshUntil: now.Add(10 * time.Hour),
		Copy: policy.Copy{
			Hash: policy.HashOf(body), Body: body, Charset: "utf-8", FetchedAt: now, ConfirmedAt: now,
		},
	}
}

// samples returns snapshots that between them hold everything that a Snapshot
// can hold: what one adapter may forget to write down.
func samples(o site.Origin, now time.Time) []sample {
	all := []sample{{"every field set", full(o, now)}}
	vary := func(name string, change func(*policy.Snapshot)) {
		s := full(o, now)
		change(&s)
		all = append(all, sample{name, s})
	}
	for outcome := policy.Successful; named(outcome); outcome++ {
		vary("outcome "+outcome.String(), func(s *policy.Snapshot) { s.Outcome = outcome })
	}
	for failure := policy.NoFailure; named(failure); failure++ {
		vary("failure "+failure.String(), func(s *policy.Snapshot) { s.Failure = failure })
	}
	for stop := policy.Final; named(stop); stop++ {
		vary("stop "+stop.String(), func(s *policy.Snapshot) { s.Stop = stop })
	}
	for _, status := range []int{0, 100, 200, 404, 599, 999} {
		vary(fmt.Sprint("status ", status), func(s *policy.Snapshot) { s.Status = status })
	}
	vary("not challenged", func(s *policy.Snapshot) { s.Challenged = false })
	vary("not truncated", func(s *policy.Snapshot) { s.Copy.Truncated = false })
	vary("final URL as expected", func(s *policy.Snapshot) { s.FinalURL = o.RobotsURL() })
	vary("validators of the final URL", func(s *policy.Snapshot) { s.Copy.Validators.URL = s.FinalURL })
	vary("ETag only", func(s *policy.Snapshot) { s.Copy.Validators.LastModified = "" })
	vary("Last-Modified only", func(s *policy.Snapshot) { s.Copy.Validators.ETag = "" })
	vary("no validators", func(s *policy.Snapshot) { s.Copy.Validators = policy.Validators{} })
	vary("a long text", func(s *policy.Snapshot) { s.FinalURL += strings.Repeat("x", 60_000) })
	vary("any octets as text", func(s *policy.Snapshot) { s.Copy.Validators.ETag = "\x00\xff\r\n{}" })
	vary("no times but the fetch's", func(s *policy.Snapshot) {
		s.RefreshAt, s.FreshUntil, s.FailingSince = time.Time{}, time.Time{}, time.Time{}
		s.Copy.ConfirmedAt, s.Copy.FetchedAt = time.Time{}, time.Time{}
	})
	vary("no copy", func(s *policy.Snapshot) { s.Copy = policy.Copy{} })
	all = append(all, sample{"a first success", successful(o, now, robots)})
	random := rand.NewChaCha8([32]byte{1})
	noise := make([]byte, 700_000)
	_, _ = random.Read(noise)
	for name, body := range map[string][]byte{
		"an empty body":               {},
		"a body of one octet":         {'#'},
		"a body of any octets":        {0, 0xff, '\n', 0xfe, '\r', 0},
		"a large, regular body":       bytes.Repeat(robots, 15_000),
		"a large, random body":        noise,
		"a body around a page's size": noise[:1025],
	} {
		all = append(all, sample{name, successful(o, now, body)})
	}
	return all
}

// named reports whether a value of an enumeration exists.
func named(value fmt.Stringer) bool { return !strings.HasPrefix(value.String(), "unknown-") }

// precision is how exactly times must come back (ports.Cache).
const precision = time.Second

// differences compares what was put with what was got, field by field so that
// new ones are compared as well. shift is how much the reader's clock is ahead of
// the writer's.
func differences(put, got *policy.Snapshot, shift time.Duration) []string {
	return compare("Snapshot", reflect.ValueOf(*put), reflect.ValueOf(*got), shift)
}

func compare(path string, put, got reflect.Value, shift time.Duration) (faults []string) {
	differ := func(same bool) {
		if !same {
			faults = append(faults, fmt.Sprintf("%s: put %s, got %s", path, short(put), short(got)))
		}
	}
	switch p := put.Interface().(type) {
	case time.Time:
		g := got.Interface().(time.Time)
		switch {
		case p.IsZero() || g.IsZero():
			differ(p.IsZero() == g.IsZero())
		default:
			differ(g.Sub(p.Add(shift)).Abs() <= precision)
		}
	case []byte:
		g := got.Bytes()
		differ(bytes.Equal(p, g) && (p == nil) == (g == nil))
	case policy.Rev:
		// The Cache gives it; checks compare it where it matters.
	case policy.Scope:
		differ(p == got.Interface())
	case site.Origin:
		differ(p == got.Interface())
	default:
		if put.Kind() != reflect.Struct {
			differ(reflect.DeepEqual(p, got.Interface()))
			return faults
		}
		for i := range put.NumField() {
			name := path + "." + put.Type().Field(i).Name
			faults = append(faults, compare(name, put.Field(i), got.Field(i), shift)...)
		}
	}
	return faults
}

// short prints a value; a body may be long.
func short(v reflect.Value) string {
	text := fmt.Sprintf("%q", fmt.Sprint(v.Interface()))
	if v.Kind() == reflect.Slice {
		text = fmt.Sprintf("%d octets %.60q", v.Len(), v.Interface())
	}
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return text
}
