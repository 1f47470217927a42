package robots

import (
	"bytes"
	"strings"
)

// Parse reads a robots.txt. It never fails: it takes any octets, uses every line
// that makes sense and warns of the rest (RFC 9309 §2.3.1.5; P1). Time and
// memory are linear in the text, of which it keeps a copy.
func Parse(text []byte, options Options) *File {
	p := newParser(options)
	text, p.file.Truncated = Cut(text, p.limits.Bytes)
	return p.parse(padded(text), len(text))
}

// padding is what must follow a text for it to be looked at from any place in it.
const padding = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"

// padded copies a text and puts padding behind it.
func padded(text []byte) string {
	var b strings.Builder
	b.Grow(len(text) + len(padding))
	b.Write(text)
	b.WriteString(padding)
	return b.String()
}

// Cut returns the whole lines within the first limit octets of text, and whether
// anything was left out (RFC 9309 §2.5; P2).
func Cut(text []byte, limit int) (kept []byte, cut bool) {
	if len(text) <= limit {
		return text, false
	}
	return WholeLines(text[:limit]), true
}

// WholeLines drops a last line that has no end: where a text was cut, half a
// pattern would be taken for a whole one.
func WholeLines(text []byte) []byte {
	return text[:bytes.LastIndexAny(text, "\r\n")+1]
}

// HasDirective reports whether any line of text is a user-agent line, a rule or
// a Sitemap: a page of HTML has none (SEMANTICS F3).
func HasDirective(text []byte) bool {
	source := NewLines(string(text))
	for {
		line, ok := source.Next()
		if !ok {
			return false
		}
		if f := ReadLine(line); f.OK && (f.Kind >= UserAgentLine && f.Kind <= Sitemap) {
			return true
		}
	}
}
