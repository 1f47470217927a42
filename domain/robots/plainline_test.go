package robots

import (
	"regexp"
	"slices"
	"strings"
)

// What follows is the plain parser: nothing but what P says, in the order in which
// it is said, whatever that takes. Parse must find what it finds.

const plainSpace = " \t\v\f"

// plainLines cuts a text into lines (P3).
func plainLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	lines := strings.Split(text, "\n")
	return lines[:len(lines)-1+min(1, len(lines[len(lines)-1]))]
}

// plainCut cuts a text to whole lines (P2).
func plainCut(text string, limits Limits, d Dialect) (kept string, cut bool) {
	limit := limits.Bytes
	if limit <= 0 && d.Has(ParsingLimit) {
		limit = 512 * 1024
	}
	if limit <= 0 || len(text) <= limit {
		return text, false
	}
	for limit > 0 && text[limit-1] != '\n' && text[limit-1] != '\r' {
		limit--
	}
	return text[:limit], true
}

// plainUnmarked drops a byte order mark (P3).
func plainUnmarked(text string, d Dialect) string {
	const mark = "\xEF\xBB\xBF"
	for n := len(mark); n > 0; n-- {
		if strings.HasPrefix(text, mark[:n]) && (n == len(mark) || d.Has(PartialMark)) {
			return text[n:]
		}
	}
	return text
}

// plainRead reads a line (P4, P5, P6).
func plainRead(line string, d Dialect) (f Field) {
	if len(line) > 16663 {
		line = line[:16663]
		f.Fault = LineTooLong
	}
	if end := strings.Index(line, "\x00"); end >= 0 && d.Has(NULEnds) {
		line = line[:end]
	}
	uncommented := line
	if end := strings.Index(line, "#"); end >= 0 {
		uncommented = line[:end]
	}
	f.Text = strings.Trim(uncommented, plainSpace)
	if f.Text == "" {
		return f
	}
	key, value, colon := strings.Cut(f.Text, ":")
	if !colon {
		words := strings.FieldsFunc(f.Text, func(r rune) bool { return r == ' ' || r == '\t' })
		if !d.Has(OptionalColon) || len(words) != 2 {
			f.blame(NoField)
			return f
		}
		key, value = words[0], words[1]
	}
	key, value = strings.Trim(key, plainSpace), strings.Trim(value, plainSpace)
	if key == "" {
		f.blame(EmptyKey)
		return f
	}
	kind, misspelled, notes := plainKind(key, d)
	if !colon {
		if kind == Other && !d.Has(AnyTwoWords) {
			f.blame(NoField)
			return f
		}
		f.blame(MissingColon)
	}
	f.Kind, f.Key, f.Value, f.OK, f.notes = kind, key, value, true, notes
	if misspelled {
		f.blame(MisspelledKey)
	}
	if colon && d.Has(KeepTrailingSpace) && f.isPath() && value != "" && uncommented == line {
		f.Text = strings.TrimLeft(line, plainSpace)
		_, value, _ = strings.Cut(f.Text, ":")
		f.Value = strings.TrimLeft(value, plainSpace)
	}
	return f
}

// plainKeys are the keys that are known, and plainTypos misspellings (P6).
var (
	plainKeys = map[string]Kind{
		"user-agent": UserAgentLine, "allow": AllowLine, "disallow": DisallowLine, "sitemap": Sitemap, "crawl-delay": CrawlDelay,
		"request-rate": RequestRate, "visit-time": VisitTime, "host": Host, "clean-param": CleanParam, "noindex": Noindex,
		"content-usage": ContentUsage, "content-signal": ContentSignal, "license": License,
	}
	plainTypos = map[string]Kind{
		"useragent": UserAgentLine, "user agent": UserAgentLine, "site-map": Sitemap, "dissallow": DisallowLine, "dissalow": DisallowLine,
		"disalow": DisallowLine, "diasllow": DisallowLine, "disallaw": DisallowLine,
	}
)

// plainKind finds what a key is (P6), and what a Dialect adds to it (P12).
func plainKind(key string, d Dialect) (kind Kind, misspelled bool, notes notes) {
	lower := plainLower(key)
	for alias := range strings.SplitSeq(d.lists.aliases, "+") {
		if alias, target, _ := strings.Cut(alias, ":"); alias == lower {
			kind = plainKeys[target]
			return kind, d.Has(PrefixKeys) && kind.isCore() && len(key) > len(kind.String()), 0
		}
	}
	if slices.Contains(strings.Split(d.lists.group, "+"), lower) {
		notes |= addedToGroups
	}
	if slices.Contains(strings.Split(d.lists.path, "+"), lower) {
		notes |= addedToPaths
	}
	if kind, ok := plainKeys[lower]; ok {
		return kind, false, notes
	}
	if kind, ok := plainTypos[lower]; ok && !d.Has(ExactKeys) {
		return kind, true, notes
	}
	if d.Has(PrefixKeys) {
		for name, kind := range plainKeys {
			if kind.isCore() && strings.HasPrefix(lower, name) {
				return kind, true, notes
			}
		}
		for name, kind := range plainTypos {
			if strings.HasPrefix(lower, name) {
				return kind, true, notes
			}
		}
	}
	return Other, false, notes
}

// plainLower is in lower case what is ASCII.
func plainLower(text string) string {
	octets := []byte(text)
	for i, c := range octets {
		if 'A' <= c && c <= 'Z' {
			octets[i] = c - 'A' + 'a'
		}
	}
	return string(octets)
}

var (
	plainStars   = regexp.MustCompile(`\*+`)
	plainEscapes = regexp.MustCompile(`(\*|%2[Aa])+`)
)

// plainWildcards counts the wildcards of a pattern (P11).
func plainWildcards(pattern string, d Dialect) int {
	if d.Has(EscapedWildcard) {
		return len(plainEscapes.FindAllString(pattern, -1))
	}
	return len(plainStars.FindAllString(pattern, -1))
}
