package policy

import (
	"strings"

	"github.com/polite-crawler/polite/domain/site"
)

// A pattern is the path of a rule, taken apart: the stretches between its '*',
// in normal form (RFC 9309 §2.2.2, §2.2.3; M2, M3).
type pattern struct {
	head     string   // what the path starts with
	tails    []string // what follows in this order, each after anything
	anchored bool     // the last stretch ends the path
}

// parsePattern takes a pattern apart and returns its length in octets, by which
// rules are compared (M4): that of the normal form, in which an escaped '*' or
// '$' counts three and a plain one counts one.
func parsePattern(text string, form site.Form) (p pattern, length int) {
	if strings.HasSuffix(text, "$") {
		p.anchored = true
		text = text[:len(text)-1]
		length++
	}
	query := false
	for i := 0; ; i++ {
		stretch, rest, wildcard := strings.Cut(text, "*")
		length += len(site.AppendLiteral(nil, stretch, form, query))
		literal := string(site.AppendLiteral(nil, plainSpecials(stretch), form, query))
		if i == 0 {
			p.head = literal
		} else if literal != "" || !wildcard { // "**" is "*"
			p.tails = append(p.tails, literal)
		}
		if !wildcard {
			return p, length
		}
		length++
		query = query || strings.Contains(stretch, "?")
		text = rest
	}
}

// match reports whether a path in normal form matches. Each stretch is taken at
// its first place, which leaves the most for the next: there is nothing to go
// back for, and the cost is path times wildcards at most (M5).
func (p *pattern) match(path string) bool {
	if !strings.HasPrefix(path, p.head) {
		return false
	}
	path = path[len(p.head):]
	if len(p.tails) == 0 {
		return !p.anchored || path == ""
	}
	last := len(p.tails) - 1
	for _, tail := range p.tails[:last] {
		at := strings.Index(path, tail)
		if at < 0 {
			return false
		}
		path = path[at+len(tail):]
	}
	if p.anchored {
		return strings.HasSuffix(path, p.tails[last])
	}
	return strings.Contains(path, p.tails[last])
}
