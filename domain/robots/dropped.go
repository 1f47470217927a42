package robots

import "github.com/polite-crawler/polite/domain/agent"

// drops reports whether a limit takes exception to a line (P11), and to what.
func (p *parser) drops(f *Field) bool {
	switch {
	case len(f.Value) > p.limits.ValueBytes:
		f.Fault = ValueTooLong
	case len(f.Key) > p.limits.KeyBytes:
		f.Fault = KeyTooLong
	case len(f.Value) > p.limits.Wildcards && f.isPath() && wildcards(f.Value, p.escaped) > p.limits.Wildcards:
		f.Fault = TooManyWildcards
	default:
		return false
	}
	return true
}

// drop leaves a line out that exceeds a limit. What it does to groups it still
// does: a rule ends the user-agent lines, and what stands under a user-agent line
// that is gone never passes to the one above it (P11).
func (p *parser) drop(number int, f *Field) {
	p.file.Limited = true
	switch {
	case f.Kind == UserAgentLine:
		p.opens()
	case f.Kind.isRule():
		p.ended = true
	}
	octets := 0
	if f.Fault == ValueTooLong {
		octets = len(f.Value)
	}
	p.warn(number, f, octets)
}

// refuses reports whether a limit has no room for a user-agent line.
func (p *parser) refuses(f *Field) bool {
	switch {
	case p.crowded:
		f.Fault = TooManyGroups
	case p.all >= p.limits.Agents:
		f.Fault = TooManyAgents
		p.file.Limited = true
	case p.patterns && len(f.Value) > p.limits.NameBytes:
		f.Fault = NameTooLong // cut, it would describe others, too
		p.file.Limited = true
	default:
		return false
	}
	return true
}

// cutName truncates the value of a user-agent line. A name that would be cut
// itself addresses nobody: what is left of it may be another's.
func (p *parser) cutName(a *UserAgent, f *Field) {
	f.blame(NameTooLong)
	p.file.Limited = true
	a.Value, a.Cut = a.Value[:p.limits.NameBytes], true
	if len(a.Addressee.Name) > p.limits.NameBytes {
		a.Addressee = agent.Line{}
	}
}
