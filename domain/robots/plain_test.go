package robots

import (
	"math"
	"strings"

	"github.com/polite-crawler/polite/domain/agent"
)

// plainParser is the plain parser's File in the making.
type plainParser struct {
	d    Dialect
	l    Limits
	file File

	groups int  // that were begun, skipped ones too
	agents int  // user-agent lines that were kept
	begun  bool // there was a user-agent line
	ruled  bool // the last of them has a rule behind it
	within *Group
}

// plainParse is Parse.
func plainParse(octets []byte, options Options) *File {
	p := plainParser{d: options.Dialect, l: options.Limits}
	for _, limit := range []*int{&p.l.Groups, &p.l.GroupLines, &p.l.Agents, &p.l.KeyBytes, &p.l.NameBytes, &p.l.ValueBytes, &p.l.Wildcards} {
		if limit == &p.l.KeyBytes && *limit != 0 {
			*limit = max(*limit, 10)
		}
		if *limit <= 0 {
			*limit = math.MaxInt
		}
	}
	text, cut := plainCut(string(octets), p.l, p.d)
	p.file.Truncated = cut
	lines := plainLines(plainUnmarked(text, p.d))
	for i := 0; i < len(lines); {
		line, n := lines[i], 1
		if p.d.Has(LineContinuation) {
			line, n = plainJoin(lines[i:], p.d)
		}
		f := plainRead(line, p.d)
		p.take(i+1, &f)
		i += n
	}
	return &p.file
}

// plainJoin joins the lines that continue the first, and tells how many they are
// with it (P12). Of what is longer than counts one octet is kept, to show that.
func plainJoin(lines []string, d Dialect) (joined string, n int) {
	joined = lines[0]
	first := true
	for n = 1; n < len(lines); n++ {
		next := lines[n]
		if next == "" || next[0] != ' ' && next[0] != '\t' {
			break
		}
		f := plainRead(next, d)
		if f.OK && f.Kind != Other {
			break
		}
		if f.Text == "" {
			continue
		}
		if first {
			joined, first = plainRead(joined, d).Text, false
		}
		if len(joined) <= 16663 {
			joined += " " + f.Text
			joined = joined[:min(len(joined), max(16664, len(joined)-len(f.Text)))]
		}
	}
	return joined, n
}

// take adds a line.
func (p *plainParser) take(number int, f *Field) {
	octets := 0
	if f.OK {
		switch {
		case len(f.Value) > p.l.ValueBytes:
			octets = len(f.Value)
			p.drop(f, ValueTooLong)
		case len(f.Key) > p.l.KeyBytes:
			p.drop(f, KeyTooLong)
		case f.isPath() && plainWildcards(f.Value, p.d) > p.l.Wildcards:
			p.drop(f, TooManyWildcards)
		case f.Kind == UserAgentLine:
			p.userAgent(number, f)
		case f.Kind == AllowLine || f.Kind == DisallowLine:
			p.rule(number, f)
		case p.d.Has(OtherRecords):
			p.record(number, f)
		}
	}
	if f.Fault != NoFault {
		p.file.Warnings = append(p.file.Warnings, Warning{Line: number, Kind: f.Fault, Text: f.Text, Octets: octets})
	}
}

// limit leaves a line out (P11).
func (p *plainParser) limit(f *Field, fault WarningKind) {
	f.Fault = fault
	p.file.Limited = true
}

func (p *plainParser) drop(f *Field, fault WarningKind) {
	p.limit(f, fault)
	switch f.Kind {
	case UserAgentLine:
		p.begin()
	case AllowLine, DisallowLine:
		p.ruled = true
	}
}

// begin begins a group if the one before has a rule, or there is none (P7). It is
// kept once it has a user-agent line.
func (p *plainParser) begin() {
	if p.begun && !p.ruled {
		return
	}
	p.begun, p.ruled, p.within = true, false, nil
	if p.groups++; p.groups > p.l.Groups {
		p.file.Limited = true
	}
}

func (p *plainParser) userAgent(number int, f *Field) {
	p.begin()
	switch {
	case p.groups > p.l.Groups:
		p.limit(f, TooManyGroups)
		return
	case p.agents >= p.l.Agents:
		p.limit(f, TooManyAgents)
		return
	case p.d.Has(AgentPatterns) && len(f.Value) > p.l.NameBytes:
		p.limit(f, NameTooLong)
		return
	}
	p.agents++
	if p.within == nil {
		p.file.Groups = append(p.file.Groups, Group{})
		p.within = &p.file.Groups[len(p.file.Groups)-1]
	}
	options := agent.LineOptions{CutNames: !p.d.Has(OddNames), BareWildcard: !p.d.Has(WildcardText)}
	a := UserAgent{Addressee: options.Parse(f.Value), Value: f.Value, Line: number}
	if len(f.Value) > p.l.NameBytes {
		a.Value, a.Cut = a.Value[:p.l.NameBytes], true
		if len(a.Addressee.Name) > p.l.NameBytes {
			a.Addressee = agent.Line{}
		}
		f.blame(NameTooLong)
		p.file.Limited = true
	}
	if a.Addressee == (agent.Line{}) && (f.Value == "" || !p.d.Has(AgentPatterns)) {
		f.blame(NamelessAgent)
	}
	p.within.Agents = append(p.within.Agents, a)
}

// room reports whether the group that lines are in takes another line.
func (p *plainParser) room(f *Field) bool {
	if p.within == nil {
		f.Fault = SkippedGroup
		return false
	}
	if len(p.within.Rules)+len(p.within.Records) >= p.l.GroupLines {
		p.limit(f, TooManyLines)
		return false
	}
	return true
}

func (p *plainParser) rule(number int, f *Field) {
	p.ruled = true
	if !p.begun {
		f.blame(RuleOutsideGroup)
		return
	}
	if !p.room(f) {
		return
	}
	p.path(f)
	verb := map[Kind]Verb{AllowLine: Allow, DisallowLine: Disallow}[f.Kind]
	p.within.Rules = append(p.within.Rules, Rule{Verb: verb, Line: number, Pattern: f.Value, Text: f.Text})
}

// path judges a path (P8).
func (p *plainParser) path(f *Field) {
	if f.Value != "" && !strings.HasPrefix(f.Value, "/") && !strings.HasPrefix(f.Value, "*") {
		fault := PatternWithoutSlash
		if p.d.Has(CompleteSlash) {
			fault = SlashCompleted
		}
		f.blame(fault)
	}
}

func (p *plainParser) record(number int, f *Field) {
	fault := faultOf(f.Kind, f.Value)
	if fault == InvalidNoindex && p.d.Has(CompleteSlash) {
		fault = SlashCompleted
	}
	f.blame(fault)
	if f.isPath() {
		p.path(f)
	}
	record := Record{Kind: f.Kind, Key: f.Key, Value: f.Value, Line: number}
	if p.begun && (f.Kind.ofGroup() || f.notes&addedToGroups != 0) {
		if p.room(f) {
			record.Agents = len(p.within.Agents)
			p.within.Records = append(p.within.Records, record)
		}
		return
	}
	if f.Kind.needsGroup() {
		f.blame(RecordOutsideGroup)
	}
	if len(p.file.Records) >= p.l.GroupLines {
		p.limit(f, TooManyLines)
		return
	}
	p.file.Records = append(p.file.Records, record)
}
