package policy

import (
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
)

// A selection is what of a File concerns one crawler.
type selection struct {
	groups []Group // consulted, in order
	rules  []found // of those groups, in order
	delay  Delay
	maps   []string
	blank  bool // the file says nothing at all
	cut    bool // the file went on past the parsing limit
}

// found is a rule that concerns the crawler.
type found struct {
	text    string // the line without comment and outer white space
	pattern string // as written: the end of text
	line    int
	group   int // in selection.groups
	allow   bool
}

// selectGroups selects from a File what concerns a crawler (RFC 9309 §2.2.1):
// the groups that name it, combined, for the first of its tokens that any group
// names (A6); if there is none, those of '*', combined (A3). A group without
// rules counts: it allows everything.
func selectGroups(file *robots.File, agents agent.Identity) *selection {
	s := &selection{blank: len(file.Groups) == 0 && len(file.Records) == 0, cut: file.Truncated}
	for record := range file.Sitemaps() {
		s.maps = append(s.maps, record.Value)
	}
	for token := range agents.Tokens {
		if s.combine(file, token, agent.Pattern); len(s.groups) > 0 {
			return s
		}
	}
	s.combine(file, agent.Token{}, agent.Wildcard)
	return s
}

// combine takes the groups that concern a token at least so closely.
func (s *selection) combine(file *robots.File, token agent.Token, least agent.Specificity) {
	for i := range file.Groups {
		group := &file.Groups[i]
		var best Group
		first := -1
		for j, line := range group.Agents {
			specificity := line.Addressee.Concerns(token)
			if specificity < least {
				continue
			}
			if first < 0 {
				first = j
			}
			if specificity > best.Specificity {
				best = Group{Agent: line.Value, Line: line.Line, Specificity: specificity}
			}
		}
		if first < 0 {
			continue
		}
		s.groups = append(s.groups, best)
		for _, rule := range group.Rules {
			// Others match nothing (P8).
			if rule.Pattern != "" && (rule.Pattern[0] == '/' || rule.Pattern[0] == '*') {
				s.rules = append(s.rules, found{rule.Text, rule.Pattern, rule.Line, len(s.groups) - 1, rule.Verb == robots.Allow})
			}
		}
		for _, record := range group.Records {
			// Those above the line that concerns us concern others (P9).
			if record.Kind == robots.CrawlDelay && record.Agents > first {
				s.delay.take(record.Value, record.Line)
			}
		}
	}
}

// take takes a Crawl-delay if it is the longest so far (P10).
func (d *Delay) take(value string, line int) {
	interval, ok := robots.ParseDelay(value)
	if ok && (d.Source == NoDelay || interval > d.Interval) {
		*d = Delay{Interval: interval, Source: CrawlDelay, Line: line}
	}
}
