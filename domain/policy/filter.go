package policy

import (
	"strings"

	"github.com/polite-crawler/polite/domain/internal/word"
)

// pairs returns a word with a bit for each pair of neighbours in s. It takes eight
// octets at a time, which hold seven pairs, and the last eight for what is left:
// a loop over those would cost as much as the rest.
func pairs(s string) (bits uint64) {
	last := len(s) - 8
	if last < 0 {
		for i := 1; i < len(s); i++ {
			bits |= pairBit(uint64(s[i-1]) | uint64(s[i])<<8)
		}
		return bits
	}
	for i := 0; i < last; i += 7 {
		bits |= wordPairs(word.Of(s[i : i+8]))
	}
	return bits | wordPairs(word.Of(s[last:last+8]))
}

// wordPairs is pairs of eight octets. Six bits of each pair are mixed for all at
// once, its second octet's with its first's: 13 ns for a path of the real files,
// with a product for each pair 24.
func wordPairs(w uint64) (bits uint64) {
	w ^= w>>7 ^ w>>10
	bits |= 1 << (w & 63)
	bits |= 1 << (w >> 8 & 63)
	bits |= 1 << (w >> 16 & 63)
	bits |= 1 << (w >> 24 & 63)
	bits |= 1 << (w >> 32 & 63)
	bits |= 1 << (w >> 40 & 63)
	bits |= 1 << (w >> 48 & 63)
	return bits
}

// pairBit returns the bit of a word's first two octets.
func pairBit(w uint64) uint64 { return 1 << ((w ^ w>>7 ^ w>>10) & 63) }

// stretchPairs returns the pairs of all stretches between a pattern's wildcards.
func stretchPairs(pattern string, wildcard byte) (has uint64) {
	for {
		star := strings.IndexByte(pattern, wildcard)
		if star < 0 {
			return has | pairs(pattern)
		}
		has |= pairs(pattern[:star])
		pattern = pattern[star+1:]
	}
}
