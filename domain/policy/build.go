package policy

import (
	"strings"
	"unsafe"

	"github.com/polite-crawler/polite/domain/site"
)

// A builder makes Rules of what a scan or a File gave: one copy of the text that
// is needed, and the rules over it, sorted.
type builder struct {
	numbers []int // of the groups that are consulted, as in the rules' bits
	runs    []run
	length  int     // of the text that the runs make
	counts  []int32 // scratch of sortByCount, all zeros

	literals []byte // normal forms that are not as written
	second   []byte // scratch
}

// A run is a stretch of the source's text that is kept, with what stands behind
// it in the Rules' text. Rules that follow each other share one: they are copied
// at once.
type run struct {
	from, to   int
	start, end int // of a literal in builder.literals
}

func (b *builder) empty() {
	b.numbers, b.runs, b.length = b.numbers[:0], b.runs[:0], 0
	b.literals, b.second = b.literals[:0], b.second[:0]
}

// finish makes Rules of what was noted about the groups that are consulted.
func (s *scan) finish(r *Rules, groups []Group) {
	kept := s.keep(r)
	room := s.makeRoom(r, len(kept), groups)
	s.sort(r, kept)
	s.writeText(r, groups, room)
}

// makeRoom makes room for rules, groups and text in one piece, as each piece costs
// a tiny file a tenth of its compiling, and returns that of the text.
func (s *scan) makeRoom(r *Rules, count int, groups []Group) []byte {
	length := s.length
	for i := range groups {
		length += len(groups[i].Agent)
	}
	r.mapsAt = uint32(length)
	for _, location := range s.maps {
		length += location.to - location.from + 1
	}
	rules := count + len(groups)
	words := make([]uint64, rules*ruleBytes/8+(length+7)/8)
	r.count = uint32(count)
	// A rule holds no pointer and asks for no more than a word's alignment. Where
	// there is none, there may be less room than for one to point to.
	if rules > 0 {
		r.list = unsafe.Slice((*rule)(unsafe.Pointer(unsafe.SliceData(words))), rules)
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words[rules*ruleBytes/8:]))), length)[:0]
}

// choose returns the groups that are consulted: of the first token that any
// group names, else of '*' (A3, A6).
func (s *scan) choose(r *Rules) (groups []Group) {
	bit := len(s.tokens)
	for i := range s.agents {
		bit = min(bit, s.agents[i].bit)
	}
	groups = s.groups
	for i := range s.agents {
		a := &s.agents[i]
		if a.bit != bit {
			continue
		}
		consulted := Group{Agent: s.at(a.value), Line: a.line, Specificity: a.specificity}
		if last := len(groups) - 1; last < 0 || s.numbers[last] != a.group {
			s.numbers = append(s.numbers, a.group)
			groups = append(groups, consulted)
		} else if a.specificity > groups[last].Specificity {
			groups[last] = consulted
		}
	}
	var delay Delay
	for _, d := range s.delays {
		if d.mask&(1<<bit) != 0 {
			delay.take(s.at(d.value), d.line)
		}
	}
	r.setDelay(delay)
	s.groups = groups
	return groups
}

// keep keeps the rules of the groups that are consulted, gives each its place in
// the text to come, and notes which runs that takes. Rules, groups and runs are
// in the order of the file, so that one walk along all of them does.
func (s *scan) keep(r *Rules) []rule {
	kept, next := 0, 0
	for consulted, number := range s.numbers {
		for next < len(s.rules) && s.rules[next].group() < number {
			next++
		}
		for ; next < len(s.rules) && s.rules[next].group() == number; next++ {
			if kept < next {
				s.rules[kept] = s.rules[next]
			}
			rule := &s.rules[kept]
			kept++
			rule.setGroup(consulted)
			if rule.bits&(isOdd|apart) == 0 {
				s.keepText(rule)
			} else {
				s.keepUncommon(r, rule)
			}
			if rule.has(query) {
				r.queries = true
			}
		}
	}
	return s.rules[:kept]
}

// keepText keeps the line of a rule whose pattern is in normal form.
func (b *builder) keepText(rule *rule) {
	end := int(rule.at) + int(rule.length) + rule.ending()
	from := end - int(rule.whole)
	// A line's end between two rules is copied along.
	if n := len(b.runs); n > 0 {
		if last := &b.runs[n-1]; last.end == 0 && from >= last.to && from-last.to <= 2 {
			b.length += end - last.to
			last.to = end
			rule.at = uint32(b.length - (end - int(rule.at)))
			return
		}
	}
	b.runs = append(b.runs, run{from: from, to: end})
	b.length += end - from
	rule.at = uint32(b.length - (end - int(rule.at)))
}

// keepUncommon keeps a rule that is not as it was written: of a directory that
// its index.html stands for (M6), or in another normal form.
func (s *scan) keepUncommon(r *Rules, rule *rule) {
	from := int(rule.at)
	end := from + int(rule.length)
	written := s.text[from:end]
	text := s.text[end-int(rule.whole) : end]
	if rule.has(isOdd) {
		directory, _ := indexDirectory(written)
		s.keepOdd(r, rule, text, written, directory+"$")
		return
	}
	start := len(s.literals)
	s.literals = site.AppendLiteral(s.literals, written, site.First, false)
	literal := asString(s.literals[start:])
	switch {
	case s.isOddPattern(written, literal) || len(literal) > longestLiteral:
		s.keepOdd(r, rule, text, written, written)
		return
	case literal == written:
		rule.bits &^= apart
	default:
		s.runs = append(s.runs, run{from: end - int(rule.whole), to: end, start: start, end: len(s.literals)})
		s.length += int(rule.whole) + len(literal)
		rule.at = uint32(s.length - len(literal))
	}
	literal, ending := withoutEnding(literal)
	rule.bits |= ending
	rule.length = uint16(len(literal))
	if strings.Contains(literal, "?") {
		rule.bits |= query
	}
	if strings.Contains(literal, "*") {
		rule.bits |= wildcard
	}
	if !rule.has(apart) {
		s.keepText(rule)
	}
}

// withoutEnding returns a literal without its anchor, or without a last wildcard,
// which matches whatever follows as no anchor does.
func withoutEnding(literal string) (string, uint32) {
	switch last := len(literal) - 1; {
	case literal[last] == '$':
		return literal[:last], anchored
	case literal[last] == '*' && last > 0:
		return literal[:last], open
	}
	return literal, 0
}

// indexDirectory returns the directory that an Allow of its index.html also
// allows, as the exact rule "…/$" (M6).
func indexDirectory(written string) (directory string, ok bool) {
	slash := strings.LastIndexByte(written, '/')
	if slash < 0 || !strings.HasPrefix(written[slash+1:], "index.htm") {
		return "", false
	}
	return written[:slash+1], true
}

// writeText copies the runs and what else is kept.
func (s *scan) writeText(r *Rules, groups []Group, text []byte) {
	for i := range s.runs {
		text = append(text, s.text[s.runs[i].from:s.runs[i].to]...)
		text = append(text, s.literals[s.runs[i].start:s.runs[i].end]...)
	}
	for i := range groups {
		g := &groups[i]
		r.list[int(r.count)+i] = rule{at: uint32(len(text)), line: uint32(g.Line), bits: uint32(g.Specificity), length: uint16(len(g.Agent))}
		text = append(text, g.Agent...)
	}
	for _, location := range s.maps {
		text = append(text, s.at(location)...)
		text = append(text, '\n')
	}
	r.text = asString(text) // which does not change any more
}

// longestLiteral is what fits a rule; a longer one is odd.
const longestLiteral = 1<<16 - 2
