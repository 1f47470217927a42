package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/policy"
)

// inspected is an inspection for people. What stands in it of the network is
// quoted where a terminal must not see it.
func inspected(i *polite.Inspection, colours palette, now time.Time) []byte {
	w := &page{colours: colours}
	s := &i.Snapshot
	w.heading(printable(i.URL))
	w.fact("robots.txt", colours.paint(accessColours[i.Decision.Access], i.Account()))
	for n, hop := range i.Hops {
		w.fact("request "+strconv.Itoa(n+1), request(&hop))
	}
	if len(i.Hops) == 0 {
		w.fact("requests", "made before, or by another process; --refresh asks again")
	}
	w.fact("access", i.Decision.Access.String())
	w.fact("final URL", brief(s.FinalURL))
	w.fact("asked", when(s.FetchedAt, now))
	w.fact("fresh until", when(s.FreshUntil, now))
	w.fact("next try", when(s.RefreshAt, now))
	if s.HasCopy() {
		w.lastGood(&s.Copy, now)
	} else {
		w.fact("last good", "none")
	}
	w.fact("decision", colours.paint(answerColours[i.Decision.Allowed], i.Decision.String()))
	w.WriteByte('\n')
	return w.Bytes()
}

var (
	accessColours = map[policy.Access]int{policy.AccessSuccessful: green, policy.AccessUnavailable: yellow, policy.AccessUnreachable: red}
	answerColours = map[bool]int{true: green, false: red}
)

// fact writes a line.
func (w *page) fact(name, value string) {
	w.WriteString("  " + w.colours.paint(faint, fmt.Sprintf("%-11s", name)) + "  " + value + "\n")
}

// lastGood describes the last good copy.
func (w *page) lastGood(c *policy.Copy, now time.Time) {
	parts := []string{"not at hand any more"}
	if c.Body != nil {
		parts = []string{plural(len(c.Body), "octet")}
	}
	for token := range c.Scope.Agents.Tokens {
		parts = append(parts, "kept for "+printable(token.String()))
	}
	if c.Truncated {
		parts = append(parts, "cut at the limit")
	}
	if c.Charset != "" {
		parts = append(parts, brief(c.Charset))
	}
	w.fact("last good", strings.Join(append(parts, c.Hash.String()), ", "))
	text := when(c.FetchedAt, now)
	if c.ConfirmedAt.After(c.FetchedAt) {
		text += ", unchanged at " + when(c.ConfirmedAt, now)
	}
	w.fact("fetched", text)
	var validators []string
	if c.Validators.ETag != "" {
		validators = append(validators, "ETag "+brief(c.Validators.ETag))
	}
	if c.Validators.LastModified != "" {
		validators = append(validators, "Last-Modified "+brief(c.Validators.LastModified))
	}
	if validators == nil {
		validators = []string{"none"}
	}
	w.fact("validators", strings.Join(validators, "; "))
}

// request describes one exchange.
func request(hop *polite.Hop) string {
	text := brief(hop.URL) + ": "
	switch {
	case hop.Status != 0:
		text += strconv.Itoa(hop.Status)
	case hop.Err != nil:
		text += "no answer"
	}
	text += " in " + duration(hop.Took)
	if hop.Location != "" {
		text += ", to " + brief(hop.Location)
	}
	return text
}

// brief is a text from the network, or its beginning.
func brief(text string) string {
	if len(text) > briefly {
		return quoted(text)
	}
	return printable(text)
}

const briefly = 200

// when is a time, and how far it is from now.
func when(t, now time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	text := t.UTC().Format(time.RFC3339)
	switch away := t.Sub(now).Round(time.Second); {
	case away > 0:
		return text + " (in " + duration(away) + ")"
	case away < 0:
		return text + " (" + duration(-away) + " ago)"
	}
	return text + " (now)"
}

// duration is a time as long as people read it.
func duration(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	case d >= time.Second:
		return d.Round(time.Second / 10).String()
	case d >= time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Microsecond).String()
}
