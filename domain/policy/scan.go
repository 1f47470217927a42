package policy

import (
	"slices"
	"strings"
	"sync"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
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
	maps   []string
	rules  []noted // of every group that concerns anybody; at is a place in text, group the number above

	groups []Group // consulted

	builder
}

// agentLine is a user-agent line that concerns a token, or everybody.
type agentLine struct {
	value       string
	line, group int
	bit         int
	specificity agent.Specificity
}

// delayLine is a Crawl-delay below user-agent lines that concern us.
type delayLine struct {
	value string
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
	clear(s.tokens)
	clear(s.agents)
	clear(s.delays)
	clear(s.maps)
	clear(s.groups)
	*s = scan{
		tokens: s.tokens[:0], agents: s.agents[:0], delays: s.delays[:0], maps: s.maps[:0], groups: s.groups[:0], rules: s.rules[:0],
		builder: s.builder.emptied(),
	}
	scans.Put(s)
}

// What there can be in a pattern, by octet; nothing for most octets.
const (
	plain   = 0
	blank   = 1 << (iota - 1) // space, HT, VT, FF
	comment                   // '#'
	dollar                    // '$'
	star                      // '*'
	mark                      // '?'
	unusual                   // what may have another normal form
)

var octets = func() (table [256]uint8) {
	for c := range table {
		if site.Abnormal(string([]byte{byte(c)})) == 0 {
			table[c] = unusual
		}
	}
	for _, c := range []byte(" \t\v\f") {
		table[c] = blank
	}
	table['#'], table['$'], table['*'], table['?'] = comment, dollar, star, mark
	return table
}()

// contents returns what there is in s. It looks at eight octets at a time and
// branches on none of them: most patterns hold nothing, and the few things that
// others hold can be looked for once they are known to be there.
func contents(s string) (found uint8) {
	for len(s) >= 8 {
		found |= octets[s[0]] | octets[s[1]] | octets[s[2]] | octets[s[3]] |
			octets[s[4]] | octets[s[5]] | octets[s[6]] | octets[s[7]]
		s = s[8:]
	}
	for i := 0; i < len(s); i++ {
		found |= octets[s[i]]
	}
	return found
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
		case 'd':
			if s.mask != 0 {
				s.rule(start, at, "disallow", robots.DisallowLine)
			} else if s.group > 0 && !s.ruled {
				_, s.ruled = s.read(start, at, "disallow", robots.DisallowLine)
			}
		case 'a':
			if s.mask != 0 {
				s.rule(start, at, "allow", robots.AllowLine)
			} else if s.group > 0 && !s.ruled {
				_, s.ruled = s.read(start, at, "allow", robots.AllowLine)
			}
		case 'u':
			if value, ok := s.read(start, at, "user-agent", robots.UserAgentLine); ok {
				s.userAgent(value)
			}
		case 'c':
			if s.mask != 0 {
				if value, ok := s.read(start, at, "crawl-delay", robots.CrawlDelay); ok {
					s.delays = append(s.delays, delayLine{value, s.line, s.mask})
				}
			}
		case 's':
			if value, ok := s.read(start, at, "sitemap", robots.Sitemap); ok && value != "" {
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

// read returns the value of a line, from start and with its first letter at at,
// if it is of the kind that a key makes it.
func (s *scan) read(start, at int, key string, kind robots.Kind) (value string, ok bool) {
	end := s.end(at)
	line := s.text[at:end]
	if end-start > robots.MaxLine || !startsKey(line, key) {
		f := robots.ReadLine(s.text[start:end])
		return f.Value, f.OK && f.Kind == kind
	}
	value = line[len(key)+1:]
	if n := strings.IndexByte(value, '#'); n >= 0 {
		value = value[:n]
	}
	for value != "" && octets[value[0]] == blank {
		value = value[1:]
	}
	for value != "" && octets[value[len(value)-1]] == blank {
		value = value[:len(value)-1]
	}
	return value, true
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

// userAgent takes a user-agent line (P7).
func (s *scan) userAgent(value string) {
	if s.group == 0 || s.ruled {
		s.group++
		s.ruled, s.mask = false, 0
	}
	addressee := agent.ParseLine(value)
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

func (s *scan) concerns(value string, bit int, specificity agent.Specificity) {
	s.mask |= 1 << bit
	s.agents = append(s.agents, agentLine{value, s.line, s.group, bit, specificity})
}

// rule takes what may be a rule of ours.
func (s *scan) rule(start, at int, key string, kind robots.Kind) {
	end := s.end(at)
	if end-start > robots.MaxLine || !startsKey(s.text[at:end], key) {
		// The closer look. A value is the end of its text, which begins with
		// the first letter.
		if f := robots.ReadLine(s.text[start:end]); f.OK && f.Kind == kind {
			end = at + len(f.Text)
			s.add(at, end-len(f.Value), end, contents(f.Value), kind)
		}
		return
	}
	from := at + len(key) + 1
	for from < end && octets[s.text[from]] == blank {
		from++
	}
	holds := contents(s.text[from:end])
	if holds&(comment|blank) != 0 {
		if n := strings.IndexByte(s.text[from:end], '#'); n >= 0 {
			end = from + n
		}
		for end > from && octets[s.text[end-1]] == blank {
			end--
		}
		holds = contents(s.text[from:end])
	}
	s.add(at, from, end, holds, kind)
}

// add adds a rule of ours, whose line's text begins at at and whose pattern is
// from from to end. An empty one, too, ends its group's user-agent lines (P7).
func (s *scan) add(at, from, end int, holds uint8, kind robots.Kind) {
	s.ruled = true
	if from == end || s.text[from] != '/' && s.text[from] != '*' {
		return // matches nothing (P8)
	}
	bits := uint32(s.group) * inGroup
	if kind == robots.AllowLine {
		bits |= allows
		if _, ok := indexDirectory(s.text[from:end]); ok {
			s.note(at, from, end, bits|isOdd)
		}
	}
	if holds&(blank|unusual) != 0 {
		s.note(at, from, end, bits|apart) // if it turns out to have another normal form
		return
	}
	if holds&mark != 0 {
		bits |= query
	}
	stop := end
	if holds&dollar != 0 && s.text[end-1] == '$' {
		bits |= anchored
		stop--
	}
	if holds&star != 0 {
		bits |= wildcard
	}
	r := s.note(at, from, end, bits)
	r.length = uint16(stop - from)
	r.head = headOf(s.text[from:stop], bits&wildcard != 0)
}

// note notes a rule of the line whose text begins at at. It is filled in where
// it stands: to copy what was just written in parts would have the processor
// wait for them.
func (s *scan) note(at, from, end int, bits uint32) *noted {
	n := len(s.rules)
	if n == cap(s.rules) {
		s.rules = slices.Grow(s.rules, max(n, 64))
	}
	s.rules = s.rules[:n+1]
	r := &s.rules[n]
	r.head = 0
	r.at = uint32(from)
	r.line = uint32(s.line)
	r.bits = bits
	r.length = uint16(end - from)
	r.whole = uint16(end - at)
	return r
}
