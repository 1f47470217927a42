package policy

import (
	"slices"
	"strings"

	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// rulesIn makes Rules in a dialect other than Default (P12). Each rule is an odd
// one, with a form of its own, and the order in which they are tried is the
// dialect's precedence: slower than the way of the Default dialect, and open to
// every switch.
func rulesIn(dialect robots.Dialect, chosen *selection) *Rules {
	r := &Rules{
		blank:   chosen.blank,
		cut:     chosen.cut,
		asGiven: !dialect.Has(robots.PercentDecoding),
		ruled:   !dialect.Has(robots.RobotsTxtAllowed),
	}
	r.setDelay(chosen.delay)
	b := &scan{}
	for i := range chosen.rules {
		b.oddIn(dialect, r, &chosen.rules[i])
	}
	order := make([]uint32, len(r.odd))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(i, j uint32) int { return precedenceIn(dialect, &r.odd[i], &r.odd[j]) })
	b.text = strings.Join(chosen.maps, "")
	at := 0
	for _, location := range chosen.maps {
		b.maps = append(b.maps, place{at, at + len(location)})
		at += len(location)
	}
	room := b.makeRoom(r, len(order), chosen.groups)
	for i, at := range order {
		o := &r.odd[at]
		r.list[i] = rule{at: at, line: uint32(o.rule.Line), bits: wildcard | isOdd}
		r.list[i].setGroup(o.group)
		if o.rule.Verb == robots.Allow {
			r.list[i].bits |= allows
		}
		if strings.Contains(o.first, "?") && !r.asGiven {
			r.list[i].bits |= query
			r.queries = true
		}
	}
	b.writeText(r, chosen.groups, room)
	return r
}

// oddIn adds a rule as a dialect reads it.
func (s *scan) oddIn(dialect robots.Dialect, r *Rules, f *found) {
	pattern := f.pattern
	if pattern[0] != '/' && pattern[0] != '*' {
		pattern = "/" + pattern // CompleteSlash, or it had not been selected
	}
	if dialect.Has(robots.EscapedWildcard) {
		pattern = escapedStars.Replace(pattern)
	}
	o := odd{group: f.group, rule: robots.Rule{
		Verb: robots.Disallow, Line: f.line, Pattern: strings.Clone(f.pattern), Text: strings.Clone(f.text),
	}}
	if f.allow {
		o.rule.Verb = robots.Allow
		if directory, ok := indexDirectory(pattern); ok && dialect.Has(robots.IndexHTML) {
			index := o
			s.formIn(dialect, &index, directory+"$")
			r.odd = append(r.odd, index)
		}
	}
	s.formIn(dialect, &o, pattern)
	r.odd = append(r.odd, o)
}

var escapedStars = strings.NewReplacer("%2A", "*", "%2a", "*")

// formIn brings a pattern to the forms that a dialect compares.
func (s *scan) formIn(dialect robots.Dialect, o *odd, pattern string) {
	if o.anchored = strings.HasSuffix(pattern, "$"); o.anchored {
		pattern = pattern[:len(pattern)-1]
		o.length = 1
	}
	if dialect.Has(robots.PercentDecoding) {
		o.length += len(site.AppendLiteral(nil, pattern, site.First, false))
		o.first, o.second = s.oddForm(pattern, site.First), s.oddForm(pattern, site.Second)
		return
	}
	// The path stays as given, and of the pattern only what must be is escaped.
	escaped := strings.ReplaceAll(robots.EscapePattern(pattern), string(rune(oddWildcard)), "%00")
	o.length += len(escaped)
	o.first = strings.ReplaceAll(escaped, "*", string(rune(oddWildcard)))
	o.second = o.first
}

// precedenceIn compares two rules that both match.
func precedenceIn(dialect robots.Dialect, a, b *odd) int {
	if dialect.Has(robots.FileOrder) {
		return a.rule.Line - b.rule.Line
	}
	verb := int(a.rule.Verb) - int(b.rule.Verb) // Allow is the lesser
	if dialect.Has(robots.AllowFirst) && verb != 0 {
		return verb
	}
	if a.length != b.length {
		return b.length - a.length
	}
	if verb != 0 {
		return verb
	}
	return a.rule.Line - b.rule.Line
}
