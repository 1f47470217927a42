package policy

import (
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
)

// userAgent takes a user-agent line, and returns where it ends. Most name somebody
// whose name does not even begin as ours.
func (s *scan) userAgent(start, at int) (end int) {
	from := at + keyUserAgent
	for from < len(s.text) && s.text[from] == ' ' {
		from++
	}
	if from < len(s.text) {
		if letter := (s.text[from] | 0x20) - 'a'; letter < 26 && s.initials>>letter&1 == 0 {
			s.openGroup()
			return s.end(from)
		}
	}
	end = s.end(at)
	if value, ok := s.read(start, at, end, robots.UserAgentLine); ok {
		s.addressee(value)
	}
	return end
}

// openGroup opens a group if the open one has a rule (P7).
func (s *scan) openGroup() {
	if s.group == 0 || s.ruled {
		s.group++
		s.ruled, s.mask = false, 0
	}
}

// addressee takes the value of a user-agent line.
func (s *scan) addressee(value place) {
	s.openGroup()
	addressee := agent.ParseLine(s.at(value))
	if addressee.Specificity == agent.Wildcard {
		s.concerns(value, len(s.tokens), agent.Wildcard)
		return
	}
	for bit, token := range s.tokens {
		if specificity := addressee.Concerns(token); specificity != agent.None {
			s.concerns(value, bit, specificity)
		}
	}
}

func (s *scan) concerns(value place, bit int, specificity agent.Specificity) {
	s.mask |= 1 << bit
	s.agents = append(s.agents, agentLine{value, s.line, s.group, bit, specificity})
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
