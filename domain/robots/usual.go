package robots

import "strings"

// isUsual reports whether a record's value is written as nearly all are, so that
// nothing is wrong with it. Of others faultOf tells, which may take a parser of
// RFC 9651: with it alone a file of 1,500 records takes four times as long.
func isUsual(kind Kind, value string) bool {
	switch kind {
	case Other:
		return true
	case Sitemap, License:
		return isUsualURL(value)
	case CrawlDelay:
		return len(value) < 9 && digits(value)
	case Host:
		return isUsualHost(value)
	case CleanParam:
		return isUsualCleanParam(value)
	case ContentUsage:
		return isUsualUsage(value, "y", "n", "ai-train", "ai-input")
	case ContentSignal:
		return isUsualUsage(value, "yes", "no", "train-ai", "ai-use")
	}
	return false
}

// Where octets may stand in what is usual.
const (
	inName = 1 << iota // of a host or a parameter: letters, digits, '-', '.', '_'
	inKey              // of a preference: as RFC 9651 §3.2 has them, but for '*'
	inURL              // of a URL, in whichever part
)

var usualOctets = func() (table [256]uint8) {
	for c := range table {
		switch c := byte(c); {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_':
			table[c] = inName | inKey | inURL
		case 'A' <= c && c <= 'Z':
			table[c] = inName | inURL
		case c == '/' || c == '?' || c == '=' || c == '&' || c == '~':
			table[c] = inURL
		}
	}
	return table
}()

func isUsualURL(value string) bool {
	rest, ok := strings.CutPrefix(value, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(value, "http://"); !ok {
			return false
		}
	}
	end := 0
	for end < len(rest) && usualOctets[rest[end]]&inName != 0 {
		end++
	}
	if end == 0 || end < len(rest) && rest[end] != '/' {
		return false
	}
	for end < len(rest) && usualOctets[rest[end]]&inURL != 0 {
		end++
	}
	return end == len(rest)
}

func isUsualHost(value string) bool {
	const longest = 253 // as in isHostName
	if value == "" || len(value) > longest || value[0] == '-' {
		return false
	}
	for i := 0; i < len(value); i++ {
		if usualOctets[value[i]]&inName == 0 {
			return false
		}
	}
	return value[0] != '.' && !strings.Contains(value, "..")
}

func isUsualCleanParam(value string) bool {
	i, before := 0, byte('&')
	for ; i < len(value); i++ {
		c := value[i]
		if usualOctets[c]&inName == 0 && (c != '&' || before == '&') {
			break
		}
		before = c
	}
	switch {
	case before == '&':
		return false
	case i == len(value):
		return true
	}
	path := value[i+1:]
	return value[i] == ' ' && isPattern(path) && strings.IndexByte(path, ' ') < 0 && strings.IndexByte(path, '\t') < 0
}

// isUsualUsage reads preferences that are one of two answers each. Two purposes
// are named so in the other kind of record.
func isUsualUsage(value, yes, no, foreign, foreignToo string) bool {
	if value != "" && value[0] == '/' {
		end := strings.IndexByte(value, ' ')
		if end < 0 || strings.IndexByte(value[:end], '\t') >= 0 {
			return false
		}
		value = value[end+1:]
	}
	for {
		end := 0
		for end < len(value) && usualOctets[value[end]]&inKey != 0 {
			end++
		}
		if end == 0 || end == len(value) || value[end] != '=' || value[0] < 'a' {
			return false
		}
		if purpose := value[:end]; purpose == foreign || purpose == foreignToo {
			return false
		}
		rest, ok := strings.CutPrefix(value[end+1:], yes)
		if !ok {
			if rest, ok = strings.CutPrefix(value[end+1:], no); !ok {
				return false
			}
		}
		if rest == "" {
			return true
		}
		if rest[0] != ',' {
			return false
		}
		if value = rest[1:]; value != "" && value[0] == ' ' {
			value = value[1:]
		}
	}
}
