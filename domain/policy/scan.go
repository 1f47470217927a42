package policy

import (
	"strings"
	"sync"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/internal/word"
	"github.com/polite-crawler/polite/domain/robots"
)

// A scan selects straight from a text what concerns a crawler, without a File
// in between: the way that every fetched robots.txt takes. What makes it fast:
//
//   - A line is told by its first eight octets, a user-agent line by the letter
//     that its name begins with, and read on only where it can matter: most groups
//     of most files are not ours, and of those it needs to know where they end.
//   - A rule of ours is read in one pass over its octets, which finds the end of
//     the line, a comment, wildcards, and whether the pattern is normal.
//   - What is noted holds places in the text instead of strings: the garbage
//     collector has nothing to follow.
//   - It is noted once, as it will stand in the Rules, in the belief that no group
//     will name a token that comes first. If one does, all is forgotten.
//
// It must find what selectGroups finds in the parsed File; a differential fuzz
// holds the two together, and both against the plain algorithm.
type scan struct {
	crawler  agent.Identity
	tokens   []agent.Token // the crawler's, in order of preference; '*' follows the last
	initials uint32        // the letters that tokens begin with; all if one begins otherwise

	opened bool   // there was a user-agent line
	ruled  bool   // the open group is ours and has a rule: the next user-agent line opens another
	ours   bool   // the open group is consulted, for all that is known
	best   int    // the place among tokens of the one that groups are consulted for so far
	group  uint32 // the open group, if it is ours, as in the rules' bits

	builder
}

// scans are kept for the next file: their slices are what a file would cost.
var scans = sync.Pool{New: func() any { return new(scan) }}

func newScan(text string, crawler agent.Identity) *scan {
	s := scans.Get().(*scan)
	if s.crawler != crawler {
		s.crawler, s.tokens, s.initials = crawler, s.tokens[:0], 0
		for token := range crawler.Tokens {
			s.tokens = append(s.tokens, token)
			s.initials |= initial(token.String())
		}
	}
	s.text = text
	s.best = len(s.tokens) + 1 // nobody
	return s
}

// What a scan has room for that is kept: enough for a file of the parsing limit, of
// which every octet may have to be escaped. The slices of a larger one are let go.
const (
	keptRules  = 1 << 17
	keptOctets = 4 * robots.DefaultBytes
)

// done gives the scan back for another file, with nothing of this one left.
func (s *scan) done() {
	if cap(s.rules) > keptRules || cap(s.sitemaps)+cap(s.literals) > keptOctets {
		return
	}
	s.opened, s.ruled, s.ours, s.group = false, false, false, 0
	s.forget()
	s.text, s.line = "", 0
	s.sitemaps, s.sitemap = s.sitemaps[:0], place{}
	scans.Put(s)
}

// The keys that nearly all lines have, as lengths with their colon.
const (
	keyAllow     = len("allow:")
	keyDisallow  = len("disallow:")
	keyUserAgent = len("user-agent:")
)

// reach is how far behind a line's first letter run looks without asking whether
// the text goes on: at a key, and what is behind it.
const reach = keyUserAgent + 1

// run reads the whole text.
func (s *scan) run() {
	text := s.text
	at := len(text) - len(robots.SkipMark(text))
	last := len(text) - reach - 1
	for at <= last {
		s.line++
		start := at
		head := word.Load(text, at)
		if byte(head) <= ' ' {
			if octets[byte(head)] == ending {
				at = s.behind(at)
				continue
			}
			for at+8 < last && word.Load(text, at) == ' '*word.Each { // as pages are indented
				at += 8
			}
			for at < last && octets[text[at]] == blank {
				at++
			}
			if at-start > robots.MaxLine-reach {
				at = s.other(start, at)
				continue
			}
			head = word.Load(text, at)
		}
		bits, key := s.group, keyDisallow
		switch folded := head | word.Fold; {
		case folded == word.Of("disallow") && text[at+keyDisallow-1] == ':':
		case folded<<24 == word.Of("\x00\x00\x00allow") && text[at+keyAllow-1] == ':':
			bits, key = bits|allows, keyAllow
		case folded == word.Of("user-age") && isUserAgent(text[at:at+keyUserAgent]):
			at = s.userAgent(start, at)
			continue
		case folded == word.Of("sitemap:") && text[at+7] == ':':
			at = s.sitemapLine(start, at)
			continue
		case octets[byte(head)] != blank && !mayMatter(byte(folded)):
			at = s.behind(lineEnd(text, at))
			continue
		default:
			at = s.other(start, at)
			continue
		}
		from := at + key
		if text[from] == ' ' {
			from++ // there is nearly always one, and no second
		}
		if !s.ours {
			if at = textEnd(text, from); at < len(text) && octets[text[at]] != ending {
				at = lineEnd(text, at)
			}
			at = s.behind(at)
			continue
		}
		end, holds := span(text, from)
		if holds&(comment|blank) != 0 || end-start > robots.MaxLine {
			at = s.other(start, at)
			continue
		}
		// Half of all rules need no closer look.
		if holds == 0 && text[from] == '/' && bits&allows == 0 {
			s.ruled = true
			s.add(at, from, end, end, bits)
		} else {
			s.rule(at, from, end, holds, bits)
		}
		at = s.behind(end)
	}
	for at < len(text) {
		s.line++
		at = s.other(at, at)
	}
}

// mayMatter reports whether a line that begins with a lower-case letter, or another
// octet, may be one that a scan looks for: all their keys can be told by it, misspelt
// ones included.
func mayMatter(first byte) bool {
	const letters = 1 | 1<<('c'-'a') | 1<<('d'-'a') | 1<<('s'-'a') | 1<<('u'-'a')
	return letters>>(first-'a')&1 != 0
}

// isUserAgent reports whether a key that begins as one is user-agent.
func isUserAgent(key string) bool {
	// To fold takes a CR for a '-'.
	return key[4] == '-' && key[8]|0x20 == 'n' && key[9]|0x20 == 't' && key[10] == ':'
}

// sitemapLine takes a Sitemap whose key is at at.
func (s *scan) sitemapLine(start, at int) (next int) {
	from := at + len("sitemap:")
	if s.text[from] == ' ' {
		from++
	}
	end := textEnd(s.text, from)
	if end < len(s.text) && octets[s.text[end]] != ending || end-start > robots.MaxLine {
		return s.other(start, at)
	}
	if from < end {
		s.addSitemap(from, end)
	}
	return s.behind(end)
}

// other takes any line, from start on, its first letter at at or behind, and
// returns where the next one begins.
func (s *scan) other(start, at int) (next int) {
	for at < len(s.text) && octets[s.text[at]] == blank {
		at++
	}
	end := lineEnd(s.text, at)
	if at == end {
		return s.behind(end)
	}
	// All keys that matter can be told by their first letter, misspelt ones
	// included.
	switch s.text[at] | 0x20 {
	case 'd':
		s.anyRule(start, at, end, robots.DisallowLine)
	case 'a':
		s.anyRule(start, at, end, robots.AllowLine)
	case 'u':
		if value, ok := s.read(start, at, end, robots.UserAgentLine); ok {
			s.addressee(value)
		}
	case 'c':
		if s.ours {
			if value, ok := s.read(start, at, end, robots.CrawlDelay); ok {
				s.delay.take(s.at(value), s.line)
			}
		}
	case 's':
		if value, ok := s.read(start, at, end, robots.Sitemap); ok && value.from < value.to {
			s.addSitemap(value.from, value.to)
		}
	}
	return s.behind(end)
}

// behind returns where the line behind an end begins.
func (s *scan) behind(end int) int {
	if end+1 < len(s.text) && s.text[end] == '\r' && s.text[end+1] == '\n' {
		return end + 2
	}
	return end + 1
}

// scannedKeys are the keys of the kinds that a scan looks for.
var scannedKeys = [...]string{
	robots.UserAgentLine: "user-agent",
	robots.AllowLine:     "allow",
	robots.DisallowLine:  "disallow",
	robots.Sitemap:       "sitemap",
	robots.CrawlDelay:    "crawl-delay",
}

// read returns the value of a line, from start to end and with its first letter at
// at, if it is of a kind.
func (s *scan) read(start, at, end int, kind robots.Kind) (value place, ok bool) {
	key := scannedKeys[kind]
	if end-start > robots.MaxLine || !startsKey(s.text[at:end], key) {
		f := robots.ReadLine(s.text[start:end])
		// A value is the end of its text, which begins with the first letter.
		end = at + len(f.Text)
		return place{end - len(f.Value), end}, f.OK && f.Kind == kind
	}
	from := at + len(key) + 1
	if n := strings.IndexByte(s.text[from:end], '#'); n >= 0 {
		end = from + n
	}
	for from < end && octets[s.text[from]] == blank {
		from++
	}
	for from < end && octets[s.text[end-1]] == blank {
		end--
	}
	return place{from, end}, true
}

// startsKey reports whether a line starts with a key, which is in lower case, and
// a colon. Nearly all lines do; what needs a closer look is for robots.ReadLine.
func startsKey(line, key string) bool {
	if len(line) <= len(key) || line[len(key)] != ':' {
		return false
	}
	for i := 0; i < len(key); i++ {
		// One bit folds a letter; it also takes a CR for '-', but none is within
		// a line.
		if line[i]|0x20 != key[i] {
			return false
		}
	}
	return true
}
