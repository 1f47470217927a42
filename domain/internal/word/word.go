// Package word looks at text eight octets at a time, as one number.
//
// The first octet is the lowest. A mark is the high bit of an octet that a test
// finds. Parsing and matching spend their time on a few octets of a great many lines
// and paths: what is here is inlined, and takes no branch.
package word

import "math/bits"

// What each octet of a word is combined with.
const (
	Each = 0x0101010101010101 // times an octet: eight of it
	High = 0x80 * Each        // the bits that marks are
	Fold = 0x20 * Each        // the bit that folds letters, and nothing but letters, exactly to lower case
)

// Load returns the eight octets at at.
func Load(text string, at int) uint64 {
	o := text[at : at+8]
	return uint64(o[0]) | uint64(o[1])<<8 | uint64(o[2])<<16 | uint64(o[3])<<24 |
		uint64(o[4])<<32 | uint64(o[5])<<40 | uint64(o[6])<<48 | uint64(o[7])<<56
}

// Of returns the first eight octets of a text that has as many. Of a constant it is
// one.
func Of(text string) uint64 { return Load(text, 0) }

// Head returns the first eight octets of a text, with zeros behind a shorter one. It
// is not inlined.
func Head(text string) (w uint64) {
	if len(text) >= 8 {
		return Load(text, 0)
	}
	for i := len(text) - 1; i >= 0; i-- {
		w = w<<8 | uint64(text[i])
	}
	return w
}

// Mask has the bits of so many octets, 8 at most, from the first on. A shift by 64 is
// one that processors have to be asked for twice.
func Mask(octets int) uint64 { return masks[octets] }

var masks = func() (masks [9]uint64) {
	for n := range masks {
		masks[n] = 1<<(8*n) - 1
	}
	return masks
}()

// Below marks the octets that are below a limit of at most 0x80. Behind the first of
// them others may be marked, too.
func Below(w uint64, limit uint8) uint64 { return (w - uint64(limit)*Each) &^ w & High }

// Equal marks the octets that are one, as Below does.
func Equal(w uint64, octet uint8) uint64 { return Below(w^uint64(octet)*Each, 1) }

// First returns the place of the first mark, 8 if there is none.
func First(marks uint64) int { return bits.TrailingZeros64(marks) >> 3 }

// Window is how many octets FirstBelow looks at.
const Window = 32

// FirstBelow returns how many of the 32 octets at at come before the first that is
// below a limit of at most 0x80; 32 if there is none. A loop over words would be left
// at a place that no processor foresees where texts differ in length, as they do:
// whole files are parsed in a sixth more time with one (and where all lines are as
// long in a tenth less).
func FirstBelow(text string, at int, limit uint8) int {
	o := text[at : at+Window]
	marks, before := Below(Load(o, 24), limit), 24
	if m := Below(Load(o, 16), limit); m != 0 {
		marks, before = m, 16
	}
	if m := Below(Load(o, 8), limit); m != 0 {
		marks, before = m, 8
	}
	if m := Below(Load(o, 0), limit); m != 0 {
		marks, before = m, 0
	}
	return before + First(marks)
}
