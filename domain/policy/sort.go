package policy

import "slices"

// Rules are sorted in order of precedence (M4). How many there are of each rank,
// of which there are few, is counted as they are added.

// rank counts a rule, by its length in octets and whether it allows.
func (b *builder) rank(octets int, bits uint32) {
	rank := rankOf(octets, bits)
	if rank >= len(b.counts) {
		b.counts = append(b.counts, make([]int32, rank+1)...)
	}
	b.counts[rank]++
	b.highest = max(b.highest, rank)
}

// rankOf is what rules are ordered by, the highest first: length, then that they
// allow.
func rankOf(octets int, bits uint32) int { return 2*octets + int(bits&allows) }

func (b *builder) rankOf(rule *rule) int {
	octets := int(rule.length) + int((rule.bits/anchored|rule.bits/open)&1)
	if rule.has(isOdd) {
		octets = b.odd[rule.at].length
	}
	return rankOf(octets, rule.bits)
}

// fewRules is up to how many rules are sorted by comparing them.
const fewRules = 12

// sort returns the rules in order; of one rank they stay in the order of the file.
// There is room behind them for the groups.
func (b *builder) sort() []rule {
	count := len(b.rules)
	sorted := slices.Grow(b.sorted[:0], count+len(b.groups))[:count]
	if count > fewRules {
		b.sortByCount(sorted)
		return sorted
	}
	for n := range b.rules {
		at, rank := n, b.rankOf(&b.rules[n])
		for at > 0 && b.rankOf(&sorted[at-1]) < rank {
			sorted[at] = sorted[at-1]
			at--
		}
		sorted[at] = b.rules[n]
	}
	return sorted
}

func (b *builder) sortByCount(sorted []rule) {
	next := b.counts[:b.highest+1] // where the next rule of each rank goes
	sum := int32(0)
	for rank := len(next) - 1; rank >= 0; rank-- {
		sum, next[rank] = sum+next[rank], sum
	}
	for i := range b.rules {
		p := &next[b.rankOf(&b.rules[i])]
		sorted[*p] = b.rules[i]
		*p++
	}
}
