// Package charset turns the octets of a robots.txt into the UTF-8 that RFC 9309
// §2.2 asks for but that not every server sends (SEMANTICS F, below the table).
// It is for whoever fetches robots.txt; who has UTF-8 already parses without it
// and does not link its tables.
//
// The labels are those of the WHATWG Encoding Standard, so "latin1" is
// windows-1252, besides Binary.
package charset

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	// UTF8 is the name of what needs no decoding.
	UTF8 = "utf-8"
	// Binary is the label under which octets stay as they are, whatever they
	// look like.
	Binary = "binary"
)

// Decode returns body as UTF-8 and the name of the charset it was read in: that
// of its byte order mark, which is removed, else of contentType, else fallback,
// else UTF-8. A label that is unknown, or that body contradicts, is passed over.
//
// Decode never fails. Octets that are invalid stay as they are, so that a rule
// with a stray octet still matches the URL that holds the same one; in UTF-16,
// where an octet means nothing by itself, they become U+FFFD. The text is at
// most three times as long as body, and may share its memory.
func Decode(body []byte, contentType, fallback string) (text []byte, name string) {
	if text, name = decodeMarked(body); name != "" {
		return text, name
	}
	for label := range labels(contentType) {
		if text, name = decodeAs(body, label); name != "" {
			return text, name
		}
	}
	if text, name = decodeAs(body, fallback); name != "" {
		return text, name
	}
	return body, UTF8
}

// Valid returns an error that says why label cannot be a fallback, or nil. The
// empty label is valid: there is no fallback.
func Valid(label string) error {
	if label == "" || isBinary(label) {
		return nil
	}
	if enc, _ := lookup(label); enc == nil {
		return fmt.Errorf("charset %.40q is not known, or cannot be decoded", label)
	}
	return nil
}

// decodeMarked decodes a body that starts with a byte order mark. Without one
// the name is empty.
func decodeMarked(body []byte) (text []byte, name string) {
	switch {
	case bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")):
		return body[3:], UTF8
	case bytes.HasPrefix(body, []byte("\xFF\xFE")):
		return decode(body[2:], littleEndian), "utf-16le"
	case bytes.HasPrefix(body, []byte("\xFE\xFF")):
		return decode(body[2:], bigEndian), "utf-16be"
	}
	return nil, ""
}

// decodeAs decodes a body without a mark. The name is empty if the label is
// unknown or body cannot be what it says.
func decodeAs(body []byte, label string) (text []byte, name string) {
	if isBinary(label) {
		return body, Binary
	}
	enc, name := lookup(label)
	switch name {
	case "":
		return nil, ""
	case UTF8:
		return body, UTF8
	case "utf-16le", "utf-16be":
		return decodeUnmarked16(body)
	case "iso-2022-jp":
		// Seven bits: its own text, which is all ASCII, is valid UTF-8, too.
		if bytes.IndexByte(body, 0x1B) >= 0 && isASCII(body) {
			return decodeKeeping(body, enc), name
		}
	}
	// Text in an eight-bit charset is hardly ever valid UTF-8 by chance, while
	// servers label every text/plain with one default.
	if utf8.Valid(body) {
		return body, UTF8
	}
	return decodeKeeping(body, enc), name
}

// decodeUnmarked16 decodes what only a label calls UTF-16. The keys of a
// robots.txt are ASCII, so every second octet of many is zero: without a zero
// the label is wrong and would turn all rules into ideographs, and where the
// zeros are tells the order of the octets more surely than the label.
func decodeUnmarked16(body []byte) (text []byte, name string) {
	var zeros [2]int
	for i, octet := range body {
		if octet == 0 {
			zeros[i%2]++
		}
	}
	switch {
	case zeros[0] > zeros[1]:
		return decode(body, bigEndian), "utf-16be"
	case zeros[1] > 0:
		return decode(body, littleEndian), "utf-16le"
	}
	return nil, ""
}

var (
	littleEndian = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	bigEndian    = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
)

// decode decodes body at once, with U+FFFD for what is invalid.
func decode(body []byte, enc encoding.Encoding) []byte {
	text, err := enc.NewDecoder().Bytes(body)
	if err != nil { // no decoder of the index fails
		return body
	}
	return text
}

// decodeKeeping decodes body and keeps invalid octets as they are. What can be
// decoded at once is: only a U+FFFD in the outcome asks for a closer look.
func decodeKeeping(body []byte, enc encoding.Encoding) []byte {
	text := decode(body, enc)
	if !bytes.Contains(text, replacement) {
		return text
	}
	text = make([]byte, 0, len(text))
	decoder := enc.NewDecoder()
	room := make([]byte, 8)
	for len(body) > 0 {
		char, took := decodeChar(decoder, body, room)
		if bytes.Equal(char, replacement) {
			char = body[:took]
		}
		text = append(text, char...)
		body = body[took:]
	}
	return text
}

// decodeChar decodes the first character of body, an invalid one as U+FFFD, into
// room, and returns how many octets it took: at least one. An escape sequence is
// an empty character.
func decodeChar(decoder *encoding.Decoder, body, room []byte) (char []byte, took int) {
	for n := 1; n <= len(body); n++ {
		// First with room for U+FFFD and nothing after it, which would hide it.
		wrote, took, err := decoder.Transform(room[:len(replacement)], body[:n], n == len(body))
		if took == 0 && errors.Is(err, transform.ErrShortDst) {
			wrote, took, _ = decoder.Transform(room, body[:n], n == len(body))
		}
		if took > 0 {
			return room[:wrote], took
		}
	}
	return body, len(body)
}

var replacement = []byte("\uFFFD")

// lookup finds the encoding of a label, nil if there is none that decodes. The
// "replacement" encoding is none: it stands for charsets that are dangerous in
// a browser and turns the whole text into one U+FFFD, which would allow all
// that the text disallows. All of them leave ASCII as it is.
func lookup(label string) (enc encoding.Encoding, name string) {
	if len(label) > maxLabel {
		return nil, ""
	}
	enc, err := htmlindex.Get(label)
	if err != nil || enc == encoding.Replacement {
		return nil, ""
	}
	name, err = htmlindex.Name(enc)
	if err != nil {
		return nil, ""
	}
	return enc, name
}

// maxLabel is longer than any known label.
const maxLabel = 40

func isBinary(label string) bool { return strings.EqualFold(strings.TrimSpace(label), Binary) }

func isASCII(body []byte) bool {
	for _, octet := range body {
		if octet >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
