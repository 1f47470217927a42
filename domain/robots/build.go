package robots

// build makes of notes what their places make of them.
func (p *parser) build(s *scan) {
	p.reserve(&s.count)
	var f Field
	for notes := s.notes; len(notes) > 0; {
		n := &notes[0]
		if n.rule != NoVerb && p.state == open && !p.limited {
			notes = p.rulesOf(notes, s.text)
			continue
		}
		n.read(s.text, &f)
		p.take(int(n.line), &f)
		notes = notes[1:]
	}
}

// rulesOf adds the rules that notes begin with, and returns the notes behind.
func (p *parser) rulesOf(notes []note, text string) (behind []note) {
	n := 1
	for n < len(notes) && notes[n].rule != NoVerb {
		n++
	}
	p.ended = true
	rules := p.rules.more(n)
	for i := range rules {
		r, n := &rules[i], &notes[i]
		line := text[n.at:][:n.length]
		r.Verb, r.Line, r.Pattern, r.Text = n.rule, int(n.line), line[n.value:], line
	}
	return notes[n:]
}

// reserve takes memory for what notes will make. Where limits may leave most of
// it out it is taken as need be.
func (p *parser) reserve(count *tally) {
	if p.limited {
		return
	}
	p.file.Groups = room[Group](count.groups)
	p.file.Records = room[Record](count.global)
	p.file.Warnings = room[Warning](count.faults)
	p.agents.expect(count.agents)
	p.rules.expect(count.rules)
	p.records.expect(count.records)
}
