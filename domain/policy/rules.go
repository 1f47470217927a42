package policy

import (
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
)

// Rules are the rules of one robots.txt that concern one crawler. They are
// immutable to see, safe for concurrent use, and keep nothing of the file but
// what they need: 24 octets a rule and the text of its line, which the pattern
// is part of, and, once they are many and in use, an index of about 8.
type Rules struct {
	text     string   // all strings below, in one piece
	heads    []uint64 // of each rule in list, side by side: most rules are told by them alone
	list     []rule   // without a wildcard, then with one; each part in order of precedence
	odd      []odd
	groups   []consulted  // the first first
	one      [1]consulted // where groups is if there is one, as in most files
	delay    time.Duration
	delayAt  uint32 // the line of the delay, 0: there is none
	prefixes uint32 // how many rules are without a wildcard
	mapsAt   uint32 // sitemaps, each with a line end behind it, are the rest of text
	blank    bool   // the file says nothing at all
	cut      bool   // the file went on past the parsing limit
	asGiven  bool   // paths are compared as they are given (robots.PercentDecoding off)
	ruled    bool   // robots.txt itself is ruled, too (robots.RobotsTxtAllowed off)
	queries  bool   // some pattern holds a '?', which has a second reading (M2)

	checks atomic.Int32 // that were made without the index, up to indexAfter
	index  atomic.Pointer[index]
}

// consulted is a group that is, its agent as a place in Rules.text.
type consulted struct {
	at, line    uint32
	length      uint16
	specificity agent.Specificity
}

// A rule is a pattern in normal form, which is called its literal here, though
// it may hold wildcards, and where its line is. Its head is what a path must have
// to match: the first eight octets, the first lowest, with zeros behind a shorter
// literal; or, with a wildcard, the pairs of octets (see pairs).
type rule struct {
	at     uint32 // the literal's place in text, or the rule's in odd
	line   uint32 // in the file
	bits   uint32 // flags, and the group
	length uint16 // of the literal, without an anchor
	whole  uint16 // length of the line's text, which ends where the literal and its anchor end, or begin
}

const (
	allows   = 1 << iota   // else it disallows
	anchored               // it ends with '$'
	query                  // it holds a '?'
	apart                  // the literal is not part of the line's text: it stands behind it
	wildcard               // it holds a '*'
	isOdd                  // it is Rules.odd[at]
	inGram                 // eight bits of a gram (see grams), 0: none
	inGroup  = inGram << 8 // the group is the bits from here on
)

// maxGroups is how many groups the bits can tell apart.
const maxGroups = 1<<32/inGroup - 1

func (r *rule) has(flag uint32) bool { return r.bits&flag != 0 }
func (r *rule) group() int           { return int(r.bits / inGroup) }

func (r *rule) gram() uint32 { return r.bits / inGram & 255 }

func (r *rule) setGroup(group int) {
	r.bits = r.bits&(inGroup-1) | uint32(min(group, maxGroups))*inGroup
}

// ruleBytes is what a rule takes, with its head.
const ruleBytes = int(unsafe.Sizeof(rule{})) + 8

// newList makes room for n rules and their heads, in one piece.
func (r *Rules) newList(n int) {
	words := make([]uint64, n*ruleBytes/8)
	r.heads = words[:n:n]
	// A rule holds no pointer and asks for no more than a word's alignment.
	r.list = unsafe.Slice((*rule)(unsafe.Pointer(unsafe.SliceData(words[n:]))), n)
}

// RulesOf selects the rules of a text that concern a crawler (A3, A6), and in the
// Default dialect straight from its octets: many times faster than by way of a
// File.
func RulesOf(text []byte, reading Reading) *Rules {
	options := reading.Options
	// A group takes two lines at least.
	if !reading.isPlain() || len(text)/len("allow:\nuser-agent:\n") >= maxGroups {
		return NewRules(robots.Parse(text, options), reading)
	}
	limit := options.Limits.Bytes
	if limit <= 0 {
		limit = robots.DefaultBytes
	}
	text, cut := robots.Cut(text, limit)
	s := newScan(asString(text), reading.Agents)
	defer s.done()
	s.run()
	r := &Rules{cut: cut, blank: s.group == 0 && isBlank(s.text)}
	s.finish(r, s.choose(r))
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
	var text strings.Builder
	for i := range chosen.rules {
		text.WriteString(chosen.rules[i].text)
	}
	for _, location := range chosen.maps {
		text.WriteString(location)
	}
	s := newScan(text.String(), agent.Identity{})
	defer s.done()
	at := 0
	for i := range chosen.rules {
		f := &chosen.rules[i]
		end := at + len(f.text)
		s.line, s.group = f.line, f.group
		kind := robots.DisallowLine
		if f.allow {
			kind = robots.AllowLine
		}
		s.add(at, end-len(f.pattern), end, contents(f.pattern), kind)
		at = end
	}
	for i := range chosen.groups {
		s.numbers = append(s.numbers, i)
	}
	for _, location := range chosen.maps {
		s.maps = append(s.maps, place{at, at + len(location)})
		at += len(location)
	}
	r := &Rules{blank: chosen.blank, cut: chosen.cut}
	r.setDelay(chosen.delay)
	s.finish(r, chosen.groups)
	return r
}

// Match decides about a path, parameters and query as they stand in a URL: what
// the most specific matching rule says, allowed if none matches (M4). It does
// not allocate for paths of up to 2 KiB (M5).
func (r *Rules) Match(path string) (allowed bool, rule robots.Rule) {
	if i := r.find(path); i >= 0 {
		return r.list[i].has(allows), r.rule(i)
	}
	return true, robots.Rule{}
}

// rule returns a rule as it was written.
func (r *Rules) rule(i int) robots.Rule {
	rule := &r.list[i]
	if rule.has(isOdd) {
		return r.odd[rule.at].rule
	}
	written := robots.Rule{Verb: robots.Disallow, Line: int(rule.line)}
	if rule.has(allows) {
		written.Verb = robots.Allow
	}
	end := int(rule.at)
	if rule.has(apart) {
		written.Text = r.text[end-int(rule.whole) : end]
		written.Pattern = robots.ReadLine(written.Text).Value
		return written
	}
	end += int(rule.length)
	if rule.has(anchored) {
		end++
	}
	written.Text = r.text[end-int(rule.whole) : end]
	written.Pattern = r.text[rule.at:end]
	return written
}

// group returns a group as it is shown.
func (r *Rules) group(i int) Group {
	g := &r.groups[i]
	return Group{Agent: r.text[g.at : g.at+uint32(g.length)], Line: int(g.line), Specificity: g.specificity}
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

// octets returns a rule's length, by which rules are compared (M4).
func (r *Rules) octets(rule *rule) int {
	if rule.has(isOdd) {
		return r.odd[rule.at].length
	}
	if rule.has(anchored) {
		return int(rule.length) + 1
	}
	return int(rule.length)
}

// literal returns a rule's pattern in normal form, without an anchor.
func (r *Rules) literal(rule *rule) string {
	return r.text[rule.at : int(rule.at)+int(rule.length)]
}

// precedes reports whether rule i decides before rule j where both match: the
// longest, then the one that allows, then the first in the file.
func (r *Rules) precedes(i, j int) bool {
	a, b := &r.list[i], &r.list[j]
	if x, y := r.octets(a), r.octets(b); x != y {
		return x > y
	}
	if a.has(allows) != b.has(allows) {
		return a.has(allows)
	}
	return a.line < b.line
}

// sitemaps returns the sitemaps as written.
func (r *Rules) sitemaps() []string {
	if maps := r.text[r.mapsAt:]; maps != "" {
		return strings.Split(strings.TrimSuffix(maps, "\n"), "\n")
	}
	return nil
}

// weigh returns how many bytes the rules retain, the index included that they
// may yet get.
func (r *Rules) weigh() int {
	size := int(unsafe.Sizeof(*r)) + len(r.text) + ruleBytes*len(r.list) + cap(r.odd)*int(unsafe.Sizeof(odd{}))
	if len(r.groups) > 1 {
		size += cap(r.groups) * int(unsafe.Sizeof(consulted{}))
	}
	for i := range r.odd {
		o := &r.odd[i]
		size += len(o.first) + len(o.second) + len(o.rule.Text)
	}
	if r.indexable() {
		size += indexBytes * int(r.prefixes)
	}
	return size
}

// asString reads bytes as a string without copying them: they must not change
// while it is in use.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
