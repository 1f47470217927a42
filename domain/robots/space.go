package robots

// space reports whether an octet is trimmed around keys and values (P5).
func space(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' }

// blank reports whether an octet separates two words and indents (P5).
func blank(c byte) bool { return c == ' ' || c == '\t' }

func trim(s string) string { return trimRight(trimLeft(s)) }

func trimLeft(s string) string {
	for s != "" && space(s[0]) {
		s = s[1:]
	}
	return s
}

func trimRight(s string) string {
	for s != "" && space(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}
