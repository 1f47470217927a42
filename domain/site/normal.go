package site

import (
	"strings"

	"github.com/polite-crawler/polite/domain/internal/word"
)

// The normal form of paths and patterns (RFC 9309 §2.2.2, RFC 3986 §6.2.2;
// SEMANTICS M2): an escape of an unreserved octet is decoded, any other is
// written in upper case, octets that cannot stand in a URI are escaped, broken
// escapes stay as they are. Equal octets on both sides then compare equal,
// however either side chose to write them.

// A Form says how a normal form is made.
type Form uint8

const (
	// First is the reading of every comparison.
	First Form = iota
	// Second also decodes %3A %2F %3F %40 after the first '?': §2.2.2's last
	// row holds "?baz=https://foo.bar" and its escaped form for the same.
	Second
)

// What an octet of a path needs, by octet.
const (
	keep   = iota
	escape // cannot stand in a URI
	percent
)

var needs = func() (table [256]uint8) {
	for c := range table {
		switch {
		case c <= ' ' || c >= 0x7F:
			table[c] = escape
		case c == '%':
			table[c] = percent
		}
	}
	for _, c := range []byte("<>\"\\^`{|}") {
		table[c] = escape
	}
	return table
}()

// Which escaped octets a reading decodes, by octet.
const (
	unreserved = 1 << iota // RFC 3986 §2.3
	special                // '*' and '$', special in patterns only
	delimiter              // ':' '/' '?' '@', plain in a query (RFC 3986 §3.4)
)

var decodable = func() (table [256]uint8) {
	for c := range table {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			table[c] = unreserved
		}
	}
	for _, c := range []byte("-._~") {
		table[c] = unreserved
	}
	for _, c := range []byte("*$") {
		table[c] = special
	}
	for _, c := range []byte(":/?@") {
		table[c] = delimiter
	}
	return table
}()

// Abnormal returns where path first departs from the normal form, or its length:
// most paths of the web are normal and need no copy. Nearly every question spends
// time on this, so it looks at eight octets at a time, and at the last eight for
// what is left: 11 ns for a path of the real files, 24 by a table.
func Abnormal(path string) int {
	last := len(path) - 8
	if last < 0 {
		return abnormalFrom(path, 0)
	}
	found := unusual(word.Of(path[last : last+8]))
	for i := 0; i < last; i += 8 {
		found |= unusual(word.Of(path[i : i+8]))
	}
	if found&word.High == 0 {
		return len(path)
	}
	return abnormalFrom(path, 0)
}

// abnormalFrom is Abnormal for a path that is normal up to i, octet by octet.
func abnormalFrom(path string, i int) int {
	for ; i < len(path); i++ {
		if needs[path[i]] != keep {
			break
		}
	}
	return i
}

// unusual returns a word with a high bit set if any of eight octets needs something:
// beyond an octet over 0x7F, which has it set itself, the sums may carry. It says so
// of '!', '#', '$' and '~', too, which need nothing, but are rare and save tests: the
// octets up to '%' are one range, those from '{' on another, and "<>\\^" become the
// same once four bits are set.
func unusual(w uint64) uint64 {
	low, high := ('%'+0x80)*word.Each-w, w+(0x80-'{')*word.Each
	// What is looked for becomes 0x7F, and one more the high bit.
	backquotes := w ^ ('`'^0x7F)*word.Each + word.Each
	brackets := (w | 0x62*word.Each) ^ (0x7E^0x7F)*word.Each + word.Each
	return low | high | backquotes | brackets | w
}

// AppendPath appends a URL's path in normal form. Escapes of '*' and '$' are
// decoded, so that a pattern's literal %2A or %24 meets both ways of writing
// them (RFC 9309 §2.2.3). The result is at most three times as long as path.
func AppendPath(dst []byte, path string, form Form) []byte {
	return appendNormal(dst, path, form, unreserved|special)
}

// AppendLiteral appends a stretch of a pattern in normal form. Escapes of '*'
// and '$' stay escapes. In the second form, query says that the pattern's first
// '?' came before this stretch.
func AppendLiteral(dst []byte, stretch string, form Form, query bool) []byte {
	decode := uint8(unreserved)
	if form == Second && query {
		decode |= delimiter
	}
	return appendNormal(dst, stretch, form, decode)
}

// EscapesAreNormal reports whether the escapes of a pattern's stretch are as normal
// form writes them: whole, in upper case, and of octets that only an escape can stand
// for. Those of '*' and '$' are not, as patterns mean something by them.
func EscapesAreNormal(stretch string) bool {
	for {
		at := strings.IndexByte(stretch, '%')
		if at < 0 {
			return true
		}
		octet, ok := escapeAt(stretch, at)
		if !ok || stretch[at+1] >= 'a' || stretch[at+2] >= 'a' || decodable[octet]&(unreserved|special) != 0 {
			return false
		}
		stretch = stretch[at+3:]
	}
}

func appendNormal(dst []byte, text string, form Form, decode uint8) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		switch needs[c] {
		case escape:
			for ; i < len(text) && needs[text[i]] == escape; i++ {
				dst = appendEscape(dst, text[i])
			}
		case percent:
			octet, ok := escapeAt(text, i)
			switch {
			case !ok:
				dst = append(dst, c)
				i++
				continue
			case decodable[octet]&decode != 0:
				dst = append(dst, octet)
			default:
				dst = appendEscape(dst, octet)
			}
			i += 3
		default:
			kept := text[i:abnormalFrom(text, i)]
			dst = append(dst, kept...)
			i += len(kept)
			if form == Second && strings.IndexByte(kept, '?') >= 0 {
				decode |= delimiter
			}
		}
	}
	return dst
}

func appendEscape(dst []byte, octet byte) []byte {
	const hex = "0123456789ABCDEF"
	return append(dst, '%', hex[octet>>4], hex[octet&15])
}

// escapeAt decodes the escape that starts at text[i], if it is a whole one.
func escapeAt(text string, i int) (octet byte, ok bool) {
	if i+2 >= len(text) {
		return 0, false
	}
	high, low := unhex(text[i+1]), unhex(text[i+2])
	return high<<4 | low, high < 16 && low < 16
}

// unhex returns a hexadecimal digit's value, or 255.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}
