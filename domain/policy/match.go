package policy

import (
	"math/bits"
	"strings"

	"github.com/polite-crawler/polite/domain/site"
)

// find returns the rule that decides about a path, as it stands in a URL, or -1.
func (r *Rules) find(path string) int {
	if r.asGiven {
		return r.findIn(path)
	}
	if site.Abnormal(path) == len(path) {
		return r.findIn(path) // without escapes both readings are the path itself
	}
	return r.findAbnormal(path)
}

// A path is brought to normal form on the stack, where it can become three times
// as long: most in little room, as room costs time to clear.
const (
	shortPath = 160
	longPath  = 2 << 10
)

// findAbnormal is find for a path that must be brought to normal form first.
func (r *Rules) findAbnormal(path string) int {
	if len(path) > shortPath {
		return r.findLong(path)
	}
	var buffer [3 * shortPath]byte
	first := asString(site.AppendPath(buffer[:0], path, site.First))
	if !r.queries || !hasSecond(path) {
		return r.findIn(first)
	}
	return r.findSecond(path, first)
}

// findLong is the same with more room.
func (r *Rules) findLong(path string) int {
	var buffer [3 * longPath]byte
	first := asString(site.AppendPath(buffer[:0], path, site.First))
	if !r.queries || !hasSecond(path) {
		return r.findIn(first)
	}
	return r.findSecond(path, first)
}

// findSecond is the same for a path that may have a second reading.
func (r *Rules) findSecond(path, first string) int {
	var buffer [3 * longPath]byte
	second := asString(site.AppendPath(buffer[:0], path, site.Second))
	if first == second {
		return r.findIn(first)
	}
	return r.findInBoth(first, second)
}

// hasSecond reports whether a path can have a second reading: it escapes
// something in its query.
func hasSecond(path string) bool {
	mark := strings.IndexByte(path, '?')
	return mark >= 0 && strings.IndexByte(path[mark:], '%') >= 0
}

// findInBoth is the plain algorithm, for the few paths whose readings differ: a
// pattern that holds a '?' and does not match in the first reading is tried in
// the second (M2).
func (r *Rules) findInBoth(first, second string) int {
	best := -1
	has := pairs(first) | pairs(second)
	for _, part := range [2][2]int{{0, int(r.prefixes)}, {int(r.prefixes), len(r.list)}} {
		for i := part[0]; i < part[1]; i++ {
			rule := &r.list[i]
			if rule.has(wildcard) && r.heads[i]&^has != 0 {
				continue
			}
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

// findIn finds the rule that decides about a path in normal form: the best
// without a wildcard, unless one with a wildcard precedes it.
func (r *Rules) findIn(path string) int {
	best := r.findPrefix(path)
	if int(r.prefixes) == len(r.list) {
		return best
	}
	// A path that lacks a pair of octets which a pattern holds cannot match; of
	// a thousand patterns a few are left.
	const highest = 1 << 63
	lacks := ^pairs(path) &^ highest
	heads := r.heads
	var has grams
	for i := int(r.prefixes); i < len(heads); {
		if i+4 <= len(heads) {
			// Four at a time, without a branch for each: of what needs nothing
			// that the path lacks, and of that alone, one less has the highest
			// bit set.
			four := heads[i : i+4 : i+4]
			if ((four[0]&lacks-1)|(four[1]&lacks-1)|(four[2]&lacks-1)|(four[3]&lacks-1))&highest == 0 {
				i += 4
				continue
			}
		}
		if heads[i]&lacks == 0 {
			if best >= 0 && r.precedes(best, i) {
				break
			}
			rule := &r.list[i]
			if gram := rule.gram(); (gram == 0 || has.of(path, gram)) && r.matches(rule, path, path) {
				return i
			}
		}
		i++
	}
	return best
}

// findPrefix finds the best rule without a wildcard that matches, or -1: by the
// index, or the first that matches.
func (r *Rules) findPrefix(path string) int {
	if r.indexable() {
		if x := r.indexed(); x != nil {
			return x.find(r, path)
		}
	}
	start := word(path)
	for i, head := range r.heads[:r.prefixes] {
		// Eight octets are compared at once, or as many as the literal has:
		// its head ends with zeros, which are shifted out. Most rules end here.
		if (head^start)<<(bits.LeadingZeros64(head)&^7) == 0 && r.matchesTail(&r.list[i], path) {
			return i
		}
	}
	return -1
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
		o := &r.odd[rule.at]
		return glob(o.first, first, oddWildcard, o.anchored) || rule.has(query) && glob(o.second, second, oddWildcard, o.anchored)
	}
	if !rule.has(wildcard) {
		literal := r.literal(rule)
		return strings.HasPrefix(first, literal) && (!rule.has(anchored) || len(first) == len(literal))
	}
	return glob(r.literal(rule), first, '*', rule.has(anchored))
}

// glob matches a pattern. Each stretch between its wildcards is taken at its
// first place, which leaves the most for the next: there is nothing to go back
// for (M5).
func glob(pattern, path string, wildcard byte, anchored bool) bool {
	star := strings.IndexByte(pattern, wildcard)
	if star < 0 {
		return strings.HasPrefix(path, pattern) && (!anchored || len(path) == len(pattern))
	}
	if len(path) < star || path[:star] != pattern[:star] {
		return false
	}
	path, pattern = path[star:], pattern[star+1:]
	for {
		star = strings.IndexByte(pattern, wildcard)
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

// firstOctets keeps as many octets of a word.
var firstOctets = func() (masks [9]uint64) {
	for n := range masks {
		masks[n] = 1<<(8*n) - 1
	}
	return masks
}()
