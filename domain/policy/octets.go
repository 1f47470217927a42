package policy

import (
	"github.com/polite-crawler/polite/domain/internal/word"
	"github.com/polite-crawler/polite/domain/site"
)

// What there can be in a pattern, by octet; nothing for most octets.
const (
	blank   = 1 << iota // space, HT, VT, FF
	comment             // '#'
	dollar              // '$'
	star                // '*'
	mark                // '?'
	unusual             // what has another normal form
	ending              // LF, CR
	escape              // '%', which may begin what has
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
		w := word.Load(text, i)
		low := word.Below(w, '\r'+1)
		if low == 0 {
			holds |= holdsWord(w)
			continue
		}
		n := word.First(low)
		mask := word.Mask(n)
		holds |= holdsWord(w&mask | 'a'*word.Each&^mask)
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
		low, before := word.Below(word.Load(text, at+8), '\r'+1), 8
		if l := word.Below(word.Load(text, at), '\r'+1); l != 0 {
			low, before = l, 0
		}
		if low == 0 {
			at += 16
			continue
		}
		at += before + word.First(low)
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
// '#', or what else is no more than that.
func textEnd(text string, at int) int {
	const limit = '#' + 1
	for ; at+word.Window <= len(text); at += word.Window {
		if n := word.FirstBelow(text, at, limit); n < word.Window {
			return at + n
		}
	}
	for at < len(text) && text[at] >= limit {
		at++
	}
	return at
}

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
