package policy

import "strings"

// pairs returns a word with a bit for each pair of neighbours in s. It takes eight
// octets at a time, which hold seven pairs.
func pairs(s string) (bits uint64) {
	for len(s) >= 8 {
		w := word(s[:8])
		bits |= pairBit(w) | pairBit(w>>8) | pairBit(w>>16) | pairBit(w>>24) | pairBit(w>>32) | pairBit(w>>40) | pairBit(w>>48)
		s = s[7:]
	}
	for i := 1; i < len(s); i++ {
		bits |= pairBit(uint64(s[i-1]) | uint64(s[i])<<8)
	}
	return bits
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
