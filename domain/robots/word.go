package robots

import "math/bits"

// Octets are looked at eight at a time, as one number, the first of them lowest.
const (
	eachOctet = 0x0101010101010101
	highBits  = 0x80 * eachOctet
)

// padding is what must follow a text for 32 octets to be loaded from any place in
// it.
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

// below32 marks those of the 32 octets at at that are below a limit of at most
// 0x80, each by a bit. A loop over words would be left at a place that no
// processor foresees, which takes it longer than this does.
func below32(text string, at int, limit uint8) uint32 {
	o := text[at : at+32]
	return ^(reach(word(o, 0), limit) | reach(word(o, 8), limit)<<8 | reach(word(o, 16), limit)<<16 | reach(word(o, 24), limit)<<24)
}

// gather moves the high bits of a word into its highest octet: of the products
// that make it up no two meet.
const gather = 1 | 1<<7 | 1<<14 | 1<<21 | 1<<28 | 1<<35 | 1<<42 | 1<<49

// reach marks the octets of a word that are not below a limit of at most 0x80, each by a bit.
func reach(w uint64, limit uint8) uint32 {
	w = (w&^highBits + (0x80-uint64(limit))*eachOctet | w) & highBits // exact: no octet overflows
	return uint32(w * gather >> 56)
}
