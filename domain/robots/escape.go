package robots

import "strings"

// EscapePattern writes a value as Google's parser does: octets beyond ASCII are
// escaped, and escapes written with capitals; all else stays as it is.
func EscapePattern(value string) string {
	changes, grows := false, 0
	for i := 0; i < len(value); i++ {
		switch {
		case value[i] >= 0x80:
			grows += 2
		case isEscape(value[i:]):
			changes = changes || isLower(value[i+1]) || isLower(value[i+2])
		}
	}
	if !changes && grows == 0 {
		return value
	}
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(value) + grows)
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c >= 0x80:
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		case isEscape(value[i:]):
			b.Write([]byte{'%', upper(value[i+1]), upper(value[i+2])})
			i += 2
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isEscape(s string) bool { return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2]) }

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

func upper(c byte) byte {
	if isLower(c) {
		return c - 0x20
	}
	return c
}
