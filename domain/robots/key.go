package robots

import "strings"

// A Kind is what a line's key makes of it.
type Kind uint8

// The kinds of lines. Other is any key that is not known; it is kept, and is no
// mistake (RFC 9309 §2.2.4).
const (
	Other Kind = iota
	UserAgentLine
	AllowLine
	DisallowLine
	Sitemap
	CrawlDelay
	RequestRate
	VisitTime
	Host
	CleanParam
	Noindex
	ContentUsage
	ContentSignal
	License
)

// kindKeys are the keys as Format writes them: with a first capital.
var kindKeys = [...]string{
	Other:         "",
	UserAgentLine: "User-agent",
	AllowLine:     "Allow",
	DisallowLine:  "Disallow",
	Sitemap:       "Sitemap",
	CrawlDelay:    "Crawl-delay",
	RequestRate:   "Request-rate",
	VisitTime:     "Visit-time",
	Host:          "Host",
	CleanParam:    "Clean-param",
	Noindex:       "Noindex",
	ContentUsage:  "Content-usage",
	ContentSignal: "Content-signal",
	License:       "License",
}

// String returns the key that makes a line one of this kind; "other" for Other.
func (k Kind) String() string {
	if k == Other || int(k) >= len(kindKeys) {
		return "other"
	}
	return strings.ToLower(kindKeys[k])
}

// isCore reports whether every parser knows lines of this kind.
func (k Kind) isCore() bool { return UserAgentLine <= k && k <= Sitemap }

// isRule reports whether lines of this kind are rules.
func (k Kind) isRule() bool { return k == AllowLine || k == DisallowLine }

// ofGroup reports whether records of this kind concern a group's user-agents
// rather than the whole file (P9).
func (k Kind) ofGroup() bool {
	switch k {
	case CrawlDelay, RequestRate, VisitTime, Noindex, ContentUsage, ContentSignal:
		return true
	}
	return false
}

// needsGroup reports whether records of this kind mean nothing outside a group.
func (k Kind) needsGroup() bool {
	return k == CrawlDelay || k == RequestRate || k == VisitTime
}

// A name is a key that is known, in lower case.
type name struct {
	key  string
	kind Kind
	typo bool // it is a misspelling that is common enough to be understood (P6)
}

// namesOfLength are the keys that are known, by their length: that leaves few to
// compare with.
var namesOfLength = [...][]name{
	4: {{"host", Host, false}},
	5: {{"allow", AllowLine, false}},
	7: {{"sitemap", Sitemap, false}, {"disalow", DisallowLine, true}, {"noindex", Noindex, false}, {"license", License, false}},
	8: {
		{"disallow", DisallowLine, false},
		{"dissalow", DisallowLine, true}, {"diasllow", DisallowLine, true}, {"disallaw", DisallowLine, true}, {"site-map", Sitemap, true},
	},
	9:  {{"useragent", UserAgentLine, true}, {"dissallow", DisallowLine, true}},
	10: {{"user-agent", UserAgentLine, false}, {"user agent", UserAgentLine, true}, {"visit-time", VisitTime, false}},
	11: {{"crawl-delay", CrawlDelay, false}, {"clean-param", CleanParam, false}},
	12: {{"request-rate", RequestRate, false}},
	13: {{"content-usage", ContentUsage, false}},
	14: {{"content-signal", ContentSignal, false}},
}

// kindOf looks a key up, without regard to case (RFC 9309 §2.2).
func kindOf(key string) (kind Kind, typo bool) {
	if len(key) < len(namesOfLength) {
		for i := range namesOfLength[len(key)] {
			if n := &namesOfLength[len(key)][i]; hasPrefixFold(key, n.key) {
				return n.kind, n.typo
			}
		}
	}
	return Other, false
}

// prefixNames are the keys that PrefixKeys takes for the beginning of a key, and
// their misspellings.
var prefixNames = [...]name{
	{"user-agent", UserAgentLine, false}, {"useragent", UserAgentLine, true}, {"user agent", UserAgentLine, true},
	{"allow", AllowLine, false},
	{"disallow", DisallowLine, false}, {"dissallow", DisallowLine, true}, {"dissalow", DisallowLine, true},
	{"disalow", DisallowLine, true}, {"diasllow", DisallowLine, true}, {"disallaw", DisallowLine, true},
	{"sitemap", Sitemap, false}, {"site-map", Sitemap, true},
}

// kindOfPrefix looks a key up that may go on behind what is known (P6, Google).
func kindOfPrefix(key string) (kind Kind, typo bool) {
	for i := range prefixNames {
		if n := &prefixNames[i]; hasPrefixFold(key, n.key) {
			return n.kind, n.typo
		}
	}
	return kindOf(key)
}

// hasPrefixFold reports whether a text starts with a key, which is in lower case,
// without regard to ASCII case.
func hasPrefixFold(text, key string) bool {
	if len(text) < len(key) {
		return false
	}
	for i := 0; i < len(key); i++ {
		if lower(text[i]) != key[i] {
			return false
		}
	}
	return true
}

// sameKey compares keys without regard to ASCII case.
func sameKey(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}
