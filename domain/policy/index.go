package policy

import (
	"math/bits"
	"slices"
	"strings"
)

// An index finds the rule that decides without trying all. Rules get one when
// they are many and are used: it costs about as much as trying all rules a few
// times.
//
// The rules without a wildcard are sorted by their literals. The longest literal
// that a path starts with is the last one that does not sort behind the path,
// or one that this starts with, which parent leads to.
//
// Each rule with a wildcard gets a word with a bit for each pair of octets that
// stand side by side in it. A path whose own word lacks one of them cannot
// match; of a thousand such rules a few are left.
type index struct {
	order  []uint32 // rules without a wildcard, by literal
	parent []int32  // by place in order: the next shorter literal that it starts with, or -1
	words  []uint64 // by place behind Rules.prefixes
}

const (
	// indexFrom is from how many rules on an index pays: below, trying all takes
	// about as long as a look into it.
	indexFrom = 48
	// indexAfter is after how many checks it is made: many files are compiled
	// for a handful.
	indexAfter = 8
	// indexBytes is what it takes a rule.
	indexBytes = 8
)

// indexed returns the index if it stands. The check that makes it goes by it at
// once; others go on without meanwhile.
func (r *Rules) indexed() *index {
	if x := r.index.Load(); x != nil {
		return x
	}
	if r.checks.Load() >= indexAfter || r.checks.Add(1) != indexAfter {
		return nil
	}
	x := r.newIndex()
	r.index.Store(x)
	return x
}

func (r *Rules) newIndex() *index {
	x := &index{order: make([]uint32, 0, r.prefixes), words: make([]uint64, len(r.list)-r.prefixes)}
	for i := range r.prefixes {
		x.order = append(x.order, uint32(i))
	}
	slices.SortFunc(x.order, func(i, j uint32) int {
		a, b := &r.list[i], &r.list[j]
		if x, y := bits.ReverseBytes64(a.head), bits.ReverseBytes64(b.head); x != y {
			if x < y {
				return -1
			}
			return 1
		}
		if c := strings.Compare(r.literal(a), r.literal(b)); c != 0 {
			return c
		}
		if a.has(anchored) != b.has(anchored) { // the anchored one is the longer
			if a.has(anchored) {
				return 1
			}
			return -1
		}
		return int(i) - int(j)
	})
	x.order = slices.CompactFunc(x.order, func(i, j uint32) bool { // the first of equals decides
		a, b := &r.list[i], &r.list[j]
		return a.has(anchored) == b.has(anchored) && r.literal(a) == r.literal(b)
	})
	x.parent = make([]int32, len(x.order))
	for place := range x.order {
		up := int32(place) - 1
		for up >= 0 && !strings.HasPrefix(r.literal(&r.list[x.order[place]]), r.literal(&r.list[x.order[up]])) {
			up = x.parent[up]
		}
		x.parent[place] = up
	}
	for i := range x.words {
		x.words[i] = r.pairsOf(&r.list[r.prefixes+i])
	}
	return x
}

// find is Rules.findIn by the index.
func (x *index) find(r *Rules, path string) int {
	best := x.findPrefix(r, path)
	if len(x.words) == 0 {
		return best
	}
	has, head := pairs(path), word(path)
	for i, needs := range x.words {
		if needs&^has != 0 {
			continue
		}
		i += r.prefixes
		rule := &r.list[i]
		if (rule.head^head)&headMasks[rule.headLength()] != 0 {
			continue
		}
		if best >= 0 && r.precedes(best, i) {
			break
		}
		if r.matches(rule, path, path) {
			return i
		}
	}
	return best
}

// findPrefix finds the best rule without a wildcard, or -1.
func (x *index) findPrefix(r *Rules, path string) int {
	head := bits.ReverseBytes64(word(path))
	low, high := 0, len(x.order)
	for low < high {
		middle := int(uint(low+high) >> 1)
		rule := &r.list[x.order[middle]]
		other := bits.ReverseBytes64(rule.head)
		if other < head || other == head && (rule.length <= 8 || r.literal(rule)[8:] <= path[8:]) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == 0 {
		return -1
	}
	place := int32(low - 1)
	common := commonPrefix(r.literal(&r.list[x.order[place]]), path)
	for place >= 0 {
		i := x.order[place]
		rule := &r.list[i]
		if int(rule.length) <= common && (!rule.has(anchored) || len(path) == int(rule.length)) {
			return int(i)
		}
		place = x.parent[place]
	}
	return -1
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// pairsOf returns the pairs that a path must hold to match a rule.
func (r *Rules) pairsOf(rule *rule) (word uint64) {
	if rule.has(isOdd) {
		return 0 // two readings: always tried
	}
	for stretch := range strings.SplitSeq(r.literal(rule), "*") {
		word |= pairs(stretch)
	}
	return word
}

// pairs returns a word with a bit for each pair of neighbours in s.
func pairs(s string) (word uint64) {
	for i := 1; i < len(s); i++ {
		// The upper bits of a product with a large odd number spread well.
		pair := uint32(s[i-1]) | uint32(s[i])<<8
		word |= 1 << (pair * 0x9E3779B1 >> 26)
	}
	return word
}
