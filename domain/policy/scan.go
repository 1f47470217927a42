package policy

import (
	"strings"
	"sync"

	"github.com/polite-crawler/polite/domain/agent"
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
//   - Nothing is copied, and what is noted holds places in the text instead of
//     strings: the garbage collector has nothing to follow.
//
// It must find what selectGroups finds in the parsed File; a differential fuzz
// holds the two together, and both against the plain algorithm.
type scan struct {
	text     string
	lf, cr   int           // the next of each, or the end: looked for once, also in files of one of them
	tokens   []agent.Token // bit i of a mask stands for tokens[i], the next bit for '*'
	initials uint32        // the letters that tokens begin with; all if one begins otherwise

	line  int    // the number of the line being read
	group int    // the open group, from 1; 0: none yet
	ruled bool   // the open group has a rule: the next user-agent line opens another
	mask  uint32 // whom the open group's user-agent lines concern so far

	agents []agentLine
	delays []delayLine
	maps   []place
	rules  []rule // of every group that concerns anybody; at is a place in text, group the number above

	groups []Group // consulted

	builder
}

// agentLine is a user-agent line that concerns a token, or everybody.
type agentLine struct {
	value       place // in text
	line, group int
	bit         int
	specificity agent.Specificity
}

// A place is a stretch of the text: unlike a string nothing that the garbage
// collector has to follow.
type place struct{ from, to int }

// delayLine is a Crawl-delay below user-agent lines that concern us.
type delayLine struct {
	value place
	line  int
	mask  uint32
}

// maxScanned is how many tokens fit a mask; an Identity with more goes by the
// File.
const maxScanned = 31

// scans are kept for the next file: their slices are what a file would cost.
var scans = sync.Pool{New: func() any { return new(scan) }}

func newScan(text string, agents agent.Identity) *scan {
	s := scans.Get().(*scan)
	s.text, s.lf, s.cr = text, -1, -1
	for token := range agents.Tokens {
		s.tokens = append(s.tokens, token)
		s.initials |= initial(token.String())
	}
	return s
}

// done gives the scan back for another file, with nothing of this one left.
func (s *scan) done() {
	const maxKept = 1 << 15 // let a huge file's slices go
	if cap(s.rules) > maxKept {
		return
	}
	clear(s.tokens) // what holds pointers
	clear(s.groups)
	s.text, s.tokens, s.initials = "", s.tokens[:0], 0
	s.line, s.group, s.ruled, s.mask = 0, 0, false, 0
	s.agents, s.delays, s.maps, s.rules, s.groups = s.agents[:0], s.delays[:0], s.maps[:0], s.rules[:0], s.groups[:0]
	s.empty()
	scans.Put(s)
}

// run reads the whole text.
func (s *scan) run() {
	at := len(s.text) - len(robots.SkipMark(s.text))
	for at < len(s.text) {
		s.line++
		start := at
		for at < len(s.text) && octets[s.text[at]] == blank {
			at++
		}
		switch key := s.key(at); {
		case key == 0 || at-start > robots.MaxLine-maxKey:
			at = s.after(s.closely(start, at))
		case key == keyUserAgent:
			at = s.after(s.userAgent(start, at))
		case s.mask == 0: // a rule for others
			s.ruled = s.group > 0
			at = s.after(s.end(at + key))
		case key == keyDisallow:
			at = s.after(s.rule(start, at, key, robots.DisallowLine))
		default:
			at = s.after(s.rule(start, at, key, robots.AllowLine))
		}
	}
}

// The keys that nearly all lines have, as lengths with their colon.
const (
	keyAllow     = len("allow:")
	keyDisallow  = len("disallow:")
	keyUserAgent = len("user-agent:")
	maxKey       = keyUserAgent
)

// key returns which of those keys is at a place, or 0 for a line that takes a
// closer look. It compares eight octets at once.
func (s *scan) key(at int) int {
	if at+maxKey > len(s.text) {
		return 0
	}
	const ( // the first octet lowest
		fold     = 0x2020202020202020 // exact for letters
		disallow = 'd' | 'i'<<8 | 's'<<16 | 'a'<<24 | 'l'<<32 | 'l'<<40 | 'o'<<48 | 'w'<<56
		allow    = 'a' | 'l'<<8 | 'l'<<16 | 'o'<<24 | 'w'<<32
		userAge  = 'u' | 's'<<8 | 'e'<<16 | 'r'<<24 | '-'<<32 | 'a'<<40 | 'g'<<48 | 'e'<<56
	)
	text := s.text[at : at+maxKey]
	switch folded := word(text) | fold; {
	case folded == disallow && text[8] == ':':
		return keyDisallow
	case folded&(1<<40-1) == allow && text[5] == ':':
		return keyAllow
	case folded == userAge && text[4] == '-' && text[8]|0x20 == 'n' && text[9]|0x20 == 't' && text[10] == ':':
		return keyUserAgent
	}
	return 0
}

// closely takes any line, and returns where it ends.
func (s *scan) closely(start, at int) (end int) {
	end = s.end(at)
	if at == end {
		return end
	}
	// All keys that matter can be told by their first letter, misspelt ones
	// included.
	switch s.text[at] | 0x20 {
	case 'd', 'a':
		kind := robots.DisallowLine
		if s.text[at]|0x20 == 'a' {
			kind = robots.AllowLine
		}
		if s.mask != 0 {
			s.ruleByReader(start, at, end, kind)
		} else if s.group > 0 && !s.ruled {
			_, s.ruled = s.read(start, at, end, kind)
		}
	case 'u':
		if value, ok := s.read(start, at, end, robots.UserAgentLine); ok {
			s.addressee(value)
		}
	case 'c':
		if s.mask != 0 {
			if value, ok := s.read(start, at, end, robots.CrawlDelay); ok {
				s.delays = append(s.delays, delayLine{value, s.line, s.mask})
			}
		}
	case 's':
		if value, ok := s.read(start, at, end, robots.Sitemap); ok && value.from < value.to {
			s.maps = append(s.maps, value)
		}
	}
	return end
}

// end returns where the line ends that at is in. What was found is kept: of CRs, or
// of LFs, there may be none in the whole text.
func (s *scan) end(at int) int {
	if s.lf < at {
		if s.lf = at + strings.IndexByte(s.text[at:], '\n'); s.lf < at {
			s.lf = len(s.text)
		}
	}
	if s.cr < at {
		if s.cr = at + strings.IndexByte(s.text[at:], '\r'); s.cr < at {
			s.cr = len(s.text)
		}
	}
	return min(s.lf, s.cr)
}

// after returns where the line behind an end begins.
func (s *scan) after(end int) int {
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

// at returns what is at a place.
func (s *scan) at(p place) string { return s.text[p.from:p.to] }

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
