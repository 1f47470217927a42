package policy

import (
	"math/bits"
	"slices"
	"strings"
)

// grams find general rules by four octets in a row that a path must hold to match
// them: of each pattern those that are rarest among the patterns. A path has
// about as many as it has octets, and few of them lead to a rule.
type grams struct {
	filter  []uint64 // a bit for each hash, so that most of a path's grams need no more
	shift   uint8    // what leaves a bucket of a hash
	starts  []uint16 // of each bucket's entries, and behind the last their end
	entries []uint32 // the rule, and part of the hash to tell strangers by
}

const (
	// maxGrams is how many rules an entry can tell apart.
	maxGrams = 1 << 16
	// filterBits is how many bits of the filter there are for a bucket: few are
	// set for nothing.
	filterShift = 4
	filterBits  = 1 << filterShift
	// fullBucket is how many rules share a bucket; more would make a path slow
	// that holds what they share again and again.
	fullBucket = 8
)

// newGrams returns the grams of rules, in order, and what rules have none.
func (r *Rules) newGrams(rules []uint32) (g *grams, rest []uint32) {
	counts := new([4096]uint16)
	for _, i := range rules {
		if rule := &r.list[i]; !rule.has(isOdd) {
			eachGram(r.literal(rule), func(gram uint32) {
				if n := &counts[hashGram(gram)>>52]; *n < 1<<16-1 {
					*n++
				}
			})
		}
	}
	bucketBits := bits.Len(uint(len(rules) - 1))
	g = &grams{shift: uint8(64 - bucketBits), starts: make([]uint16, 1<<bucketBits+1), filter: make([]uint64, filterBits<<bucketBits/64)}
	type entry struct {
		bucket uint32
		entry  uint32
	}
	var entries []entry
	filled := g.starts
	for _, i := range rules {
		rule := &r.list[i]
		rarest, least := uint64(0), 1<<16
		if !rule.has(isOdd) {
			eachGram(r.literal(rule), func(gram uint32) {
				if hash := hashGram(gram); int(counts[hash>>52]) < least && filled[hash>>g.shift] < fullBucket {
					rarest, least = hash, int(counts[hash>>52])
				}
			})
		}
		if least == 1<<16 {
			rest = append(rest, i)
			continue
		}
		bucket := rarest >> g.shift
		filled[bucket]++
		bit := rarest >> (g.shift - filterShift)
		g.filter[bit/64] |= 1 << (bit % 64)
		entries = append(entries, entry{uint32(bucket), i<<16 | tagOfGram(rarest)})
	}
	if len(entries) == 0 {
		return nil, rest
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return int(a.bucket) - int(b.bucket) })
	g.entries = make([]uint32, len(entries))
	for n, e := range entries {
		g.entries[n] = e.entry
	}
	end := uint16(0)
	for b, n := range filled {
		g.starts[b], end = end, end+n
	}
	return g, rest
}

// eachGram calls yield for every four octets of the stretches between a
// pattern's wildcards.
func eachGram(pattern string, yield func(gram uint32)) {
	for more := true; more; {
		var stretch string
		stretch, pattern, more = strings.Cut(pattern, "*")
		for ; len(stretch) >= 4; stretch = stretch[1:] {
			yield(gramOf(stretch))
		}
	}
}

func gramOf(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// hashGram spreads four octets; the upper bits do so best.
func hashGram(gram uint32) uint64 { return uint64(gram) * 0x9E3779B97F4A7C15 }

func tagOfGram(hash uint64) uint32 { return uint32(hash>>32) & 0xFFFF }

// find returns the first rule that matches a path, or best if that is before it.
func (g *grams) find(r *Rules, path string, best int) int {
	// Who writes both rules and paths can have each octet lead to some rule.
	// Trying all in order ends sooner then.
	tries := len(g.entries)
	filter, shift := g.filter, g.shift
	for i := 0; i+4 <= len(path); i++ {
		hash := hashGram(gramOf(path[i : i+4]))
		if bit := hash >> (shift - filterShift); filter[bit/64]&(1<<(bit%64)) == 0 {
			continue
		}
		bucket := hash >> g.shift
		from, to := g.starts[bucket], g.starts[bucket+1]
		for ; from < to; from++ {
			entry := g.entries[from]
			if entry&0xFFFF != tagOfGram(hash) {
				continue
			}
			rule := int(entry >> 16)
			if rule >= best {
				continue
			}
			if tries--; tries < 0 {
				if i := r.first(path, best); i >= 0 {
					return i
				}
				return best
			}
			if r.matches(&r.list[rule], path, path) {
				best = rule
			}
		}
	}
	return best
}
