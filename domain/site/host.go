package site

import "math/bits"

// Eight octets are tested at once, in one word: a sum for all of them sets the high
// bit of those that pass a limit.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// word returns the first eight octets of s, the first lowest.
func word(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// usualHost returns where the host that begins at start ends, if it looks as
// nearly all do: labels of lower-case letters, digits and single hyphens, the last
// of which is no number, and a path behind. Else it returns 0, and the
// host has to be looked at more closely.
func usualHost(raw string, start int) (end int) {
	const maxUsual = maxLabel // no label of a host as short as that is too long
	before := uint64(0x80)    // what is before the first octet counts as a dot
	letters := uint64(0)
	for i := start; i+8 <= len(raw) && i <= start+maxUsual-8; i += 8 {
		w := word(raw[i : i+8])
		v := w &^ highs
		letter := (v + (0x80-'a')*ones) &^ (v + (0x80-'z'-1)*ones)
		digit := (v + (0x80-'0')*ones) &^ (v + (0x80-'9'-1)*ones)
		mark := (v + (0x80-'-')*ones) &^ (v + (0x80-'.'-1)*ones) & highs
		part := (letter | digit | mark) &^ w & highs
		within := uint64(1<<64 - 1)
		if part != highs {
			n := bits.TrailingZeros64(^part&highs) >> 3
			end = i + n
			within = 1<<(8*n) - 1
		}
		letters |= letter & within
		// Two marks in a row, the first of all included.
		if (mark<<8|before)&mark&within != 0 {
			return 0
		}
		if end == 0 {
			before = mark >> 56
			continue
		}
		if raw[end] != '/' || letters&highs == 0 || raw[end-1] == '.' || raw[end-1] == '-' {
			return 0
		}
		// Numbers may be addresses. They end with a digit, be it a hexadecimal one.
		if raw[end-1] > 'f' {
			return end
		}
		label := end - 1
		for label > start && raw[label-1] != '.' {
			label--
		}
		if raw[label] <= '9' {
			return 0
		}
		return end
	}
	return 0
}
