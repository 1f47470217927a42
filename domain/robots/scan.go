package robots

import "slices"

// A scan takes notes of what the lines of a text say, and counts what they will
// make, so that the File gets memory of the right size at once. What makes it
// fast:
//
//   - A rule or a user-agent line is told by its first eight octets, as one number.
//   - One look at 32 octets tells where the line ends, and whether there is white
//     space or a comment before.
//   - It writes nothing but notes.
//
// What it has no short way for is read by grammar.readAny, which also says what
// all the rest means: a differential fuzz holds the two together.
type scan struct {
	text    string // with padding behind it, of line ends
	size    int    // without
	grammar grammar
	closely bool // keys of records may have been given another meaning

	at   int // where the line begins
	line int // its number

	notes  []note
	count  tally
	opened bool // there was a user-agent line
	ruled  bool // and a rule since: the next one opens another group

	field Field
}

// A tally counts what notes will make.
type tally struct {
	groups, agents, rules, records, global, faults int
}

func newScan(text string, size, at int, g grammar, notes []note) scan {
	return scan{text: text, size: size, at: at, grammar: g, notes: notes, closely: len(g.added) > 0}
}

// run takes notes of all lines. Nearly all rules and user-agent lines are read
// here; what is anything else about them goes by other.
func (s *scan) run() {
	text, at := s.text, s.at
	for at < s.size {
		s.line++
		if len(s.notes) == cap(s.notes) {
			s.grow(at)
		}
		head := word(text, at)
		folded := head | letters
		kind, key := DisallowLine, len("disallow")
		switch {
		case folded == word("disallow", 0):
		case folded<<24 == word("\x00\x00\x00allow", 0):
			kind, key = AllowLine, len("allow")
		case folded == word("user-age", 0) && text[at+4] == '-' && text[at+8]|0x20 == 'n' && text[at+9]|0x20 == 't':
			kind, key = UserAgentLine, len("user-agent")
		case byte(head) == '\n':
			at++
			continue
		default:
			at = s.other(at)
			continue
		}
		if text[at+key] != ':' {
			at = s.other(at)
			continue
		}
		from := at + key + 1
		if text[from] == ' ' {
			from++
		}
		stop := from
		n := textEnd(text, stop)
		for n == lookAhead && stop-at < MaxLine {
			stop += lookAhead
			n = textEnd(text, stop)
		}
		stop += n
		next := stop + 1
		if text[stop] != '\n' {
			if text[stop] != '\r' || text[next] != '\n' {
				at = s.other(at)
				continue
			}
			next++
		}
		if stop-at > MaxLine {
			at = s.other(at)
			continue
		}
		if stop == from { // there is nothing but a space
			stop = at + key + 1
			from = stop
		}
		note := s.note()
		note.at = uint32(at)
		note.length, note.key, note.value = uint16(stop-at), uint16(key), uint16(from-at)
		note.kind, note.fault, note.notes, note.rule = kind, NoFault, 0, NoVerb
		if kind == UserAgentLine {
			s.agent()
		} else {
			if c := text[from]; c == '/' || c == '*' || from == stop {
				note.rule = verbs[kind]
			}
			s.ruled = true
			if s.opened {
				s.count.rules++
			}
		}
		at = next
	}
}

// grow makes room for as many notes more as what was read, up to at, lets expect.
func (s *scan) grow(at int) {
	n := len(s.notes)
	expected := float64(n) / float64(at+1) * float64(s.size-at)
	s.notes = slices.Grow(s.notes, max(n/2, int(expected*1.1)))
}

// note begins a note, for which there is room. It is filled in where it stands: to
// copy what was just written in parts would have the processor wait for them (a
// third of all the time).
func (s *scan) note() *note {
	last := len(s.notes)
	s.notes = s.notes[:last+1]
	n := &s.notes[last]
	n.line = uint32(s.line)
	return n
}

// agent counts a user-agent line.
func (s *scan) agent() {
	s.count.agents++
	if !s.opened || s.ruled {
		s.count.groups++
	}
	s.opened, s.ruled = true, false
}

// other takes the line at at, whatever it is, and returns where the next one is.
func (s *scan) other(start int) (next int) {
	at := start
	for space(s.text[at]) {
		at++
	}
	if c := s.text[at]; c == '\n' || c == '\r' || c == '#' {
		end := s.end(at)
		if end-start > MaxLine {
			return s.closer(start)
		}
		return s.behind(end)
	}
	colon := at
	for {
		w := word(s.text, colon)
		if marks := below(w, belowText) | equal(w, ':'); marks != 0 {
			colon += firstOf(marks)
			break
		}
		colon += 8
	}
	if s.text[colon] != ':' || colon == at {
		return s.closer(start)
	}
	f := &s.field
	f.Kind, f.Fault, f.notes = keyKind(s.text, at, colon-at), NoFault, 0
	if f.Kind == Other || s.closely && f.Kind > DisallowLine {
		f.Key = s.text[at:colon]
		s.grammar.kindOf(f)
		s.grammar.judgeKey(f)
	}
	return s.value(start, at, colon)
}

// value takes the line at start by its value. Its key is at at, a colon behind
// it, and what is known of them in field.
func (s *scan) value(start, at, colon int) (next int) {
	from := colon + 1
	for space(s.text[from]) {
		from++
	}
	end := from
	for {
		w := word(s.text, end)
		if marks := below(w, ' ') | equal(w, '#'); marks != 0 {
			end += firstOf(marks)
			if c := s.text[end]; c == '\n' || c == '\r' || c == '#' {
				break
			} else if c == 0 && s.grammar.nulEnds {
				return s.closer(start)
			}
			end++
			continue
		}
		end += 8
	}
	stop := end
	if s.text[end] == '#' {
		end = s.end(end)
	}
	if end-start > MaxLine {
		return s.closer(start)
	}
	for stop > from && space(s.text[stop-1]) {
		stop--
	}
	if stop < end && s.grammar.keepSpace {
		return s.closer(start)
	}
	if stop <= from { // there is nothing but white space
		stop = colon + 1
		from = stop
	}
	n := s.note()
	n.at = uint32(at)
	n.length, n.key, n.value = uint16(stop-at), uint16(colon-at), uint16(from-at)
	s.counted(n)
	return s.behind(end)
}

// closer takes the line at start by grammar.readAny.
func (s *scan) closer(start int) (next int) {
	end, at := s.end(start), start
	f := &s.field
	s.grammar.readAny(s.text[start:end], f)
	if f.Text != "" {
		for space(s.text[at]) {
			at++
		}
	}
	if f.OK || f.Fault != NoFault {
		n := s.note()
		n.at, n.length, n.key, n.value = uint32(at), uint16(len(f.Text)), 0, 0
		if f.OK {
			n.key, n.value = uint16(len(f.Key)), uint16(len(f.Text)-len(f.Value))
		}
		s.counted(n)
	}
	return s.behind(end)
}

// counted adds to a note what field says of its line, and counts what it will
// make.
func (s *scan) counted(n *note) {
	f := &s.field
	n.kind, n.fault, n.notes, n.rule = f.Kind, f.Fault, f.notes, NoVerb
	if n.fault != NoFault {
		s.count.faults++
	}
	switch {
	case n.value == 0:
	case n.kind == UserAgentLine:
		s.agent()
	case n.kind.isRule():
		s.ruled = true
		if s.opened {
			s.count.rules++
		}
	case !s.grammar.records:
	case s.opened && (n.kind.ofGroup() || n.notes&addedToGroups != 0):
		s.count.records++
	default:
		s.count.global++
	}
}

// end returns where the line ends that at is in.
func (s *scan) end(at int) int {
	for {
		marks := below(word(s.text, at), belowEnd)
		if marks == 0 {
			at += 8
			continue
		}
		at += firstOf(marks)
		if c := s.text[at]; c == '\n' || c == '\r' {
			return at
		}
		at++
	}
}

// behind returns where the line behind an end begins.
func (s *scan) behind(end int) int {
	if s.text[end] == '\r' && s.text[end+1] == '\n' {
		return end + 2
	}
	return end + 1
}

// keyKind tells the kind of a line by a key that is known, and written right;
// Other for any that needs a closer look.
func keyKind(text string, at, length int) Kind {
	head := word(text, at) | letters
	switch length {
	case 4:
		if head<<32 == word("\x00\x00\x00\x00host", 0) {
			return Host
		}
	case 5:
		if head<<24 == word("\x00\x00\x00allow", 0) {
			return AllowLine
		}
	case 7:
		switch head << 8 {
		case word("\x00sitemap", 0):
			return Sitemap
		case word("\x00noindex", 0):
			return Noindex
		case word("\x00license", 0):
			return License
		}
	case 8:
		if head == word("disallow", 0) {
			return DisallowLine
		}
	case 10:
		switch tail := word(text, at+2) | letters; {
		case head == word("user-age", 0) && tail == word("er-agent", 0):
			return UserAgentLine
		case head == word("visit-ti", 0) && tail == word("sit-time", 0):
			return VisitTime
		}
	case 11:
		switch tail := word(text, at+3) | letters; {
		case head == word("crawl-de", 0) && tail == word("wl-delay", 0):
			return CrawlDelay
		case head == word("clean-pa", 0) && tail == word("an-param", 0):
			return CleanParam
		}
	case 12:
		if head == word("request-", 0) && word(text, at+4)|letters == word("est-rate", 0) {
			return RequestRate
		}
	case 13:
		if head == word("content-", 0) && word(text, at+5)|letters == word("nt-usage", 0) {
			return ContentUsage
		}
	case 14:
		if head == word("content-", 0) && word(text, at+6)|letters == word("t-signal", 0) {
			return ContentSignal
		}
	}
	return Other
}
