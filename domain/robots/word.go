package robots

import "math/bits"

// Octets are looked at eight at a time, as one number, the first of them lowest.
const (
	eachOctet = 0x0101010101010101
	highBits  = 0x80 * eachOctet
	letters   = 0x20 * eachOctet // the bit that folds letters to lower case
)

// belowText is what tells white space, line ends and '#' from what else there is,
// but for '!', '"' and controls.
const belowText = '#' + 1

// padding is what must follow a text for it to be looked at from any place in it.
const padding = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"

// word loads the eight octets at at.
func word(text string, at int) uint64 {
	o := text[at : at+8]
	return uint64(o[0]) | uint64(o[1])<<8 | uint64(o[2])<<16 | uint64(o[3])<<24 |
		uint64(o[4])<<32 | uint64(o[5])<<40 | uint64(o[6])<<48 | uint64(o[7])<<56
}

// below marks the octets of a word that are below a limit of at most 0x80, by
// their high bits. Behind the first of them others may be marked, too.
func below(w uint64, limit uint8) uint64 { return (w - uint64(limit)*eachOctet) &^ w & highBits }

// equal marks the octets of a word that are an octet, as below does.
func equal(w uint64, octet uint8) uint64 { return below(w^uint64(octet)*eachOctet, 1) }

// firstOf returns the place of the first octet that is marked.
func firstOf(marks uint64) int { return bits.TrailingZeros64(marks) >> 3 }

// lookAhead is how many octets textEnd looks at.
const lookAhead = 32

// textEnd returns how many of the 32 octets at at come before the first that is
// below belowText. It takes no branch: a loop over words is left at a place that no
// processor foresees where values differ in length, as they do, and then Parse
// takes a sixth more time (and a tenth less where all are as long).
func textEnd(text string, at int) int {
	o := text[at : at+lookAhead]
	marks, before := below(word(o, 24), belowText), 24
	if m := below(word(o, 16), belowText); m != 0 {
		marks, before = m, 16
	}
	if m := below(word(o, 8), belowText); m != 0 {
		marks, before = m, 8
	}
	if m := below(word(o, 0), belowText); m != 0 {
		marks, before = m, 0
	}
	return before + firstOf(marks) // 32 if there is none
}
