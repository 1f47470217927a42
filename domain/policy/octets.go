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
	unusual                   // what may have another normal form
	ending                    // LF, CR
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
	table['#'], table['$'], table['*'], table['?'] = comment, dollar, star, mark
	return table
}()

// What tests eight octets at once, in one word: a sum or a difference for all of
// them sets the high bit of those that pass a limit.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// contents returns what there is in s. It looks at eight octets at a time and
// branches on none of them: most patterns hold nothing, and the few things that
// others hold can be looked for once they are known to be there.
func contents(s string) (found uint8) {
	for len(s) >= 8 {
		found |= octets[s[0]] | octets[s[1]] | octets[s[2]] | octets[s[3]] |
			octets[s[4]] | octets[s[5]] | octets[s[6]] | octets[s[7]]
		s = s[8:]
	}
	for i := 0; i < len(s); i++ {
		found |= octets[s[i]]
	}
	return found
}

// span returns where the line ends that from is in, and what it holds up to
// there, in one go: eight octets at a time, until one of them ends the line.
func (s *scan) span(from int) (end int, holds uint8) {
	text, i := s.text, from
	for ; i+8 <= len(text); i += 8 {
		w := word(text[i : i+8])
		found := holdsWord(w)
		if found&ending == 0 {
			holds |= found
			continue
		}
		// The lowest high bit that is set stands for the first LF or CR.
		lf, cr := w^('\n'*ones), w^('\r'*ones)
		n := bits.TrailingZeros64(((lf-ones)&^lf|(cr-ones)&^cr)&highs) >> 3
		if found != ending { // before the end, or behind it
			mask := firstOctets[n]
			holds |= holdsWord(w&mask | 'a'*ones&^mask)
		}
		return i + n, holds
	}
	for ; i < len(text) && octets[text[i]] != ending; i++ {
		holds |= octets[text[i]]
	}
	return i, holds
}

// holdsWord returns what the octets of a word hold.
func holdsWord(w uint64) uint8 {
	return octets[uint8(w)] | octets[uint8(w>>8)] | octets[uint8(w>>16)] | octets[uint8(w>>24)] |
		octets[uint8(w>>32)] | octets[uint8(w>>40)] | octets[uint8(w>>48)] | octets[w>>56]
}
