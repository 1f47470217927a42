package robots

// spelled tells the kind of a line by a key that is known and written right, in
// any case; Other for any that needs a closer look. The first eight octets and the
// last are compared, as numbers: to fold takes a CR for a '-', but none is in a
// key.
func spelled(text string, at, length int) Kind {
	head := word(text, at) | letters
	switch length {
	case 4:
		if head<<32 == word("\x00\x00\x00\x00host", 0) {
			return Host
		}
	case 5:
		if head<<24 == word("\x00\x00\x00allow", 0) {
			return AllowLine
		}
	case 7:
		switch head << 8 {
		case word("\x00sitemap", 0):
			return Sitemap
		case word("\x00noindex", 0):
			return Noindex
		case word("\x00license", 0):
			return License
		}
	case 8:
		if head == word("disallow", 0) {
			return DisallowLine
		}
	case 10:
		switch tail := word(text, at+2) | letters; {
		case head == word("user-age", 0) && tail == word("er-agent", 0):
			return UserAgentLine
		case head == word("visit-ti", 0) && tail == word("sit-time", 0):
			return VisitTime
		}
	case 11:
		switch tail := word(text, at+3) | letters; {
		case head == word("crawl-de", 0) && tail == word("wl-delay", 0):
			return CrawlDelay
		case head == word("clean-pa", 0) && tail == word("an-param", 0):
			return CleanParam
		}
	case 12:
		if head == word("request-", 0) && word(text, at+4)|letters == word("est-rate", 0) {
			return RequestRate
		}
	case 13:
		if head == word("content-", 0) && word(text, at+5)|letters == word("nt-usage", 0) {
			return ContentUsage
		}
	case 14:
		if head == word("content-", 0) && word(text, at+6)|letters == word("t-signal", 0) {
			return ContentSignal
		}
	}
	return Other
}
