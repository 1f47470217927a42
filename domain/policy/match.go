package policy

import (
	"strings"

	"github.com/polite-crawler/polite/domain/internal/word"
	"github.com/polite-crawler/polite/domain/site"
)

// find returns the rule that decides about a path, as it stands in a URL, or -1.
func (r *Rules) find(path string) int {
	if !r.asGiven && site.Abnormal(path) < len(path) {
		return r.findAbnormal(path)
	}
	return r.findIn(path) // without escapes both readings are the path itself
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
	has := pairs(first) | pairs(second)
	for i := range int(r.count) {
		rule := &r.list[i]
		if rule.has(wildcard) && r.needs(rule)&^has != 0 {
			continue
		}
		// An odd rule has a form for either reading, and knows.
		if r.matches(rule, first, second) || rule.bits&(query|isOdd) == query && r.matches(rule, second, second) {
			return i
		}
	}
	return -1
}

// findIn finds the rule that decides about a path in normal form, or -1: by the
// index, or the first that matches.
func (r *Rules) findIn(path string) int {
	x := r.index.Load()
	if x == nil {
		x = r.indexed()
	}
	if x != nil {
		return x.find(r, path)
	}
	return r.first(path, int(r.count))
}

// first returns the first of so many rules that matches, or -1. To compare a path
// with a pattern, or look for one in it, costs more than to know that it cannot be
// there: mostly by the last octet, or the last two, and in a long path it pays to
// know all of them.
func (r *Rules) first(path string, count int) int {
	has := uint64(0) // not known yet
	long := len(path) > shortPath
	for i := range r.list[:count] {
		rule := &r.list[i]
		if rule.has(wildcard) {
			if has == 0 {
				has = pairs(path)
			}
			if r.endsElsewhere(rule, has) || long && r.needs(rule)&^has != 0 {
				continue
			}
		} else if length := int(rule.length); length > len(path) ||
			length > 0 && path[length-1] != r.text[int(rule.at)+length-1] {
			continue
		}
		if r.matches(rule, path, path) {
			return i
		}
	}
	return -1
}

// endsElsewhere reports whether a path with these pairs of octets cannot hold the
// last two of a pattern.
func (r *Rules) endsElsewhere(rule *rule, has uint64) bool {
	if rule.has(isOdd) || rule.length < 2 {
		return false
	}
	end := r.text[rule.at+uint32(rule.length)-2:][:2]
	return end[0] != '*' && end[1] != '*' && has&pairBit(uint64(end[0])|uint64(end[1])<<8) == 0
}

// matches is the whole comparison of any rule with a path in normal form; second
// is its second reading, for rules that have one of their own.
func (r *Rules) matches(rule *rule, first, second string) bool {
	if rule.has(wildcard) {
		return r.matchesGlob(rule, first, second)
	}
	literal := r.literal(rule)
	return hasPrefix(first, literal) && (!rule.has(anchored) || len(first) == len(literal))
}

// hasPrefix is strings.HasPrefix by words: a call is most of the work for the few
// octets of a literal.
func hasPrefix(path, literal string) bool {
	last := len(literal) - 8
	if last < 0 || len(path) < len(literal) {
		return strings.HasPrefix(path, literal)
	}
	path = path[:len(literal)]
	if word.Of(path[last:]) != word.Of(literal[last:]) {
		return false
	}
	for i := 0; i < last; i += 8 {
		if word.Of(path[i:i+8]) != word.Of(literal[i:i+8]) {
			return false
		}
	}
	return true
}

// matchesGlob is the same for a rule with wildcards.
func (r *Rules) matchesGlob(rule *rule, first, second string) bool {
	if rule.has(isOdd) {
		o := &r.odd[rule.at]
		return glob(o.first, first, oddWildcard, o.anchored) || rule.has(query) && glob(o.second, second, oddWildcard, o.anchored)
	}
	return glob(r.literal(rule), first, '*', rule.has(anchored))
}

// glob matches a pattern. Each stretch between its wildcards is taken at its
// first place, which leaves the most for the next: there is nothing to go back
// for (M5).
func glob(pattern, path string, wildcard byte, anchored bool) bool {
	// Most begin with "/*" or "*".
	for pattern != "" && pattern[0] != wildcard {
		if path == "" || path[0] != pattern[0] {
			return false
		}
		path, pattern = path[1:], pattern[1:]
	}
	if pattern == "" {
		return !anchored || path == ""
	}
	pattern = pattern[1:]
	for {
		star := strings.IndexByte(pattern, wildcard)
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
