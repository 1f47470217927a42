package site

import (
	"math/bits"

	"github.com/polite-crawler/polite/domain/internal/word"
)

// usualHost returns where the host that begins at start ends, if it looks as
// nearly all do: labels of lower-case letters, digits and single hyphens, the last
// of which is no number, and a path behind. Else it returns 0, and the
// host has to be looked at more closely.
func usualHost(raw string, start int) (end int) {
	const maxUsual = maxLabel // no label of a host as short as that is too long
	before := uint64(0x80)    // what is before the first octet counts as a dot
	letters := uint64(0)
	for i := start; i+8 <= len(raw) && i <= start+maxUsual-8; i += 8 {
		w := word.Of(raw[i : i+8])
		v := w &^ word.High
		letter := (v + (0x80-'a')*word.Each) &^ (v + (0x80-'z'-1)*word.Each)
		digit := (v + (0x80-'0')*word.Each) &^ (v + (0x80-'9'-1)*word.Each)
		mark := (v + (0x80-'-')*word.Each) &^ (v + (0x80-'.'-1)*word.Each) & word.High
		part := (letter | digit | mark) &^ w & word.High
		within := uint64(1<<64 - 1)
		if part != word.High {
			n := bits.TrailingZeros64(^part&word.High) >> 3
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
		if raw[end] != '/' || letters&word.High == 0 || raw[end-1] == '.' || raw[end-1] == '-' {
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
