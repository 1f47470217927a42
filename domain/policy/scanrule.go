package policy

import (
	"strings"

	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// anyRule takes a line that may be a rule, in whichever way it is written. In a group
// that is not ours it changes nothing: should the next user-agent line concern us, it
// is all the same whether it opens another.
func (s *scan) anyRule(start, at, end int, kind robots.Kind) {
	if !s.ours {
		return
	}
	if value, ok := s.read(start, at, end, kind); ok {
		bits := s.group
		if kind == robots.AllowLine {
			bits |= allows
		}
		s.rule(at, value.from, value.to, contents(s.at(value)), bits)
	}
}

// rule takes a rule of ours: its text begins at at, and its pattern is from from to
// end. An empty one, too, ends its group's user-agent lines (P7).
func (s *scan) rule(at, from, end int, holds uint8, bits uint32) {
	s.ruled = true
	if from == end || s.text[from] != '/' && s.text[from] != '*' {
		return // matches nothing (P8)
	}
	if bits&allows != 0 {
		if directory, ok := indexDirectory(s.text[from:end]); ok {
			s.addOdd(at, from, end, directory+"$", bits)
		}
	}
	// An ending is in a File made by hand.
	if holds&(blank|unusual|escape|ending) != 0 && !isNormal(s.text[from:end], holds) {
		s.addUncommon(at, from, end, holds, bits)
		return
	}
	stop := end
	if holds != 0 {
		literal, flags := literalOf(s.text[from:end], holds)
		stop, bits = from+len(literal), bits|flags
	}
	s.add(at, from, stop, end, bits)
}

// isNormal reports whether a pattern that may have another normal form, in one reading
// or the other, surely has none.
func isNormal(pattern string, holds uint8) bool {
	return holds&(blank|unusual|ending|mark) == 0 && site.EscapesAreNormal(pattern)
}

// indexDirectory returns the directory that an Allow of its index.html also
// allows, as the exact rule "…/$" (M6).
func indexDirectory(written string) (directory string, ok bool) {
	slash := strings.LastIndexByte(written, '/')
	if slash < 0 || !strings.HasPrefix(written[slash+1:], "index.htm") {
		return "", false
	}
	return written[:slash+1], true
}
