package policy

import (
	"strings"

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
	cut    bool // a limit left something out

	complete bool // a pattern without a leading slash gets one (robots.CompleteSlash)
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
// names, or for all of them (A6); if there is none, those whose expression it
// matches best (A4); if there is none, those of '*' (A3). A group without rules
// counts: it allows everything.
func selectGroups(file *robots.File, reading Reading) *selection {
	s := &selection{
		blank:    len(file.Groups) == 0 && len(file.Records) == 0,
		cut:      file.Truncated || file.Limited,
		complete: reading.Options.Dialect.Has(robots.CompleteSlash),
	}
	for record := range file.Sitemaps() {
		s.maps = append(s.maps, record.Value)
	}
	named := func(line *robots.UserAgent) agent.Specificity {
		best := agent.None
		for token := range reading.Agents.Tokens {
			best = max(best, line.Addressee.Concerns(token))
		}
		return best
	}
	if reading.Together {
		s.combine(file, agent.Pattern, named)
	} else {
		for token := range reading.Agents.Tokens {
			s.combine(file, agent.Pattern, func(line *robots.UserAgent) agent.Specificity { return line.Addressee.Concerns(token) })
			if len(s.groups) > 0 {
				return s
			}
		}
	}
	if len(s.groups) == 0 && reading.Options.Dialect.Has(robots.AgentPatterns) {
		s.combineExpressions(file, reading.Identification)
	}
	if len(s.groups) == 0 {
		s.combine(file, agent.Wildcard, func(line *robots.UserAgent) agent.Specificity {
			return line.Addressee.Concerns(agent.Token{})
		})
	}
	return s
}

// text returns the texts of everything that was selected, one behind the other: of the
// rules, then, from rest on, of the groups and the sitemaps.
func (s *selection) text() (text string, rest int) {
	var b strings.Builder
	for i := range s.rules {
		b.WriteString(s.rules[i].text)
	}
	rest = b.Len()
	for i := range s.groups {
		b.WriteString(s.groups[i].Agent)
	}
	for _, location := range s.maps {
		b.WriteString(location)
	}
	return b.String(), rest
}

// combineExpressions takes the groups with the longest expression that matches
// an identification string (A4). A lone '*' is the shortest, and the wildcard's.
func (s *selection) combineExpressions(file *robots.File, identification string) {
	longest := 0
	matches := func(line *robots.UserAgent) bool {
		return line.Addressee.Specificity != agent.Wildcard && agent.MatchPattern(line.Value, identification)
	}
	for i := range file.Groups {
		for j := range file.Groups[i].Agents {
			if line := &file.Groups[i].Agents[j]; len(line.Value) > longest && matches(line) {
				longest = len(line.Value)
			}
		}
	}
	s.combine(file, agent.Pattern, func(line *robots.UserAgent) agent.Specificity {
		if longest > 0 && len(line.Value) == longest && matches(line) {
			return agent.Pattern
		}
		return agent.None
	})
}

// combine takes the groups with a line that concerns the crawler at least so
// closely.
func (s *selection) combine(file *robots.File, least agent.Specificity, concerns func(*robots.UserAgent) agent.Specificity) {
	for i := range file.Groups {
		group := &file.Groups[i]
		var best Group
		first := -1
		for j := range group.Agents {
			line := &group.Agents[j]
			specificity := concerns(line)
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
		if first >= 0 {
			s.groups = append(s.groups, best)
			s.take(group, first)
		}
	}
}

// take takes what a group says from its first line on that concerns the crawler.
func (s *selection) take(group *robots.Group, first int) {
	for _, rule := range group.Rules {
		// Others match nothing (P8).
		if rule.Pattern != "" && (s.complete || rule.Pattern[0] == '/' || rule.Pattern[0] == '*') {
			f := found{rule.Text, rule.Pattern, rule.Line, len(s.groups) - 1, rule.Verb == robots.Allow}
			f.asParsed()
			s.rules = append(s.rules, f)
		}
	}
	for _, record := range group.Records {
		// Those above the line that concerns us concern others (P9).
		if record.Kind == robots.CrawlDelay && record.Agents > first {
			s.delay.take(record.Value, record.Line)
		}
	}
}

// asParsed gives a rule of a File that was made by hand the shape of a parsed one:
// its pattern ends its text, and that is no longer than a line counts (P4).
func (f *found) asParsed() {
	if !strings.HasSuffix(f.text, f.pattern) {
		key := "Disallow: "
		if f.allow {
			key = "Allow: "
		}
		f.text = key + f.pattern
	}
	if from := len(f.text) - len(f.pattern); len(f.text) > robots.MaxLine {
		f.text = f.text[:robots.MaxLine]
		f.pattern = f.text[min(from, len(f.text)-1):]
	}
}

// take takes a Crawl-delay if it is the longest so far (P10).
func (d *Delay) take(value string, line int) {
	interval, ok := robots.ParseDelay(value)
	if ok && (d.Source == NoDelay || interval > d.Interval) {
		*d = Delay{Interval: interval, Source: CrawlDelay, Line: line}
	}
}
