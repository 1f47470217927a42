package charset

import (
	"iter"
	"strings"
)

// labels yields the values of all charset parameters of a Content-Type, in lower
// case. It forgives what RFC 9110 §8.3 does not allow and servers send all the
// same: no semicolon or no media type, single quotes, a missing quote, spaces
// around the equals sign, a second charset. (mime.ParseMediaType refuses the
// whole field for some of these, and keeps single quotes.)
func labels(contentType string) iter.Seq[string] {
	return func(yield func(string) bool) {
		rest := strings.ToLower(contentType)
		for {
			before, after, found := strings.Cut(rest, "charset")
			if !found {
				return
			}
			rest = after
			if before != "" && isNameOctet(before[len(before)-1]) {
				continue // the end of another parameter's name
			}
			value, found := strings.CutPrefix(strings.TrimLeft(after, blanks), "=")
			if !found {
				continue
			}
			value = strings.TrimLeft(value, blanks+quotes)
			// No known label is longer; the bound keeps "charset=charset=…" linear.
			value = value[:min(len(value), maxLabel+1)]
			if end := strings.IndexAny(value, blanks+quotes+";,"); end >= 0 {
				value = value[:end]
			}
			if value != "" && !yield(value) {
				return
			}
		}
	}
}

const (
	blanks = " \t"
	quotes = `"'`
)

func isNameOctet(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' || c == '*'
}
