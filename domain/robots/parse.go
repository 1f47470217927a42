package robots

import (
	"bytes"

	"github.com/polite-crawler/polite/domain/agent"
)

// Parse reads a robots.txt. It never fails: it takes any octets, uses every line
// that makes sense and warns of the rest (RFC 9309 §2.3.1.5; P1). Time and
// memory are linear in the text, of which it keeps a copy.
func Parse(text []byte, options Options) *File {
	limits := options.Limits
	if limits.Bytes <= 0 {
		limits.Bytes = DefaultBytes
	}
	p := parser{file: &File{}}
	text, p.file.Truncated = Cut(text, limits.Bytes)
	source := NewLines(string(text))
	for {
		line, ok := source.Next()
		if !ok {
			return p.file
		}
		p.take(source.Number, ReadLine(line))
	}
}

// Cut returns the whole lines within the first limit octets of text, and whether
// anything was left out (RFC 9309 §2.5; P2).
func Cut(text []byte, limit int) (kept []byte, cut bool) {
	if len(text) <= limit {
		return text, false
	}
	return WholeLines(text[:limit]), true
}

// WholeLines drops a last line that has no end: where a text was cut, half a
// pattern would be taken for a whole one.
func WholeLines(text []byte) []byte {
	return text[:bytes.LastIndexAny(text, "\r\n")+1]
}

// HasDirective reports whether any line of text is a user-agent line, a rule or
// a Sitemap: a page of HTML has none (SEMANTICS F3).
func HasDirective(text []byte) bool {
	source := NewLines(string(text))
	for {
		line, ok := source.Next()
		if !ok {
			return false
		}
		if f := ReadLine(line); f.OK && (f.Kind >= UserAgentLine && f.Kind <= Sitemap) {
			return true
		}
	}
}

// parser builds a File line by line.
type parser struct {
	file *File
	open *Group // the last group, nil before the first user-agent line
}

// take adds one line to the file.
func (p *parser) take(number int, f Field) {
	if f.OK {
		switch {
		case f.Kind == UserAgentLine:
			p.userAgent(number, &f)
		case f.Kind == AllowLine || f.Kind == DisallowLine:
			p.rule(number, &f)
		default:
			p.record(number, &f)
		}
	}
	if f.Fault != NoFault {
		p.file.Warnings = append(p.file.Warnings, Warning{Line: number, Kind: f.Fault, Text: f.Text})
	}
}

// userAgent adds a user-agent line to the open group, or opens one: only a rule
// closes a group, be it an empty one (P7).
func (p *parser) userAgent(number int, f *Field) {
	addressee := agent.ParseLine(f.Value)
	if addressee.Specificity == agent.None {
		f.blame(NamelessAgent)
	}
	if p.open == nil || len(p.open.Rules) > 0 {
		p.file.Groups = append(p.file.Groups, Group{})
		p.open = &p.file.Groups[len(p.file.Groups)-1]
	}
	p.open.Agents = append(p.open.Agents, UserAgent{Addressee: addressee, Value: f.Value, Line: number})
}

func (p *parser) rule(number int, f *Field) {
	if p.open == nil {
		f.blame(RuleOutsideGroup)
		return
	}
	rule := Rule{Verb: Disallow, Line: number, Pattern: f.Value, Text: f.Text}
	if f.Kind == AllowLine {
		rule.Verb = Allow
	}
	if f.Value != "" && f.Value[0] != '/' && f.Value[0] != '*' {
		f.blame(PatternWithoutSlash)
	}
	p.open.Rules = append(p.open.Rules, rule)
}

func (p *parser) record(number int, f *Field) {
	record := Record{Kind: f.Kind, Key: f.Key, Value: f.Value, Line: number}
	if f.Kind == CrawlDelay {
		if _, ok := ParseDelay(f.Value); !ok {
			f.blame(InvalidDelay)
		}
	}
	switch {
	case f.Kind.ofGroup() && p.open != nil:
		record.Agents = len(p.open.Agents)
		p.open.Records = append(p.open.Records, record)
		return
	case f.Kind.needsGroup():
		f.blame(RecordOutsideGroup)
	}
	p.file.Records = append(p.file.Records, record)
}
