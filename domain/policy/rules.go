package policy

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
)

// Rules are the rules of one robots.txt that concern one crawler. They are
// immutable to see, safe for concurrent use, and keep nothing of the file but
// what they need: 16 octets a rule and the text of its line, which the pattern
// is part of, and, once they are in use, an index of 2 to 16 a rule.
type Rules struct {
	text       string // all strings below, in one piece
	list       []rule // the rules in order of precedence (M4), then the groups
	odd        []odd
	delay      time.Duration
	delayAt    uint32 // the line of the delay, 0: there is none
	count      uint32 // how many of list are rules
	sitemapsAt uint32 // they are the rest of text
	blank      bool   // the file says nothing at all
	cut        bool   // the file went on past the parsing limit
	asGiven    bool   // paths are compared as they are given (robots.PercentDecoding off)
	ruled      bool   // robots.txt itself is ruled, too (robots.RobotsTxtAllowed off)
	queries    bool   // some pattern holds a '?', which has a second reading (M2)

	checks atomic.Int32 // that were made without the index, up to indexAfter
	index  atomic.Pointer[index]
}

// A rule is a pattern in normal form, which is called its literal here, though
// it may hold wildcards, and where its line is. It is also what a group that was
// consulted is kept as: its agent for a literal, its specificity for bits.
type rule struct {
	at     uint32 // the literal's place in text, or the rule's in odd
	line   uint32 // in the file
	bits   uint32 // flags, and the group
	length uint16 // of the literal, without an anchor or a last wildcard
	whole  uint16 // length of the line's text, which ends where the literal and its anchor end, or begin
}

const (
	allows   = 1 << iota // else it disallows
	anchored             // it ends with '$'
	open                 // it ends with a '*', which says what no '$' says, and counts as an octet
	query                // it holds a '?'
	apart                // the literal is not part of the line's text: it stands behind it
	wildcard             // the literal holds a '*'
	isOdd                // it is Rules.odd[at]
	inGroup              // the group is the bits from here on
)

// maxGroups is how many groups the bits can tell apart.
const maxGroups = 1<<32/inGroup - 1

func (r *rule) has(flag uint32) bool { return r.bits&flag != 0 }
func (r *rule) group() int           { return int(r.bits / inGroup) }

func (r *rule) verb() robots.Verb {
	if r.has(allows) {
		return robots.Allow
	}
	return robots.Disallow
}

// ending is how many octets the pattern has behind the literal.
func (r *rule) ending() int {
	if r.has(anchored | open) {
		return 1
	}
	return 0
}

// ruleBytes is what a rule takes.
const ruleBytes = int(unsafe.Sizeof(rule{}))

// RulesOf selects the rules of a text that concern a crawler (A3, A6), and in the
// Default dialect straight from its octets: many times faster than by way of a
// File.
func RulesOf(text []byte, reading Reading) *Rules {
	// A group takes two lines at least.
	if !reading.isPlain() || len(text)/len("allow:\nuser-agent:\n") >= maxGroups {
		return NewRules(robots.Parse(text, reading.Options), reading)
	}
	limit := reading.Options.Limits.Bytes
	if limit <= 0 {
		limit = robots.DefaultBytes
	}
	text, cut := robots.Cut(text, limit)
	s := newScan(asString(text), reading.Agents)
	defer s.done()
	s.run()
	r := &Rules{cut: cut, blank: !s.opened && isBlank(s.text)}
	s.finish(r)
	return r
}

// isBlank reports whether a text without user-agent lines has no record either.
func isBlank(text string) bool {
	lines := robots.NewLines(text)
	for {
		line, ok := lines.Next()
		if !ok {
			return true
		}
		if f := robots.ReadLine(line); f.OK && f.Kind != robots.AllowLine && f.Kind != robots.DisallowLine {
			return false
		}
	}
}

// NewRules selects the same from a File.
func NewRules(file *robots.File, reading Reading) *Rules {
	chosen := selectGroups(file, reading)
	if reading.Options.Dialect != robots.Default() {
		return rulesIn(reading.Options.Dialect, chosen)
	}
	text, rest := chosen.text()
	s := newScan(text, agent.Identity{})
	defer s.done()
	at := 0
	for i := range chosen.rules {
		f := &chosen.rules[i]
		end := at + len(f.text)
		s.line = f.line
		bits := uint32(min(f.group, maxGroups) * inGroup)
		if f.allow {
			bits |= allows
		}
		s.rule(at, end-len(f.pattern), end, contents(f.pattern), bits)
		at = end
	}
	s.takeRest(chosen, rest)
	r := &Rules{blank: chosen.blank, cut: chosen.cut}
	s.finish(r)
	return r
}

// Match decides about a path, parameters and query as they stand in a URL: what
// the most specific matching rule says, allowed if none matches (M4). It does
// not allocate for paths of up to 2 KiB (M5).
func (r *Rules) Match(path string) (allowed bool, rule robots.Rule) {
	if i := r.find(path); i >= 0 {
		r.write(&rule, i)
		return r.list[i].has(allows), rule
	}
	return true, robots.Rule{}
}

// rule returns a rule as it was written.
func (r *Rules) rule(i int) (written robots.Rule) {
	r.write(&written, i)
	return written
}

// write writes a rule to where it is wanted: it is large for a copy.
func (r *Rules) write(written *robots.Rule, i int) {
	rule := &r.list[i]
	if rule.has(isOdd) {
		*written = r.odd[rule.at].rule
		return
	}
	written.Verb, written.Line = rule.verb(), int(rule.line)
	if rule.has(apart) {
		written.Text = r.text[rule.at-uint32(rule.whole) : rule.at]
		written.Pattern = robots.ReadLine(written.Text).Value
		return
	}
	written.Pattern, written.Text = r.written(rule)
}

// written returns a usual rule's pattern and line, as they were written.
func (r *Rules) written(rule *rule) (pattern, text string) {
	end := int(rule.at) + int(rule.length) + rule.ending()
	return r.text[rule.at:end], r.text[end-int(rule.whole) : end]
}

// groups returns how many groups were consulted.
func (r *Rules) groups() int { return len(r.list) - int(r.count) }

// group returns a group as it is shown.
func (r *Rules) group(i int) Group {
	g := &r.list[int(r.count)+i]
	return Group{Agent: r.literal(g), Line: int(g.line), Specificity: agent.Specificity(g.bits)}
}

func (r *Rules) setDelay(delay Delay) {
	if delay.Source != NoDelay {
		r.delay, r.delayAt = delay.Interval, uint32(delay.Line)
	}
}

// delayed returns the delay as it is shown.
func (r *Rules) delayed() Delay {
	if r.delayAt == 0 {
		return Delay{}
	}
	return Delay{Interval: r.delay, Source: CrawlDelay, Line: int(r.delayAt)}
}

// literal returns a rule's pattern in normal form, without its ending.
func (r *Rules) literal(rule *rule) string {
	return r.text[rule.at : int(rule.at)+int(rule.length)]
}

// weigh returns how many bytes the rules retain, the index included that they
// may yet get.
func (r *Rules) weigh() int {
	const rounding = 3 * 8 // what short strings take is rounded up
	size := int(unsafe.Sizeof(*r)) + len(r.text) + ruleBytes*len(r.list) + cap(r.odd)*int(unsafe.Sizeof(odd{}))
	for i := range r.odd {
		o := &r.odd[i]
		size += len(o.first) + len(o.second) + len(o.rule.Text) + rounding
	}
	return size + r.weighIndex()
}

// asString reads bytes as a string without copying them: they must not change
// while it is in use.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
