package policy

import "strings"

// pairs returns a word with a bit for each pair of neighbours in s.
func pairs(s string) (word uint64) {
	for i := 1; i < len(s); i++ {
		// The upper bits of a product with a large odd number spread well.
		pair := uint32(s[i-1]) | uint32(s[i])<<8
		word |= 1 << (pair * 0x9E3779B1 >> 26)
	}
	return word
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

// grams are the stretches of four octets that a path holds, each as one of 255
// bits; bit 0 says that they are known. Short patterns have few pairs, and of
// those that are left most lack the gram of their longest stretch.
type grams [4]uint64

// gramsFrom is from how many rules on it pays to know a path's grams.
const gramsFrom = 128

// of reports whether a path may hold a gram.
func (g *grams) of(path string, gram uint32) bool {
	if g[0] == 0 {
		g[0] = 1
		for i := 0; i+4 <= len(path); i++ {
			bit := gramOf(path[i : i+4])
			g[bit>>6] |= 1 << (bit & 63)
		}
	}
	return g[gram>>6]&(1<<(gram&63)) != 0
}

// gramOf returns the number of four octets, from 1 to 255.
func gramOf(s string) uint32 {
	word := uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
	return max(word*0x9E3779B1>>24, 1)
}

// patternGram returns the gram at the end of a pattern's longest stretch, or 0 if
// none has four octets.
func patternGram(pattern string) uint32 {
	longest := ""
	for {
		star := strings.IndexByte(pattern, '*')
		if star < 0 {
			star = len(pattern)
		}
		if star > len(longest) {
			longest = pattern[:star]
		}
		if star == len(pattern) {
			break
		}
		pattern = pattern[star+1:]
	}
	if len(longest) < 4 {
		return 0
	}
	return gramOf(longest[len(longest)-4:])
}
