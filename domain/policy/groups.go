package policy

import (
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
)

// chosen is what of a file concerns a crawler.
type chosen struct {
	members []member
	delay   Delay
}

// A member is a group that is consulted, with the user-agent line that makes it
// so.
type member struct {
	group       *robots.Group
	line        robots.UserAgent
	specificity agent.Specificity
}

// selectGroups finds the groups that concern a crawler (RFC 9309 §2.2.1): those
// that name it, combined, for the first of its tokens that any group names
// (A6); if there is none, those of '*', combined (A3). A group without rules
// counts: it allows everything.
func selectGroups(file *robots.File, agents agent.Identity) chosen {
	for token := range agents.Tokens {
		if c := choose(file, token, agent.Pattern); c.members != nil {
			return c
		}
	}
	return choose(file, agent.Token{}, agent.Wildcard)
}

// choose combines the groups that concern a token at least so closely.
func choose(file *robots.File, token agent.Token, least agent.Specificity) (c chosen) {
	for i := range file.Groups {
		group := &file.Groups[i]
		best := member{group: group}
		first := -1
		for j, line := range group.Agents {
			specificity := line.Addressee.Concerns(token)
			if specificity < least {
				continue
			}
			if first < 0 {
				first = j
			}
			if specificity > best.specificity {
				best.line, best.specificity = line, specificity
			}
		}
		if first < 0 {
			continue
		}
		c.members = append(c.members, best)
		c.takeDelay(group, first)
	}
	return c
}

// takeDelay takes a group's Crawl-delay if it is the longest so far (P10). Those
// above the line that concerns us concern others (P9).
func (c *chosen) takeDelay(group *robots.Group, first int) {
	for _, record := range group.Records {
		if record.Kind != robots.CrawlDelay || record.Agents <= first {
			continue
		}
		interval, ok := robots.ParseDelay(record.Value)
		if ok && (c.delay.Source == NoDelay || interval > c.delay.Interval) {
			c.delay = Delay{Interval: interval, Source: CrawlDelay, Line: record.Line}
		}
	}
}
