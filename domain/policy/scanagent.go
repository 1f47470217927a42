package policy

import (
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
)

// userAgent takes a user-agent line whose key is at at, and returns where the next
// line begins. Most name everybody, or somebody whose name does not even begin as
// ours.
func (s *scan) userAgent(start, at int) (next int) {
	from := at + keyUserAgent
	for from < len(s.text) && s.text[from] == ' ' {
		from++
	}
	if from < len(s.text) {
		if s.text[from] == '*' && from-start < robots.MaxLine && (from+1 == len(s.text) || octets[s.text[from+1]] == ending) {
			s.openGroup()
			s.consult(place{from, from + 1}, len(s.tokens), agent.Wildcard)
			return s.behind(from + 1)
		}
		if letter := (s.text[from] | 0x20) - 'a'; letter < 26 && s.initials>>letter&1 == 0 {
			s.openGroup()
			return s.behind(lineEnd(s.text, from))
		}
	}
	end := lineEnd(s.text, at)
	if value, ok := s.read(start, at, end, robots.UserAgentLine); ok {
		s.addressee(value)
	}
	return s.behind(end)
}

// openGroup opens a group if the open one has a rule (P7). One that is not ours goes
// on: it makes no difference.
func (s *scan) openGroup() {
	s.opened = true
	if s.ruled {
		s.ruled, s.ours = false, false
	}
}

// addressee takes the value of a user-agent line.
func (s *scan) addressee(value place) {
	s.openGroup()
	addressee := agent.ParseLine(s.at(value))
	if addressee.Specificity == agent.Wildcard {
		s.consult(value, len(s.tokens), agent.Wildcard)
		return
	}
	for i, token := range s.tokens {
		if specificity := addressee.Concerns(token); specificity != agent.None {
			s.consult(value, i, specificity)
			return // what it is to tokens of less preference does not matter
		}
	}
}

// consult notes that the open group concerns a token. The first token that any group
// names decides, else '*' (A3, A6): what groups of others say is forgotten.
func (s *scan) consult(value place, token int, specificity agent.Specificity) {
	if token > s.best {
		return
	}
	if token < s.best {
		s.best, s.ours = token, false
		s.forget()
	}
	group := consulted{value, s.line, specificity}
	if !s.ours {
		s.ours = true
		s.group = uint32(len(s.groups)) * inGroup
		s.groups = append(s.groups, group)
	} else if last := &s.groups[len(s.groups)-1]; specificity > last.specificity {
		*last = group
	}
}

// initial returns the bit of the letter that a name begins with, or all.
func initial(name string) uint32 {
	if name != "" { // an empty one may be passed (agent.AsPassed)
		if letter := (name[0] | 0x20) - 'a'; letter < 26 {
			return 1 << letter
		}
	}
	return 1<<32 - 1
}
