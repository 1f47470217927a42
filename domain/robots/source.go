package robots

import "strings"

// A source reads the lines of a text, one Field each.
type source struct {
	grammar *grammar
	lines   Lines
	number  int // of the line that next returned last, from 1

	// With LineContinuation, the line that was looked at already.
	ahead  string
	looked bool
	joined []byte
}

// newSource starts at the first line of a text, whose mark was skipped.
func newSource(text string, g *grammar) source {
	return source{grammar: g, lines: newLines(text)}
}

// skipMark drops a byte order mark, and what there is of one if the Dialect says
// so (P3).
func (g *grammar) skipMark(text string) string {
	if g.partialMark {
		return SkipMark(text)
	}
	return strings.TrimPrefix(text, byteOrderMark)
}

// next reads the next line.
func (s *source) next(f *Field) bool {
	if s.grammar.continues {
		return s.nextJoined(f)
	}
	line, ok := s.lines.Next()
	if !ok {
		return false
	}
	s.number = s.lines.Number
	s.grammar.read(line, f)
	return true
}

// nextJoined reads the next line and those that continue it: they start with a
// space or HT and have no known key. Comments are cut before lines are joined.
func (s *source) nextJoined(f *Field) bool {
	line, ok := s.line()
	if !ok {
		return false
	}
	s.number = s.lines.Number
	s.joined = s.joined[:0]
	for {
		next, ok := s.line()
		if !ok {
			break
		}
		if next == "" || !blank(next[0]) || s.hasKnownKey(next, f) {
			s.ahead, s.looked = next, true
			break
		}
		if f.Text != "" {
			s.join(line, f)
		}
	}
	if len(s.joined) > 0 {
		line = string(s.joined)
	}
	s.grammar.read(line, f)
	return true
}

func (s *source) hasKnownKey(line string, f *Field) bool {
	s.grammar.readAny(line, f)
	return f.OK && f.Kind != Other
}

// line returns the next line as it stands.
func (s *source) line() (line string, ok bool) {
	if s.looked {
		s.looked = false
		return s.ahead, true
	}
	return s.lines.Next()
}

// join puts a line that continues behind what it continues, as much as counts of
// the two (P4).
func (s *source) join(first string, f *Field) {
	more := f.Text
	if len(s.joined) == 0 {
		s.grammar.readAny(first, f)
		s.joined = append(s.joined, f.Text...)
	}
	if len(s.joined) <= MaxLine {
		s.joined = append(s.joined, ' ')
		s.joined = append(s.joined, more[:min(len(more), MaxLine+1-len(s.joined))]...)
	}
}
