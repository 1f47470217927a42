package robots

import (
	"github.com/polite-crawler/polite/domain/agent"
)

// parser builds a File line by line.
type parser struct {
	grammar
	limits  Limits
	limited bool // there are limits besides that of octets
	escaped bool // EscapedWildcard: "%2A" counts as a wildcard

	file    File
	rules   arena[Rule]
	agents  arena[UserAgent]
	records arena[Record]
	all     int // user-agent lines that were kept
	groups  int // that were opened, the skipped ones included

	state   groupState
	ended   bool // the open group has a rule: the next user-agent line opens another
	crowded bool // it is one too many
}

// A groupState is what there is of the group that lines are in.
type groupState uint8

const (
	outside groupState = iota // before the first user-agent line
	skipped                   // all its user-agent lines were dropped (P11)
	open
)

func newParser(options Options) parser {
	return parser{
		grammar: newGrammar(options.Dialect),
		limits:  options.Limits.orDefault(options.Dialect),
		limited: options.Limits != Limits{Bytes: options.Limits.Bytes},
		escaped: options.Dialect.Has(EscapedWildcard),
	}
}

// parse reads a text, with padding behind it, in two steps: once it is known how
// much there is of everything, memory is taken for it at once.
func (p *parser) parse(padded string, size int) *File {
	start := size - len(p.skipMark(padded[:size]))
	if p.continues || size > farthest {
		p.parseLines(padded[start:size])
	} else {
		pad := newPad(size)
		s := newScan(padded, size, start, p.grammar, pad.notes)
		s.run()
		p.build(&s)
		pad.done(s.notes)
	}
	p.close()
	file := p.file
	return &file
}

// parseLines reads a text line by line: one may continue the one before.
func (p *parser) parseLines(text string) {
	grammar := p.grammar
	source := newSource(text, &grammar)
	var f Field
	for source.next(&f) {
		p.take(source.number, &f)
	}
}

// take adds one line to the file.
func (p *parser) take(number int, f *Field) {
	if f.OK {
		switch {
		case p.limited && p.drops(f):
			p.drop(number, f)
			return
		case f.Kind == UserAgentLine:
			p.userAgent(number, f)
		case f.Kind.isRule():
			p.rule(number, f)
		case p.grammar.records:
			p.record(number, f)
		}
	}
	if f.Fault != NoFault {
		p.warn(number, f, 0)
	}
}

func (p *parser) warn(number int, f *Field, octets int) {
	p.file.Warnings = append(p.file.Warnings, Warning{Line: number, Kind: f.Fault, Text: f.Text, Octets: octets})
}

// userAgent adds a user-agent line to the open group, or opens one: only a rule
// closes a group, be it an empty one (P7).
func (p *parser) userAgent(number int, f *Field) {
	p.opens()
	if p.limited && p.refuses(f) {
		return
	}
	a := p.agent(number, f.Value)
	if len(f.Value) > p.limits.NameBytes {
		p.cutName(a, f)
	}
	if a.Addressee.Specificity == agent.None && (!p.patterns || a.Value == "") {
		f.blame(NamelessAgent)
	}
}

// agent adds a user-agent line to the open group, be it its first.
func (p *parser) agent(number int, value string) *UserAgent {
	if p.state != open {
		p.state = open
		p.file.Groups = extend(p.file.Groups)
	}
	p.all++
	a := p.agents.add()
	a.Addressee, a.Value, a.Line = p.grammar.agents.Parse(value), value, number
	return a
}

// opens begins another group if the one before has ended, or there is none.
func (p *parser) opens() {
	if p.state != outside && !p.ended {
		return
	}
	p.close()
	p.state, p.ended = skipped, false
	p.groups++
	if p.crowded = p.groups > p.limits.Groups; p.crowded {
		p.file.Limited = true
	}
}

// close gives the open group its stretches of the arenas.
func (p *parser) close() {
	if p.state != open {
		return
	}
	g := &p.file.Groups[len(p.file.Groups)-1]
	g.Agents = p.agents.take()
	if p.rules.length() > 0 {
		g.Rules = p.rules.take()
	}
	if p.records.length() > 0 {
		g.Records = p.records.take()
	}
}

func (p *parser) rule(number int, f *Field) {
	p.ended = true // for good or ill (P7, P11)
	if !p.inGroup(f, RuleOutsideGroup) || !p.hasRoom(f) {
		return
	}
	p.judgePath(f)
	r := p.rules.add()
	r.Verb, r.Line, r.Pattern, r.Text = verbs[f.Kind], number, f.Value, f.Text
}

// inGroup reports whether lines of a group are kept now, and if not, why not.
func (p *parser) inGroup(f *Field, fault WarningKind) bool {
	switch p.state {
	case outside:
		f.blame(fault)
	case skipped:
		f.Fault = SkippedGroup
	}
	return p.state == open
}

// hasRoom reports whether the open group may have another line (P11).
func (p *parser) hasRoom(f *Field) bool {
	if p.rules.length()+p.records.length() < p.limits.GroupLines {
		return true
	}
	f.Fault = TooManyLines
	p.file.Limited = true
	return false
}

// judgePath takes note of a path that does not start like one (P8).
func (p *parser) judgePath(f *Field) {
	switch {
	case f.Value == "" || f.Value[0] == '/' || f.Value[0] == '*':
	case p.completeSlash:
		f.blame(SlashCompleted)
	default:
		f.blame(PatternWithoutSlash)
	}
}

func (p *parser) record(number int, f *Field) {
	p.judgeRecord(f)
	ofGroup := f.Kind.ofGroup() || f.notes&addedToGroups != 0
	if ofGroup && p.state != outside {
		if p.inGroup(f, NoFault) && p.hasRoom(f) {
			p.records.add().set(f, number, p.agents.length())
		}
		return
	}
	if f.Kind.needsGroup() {
		f.blame(RecordOutsideGroup)
	}
	if len(p.file.Records) >= p.limits.GroupLines {
		f.Fault = TooManyLines
		p.file.Limited = true
		return
	}
	p.file.Records = extend(p.file.Records)
	p.file.Records[len(p.file.Records)-1].set(f, number, 0)
}

// set fills a zero Record in.
func (r *Record) set(f *Field, number, agents int) {
	r.Kind, r.Key, r.Value, r.Line, r.Agents = f.Kind, f.Key, f.Value, number, agents
}
