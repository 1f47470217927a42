package policy

import (
	"strings"

	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// An odd rule is one of the few that do not fit: its two readings differ, its
// wildcards are escaped, or it is not the line's own pattern (M6).
type odd struct {
	first, second string // the two readings, with oddWildcard for a wildcard
	anchored      bool
	length        int // in octets (M4)
	group         int
	rule          robots.Rule
}

// isOddPattern reports whether a pattern needs forms of its own: an escaped '*'
// or '$' means the octet (M3), and what a second reading reads otherwise has two
// forms (M2).
func (b *builder) isOddPattern(written, literal string) bool {
	escape := strings.IndexByte(written, '%')
	if escape < 0 {
		return false
	}
	if plainSpecials(written[escape:]) != written[escape:] {
		return true
	}
	if strings.IndexByte(literal, '?') < 0 {
		return false
	}
	b.second = site.AppendLiteral(b.second[:0], written, site.Second, false)
	return asString(b.second) != literal
}

// addOdd adds a rule that needs forms of its own, which are those of a pattern. Its
// line's text begins at at, with what is written there from from to end.
func (b *builder) addOdd(at, from, end int, pattern string, bits uint32) {
	text := strings.Clone(b.text[at:end])
	o := odd{rule: robots.Rule{Verb: robots.Disallow, Line: b.line, Pattern: text[from-at:], Text: text}}
	if bits&allows != 0 {
		o.rule.Verb = robots.Allow
	}
	if o.anchored = strings.HasSuffix(pattern, "$"); o.anchored {
		pattern = pattern[:len(pattern)-1]
		o.length++
	}
	b.second = site.AppendLiteral(b.second[:0], pattern, site.First, false)
	o.length = min(o.length+len(b.second), longestLiteral)
	o.first = b.oddForm(pattern, site.First)
	o.second = b.oddForm(pattern, site.Second)
	bits |= isOdd | wildcard
	if strings.Contains(pattern, "?") {
		bits |= query
	}
	b.addApart(len(b.odd), o.length, 0, 0, bits)
	b.odd = append(b.odd, o)
}

// oddWildcard stands for a wildcard in an odd rule, whose '*' is the octet. It is
// no part of a normal form.
const oddWildcard = 0

// oddForm brings a pattern to the form that odd rules have.
func (b *builder) oddForm(pattern string, form site.Form) string {
	b.second = b.second[:0]
	for query := false; ; {
		stretch, rest, more := strings.Cut(pattern, "*")
		b.second = site.AppendLiteral(b.second, plainSpecials(stretch), form, query)
		if !more {
			return string(b.second)
		}
		b.second = append(b.second, oddWildcard)
		query = query || strings.Contains(stretch, "?")
		pattern = rest
	}
}

// plainSpecials decodes the escapes of '*' and '$' in a pattern, as a path's are
// in normal form (M3). It takes the pattern as written: behind a broken escape,
// "%2%41", normal form can look like one.
func plainSpecials(written string) string {
	for rest := written; ; { // most escapes of "%2" are of something else
		at := strings.Index(rest, "%2")
		if at < 0 || at+2 == len(rest) {
			return written
		}
		rest = rest[at+2:]
		if c := rest[0]; c == 'A' || c == 'a' || c == '4' {
			return specials.Replace(written)
		}
	}
}

var specials = strings.NewReplacer("%2A", "*", "%2a", "*", "%24", "$")
