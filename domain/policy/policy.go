// Package policy decides: which outcomes of fetching robots.txt mean what, for
// how long, and whether a path may be fetched.
//
// It follows RFC 9309 and, numbered, the project's semantics (docs/semantics.md:
// A, M, U, F). Everything here is a value or a pure function: time is an argument,
// and nothing is fetched or stored. UsageOf answers what content may be used for,
// once it was fetched. Use the package alone to decide about files in hand; package
// app puts fetching and sharing around it.
package policy

import (
	"errors"
	"strings"
	"time"
	"unsafe"

	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// A Policy is what one crawler makes of what is known about one origin. It is
// immutable, safe for concurrent use, and holds no robots.txt body.
type Policy struct {
	facts   facts
	reading heldReading
	rules   *Rules // of the copy; nil without one
}

// ErrNoBody is Compile's answer to a snapshot whose copy is not at hand.
var ErrNoBody = errors.New("the snapshot's copy is needed and not at hand")

// Compile reads a snapshot as a crawler does. Where prev, an earlier Policy for
// the same reading, has the rules of the same copy they are used again, and the
// body is not needed; else, if it is missing, the error is ErrNoBody, and if it
// was kept for others, ErrOutOfScope.
func Compile(snapshot *Snapshot, reading Reading, prev *Policy) (*Policy, error) {
	p := &Policy{reading: reading.held()}
	p.facts.take(snapshot)
	switch {
	case !snapshot.HasCopy():
	case prev != nil && prev.rules != nil && prev.facts.hash == snapshot.Copy.Hash && reading.sameRules(prev.Reading()):
		p.rules = prev.rules
	case snapshot.Copy.Body != nil && !snapshot.Copy.Scope.Covers(&reading):
		return nil, ErrOutOfScope
	case snapshot.Copy.Body != nil:
		p.rules = reading.rulesOf(snapshot.Copy.Body)
	default:
		return nil, ErrNoBody
	}
	return p, nil
}

// Offline makes a Policy of a robots.txt in hand, cut at the reading's limit.
func Offline(body []byte, reading Reading) *Policy {
	limit := reading.Options.Limits.Bytes
	if limit <= 0 {
		limit = robots.DefaultBytes
		if !reading.Options.Dialect.Has(robots.ParsingLimit) {
			limit = len(body)
		}
	}
	body, cut := robots.Cut(body, limit)
	return OfCopy(Copy{Body: body, Truncated: cut}, reading)
}

// OfCopy makes a Policy of a copy in hand, which was cut already where it had to
// be. Of the copy body and Truncated count.
func OfCopy(c Copy, reading Reading) *Policy {
	p := &Policy{reading: reading.held()}
	p.facts = facts{attempt: Attempt{Outcome: Successful}, offline: true, hash: HashOf(c.Body), copied: true, truncated: c.Truncated}
	p.rules = reading.rulesOf(c.Body)
	return p
}

// Snapshot returns the facts that the Policy stands on: without Rev, and of the
// copy without body, charset and validators.
func (p *Policy) Snapshot() *Snapshot {
	f := &p.facts
	s := &Snapshot{
		Origin:       f.origin,
		Outcome:      f.attempt.Outcome,
		Failure:      f.attempt.Failure,
		Stop:         f.attempt.Stop,
		Status:       int(f.attempt.Status),
		Challenged:   f.challenged,
		Hops:         int(f.attempt.Hops),
		FinalURL:     f.finalURL,
		FetchedAt:    instant(f.attemptedAt),
		RefreshAt:    instant(f.refreshAt),
		FreshUntil:   f.freshUntil,
		Failures:     int(f.failures),
		FailingSince: instant(f.failingSince),
	}
	if f.hash != (Hash{}) {
		s.Copy = Copy{Hash: f.hash, Truncated: f.truncated, FetchedAt: instant(f.bodyAt), ConfirmedAt: f.fetchedAt}
	}
	return s
}

// Origin returns whose robots.txt it is; zero for a file in hand.
func (p *Policy) Origin() site.Origin { return p.facts.origin }

// Reading returns how the Policy reads the facts.
func (p *Policy) Reading() Reading { return p.reading.reading() }

// Hash returns the hash of the copy whose rules the Policy holds.
func (p *Policy) Hash() Hash { return p.facts.hash }

// Sitemaps returns the sitemaps that the copy names, in order, each once (RFC
// 9309 §2.2.4). A relative one is resolved against robots.txt's URL; of a file
// in hand, which has none, it stays as written (P9).
func (p *Policy) Sitemaps() []string {
	if p.rules == nil {
		return nil
	}
	var found []string
	known := make(map[string]bool)
	for _, location := range p.rules.sitemaps() {
		if !p.facts.origin.IsZero() {
			location, _ = resolve(p.facts.origin.RobotsURL(), location)
		}
		if location != "" && !known[location] {
			known[location] = true
			found = append(found, location)
		}
	}
	return found
}

// Size returns about how many bytes the Policy retains.
func (p *Policy) Size() int {
	size := int(unsafe.Sizeof(*p)) + len(p.facts.finalURL) + len(p.facts.origin.String())
	if p.rules != nil {
		size += p.rules.weigh()
	}
	return size
}

// Decide answers for a path, parameters and query as they stand in a URL, at a
// time. It is the priority resolver: robots.txt itself, then what the outcome
// of fetching means to the profile, then the most specific rule (M4). It does
// not allocate for paths of up to 2 KiB.
func (p *Policy) Decide(path string, now time.Time) (d Decision) {
	v := p.verdict(now)
	f := &p.facts
	d.Profile = p.reading.profile
	d.Origin = f.origin
	d.Stale, d.Reason, d.Access, d.Chosen = v.basis == byStaleCopy, v.reason, v.access, v.chosen
	d.Attempt = f.attempt
	d.ExpiresAt = f.freshUntil
	if v.basis < byCopy {
		d.Allowed = v.basis == allowAll
		d.FetchedAt = instant(f.attemptedAt)
		d.Limited = v.chosen == ChosenTooLongUnreachable
		if isRobotsTxt(path) {
			d.Allowed, d.Reason = true, ReasonRobotsTxt
		}
		return d
	}
	// The rules of the copy decide. It is said here and not in functions of its
	// own, as they would have to write the strings as if to the heap.
	r := p.rules
	d.FetchedAt = f.fetchedAt
	d.Hash = f.hash
	d.Limited = f.truncated || r.cut
	if r.delayAt != 0 {
		d.Delay = r.delayed()
	}
	grouped, group := r.groups() != 0, 0
	d.Allowed = true
	switch {
	case !r.ruled && isRobotsTxt(path):
		d.Reason = ReasonRobotsTxt
	case r.blank && !grouped:
		d.Reason = ReasonEmpty
	case !grouped:
		d.Reason = ReasonNoGroup
	default:
		i := r.find(path)
		if i < 0 {
			d.Reason = ReasonNoRule
			break
		}
		rule := &r.list[i]
		d.Allowed, d.Reason = rule.has(allows), ReasonRule
		group = rule.group()
		if rule.has(isOdd | apart) {
			d.Rule = r.rule(i)
			break
		}
		d.Rule.Verb, d.Rule.Line = rule.verb(), int(rule.line)
		d.Rule.Pattern, d.Rule.Text = r.written(rule)
	}
	if grouped { // where no rule decides, the first that was consulted
		d.Group = r.group(group)
	}
	return d
}

// verdict is the profile's reading of the facts, or of a file in hand.
func (p *Policy) verdict(now time.Time) verdict {
	if p.facts.offline && !p.facts.tooLong(&p.reading) {
		return verdict{basis: byCopy, access: AccessOffline}
	}
	return p.facts.read(&p.reading, now)
}

// isRobotsTxt reports whether a path is that of robots.txt itself, however it is
// written (RFC 9309 §2.2.2). With a query it is another URL.
func isRobotsTxt(path string) bool {
	// Nearly all end here.
	return len(path) >= len(site.RobotsPath) && (path[1] == site.RobotsPath[1] || path[1] == '%') && becomesRobotsTxt(path)
}

// becomesRobotsTxt is the same for a path that may be.
func becomesRobotsTxt(path string) bool {
	const longest = 3 * len(site.RobotsPath) // every octet escaped
	if len(path) <= len(site.RobotsPath) || len(path) > longest || strings.IndexByte(path, '%') < 0 {
		return path == site.RobotsPath
	}
	var buffer [3 * longest]byte
	return string(site.AppendPath(buffer[:0], path, site.First)) == site.RobotsPath
}
