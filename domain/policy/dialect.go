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
	text, rest := chosen.text()
	b := &builder{text: text}
	b.takeRest(chosen, rest)
	for i := range chosen.rules {
		b.oddIn(dialect, &chosen.rules[i])
	}
	order := make([]uint32, len(b.odd))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(i, j uint32) int { return precedenceIn(dialect, &b.odd[i], &b.odd[j]) })
	for _, i := range order {
		o := &b.odd[i]
		bits := uint32(min(o.group, maxGroups)*inGroup | wildcard | isOdd)
		if o.rule.Verb == robots.Allow {
			bits |= allows
		}
		if strings.Contains(o.first, "?") && !r.asGiven {
			bits |= query
		}
		b.line = o.rule.Line
		b.addApart(int(i), 0, 0, 0, bits)
	}
	b.write(r, b.rules)
	return r
}

// oddIn adds a rule as a dialect reads it.
func (b *builder) oddIn(dialect robots.Dialect, f *found) {
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
			b.formIn(dialect, &index, directory+"$")
			b.odd = append(b.odd, index)
		}
	}
	b.formIn(dialect, &o, pattern)
	b.odd = append(b.odd, o)
}

var escapedStars = strings.NewReplacer("%2A", "*", "%2a", "*")

// formIn brings a pattern to the forms that a dialect compares.
func (b *builder) formIn(dialect robots.Dialect, o *odd, pattern string) {
	if o.anchored = strings.HasSuffix(pattern, "$"); o.anchored {
		pattern = pattern[:len(pattern)-1]
		o.length = 1
	}
	if dialect.Has(robots.PercentDecoding) {
		o.length += len(site.AppendLiteral(nil, pattern, site.First, false))
		o.first, o.second = b.oddForm(pattern, site.First), b.oddForm(pattern, site.Second)
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
