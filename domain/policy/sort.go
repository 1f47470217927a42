package policy

import "slices"

// fewRules is up to how many rules are sorted by comparing them.
const fewRules = 12

// sort returns the rules in order of precedence (M4); of one rank they stay in the
// order of the file. There is room behind them for the groups.
func (b *builder) sort() []rule {
	count := len(b.rules)
	sorted := slices.Grow(b.sorted[:0], count+len(b.groups))[:count]
	if count > fewRules {
		b.sortByCount(sorted)
		return sorted
	}
	for n := range b.rules {
		at, rank := n, b.rank(&b.rules[n])
		for at > 0 && b.rank(&sorted[at-1]) < rank {
			sorted[at] = sorted[at-1]
			at--
		}
		sorted[at] = b.rules[n]
	}
	return sorted
}

// sortByCount counts the rules of each rank instead of comparing them: ranks are
// few.
func (b *builder) sortByCount(sorted []rule) {
	next, highest := b.counts, 0 // all zeros
	for i := range b.rules {
		rank := b.rank(&b.rules[i])
		if rank >= len(next) {
			next = append(next, make([]int32, rank+1+len(next))...)
		}
		next[rank]++
		highest = max(highest, rank)
	}
	sum := int32(0)
	for rank := highest; rank >= 0; rank-- {
		sum, next[rank] = sum+next[rank], sum
	}
	for i := range b.rules {
		p := &next[b.rank(&b.rules[i])]
		sorted[*p] = b.rules[i]
		*p++
	}
	clear(next[:highest+1])
	b.counts = next
}

// rank is what rules are ordered by (M4), the highest first: length, in octets,
// then that they allow.
func (b *builder) rank(rule *rule) int {
	octets := int(rule.length) + int((rule.bits/anchored|rule.bits/open)&1)
	if rule.has(isOdd) {
		octets = b.odd[rule.at].length
	}
	return 2*octets + int(rule.bits&allows)
}
