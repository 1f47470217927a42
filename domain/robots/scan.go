package robots

import (
	"slices"

	"github.com/polite-crawler/polite/domain/internal/word"
)

// A scan takes notes of what the lines of a text say. With it Parse takes three
// fifths of the time that it takes by Lines and readCommon, line by line, the
// garbage collector's not counted. What makes it fast:
//
//   - A rule or a user-agent line is told by its first eight octets, as one number.
//   - One look at 32 octets tells where the line ends, and whether there is white
//     space or a comment before.
//   - It writes nothing but notes, and counts what they will make: the File then
//     gets memory of the right size at once.
//
// What it has no short way for is read by grammar.readAny, which also says what
// all the rest means. A plain parser and a differential fuzz hold it to that.
type scan struct {
	text    string // with padding behind it, of line ends
	size    int    // without
	grammar grammar
	closely bool // keys of records may have been given another meaning

	at   int // where the line begins
	line int // its number

	notes []note
	count tally
	field Field // of a line that takes longer
}

// belowText is what tells white space, line ends and '#' from what else there is,
// but for '!', '"' and controls.
const belowText = '#' + 1

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
		head := word.Load(text, at)
		folded := head | word.Fold
		kind, key := DisallowLine, len("disallow")
		switch {
		case folded == word.Of("disallow"):
		case folded<<24 == word.Of("\x00\x00\x00allow"):
			kind, key = AllowLine, len("allow")
		case folded == word.Of("user-age") && text[at+4] == '-' && text[at+8]|0x20 == 'n' && text[at+9]|0x20 == 't':
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
		n := word.FirstBelow(text, stop, belowText)
		for n == word.Window && stop-at < MaxLine {
			stop += word.Window
			n = word.FirstBelow(text, stop, belowText)
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
		noted := s.note()
		noted.at = uint32(at)
		noted.length, noted.key, noted.value = uint16(stop-at), uint16(key), uint16(from-at)
		noted.kind, noted.fault, noted.notes, noted.rule = kind, NoFault, 0, NoVerb
		if kind == UserAgentLine {
			s.count.agent()
		} else {
			if c := text[from]; c == '/' || c == '*' || from == stop {
				noted.rule = verbs[kind]
			}
			s.count.rule()
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
// copy what was just written in parts has the processor wait for them, which took
// Parse a tenth more time.
func (s *scan) note() *note {
	last := len(s.notes)
	s.notes = s.notes[:last+1]
	n := &s.notes[last]
	n.line = uint32(s.line)
	return n
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
		w := word.Load(s.text, colon)
		if marks := word.Below(w, belowText) | word.Equal(w, ':'); marks != 0 {
			colon += word.First(marks)
			break
		}
		colon += 8
	}
	if s.text[colon] != ':' || colon == at {
		return s.closer(start)
	}
	f := &s.field
	f.Kind, f.Fault, f.notes = spelled(s.text, at, colon-at), NoFault, 0
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
		w := word.Load(s.text, end)
		if marks := word.Below(w, ' ') | word.Equal(w, '#'); marks != 0 {
			end += word.First(marks)
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
	s.finish(n)
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
		s.finish(n)
	}
	return s.behind(end)
}

// finish adds to a note what field says of its line.
func (s *scan) finish(n *note) {
	n.kind, n.fault, n.notes, n.rule = s.field.Kind, s.field.Fault, s.field.notes, NoVerb
	s.count.note(n, s.grammar.records)
}

// end returns where the line ends that at is in.
func (s *scan) end(at int) int {
	for {
		w := word.Load(s.text, at)
		if marks := word.Equal(w, '\n') | word.Equal(w, '\r'); marks != 0 {
			return at + word.First(marks)
		}
		at += 8
	}
}

// behind returns where the line behind an end begins.
func (s *scan) behind(end int) int {
	if s.text[end] == '\r' && s.text[end+1] == '\n' {
		return end + 2
	}
	return end + 1
}
