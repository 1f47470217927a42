package robots

import "github.com/polite-crawler/polite/domain/internal/word"

// spelled tells the kind of a line by a key that is known and written right, in
// any case; Other for any that needs a closer look. The first eight octets and the
// last are compared, as numbers: to fold takes a CR for a '-', but none is in a
// key.
func spelled(text string, at, length int) Kind {
	head := word.Load(text, at) | word.Fold
	switch length {
	case 4:
		if head<<32 == word.Of("\x00\x00\x00\x00host") {
			return Host
		}
	case 5:
		if head<<24 == word.Of("\x00\x00\x00allow") {
			return AllowLine
		}
	case 7:
		switch head << 8 {
		case word.Of("\x00sitemap"):
			return Sitemap
		case word.Of("\x00noindex"):
			return Noindex
		case word.Of("\x00license"):
			return License
		}
	case 8:
		if head == word.Of("disallow") {
			return DisallowLine
		}
	case 10:
		switch tail := word.Load(text, at+2) | word.Fold; {
		case head == word.Of("user-age") && tail == word.Of("er-agent"):
			return UserAgentLine
		case head == word.Of("visit-ti") && tail == word.Of("sit-time"):
			return VisitTime
		}
	case 11:
		switch tail := word.Load(text, at+3) | word.Fold; {
		case head == word.Of("crawl-de") && tail == word.Of("wl-delay"):
			return CrawlDelay
		case head == word.Of("clean-pa") && tail == word.Of("an-param"):
			return CleanParam
		}
	case 12:
		if head == word.Of("request-") && word.Load(text, at+4)|word.Fold == word.Of("est-rate") {
			return RequestRate
		}
	case 13:
		if head == word.Of("content-") && word.Load(text, at+5)|word.Fold == word.Of("nt-usage") {
			return ContentUsage
		}
	case 14:
		if head == word.Of("content-") && word.Load(text, at+6)|word.Fold == word.Of("t-signal") {
			return ContentSignal
		}
	}
	return Other
}
