package policy

import (
	"math/bits"

	"github.com/polite-crawler/polite/domain/site"
)

// What there can be in a pattern, by octet; nothing for most octets.
const (
	plain   = 0
	blank   = 1 << (iota - 1) // space, HT, VT, FF
	comment                   // '#'
	dollar                    // '$'
	star                      // '*'
	mark                      // '?'
	unusual                   // what has another normal form
	ending                    // LF, CR
	escape                    // '%', which may begin what has
)

var octets = func() (table [256]uint8) {
	for c := range table {
		if site.Abnormal(string([]byte{byte(c)})) == 0 {
			table[c] = unusual
		}
	}
	for _, c := range []byte(" \t\v\f") {
		table[c] = blank
	}
	table['\n'], table['\r'] = ending, ending
	table['#'], table['$'], table['*'], table['?'], table['%'] = comment, dollar, star, mark, escape
	return table
}()

// What tests eight octets at once, in one word: a sum or a difference for all of
// them sets the high bit of those that pass a limit.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// contents returns what there is in s.
func contents(s string) (found uint8) {
	for i := 0; i < len(s); i++ {
		found |= octets[s[i]]
	}
	return found
}

// span returns where the line ends that from is in, and what it holds up to
// there, in one go: eight octets at a time, until one of them ends the line.
func span(text string, from int) (end int, holds uint8) {
	i := from
	for ; i+8 <= len(text); i += 8 {
		w := load(text, i)
		low := below(w, '\r'+1)
		if low == 0 {
			holds |= holdsWord(w)
			continue
		}
		n := bits.TrailingZeros64(low) >> 3
		mask := firstOctets[n]
		holds |= holdsWord(w&mask | 'a'*ones&^mask)
		if i += n; octets[text[i]] == ending {
			return i, holds
		}
		break // at another control
	}
	for ; i < len(text) && octets[text[i]] != ending; i++ {
		holds |= octets[text[i]]
	}
	return i, holds
}

// lineEnd returns where the line ends that at is in.
func lineEnd(text string, at int) int {
	for at+16 <= len(text) {
		low, before := below(load(text, at+8), '\r'+1), 8
		if l := below(load(text, at), '\r'+1); l != 0 {
			low, before = l, 0
		}
		if low == 0 {
			at += 16
			continue
		}
		at += before + bits.TrailingZeros64(low)>>3
		if octets[text[at]] == ending {
			return at
		}
		at++ // a tab, or another control
	}
	for at < len(text) && octets[text[at]] != ending {
		at++
	}
	return at
}

// textEnd returns where the text ends that at is in: at white space, a line's end, a
// '#', or what else is no more than that. It looks at 32 octets at a time and takes
// no branch over them, as no processor foresees where values end: with a loop over
// words a large file takes a fifth more time.
func textEnd(text string, at int) int {
	const limit = '#' + 1
	for ; at+32 <= len(text); at += 32 {
		low, before := below(load(text, at+24), limit), 24
		if l := below(load(text, at+16), limit); l != 0 {
			low, before = l, 16
		}
		if l := below(load(text, at+8), limit); l != 0 {
			low, before = l, 8
		}
		if l := below(load(text, at), limit); l != 0 {
			low, before = l, 0
		}
		if low != 0 {
			return at + before + bits.TrailingZeros64(low)>>3
		}
	}
	for at < len(text) && text[at] >= limit {
		at++
	}
	return at
}

// below marks the octets of a word that are below a limit of at most 0x80, by their
// high bits. Behind the first of them others may be marked, too.
func below(w uint64, limit uint64) uint64 { return (w - limit*ones) &^ w & highs }

// holdsWord returns what the octets of a word hold.
func holdsWord(w uint64) uint8 {
	return pairHolds[uint16(w)] | pairHolds[uint16(w>>16)] | pairHolds[uint16(w>>32)] | pairHolds[w>>48]
}

// pairHolds is what two octets hold, the first lowest. The text of files is made of a
// few of those pairs. To look octets up one by one has 5,000 rules take an eighth more
// time.
var pairHolds = func() (table [1 << 16]uint8) {
	for i := range table {
		table[i] = octets[uint8(i)] | octets[i>>8]
	}
	return table
}()

// load returns the eight octets at at, the first lowest. It is inlined, as word is
// not, which compiling a file would take a tenth longer for.
func load(text string, at int) uint64 {
	o := text[at : at+8]
	return uint64(o[0]) | uint64(o[1])<<8 | uint64(o[2])<<16 | uint64(o[3])<<24 |
		uint64(o[4])<<32 | uint64(o[5])<<40 | uint64(o[6])<<48 | uint64(o[7])<<56
}
