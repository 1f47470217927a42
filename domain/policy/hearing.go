package policy

import (
	"github.com/polite-crawler/polite/domain/robots"
)

// A hearing tells which records of a File concern a crawler, by the very choice
// of groups that its rules are chosen by.
type hearing struct {
	lines  map[int]bool  // of the records that concern it
	groups map[int]Group // that were consulted, by the line that Decide names

	last   *robots.Group // the group of the record that was asked about last
	lastBy Group
}

func newHearing(file *robots.File, reading Reading) *hearing {
	h := &hearing{lines: map[int]bool{}, groups: map[int]Group{}}
	keep := robots.FilterOptions{Fallback: true, As: "*", Together: reading.Together}
	if reading.Options.Dialect.Has(robots.AgentPatterns) {
		keep.Identification = reading.Identification
	}
	for _, group := range robots.Filter(file, reading.Agents, keep).Groups {
		for i := range group.Records {
			h.lines[group.Records[i].Line] = true
		}
	}
	for _, group := range selectGroups(file, reading).groups {
		h.groups[group.Line] = group
	}
	return h
}

// group returns whose a record is, and whether it concerns the crawler. The zero
// Group is the whole file's.
func (h *hearing) group(s *robots.Statement) (by Group, ours bool) {
	if s.Group == nil {
		return Group{}, !s.ForNobody()
	}
	if !h.lines[s.Line] {
		return Group{}, false
	}
	if s.Group != h.last { // or a group of many lines would be gone through for each
		h.last, h.lastBy = s.Group, Group{}
		for i := range s.Group.Agents {
			if by, ok := h.groups[s.Group.Agents[i].Line]; ok {
				h.lastBy = by
				break
			}
		}
	}
	return h.lastBy, true
}
