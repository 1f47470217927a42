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
//   - A line is told by its first letter, and read on only where it can matter:
//     most groups of most files are not ours, and of those it needs to know
//     where they end.
//   - A rule of ours is read in one pass over its octets, which finds the end of
//     the line, a comment, wildcards, and whether the pattern is normal.
//   - Nothing is copied, and what is noted holds places in the text instead of
//     strings: the garbage collector has nothing to follow.
//
// It must find what selectFile finds in the parsed File; a differential fuzz
// holds the two together, and both against the plain algorithm.
type scan struct {
	text   string
	lf, cr int           // the next of each, or the end: looked for once, also in files of one of them
	tokens []agent.Token // bit i of a mask stands for tokens[i], the next bit for '*'

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
	s.text = text
	for token := range agents.Tokens {
		s.tokens = append(s.tokens, token)
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
	*s = scan{
		tokens: s.tokens[:0], agents: s.agents[:0], delays: s.delays[:0], maps: s.maps[:0], groups: s.groups[:0], rules: s.rules[:0],
		builder: s.builder.emptied(),
	}
	scans.Put(s)
}

// run reads the whole text.
func (s *scan) run() {
	at := len(s.text) - len(robots.SkipMark(s.text))
	s.lf, s.cr = at-1, at-1
	for at < len(s.text) {
		s.line++
		start := at
		for at < len(s.text) && octets[s.text[at]] == blank {
			at++
		}
		if at == len(s.text) {
			return
		}
		// All keys that matter can be told by their first letter, misspelt
		// ones included.
		switch s.text[at] | 0x20 {
		case 'd', 'a':
			kind := robots.DisallowLine
			if s.text[at]|0x20 == 'a' {
				kind = robots.AllowLine
			}
			if s.mask != 0 {
				at = s.after(s.rule(start, at, kind))
				continue
			}
			if s.group > 0 && !s.ruled {
				_, s.ruled = s.read(start, at, kind)
			}
		case 'u':
			if value, ok := s.read(start, at, robots.UserAgentLine); ok {
				s.userAgent(value)
			}
		case 'c':
			if s.mask != 0 {
				if value, ok := s.read(start, at, robots.CrawlDelay); ok {
					s.delays = append(s.delays, delayLine{value, s.line, s.mask})
				}
			}
		case 's':
			if value, ok := s.read(start, at, robots.Sitemap); ok && value.from < value.to {
				s.maps = append(s.maps, value)
			}
		}
		at = s.after(s.end(at))
	}
}

// end returns where the line ends that at is in.
func (s *scan) end(at int) int {
	if s.lf < at {
		s.lf = s.find('\n', at)
	}
	if s.cr < at {
		s.cr = s.find('\r', at)
	}
	return min(s.lf, s.cr)
}

func (s *scan) find(c byte, at int) int {
	if n := strings.IndexByte(s.text[at:], c); n >= 0 {
		return at + n
	}
	return len(s.text)
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

// read returns the value of a line, from start and with its first letter at at,
// if it is of a kind.
func (s *scan) read(start, at int, kind robots.Kind) (value place, ok bool) {
	end, key := s.end(at), scannedKeys[kind]
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

// userAgent takes a user-agent line (P7).
func (s *scan) userAgent(value place) {
	if s.group == 0 || s.ruled {
		s.group++
		s.ruled, s.mask = false, 0
	}
	addressee := agent.ParseLine(s.at(value))
	if addressee.Specificity == agent.Wildcard {
		s.concerns(value, len(s.tokens), agent.Wildcard)
		return
	}
	for bit, token := range s.tokens {
		if specificity := addressee.Concerns(token); specificity != agent.None {
			s.concerns(value, bit, specificity)
		}
	}
}

func (s *scan) concerns(value place, bit int, specificity agent.Specificity) {
	s.mask |= 1 << bit
	s.agents = append(s.agents, agentLine{value, s.line, s.group, bit, specificity})
}
