package policy

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// A builder makes Rules of what a scan or a File gave: one copy of the text that
// is needed, and the rules over it, sorted.
type builder struct {
	text   string // that places are in
	line   int    // of the file, that is being read
	groups []consulted
	rules  []rule // of those groups, in the order of the file
	odd    []odd
	holds  uint32 // bits that any rule has
	delay  Delay

	sitemaps []byte // as the Rules keep them
	sitemap  place  // the last of them

	runs     []run
	length   int    // of the text that the runs make
	literals []byte // normal forms that are not as written

	counts  []int32 // how many rules there are of each rank
	highest int     // rank of a rule

	second []byte // scratch
	sorted []rule // scratch of sort
}

// consulted is a group that is consulted, by the user-agent line that it is shown by.
type consulted struct {
	agent       place
	line        int
	specificity agent.Specificity
}

// A place is a stretch of the text: unlike a string nothing that the garbage
// collector has to follow.
type place struct{ from, to int }

func (b *builder) at(p place) string { return b.text[p.from:p.to] }

// A run is a stretch of the source's text that is kept, with what stands behind
// it in the Rules' text. Rules that follow each other share one: they are copied
// at once.
type run struct {
	from, to   int
	start, end int // of a literal in builder.literals
}

// forget drops what groups said.
func (b *builder) forget() {
	clear(b.counts[:min(b.highest+1, len(b.counts))])
	b.highest = 0
	b.groups, b.rules, b.odd, b.holds, b.delay = b.groups[:0], b.rules[:0], nil, 0, Delay{}
	b.runs, b.length, b.literals = b.runs[:0], 0, b.literals[:0]
}

// add adds a rule whose line's text begins at at and ends at end, and whose
// literal is in it, from from to stop.
func (b *builder) add(at, from, stop, end int, bits uint32) {
	// A line's end between two rules is copied along.
	if n := len(b.runs); n > 0 && b.runs[n-1].end == 0 && at-b.runs[n-1].to <= 2 {
		last := &b.runs[n-1]
		b.length += end - last.to
		last.to = end
	} else {
		b.runs = append(b.runs, run{from: at, to: end})
		b.length += end - at
	}
	b.rank(end-from, bits)
	r := b.more()
	r.at, r.line, r.bits = uint32(b.length-(end-from)), uint32(b.line), bits
	r.length, r.whole = uint16(stop-from), uint16(end-at)
	b.holds |= bits
}

// addApart adds a rule that is not part of the text that was read, of so many octets
// (M4).
func (b *builder) addApart(at, octets, length, whole int, bits uint32) {
	b.rank(octets, bits)
	r := b.more()
	r.at, r.line, r.bits = uint32(at), uint32(b.line), bits
	r.length, r.whole = uint16(length), uint16(whole)
	b.holds |= bits
}

// more returns room for one more rule. It is filled in where it stands: to copy what
// was just written in parts would have the processor wait for them.
func (b *builder) more() *rule {
	n := len(b.rules)
	if n == cap(b.rules) {
		b.grow()
	}
	b.rules = b.rules[:n+1]
	return &b.rules[n]
}

func (b *builder) grow() { b.rules = slices.Grow(b.rules, max(len(b.rules), 64)) }

// addUncommon adds a rule whose pattern may have another normal form than the way it
// is written. What it holds of '?', '*' and '$' is the same in both.
func (b *builder) addUncommon(at, from, end int, holds uint8, bits uint32) {
	written := b.text[from:end]
	start := len(b.literals)
	b.literals = site.AppendLiteral(b.literals, written, site.First, false)
	literal := asString(b.literals[start:])
	if b.isOddPattern(written, literal) || len(literal) > longestLiteral {
		b.literals = b.literals[:start]
		b.addOdd(at, from, end, written, bits)
		return
	}
	stem, flags := literalOf(literal, holds)
	bits |= flags
	if literal == written {
		b.literals = b.literals[:start]
		b.add(at, from, from+len(stem), end, bits)
		return
	}
	b.runs = append(b.runs, run{from: at, to: end, start: start, end: len(b.literals)})
	b.length += end - at + len(literal)
	b.addApart(b.length-len(literal), len(literal), len(stem), end-at, bits|apart)
}

// literalOf cuts a pattern in normal form to a rule's literal, and returns the bits
// that tell what it is and what was cut: an anchor, or a last wildcard, which matches
// whatever follows as no anchor does.
func literalOf(pattern string, holds uint8) (literal string, bits uint32) {
	literal = pattern
	if holds&mark != 0 {
		bits = query
	}
	if holds&(dollar|star) != 0 {
		starred := holds&star != 0
		switch last := len(pattern) - 1; {
		case pattern[last] == '$':
			literal, bits = pattern[:last], bits|anchored
		case pattern[last] == '*' && last > 0:
			literal, bits = pattern[:last], bits|open
			starred = strings.IndexByte(literal, '*') >= 0
		}
		if starred {
			bits |= wildcard
		}
	}
	return literal, bits
}

// takeRest takes what a selection has besides rules, which stands in the text from at
// on. Of a File that was made by hand it takes what a line can hold (P3, P4).
func (b *builder) takeRest(chosen *selection, at int) {
	for i := range chosen.groups {
		g := &chosen.groups[i]
		b.groups = append(b.groups, consulted{place{at, at + min(len(g.Agent), robots.MaxLine)}, g.Line, g.Specificity})
		at += len(g.Agent)
	}
	for _, location := range chosen.maps {
		if strings.IndexByte(location, '\n') < 0 { // the list would end there
			b.addSitemap(at, at+len(location))
		}
		at += len(location)
	}
	b.delay = chosen.delay
}

// longestLiteral is what fits a rule; a longer one is odd.
const longestLiteral = 1<<16 - 2

// finish makes Rules of what was added.
func (b *builder) finish(r *Rules) { b.write(r, b.sort()) }

// write makes Rules of rules in order, in one piece with their text, as each piece
// costs a tiny file a tenth of its compiling. A strings.Builder's memory is not
// cleared before, which would take another twentieth.
func (b *builder) write(r *Rules, rules []rule) {
	r.count = uint32(len(rules))
	length := b.length
	for i := range b.groups {
		g := &b.groups[i]
		octets := g.agent.to - g.agent.from
		rules = append(rules, rule{at: uint32(length), line: uint32(g.line), bits: uint32(g.specificity), length: uint16(octets)})
		length += octets
	}
	b.sorted = rules
	r.sitemapsAt = uint32(length)
	list := asOctets(rules)
	var whole strings.Builder
	whole.Grow(len(list) + length + len(b.sitemaps))
	whole.WriteString(list)
	for i := range b.runs {
		run := &b.runs[i]
		whole.WriteString(b.text[run.from:run.to])
		if run.start < run.end {
			whole.Write(b.literals[run.start:run.end])
		}
	}
	for i := range b.groups {
		whole.WriteString(b.at(b.groups[i].agent))
	}
	whole.Write(b.sitemaps)
	r.list = asRules(whole.String()[:len(list)])
	r.text = whole.String()[len(list):]
	r.odd = b.odd
	r.queries = b.holds&query != 0
	r.setDelay(b.delay)
}

// asOctets and asRules read rules as octets and back, without copying them. A rule
// holds no pointer, and asks for no more than the alignment that the memory of any
// string of its length begins at.
func asOctets(rules []rule) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(rules))), len(rules)*ruleBytes)
}

func asRules(octets string) []rule {
	if octets == "" {
		return nil
	}
	return unsafe.Slice((*rule)(unsafe.Pointer(unsafe.StringData(octets))), len(octets)/ruleBytes)
}
