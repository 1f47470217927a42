package policy

import (
	"slices"
	"strings"

	"github.com/polite-crawler/polite/domain/robots"
)

// rule takes a rule of ours, from start, whose key is at at, and returns where its
// line ends.
func (s *scan) rule(start, at, key int, kind robots.Kind) (end int) {
	from := at + key
	if from < len(s.text) && s.text[from] == ' ' {
		from++ // one blank is nearly always there, and no second
	}
	for from < len(s.text) && octets[s.text[from]] == blank {
		from++
	}
	end, holds := s.span(from)
	if end-start > robots.MaxLine {
		s.ruleByReader(start, at, end, kind)
		return end
	}
	stop := end
	if holds&(comment|blank) != 0 {
		if n := strings.IndexByte(s.text[from:end], '#'); n >= 0 {
			stop = from + n
		}
		for stop > from && octets[s.text[stop-1]] == blank {
			stop--
		}
		holds = contents(s.text[from:stop])
	}
	s.add(at, from, stop, holds, kind)
	return end
}

// ruleByReader takes a rule by the reader of all lines.
func (s *scan) ruleByReader(start, at, end int, kind robots.Kind) {
	if f := robots.ReadLine(s.text[start:end]); f.OK && f.Kind == kind {
		// A value is the end of its text, which begins with the first letter.
		end = at + len(f.Text)
		s.add(at, end-len(f.Value), end, contents(f.Value), kind)
	}
}

// add adds a rule of ours, whose line's text begins at at and whose pattern is
// from from to end. An empty one, too, ends its group's user-agent lines (P7).
func (s *scan) add(at, from, end int, holds uint8, kind robots.Kind) {
	s.ruled = true
	if from == end || s.text[from] != '/' && s.text[from] != '*' {
		return // matches nothing (P8)
	}
	flags := uint32(s.group) * inGroup
	if kind == robots.AllowLine {
		flags |= allows
		if _, ok := indexDirectory(s.text[from:end]); ok {
			s.note(at, from, end, flags|isOdd)
		}
	}
	if holds&(blank|unusual) != 0 {
		s.note(at, from, end, flags|apart) // if it turns out to have another normal form
		return
	}
	if holds&mark != 0 {
		flags |= query
	}
	stop := end
	if holds&(dollar|star) != 0 {
		literal, ending := withoutEnding(s.text[from:end])
		flags |= ending
		stop = from + len(literal)
		if strings.IndexByte(literal, '*') >= 0 {
			flags |= wildcard
		}
	}
	s.note(at, from, end, flags).length = uint16(stop - from)
}

// note notes a rule of the line whose text begins at at. It is filled in where
// it stands: to copy what was just written in parts would have the processor
// wait for them.
func (s *scan) note(at, from, end int, flags uint32) *rule {
	n := len(s.rules)
	if n == cap(s.rules) {
		s.rules = slices.Grow(s.rules, max(n, 64))
	}
	s.rules = s.rules[:n+1]
	r := &s.rules[n]
	r.at = uint32(from)
	r.line = uint32(s.line)
	r.bits = flags
	r.length = uint16(end - from)
	r.whole = uint16(end - at)
	return r
}
