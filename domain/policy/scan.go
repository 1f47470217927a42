package policy

import (
	"math/bits"
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
	maps   []place
	rules  []noted // of every group that concerns anybody; at is a place in text, group the number above

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
				at = s.after(s.rule(start, at, robots.DisallowLine))
				continue
			}
			if s.group > 0 && !s.ruled {
				_, s.ruled = s.read(start, at, "disallow", robots.DisallowLine)
			}
		case 'a':
			if s.mask != 0 {
				at = s.after(s.rule(start, at, robots.AllowLine))
				continue
			}
			if s.group > 0 && !s.ruled {
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
			if value, ok := s.read(start, at, "sitemap", robots.Sitemap); ok && value.from < value.to {
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
func (s *scan) read(start, at int, key string, kind robots.Kind) (value place, ok bool) {
	end := s.end(at)
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

// rule takes what may be a rule of ours, and returns where its line ends.
func (s *scan) rule(start, at int, kind robots.Kind) (end int) {
	from := s.behindKey(at, kind)
	if from < 0 {
		end = s.end(at)
		s.ruleByReader(start, at, end, kind)
		return end
	}
	for from < len(s.text) && octets[s.text[from]] == blank {
		from++
	}
	end, holds := s.span(from)
	if end-start > robots.MaxLine {
		s.ruleByReader(start, at, end, kind)
		return end
	}
	stop := end
	if holds&(comment|blank) != 0 {
		if n := strings.IndexByte(s.text[from:end], '#'); n >= 0 {
			stop = from + n
		}
		for stop > from && octets[s.text[stop-1]] == blank {
			stop--
		}
		holds = contents(s.text[from:stop])
	}
	s.add(at, from, stop, holds, kind)
	return end
}

// behindKey returns where the value of a line begins whose key is at at and says
// of what kind it is, or -1 if that takes a closer look. Nearly all lines are
// told by one comparison of eight octets.
func (s *scan) behindKey(at int, kind robots.Kind) int {
	if at+9 > len(s.text) {
		return -1
	}
	const fold = 0x2020202020202020 // exact for letters
	start := word(s.text[at:at+8]) | fold
	if kind == robots.DisallowLine {
		if start == wordDisallow && s.text[at+8] == ':' {
			return at + len("disallow:")
		}
	} else if start&(1<<40-1) == wordAllow && s.text[at+5] == ':' {
		return at + len("allow:")
	}
	return -1
}

var wordDisallow, wordAllow = word("disallow"), word("allow")

// ruleByReader takes a rule by the reader of all lines.
func (s *scan) ruleByReader(start, at, end int, kind robots.Kind) {
	if f := robots.ReadLine(s.text[start:end]); f.OK && f.Kind == kind {
		// A value is the end of its text, which begins with the first letter.
		end = at + len(f.Text)
		s.add(at, end-len(f.Value), end, contents(f.Value), kind)
	}
}

// span returns where the line ends that from is in, and what it holds up to
// there, in one go: eight octets at a time, until one of them ends the line.
func (s *scan) span(from int) (end int, holds uint8) {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	text, i := s.text, from
	for ; i+8 <= len(text); i += 8 {
		w := word(text[i : i+8])
		// The lowest high bit that is set stands for the first LF or CR.
		lf, cr := w^('\n'*ones), w^('\r'*ones)
		if ends := ((lf-ones)&^lf | (cr-ones)&^cr) & highs; ends != 0 {
			n := bits.TrailingZeros64(ends) >> 3
			mask := firstOctets[n]
			return i + n, holds | holdsWord(w&mask|'a'*ones&^mask)
		}
		holds |= holdsWord(w)
	}
	for ; i < len(text) && text[i] != '\n' && text[i] != '\r'; i++ {
		holds |= octets[text[i]]
	}
	return i, holds
}

// holdsWord returns what the octets of a word hold.
func holdsWord(w uint64) uint8 {
	return octets[uint8(w)] | octets[uint8(w>>8)] | octets[uint8(w>>16)] | octets[uint8(w>>24)] |
		octets[uint8(w>>32)] | octets[uint8(w>>40)] | octets[uint8(w>>48)] | octets[w>>56]
}

// add adds a rule of ours, whose line's text begins at at and whose pattern is
// from from to end. An empty one, too, ends its group's user-agent lines (P7).
func (s *scan) add(at, from, end int, holds uint8, kind robots.Kind) {
	s.ruled = true
	if from == end || s.text[from] != '/' && s.text[from] != '*' {
		return // matches nothing (P8)
	}
	flags := uint32(s.group) * inGroup
	if kind == robots.AllowLine {
		flags |= allows
		if _, ok := indexDirectory(s.text[from:end]); ok {
			s.note(at, from, end, flags|isOdd)
		}
	}
	if holds&(blank|unusual) != 0 {
		s.note(at, from, end, flags|apart) // if it turns out to have another normal form
		return
	}
	if holds&mark != 0 {
		flags |= query
	}
	stop := end
	if holds&dollar != 0 && s.text[end-1] == '$' {
		flags |= anchored
		stop--
	}
	if holds&star != 0 {
		flags |= wildcard
	}
	r := s.note(at, from, end, flags)
	r.length = uint16(stop - from)
	switch {
	case flags&wildcard != 0:
		r.head = stretchPairs(s.text[from:stop], '*')
		r.bits |= patternGram(s.text[from:stop]) * inGram
	case stop-from >= 8:
		r.head = word(s.text[from : from+8])
	default:
		r.head = word(s.text[from:stop])
	}
}

// note notes a rule of the line whose text begins at at. It is filled in where
// it stands: to copy what was just written in parts would have the processor
// wait for them.
func (s *scan) note(at, from, end int, flags uint32) *noted {
	n := len(s.rules)
	if n == cap(s.rules) {
		s.rules = slices.Grow(s.rules, max(n, 64))
	}
	s.rules = s.rules[:n+1]
	r := &s.rules[n]
	r.head = 0
	r.at = uint32(from)
	r.line = uint32(s.line)
	r.bits = flags
	r.length = uint16(end - from)
	r.whole = uint16(end - at)
	return r
}
