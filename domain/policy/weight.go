package policy

import (
	"math/bits"
	"unsafe"
)

// weighIndex returns about how many bytes an index of the rules takes, made or
// not. It counts the rules of each kind, and takes for granted what is usual: that
// general rules have grams, and those without wildcards seldom a node of the trie
// for themselves.
func (r *Rules) weighIndex() int {
	if r.count < indexFrom {
		return 0
	}
	var odds, generals, starred, others int
	for i := range r.list[:r.count] {
		switch rule := &r.list[i]; {
		case rule.has(isOdd):
			odds++
		case !rule.has(wildcard):
			others++
		case r.isGeneral(rule):
			generals++
		default:
			starred++
		}
	}
	const (
		letterBytes  = 2
		generalBytes = 4 + 8 // the rule, and its pairs
		gramBytes    = 4
		slotBytes    = 4 + 2 // a third of the slots is empty
	)
	size := int(unsafe.Sizeof(index{}))
	switch {
	case r.count > lettersTo:
		size += int(unsafe.Sizeof(trie{})) + slotBytes*others
		generals += starred
	case generals+odds >= pairsFrom:
		size += letterBytes * others
		generals += starred
	default:
		size += letterBytes * (others + starred)
	}
	if generals+odds == 0 {
		return size
	}
	size += int(unsafe.Sizeof(general{})) + generalBytes*odds
	if generals > 0 && generals+odds >= gramsFrom && r.count < maxGrams {
		// A bucket for each, up to a power of two: its beginning, and its bits of
		// the filter.
		buckets := 1 << bits.Len(uint(generals+odds-1))
		return size + int(unsafe.Sizeof(grams{})) + gramBytes*generals + (2+filterBits/8)*buckets
	}
	return size + generalBytes*generals
}
