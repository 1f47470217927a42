package policy

import (
	"math/bits"
	"slices"
	"strings"
)

// An index finds the longest rule without a wildcard that a path starts with,
// without trying all: a trie whose branches are eight octets long, kept in one
// hash table. Rules get one when they are many and are used.
//
// At each node there is a look-up for each length of the rules that end within
// the next eight octets (a mask says which lengths there are), and one for the
// branch that the path takes. A branch with a single rule on it is a leaf: what
// is left of its literal is compared at once.
type index struct {
	slots    []slot
	root     uint8 // the mask of the root
	anchored bool  // some rule has to match the whole path
}

// A slot is a node, a leaf, or a rule that ends behind a node; 0 is empty.
//
//	bits 16–31: one more than the rule, or than one that goes by this node
//	bits  9–15: part of the hash, so that few strangers are looked at
//	bit      8: a leaf
//	bits  0– 7: of a node, the mask of lengths, bit n for n+1 octets
type slot uint32

const leaf slot = 1 << 8

func (s slot) rule() int { return int(s>>16) - 1 }

const (
	// indexFrom is from how many rules without a wildcard on an index pays:
	// below, trying all takes about as long.
	indexFrom = 16
	// indexTo is how many rules a slot can tell apart.
	indexTo = 1<<16 - 1
	// indexAfter is after how many checks it is made: many files are compiled
	// for a handful.
	indexAfter = 8
	// indexBytes is what it takes a rule, about.
	indexBytes = 8
)

// What a hash is of, besides the octets.
const (
	ofBranch = 0  // a node or a leaf; else the number of octets behind the last node
	ofWhole  = 16 // added for an anchored rule
)

// indexable reports whether an index is worth its while, and possible.
func (r *Rules) indexable() bool { return r.prefixes >= indexFrom && r.prefixes <= indexTo }

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
	b := indexer{rules: r, order: make([]uint32, r.prefixes), x: &index{}}
	for i := range b.order {
		b.order[i] = uint32(i)
	}
	slices.SortFunc(b.order, b.compare)
	b.order = slices.CompactFunc(b.order, b.same) // the first decides
	// One walk to count, as a table that has to grow would be made twice.
	b.x.root = b.node(b.order, 0, seed)
	b.x.slots = make([]slot, b.count+b.count/2+1)
	b.node(b.order, 0, seed)
	return b.x
}

// An indexer makes an index.
type indexer struct {
	rules *Rules
	order []uint32 // rules by literal, those without an anchor first
	x     *index
	count int // entries
}

func (b *indexer) literal(i uint32) string { return b.rules.literal(&b.rules.list[i]) }

func (b *indexer) compare(i, j uint32) int {
	r, s := &b.rules.list[i], &b.rules.list[j]
	if x, y := bits.ReverseBytes64(b.rules.heads[i]), bits.ReverseBytes64(b.rules.heads[j]); x != y {
		if x < y {
			return -1
		}
		return 1
	}
	if c := strings.Compare(b.literal(i), b.literal(j)); c != 0 {
		return c
	}
	if r.has(anchored) != s.has(anchored) {
		if s.has(anchored) {
			return -1
		}
		return 1
	}
	return int(i) - int(j)
}

func (b *indexer) same(i, j uint32) bool {
	return b.rules.list[i].has(anchored) == b.rules.list[j].has(anchored) && b.literal(i) == b.literal(j)
}

// node enters rules, in order, that have the octets up to from in common, and
// returns the mask of their node, whose hash is given.
func (b *indexer) node(order []uint32, from int, hash uint64) (mask uint8) {
	for len(order) > 0 {
		literal := b.literal(order[0])
		rest := len(literal) - from
		if rest <= 8 {
			of := uint64(rest)
			if b.rules.list[order[0]].has(anchored) {
				of += ofWhole
				b.x.anchored = true
			} else {
				mask |= 1 << (rest - 1)
			}
			b.enter(mix(hash, word(literal[from:]), of), order[0], 0)
			order = order[1:]
			continue
		}
		next := literal[from : from+8]
		n := 1
		for n < len(order) && strings.HasPrefix(b.literal(order[n])[from:], next) {
			n++
		}
		down := mix(hash, word(next), ofBranch)
		if n > 1 {
			at := b.enter(down, order[0], 0)
			below := b.node(order[:n], from+8, down)
			if b.x.slots != nil {
				b.x.slots[at] |= slot(below)
			}
		} else {
			b.enter(down, order[0], leaf)
		}
		order = order[n:]
	}
	return mask
}

// enter puts a rule at a hash, or counts it while there is no table yet.
func (b *indexer) enter(hash uint64, rule uint32, kind slot) (at uint64) {
	b.count++
	if b.x.slots == nil {
		return 0
	}
	for at = b.x.home(hash); b.x.slots[at] != 0; at = b.x.next(at) {
	}
	b.x.slots[at] = slot(rule+1)<<16 | tag(hash) | kind
	return at
}

const seed = 0x9E3779B97F4A7C15

// mix hashes one more word.
func mix(hash, word, of uint64) uint64 {
	high, low := bits.Mul64(hash^word, 0xD6E8FEB86659FD93+of<<1)
	return high ^ low
}

// tag is what a slot keeps of a hash.
func tag(hash uint64) slot { return slot(hash & 0xFE00) }

// home and next are where an entry is looked for first, and then.
func (x *index) home(hash uint64) uint64 {
	at, _ := bits.Mul64(hash, uint64(len(x.slots)))
	return at
}

func (x *index) next(at uint64) uint64 {
	if at++; at == uint64(len(x.slots)) {
		return 0
	}
	return at
}

// find returns the best rule without a wildcard that matches a path in normal
// form, or -1.
func (x *index) find(r *Rules, path string) int {
	best, hash, mask := -1, uint64(seed), x.root
	for from := 0; ; from += 8 {
		rest := len(path) - from
		next := word(path[from:])
		if rest < 8 {
			mask &= 1<<rest - 1
		}
		for ; mask != 0; mask &= mask - 1 {
			octets := bits.TrailingZeros8(mask) + 1
			h := mix(hash, next&firstOctets[octets], uint64(octets))
			if i := x.rule(r, h, path[:from+octets], false); i >= 0 {
				best = i // the longer the later
			}
		}
		if rest <= 8 {
			if x.anchored && rest > 0 {
				if i := x.rule(r, mix(hash, next, uint64(rest)+ofWhole), path, true); i >= 0 {
					return i
				}
			}
			return best
		}
		hash = mix(hash, next, ofBranch)
		node := x.branch(r, hash, path[:from+8])
		if node == 0 {
			return best
		}
		if node&leaf != 0 {
			if rule := &r.list[node.rule()]; r.matchesTail(rule, path) {
				return node.rule()
			}
			return best
		}
		mask = uint8(node)
	}
}

// rule returns the rule at a hash whose literal is that, or -1.
func (x *index) rule(r *Rules, hash uint64, literal string, whole bool) int {
	tag := tag(hash)
	for at := x.home(hash); ; at = x.next(at) {
		s := x.slots[at]
		if s == 0 {
			return -1
		}
		if s&0xFFFF == tag { // neither a node with lengths nor a leaf
			rule := &r.list[s.rule()]
			if int(rule.length) == len(literal) && rule.has(anchored) == whole && r.literal(rule) == literal {
				return s.rule()
			}
		}
	}
}

// branch returns the node or leaf at a hash whose octets are those, or 0.
func (x *index) branch(r *Rules, hash uint64, octets string) slot {
	tag := tag(hash)
	for at := x.home(hash); ; at = x.next(at) {
		s := x.slots[at]
		if s == 0 {
			return 0
		}
		if s&0xFE00 == tag {
			literal := r.literal(&r.list[s.rule()])
			if len(literal) > len(octets) && literal[:len(octets)] == octets {
				return s
			}
		}
	}
}
