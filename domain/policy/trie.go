package policy

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/polite-crawler/polite/domain/internal/word"
)

// A trie finds the first of the rules without a wildcard that match a path,
// without trying all. Its branches are eight octets long, and it is kept in one
// hash table.
//
// At each node there is a look-up for each length of the rules that end within
// the next eight octets (a mask says which lengths there are), and one for the
// branch that the path takes. A branch with a single rule on it is a leaf: what
// is left of its literal is compared at once.
type trie struct {
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

// trieTo is how many rules a slot can tell apart.
const trieTo = 1<<16 - 1

// What a hash is of, besides the octets.
const (
	ofBranch = 0  // a node or a leaf; else the number of octets behind the last node
	ofWhole  = 16 // added for an anchored rule
)

// newTrie makes a trie of rules, in order of precedence; nil for rules that were
// chosen to meet in its table, as the hash is no secret.
func (r *Rules) newTrie(rules []uint32) *trie {
	b := trieBuilder{rules: r, entries: make([]trieEntry, len(rules)), x: &trie{}}
	for n, i := range rules {
		b.entries[n] = trieEntry{bits.ReverseBytes64(word.Head(r.literal(&r.list[i]))), i}
	}
	slices.SortFunc(b.entries, b.compare)
	b.entries = slices.CompactFunc(b.entries, b.same) // the first decides
	// One walk to count, as a table that has to grow would be made twice.
	b.x.root = b.node(b.entries, 0, seed)
	b.x.slots = make([]slot, b.count+b.count/2+1)
	b.steps = stepsEach*b.count + stepsMore
	b.node(b.entries, 0, seed)
	if b.steps < 0 {
		return nil
	}
	return b.x
}

// How many full slots may be passed over to fill a table: one each is usual.
const (
	stepsEach = 16
	stepsMore = 1 << 10
)

// A trieBuilder makes a trie.
type trieBuilder struct {
	rules   *Rules
	entries []trieEntry // by literal, those without an anchor first
	x       *trie
	count   int // of slots in use
	steps   int // that are left to fill the table; below 0, the trie is none
}

type trieEntry struct {
	head uint64 // the literal's first eight octets, the first highest: most comparisons end here
	rule uint32
}

func (b *trieBuilder) literal(e trieEntry) string { return b.rules.literal(&b.rules.list[e.rule]) }

func (b *trieBuilder) isAnchored(e trieEntry) bool { return b.rules.list[e.rule].has(anchored) }

func (b *trieBuilder) compare(i, j trieEntry) int {
	if c := cmp.Compare(i.head, j.head); c != 0 {
		return c
	}
	if c := strings.Compare(b.literal(i), b.literal(j)); c != 0 {
		return c
	}
	if b.isAnchored(i) != b.isAnchored(j) {
		if b.isAnchored(j) {
			return -1
		}
		return 1
	}
	return int(i.rule) - int(j.rule)
}

func (b *trieBuilder) same(i, j trieEntry) bool {
	return b.isAnchored(i) == b.isAnchored(j) && b.literal(i) == b.literal(j)
}

// node enters rules, in order, that have the octets up to from in common, and
// returns the mask of their node, whose hash is given.
func (b *trieBuilder) node(order []trieEntry, from int, hash uint64) (mask uint8) {
	for len(order) > 0 {
		literal := b.literal(order[0])
		rest := len(literal) - from
		if rest <= 8 {
			of := uint64(rest)
			if b.isAnchored(order[0]) {
				of += ofWhole
				b.x.anchored = true
			} else {
				mask |= 1 << (rest - 1)
			}
			b.enter(mix(hash, word.Head(literal[from:]), of), order[0].rule, 0)
			order = order[1:]
			continue
		}
		next := literal[from : from+8]
		n := 1
		for n < len(order) && strings.HasPrefix(b.literal(order[n])[from:], next) {
			n++
		}
		down := mix(hash, word.Head(next), ofBranch)
		if n > 1 {
			at := b.enter(down, order[0].rule, 0)
			below := b.node(order[:n], from+8, down)
			if b.x.slots != nil {
				b.x.slots[at] |= slot(below)
			}
		} else {
			b.enter(down, order[0].rule, leaf)
		}
		order = order[n:]
	}
	return mask
}

// enter puts a rule at a hash, or counts it while there is no table yet.
func (b *trieBuilder) enter(hash uint64, rule uint32, kind slot) (at uint64) {
	b.count++
	if b.x.slots == nil {
		return 0
	}
	for at = b.x.home(hash); b.x.slots[at] != 0; at = b.x.next(at) {
		if b.steps--; b.steps < 0 {
			return at
		}
	}
	b.x.slots[at] = slot(rule+1)<<16 | tag(hash) | kind
	return at
}

const seed = 0x9E3779B97F4A7C15

// mix hashes one more word.
func mix(hash, w, of uint64) uint64 {
	high, low := bits.Mul64(hash^w, 0xD6E8FEB86659FD93+of<<1)
	return high ^ low
}

// tag is what a slot keeps of a hash.
func tag(hash uint64) slot { return slot(hash & 0xFE00) }

// home and next are where an entry is looked for first, and then.
func (x *trie) home(hash uint64) uint64 {
	at, _ := bits.Mul64(hash, uint64(len(x.slots)))
	return at
}

func (x *trie) next(at uint64) uint64 {
	if at++; at == uint64(len(x.slots)) {
		return 0
	}
	return at
}

// find returns the first rule without a wildcard that matches a path in normal
// form, or -1. That need not be the one with the longest literal: the '*' behind
// "/a*" counts as an octet, too (M4).
func (x *trie) find(r *Rules, path string) int {
	best, hash, mask := -1, uint64(seed), x.root
	for from := 0; ; from += 8 {
		rest := len(path) - from
		next := word.Head(path[from:]) // no normal form holds the zeros behind a short one
		if rest < 8 {
			mask &= 1<<rest - 1
		}
		for ; mask != 0; mask &= mask - 1 {
			octets := bits.TrailingZeros8(mask) + 1
			h := mix(hash, next&word.Mask(octets), uint64(octets))
			best = earlier(best, x.rule(r, h, path[:from+octets], false))
		}
		if rest <= 8 {
			if x.anchored && rest > 0 {
				best = earlier(best, x.rule(r, mix(hash, next, uint64(rest)+ofWhole), path, true))
			}
			return best
		}
		hash = mix(hash, next, ofBranch)
		node := x.branch(r, hash, path, from+8)
		if node == 0 {
			return best
		}
		if node&leaf != 0 {
			return earlier(best, node.rule())
		}
		mask = uint8(node)
	}
}

// earlier returns the lesser of two rules' numbers, -1 standing for none.
func earlier(i, j int) int {
	if i < 0 || j >= 0 && j < i {
		return j
	}
	return i
}

// rule returns the rule at a hash whose literal is that, or -1.
func (x *trie) rule(r *Rules, hash uint64, literal string, whole bool) int {
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

// branch returns the node at a hash whose octets a path begins with, or the leaf
// whose rule matches it, or 0.
func (x *trie) branch(r *Rules, hash uint64, path string, octets int) slot {
	tag := tag(hash)
	for at := x.home(hash); ; at = x.next(at) {
		s := x.slots[at]
		if s == 0 {
			return 0
		}
		if s&0xFE00 != tag {
			continue
		}
		rule := &r.list[s.rule()]
		if s&leaf != 0 {
			if r.matches(rule, path, path) {
				return s
			}
		} else if literal := r.literal(rule); len(literal) > octets && literal[:octets] == path[:octets] {
			return s
		}
	}
}
