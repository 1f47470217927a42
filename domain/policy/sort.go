package policy

// fewRules is up to how many rules are sorted by comparing them.
const fewRules = 12

// sort puts the rules in order of precedence (M4); of one rank they stay in the
// order of the file.
func (b *builder) sort(r *Rules, kept []rule) {
	if len(kept) > fewRules {
		b.sortByCount(r, kept)
		return
	}
	for n := range kept {
		at, rank := n, r.rank(&kept[n])
		for at > 0 && r.rank(&r.list[at-1]) < rank {
			r.list[at] = r.list[at-1]
			at--
		}
		r.list[at] = kept[n]
	}
}

// sortByCount counts the rules of each rank instead of comparing them: ranks are
// few.
func (b *builder) sortByCount(r *Rules, kept []rule) {
	next, highest := b.counts, 0 // all zeros
	for i := range kept {
		rank := r.rank(&kept[i])
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
	for i := range kept {
		p := &next[r.rank(&kept[i])]
		r.list[*p] = kept[i]
		*p++
	}
	clear(next[:highest+1])
	b.counts = next
}
