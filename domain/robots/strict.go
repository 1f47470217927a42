package robots

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// ParseStrict is Parse for whoever would rather have no File than half of one
// (P1). The error is a *SizeError for a text over the parsing limit, an
// *EncodingError for one that is not UTF-8 (RFC 9309 §2.3), or a *LimitError.
func ParseStrict(text []byte, options Options) (*File, error) {
	if err := options.Limits.Check(); err != nil {
		return nil, err
	}
	if limit := options.Limits.orDefault(options.Dialect).Bytes; len(text) > limit {
		line, _ := placeOf(text, limit)
		return nil, &SizeError{Size: len(text), Limit: limit, Line: line}
	}
	if at := invalidAt(text); at >= 0 {
		line, column := placeOf(text, at)
		return nil, &EncodingError{Line: line, Column: column, Offset: at, Octet: text[at]}
	}
	return Parse(text, options), nil
}

// A SizeError is a text over the parsing limit.
type SizeError struct {
	Size, Limit int // in octets
	Line        int // that the limit falls into, from 1
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("robots.txt has %d octets, %d over the limit of %d, which falls into line %d", e.Size, e.Size-e.Limit, e.Limit, e.Line)
}

// An EncodingError is a text that is not UTF-8.
type EncodingError struct {
	Line   int  // from 1
	Column int  // in octets of the line, from 1
	Offset int  // in octets of the text, from 0
	Octet  byte // that stands there
}

func (e *EncodingError) Error() string {
	return fmt.Sprintf("robots.txt is not UTF-8: line %d, octet %d: 0x%02X (offset %d)", e.Line, e.Column, e.Octet, e.Offset)
}

// invalidAt returns where a text stops to be UTF-8, -1 for nowhere.
func invalidAt(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for at := 0; ; {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}

// placeOf returns the line that an offset is in, and the octet of that line.
func placeOf(text []byte, offset int) (line, column int) {
	before := text[:offset]
	ends := bytes.Count(before, []byte("\n")) + bytes.Count(before, []byte("\r")) - bytes.Count(before, []byte("\r\n"))
	return ends + 1, offset - bytes.LastIndexAny(before, "\r\n")
}
