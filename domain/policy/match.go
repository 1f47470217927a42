package policy

import (
	"strings"

	"github.com/polite-crawler/polite/domain/site"
)

// find returns the rule that decides about a path, as it stands in a URL, or -1.
func (r *Rules) find(path string) int {
	if site.Abnormal(path) == len(path) {
		return r.findIn(path) // without escapes both readings are the path itself
	}
	return r.findAbnormal(path)
}

// longPath is up to which length a path is brought to normal form on the stack,
// where it can become three times as long.
const longPath = 2 << 10

// findAbnormal is find for a path that must be brought to normal form first.
func (r *Rules) findAbnormal(path string) int {
	var one, two [3 * longPath]byte
	first := asString(site.AppendPath(one[:0], path, site.First))
	if !r.queries || strings.IndexByte(path, '?') < 0 {
		return r.findIn(first)
	}
	second := asString(site.AppendPath(two[:0], path, site.Second))
	if first == second {
		return r.findIn(first)
	}
	return r.findInBoth(first, second)
}

// findInBoth is the plain algorithm, for the few paths whose readings differ: a
// pattern that holds a '?' and does not match in the first reading is tried in
// the second (M2).
func (r *Rules) findInBoth(first, second string) int {
	best := -1
	for _, part := range [2][2]int{{0, r.prefixes}, {r.prefixes, len(r.list)}} {
		for i := part[0]; i < part[1]; i++ {
			rule := &r.list[i]
			if r.matches(rule, first, second) || rule.has(query) && r.matches(rule, second, second) {
				if best < 0 || r.precedes(i, best) {
					best = i
				}
				break
			}
		}
	}
	return best
}

// findIn finds the rule that decides about a path in normal form. Rules without
// a wildcard come first: the first of them that matches is the best of them,
// and of those with one only such are tried that would decide before it.
func (r *Rules) findIn(path string) int {
	if len(r.list) >= indexFrom {
		if x := r.indexed(); x != nil {
			return x.find(r, path)
		}
	}
	head := word(path)
	best := -1
	for i := range r.list[:r.prefixes] {
		rule := &r.list[i]
		// Eight octets are compared at once; most rules end here.
		if (rule.head^head)&headMasks[rule.headLength()] == 0 && r.matchesTail(rule, path) {
			best = i
			break
		}
	}
	for i := r.prefixes; i < len(r.list); i++ {
		if best >= 0 && r.precedes(best, i) {
			break
		}
		rule := &r.list[i]
		if (rule.head^head)&headMasks[rule.headLength()] == 0 && r.matches(rule, path, path) {
			return i
		}
	}
	return best
}

// matchesTail ends the comparison of a rule without a wildcard whose head
// matches.
func (r *Rules) matchesTail(rule *rule, path string) bool {
	length := int(rule.length)
	if length > 8 && (len(path) < length || path[8:length] != r.text[int(rule.at)+8:int(rule.at)+length]) {
		return false
	}
	return !rule.has(anchored) || len(path) == length
}

// matches is the whole comparison of any rule with a path in normal form; second
// is its second reading, for rules that have one of their own.
func (r *Rules) matches(rule *rule, first, second string) bool {
	if rule.has(isOdd) {
		o := &r.odd[rule.head]
		return o.first.match(first) || rule.has(query) && o.second.match(second)
	}
	if !rule.has(wildcard) {
		literal := r.literal(rule)
		return strings.HasPrefix(first, literal) && (!rule.has(anchored) || len(first) == len(literal))
	}
	return glob(r.literal(rule), first, rule.has(anchored))
}

// glob matches a pattern that holds at least one '*'. Each stretch between them
// is taken at its first place, which leaves the most for the next: there is
// nothing to go back for (M5).
func glob(pattern, path string, anchored bool) bool {
	star := strings.IndexByte(pattern, '*')
	if len(path) < star || path[:star] != pattern[:star] {
		return false
	}
	path, pattern = path[star:], pattern[star+1:]
	for {
		star = strings.IndexByte(pattern, '*')
		if star < 0 {
			if anchored {
				return strings.HasSuffix(path, pattern)
			}
			return strings.Contains(path, pattern)
		}
		at := strings.Index(path, pattern[:star])
		if at < 0 {
			return false
		}
		path, pattern = path[at+star:], pattern[star+1:]
	}
}

// word returns the first eight octets of s, the first lowest, with zeros behind
// a shorter one. Zero octets cannot stand in a normal form.
func word(s string) (w uint64) {
	if len(s) >= 8 {
		return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	}
	for i := len(s) - 1; i >= 0; i-- {
		w = w<<8 | uint64(s[i])
	}
	return w
}

// headMasks keep as many octets of a word as count. A count is four bits.
var headMasks = func() (masks [16]uint64) {
	for n := range masks {
		masks[n] = 1<<(8*min(n, 8)) - 1
	}
	masks[8] = ^uint64(0)
	return masks
}()
