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

var keys = map[string]Kind{
	"user-agent":     UserAgentLine,
	"allow":          AllowLine,
	"disallow":       DisallowLine,
	"sitemap":        Sitemap,
	"crawl-delay":    CrawlDelay,
	"request-rate":   RequestRate,
	"visit-time":     VisitTime,
	"host":           Host,
	"clean-param":    CleanParam,
	"noindex":        Noindex,
	"content-usage":  ContentUsage,
	"content-signal": ContentSignal,
	"license":        License,
}

// typos are the misspellings that are common enough to be understood (P6).
var typos = map[string]Kind{
	"useragent":  UserAgentLine,
	"user agent": UserAgentLine,
	"dissallow":  DisallowLine,
	"dissalow":   DisallowLine,
	"disalow":    DisallowLine,
	"diasllow":   DisallowLine,
	"disallaw":   DisallowLine,
	"site-map":   Sitemap,
}

const longestKey = len("content-signal")

// kindOf looks a key up, without regard to case (RFC 9309 §2.2).
func kindOf(key string) (kind Kind, typo bool) {
	if len(key) > longestKey {
		return Other, false
	}
	var buffer [longestKey]byte
	folded := buffer[:len(key)]
	for i := range folded {
		c := key[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		folded[i] = c
	}
	if kind, ok := keys[string(folded)]; ok {
		return kind, false
	}
	kind, typo = typos[string(folded)]
	return kind, typo
}

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

// spaces are trimmed around keys and values (P5).
const spaces = " \t\v\f"

func trim(s string) string { return strings.Trim(s, spaces) }
