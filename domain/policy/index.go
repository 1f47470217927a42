package policy

import "slices"

// An index finds the rule that decides without trying all. Rules get one once
// they are in use.
//
//   - A rule whose literal begins with '/' and another octet is found by that
//     octet, the path's letter: in a bucket of a handful. Where there are
//     hundreds of rules, those without a wildcard are in a trie instead.
//   - The others, "/*?id=" and the like, are general: they can match any path.
//     Each names what a path must hold, in one word. Where there are many, they
//     are found by a stretch of four octets that the path must hold.
//   - What matches every path, "/", is known beforehand.
type index struct {
	starts  [buckets + 1]uint8 // of each bucket's letters, and behind the last their end
	letters []uint8            // of the rules, by bucket, first their numbers, then their signs
	trie    *trie              // in place of the letters
	general *general           // nil: there are none
	floor   int32              // the rule that matches every path; Rules.count: there is none
	home    int32              // what decides about "/", or -1
}

// general rules can match any path.
type general struct {
	grams *grams   // of those that are found by them
	rules []uint32 // the others, in order
	needs []uint64 // the pairs of octets that a path must hold to match them
}

const (
	// indexFrom is from how many rules on an index pays.
	indexFrom = 2
	// indexAfter is after how many checks it is made: many files are compiled
	// for a handful.
	indexAfter = 8

	// gramsFrom is from how many general rules on it pays to look a path's grams
	// up.
	gramsFrom = 48
	// pairsFrom is from how many general rules on those with a wildcard and a
	// letter are told by their pairs with them.
	pairsFrom = 3
)

// indexed returns the index if it stands. The check that makes it goes by it at
// once; others go on without meanwhile.
func (r *Rules) indexed() *index {
	if r.count < indexFrom || r.checks.Load() >= indexAfter || r.checks.Add(1) != indexAfter {
		return nil
	}
	x := r.newIndex()
	r.index.Store(x)
	return x
}

func (r *Rules) newIndex() *index {
	count := int(r.count)
	x := &index{floor: int32(count), home: int32(r.first("/", count))}
	var lettered, starred, generals, plain []uint32
	for i := range count {
		rule := &r.list[i]
		switch {
		case rule.has(wildcard): // odd ones, too
			if r.isGeneral(rule) {
				generals = append(generals, uint32(i))
			} else {
				starred = append(starred, uint32(i))
			}
		case r.literal(rule) == "/":
			if !rule.has(anchored) { // else home knows
				x.floor = min(x.floor, int32(i))
			}
		case count <= lettersTo:
			lettered = append(lettered, uint32(i))
		case i < trieTo:
			plain = append(plain, uint32(i))
		default:
			generals = append(generals, uint32(i))
		}
	}
	// Rules with wildcards are tried by letter, too, unless there is some choice
	// among general ones: a word for each takes room.
	if count > lettersTo || len(generals) >= pairsFrom {
		generals = append(generals, starred...)
		slices.Sort(generals)
	} else {
		lettered = append(lettered, starred...)
		slices.Sort(lettered)
	}
	if len(plain) > 0 {
		if x.trie = r.newTrie(plain); x.trie == nil {
			generals = append(generals, plain...)
			slices.Sort(generals)
		}
	}
	if len(lettered) > 0 {
		x.takeLetters(r, lettered)
	}
	if len(generals) > 0 {
		x.general = r.newGeneral(generals)
	}
	return x
}

// isGeneral reports whether a rule with wildcards has no letter to find it by.
func (r *Rules) isGeneral(rule *rule) bool {
	return rule.has(isOdd) || r.text[rule.at] == '*' || r.text[rule.at+1] == '*'
}

func (r *Rules) newGeneral(rules []uint32) *general {
	g := &general{}
	if len(rules) >= gramsFrom && r.count < maxGrams {
		g.grams, rules = r.newGrams(rules)
	}
	g.rules = append(make([]uint32, 0, len(rules)), rules...)
	g.needs = make([]uint64, len(rules))
	for n, i := range rules {
		g.needs[n] = r.needs(&r.list[i])
	}
	return g
}

// needs returns the pairs that a path must hold to match a rule.
func (r *Rules) needs(rule *rule) uint64 {
	if rule.has(isOdd) {
		// A path that matches either form has the pairs that both have.
		o := &r.odd[rule.at]
		return stretchPairs(o.first, oddWildcard) & stretchPairs(o.second, oddWildcard)
	}
	return stretchPairs(r.literal(rule), '*')
}

// find returns the rule that decides about a path in normal form, or -1.
func (x *index) find(r *Rules, path string) int {
	if len(path) < 2 || path[0] != '/' {
		if path == "/" {
			return int(x.home)
		}
		return r.first(path, int(r.count))
	}
	best := int(x.floor)
	if x.trie != nil {
		if i := x.trie.find(r, path); i >= 0 && i < best {
			best = i
		}
	} else {
		b := bucket(path)
		switch from, end := uint(x.starts[b]), uint(x.starts[b+1]); end - from {
		case 0:
		case 1: // to try it is as good as to look at its sign
			i := int(x.letters[from])
			if i < best && r.matches(&r.list[i], path, path) {
				best = i
			}
		default:
			best = x.findLettered(r, path, best, from, end)
		}
	}
	if x.general != nil {
		best = x.general.find(r, path, best)
	}
	if best == int(r.count) {
		return -1
	}
	return best
}

// find returns the first general rule that matches, or best if that is before it.
func (g *general) find(r *Rules, path string, best int) int {
	if g.grams != nil {
		best = g.grams.find(r, path, best)
	}
	if len(g.rules) == 0 || int(g.rules[0]) >= best {
		return best
	}
	// A path that lacks a pair of octets which a pattern holds cannot match; of a
	// thousand patterns a few are left.
	const highest = 1 << 63
	lacks, needs := uint64(0), g.needs
	if len(path) <= shortPath || len(needs) >= pairsFrom { // else to try them is less work
		lacks = ^pairs(path) &^ highest
	}
	for n := 0; n < len(needs); {
		if n+4 <= len(needs) {
			// Four at a time, without a branch for each: of what needs nothing
			// that the path lacks, and of that alone, one less has the highest
			// bit set.
			four := needs[n : n+4 : n+4]
			if ((four[0]&lacks-1)|(four[1]&lacks-1)|(four[2]&lacks-1)|(four[3]&lacks-1))&highest == 0 {
				n += 4
				continue
			}
		}
		if needs[n]&lacks == 0 {
			i := int(g.rules[n])
			if i >= best {
				return best
			}
			if r.matches(&r.list[i], path, path) {
				return i
			}
		}
		n++
	}
	return best
}
