package policy

import "strings"

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
		bits |= wordPairs(eight(s[i : i+8]))
	}
	return bits | wordPairs(eight(s[last:last+8]))
}

// wordPairs is pairs of eight octets.
func wordPairs(w uint64) uint64 {
	return pairBit(w) | pairBit(w>>8) | pairBit(w>>16) | pairBit(w>>24) | pairBit(w>>32) | pairBit(w>>40) | pairBit(w>>48)
}

// pairBit returns the bit of a word's first two octets. The upper bits of a
// product with a large odd number spread well.
func pairBit(w uint64) uint64 {
	return 1 << (uint32(uint16(w)) * 0x9E3779B1 >> 26)
}

// stretchPairs returns the pairs of all stretches between a pattern's wildcards.
func stretchPairs(pattern string, wildcard byte) (word uint64) {
	for {
		star := strings.IndexByte(pattern, wildcard)
		if star < 0 {
			return word | pairs(pattern)
		}
		word |= pairs(pattern[:star])
		pattern = pattern[star+1:]
	}
}
