package policy

// sort puts the rules in order of precedence (M4), those without a wildcard
// first. It counts them by length instead of comparing them: lengths are few,
// and rules of one length and verb stay in the order of the file.
func (b *builder) sort(r *Rules, kept []noted) {
	if len(kept) == 0 {
		return
	}
	// Places: without a wildcard, then with one; each by length, the longest
	// first; of a length those that allow, then those that disallow.
	half := 2 * (b.longest + 1)
	places := 2*half + 1
	if cap(b.counts) < places {
		b.counts = make([]int32, max(places, 512))
	}
	next := b.counts[:places]
	clear(next)
	longest := b.longest
	octets := b.octets[:len(kept)]
	for i := range kept {
		next[rank(longest-int(octets[i]), half, kept[i].bits)+1]++
	}
	sum := int32(0)
	for i := range next {
		sum += next[i]
		next[i] = sum
	}
	r.prefixes = uint32(next[half])
	r.newList(len(kept))
	for i := range kept {
		p := &next[rank(longest-int(octets[i]), half, kept[i].bits)]
		at := *p
		*p++
		r.heads[at] = kept[i].head
		r.list[at] = kept[i].rule
	}
}

func rank(shorter, half int, bits uint32) int {
	p := 2 * shorter
	if bits&allows == 0 {
		p++
	}
	if bits&wildcard != 0 {
		p += half
	}
	return p
}
