package main

import (
	"time"

	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// ours is this library. Every call of it that is measured is in this file.
type ours struct {
	token   agent.Token
	reading policy.Reading
	now     time.Time
}

// Our engines' names.
const (
	byPath    = "polite"
	byURL     = "polite, URL"
	wholeFile = "polite, whole File"
)

func newOurs() (ours, error) {
	token, err := agent.ParseToken(fixture.Agent)
	return ours{
		token:   token,
		reading: policy.Reading{Agents: agent.NewIdentity(token)},
		now:     time.Now(),
	}, err
}

// rules is what answers for a path: a file compiled for one crawler, and
// Rules.Match.
func (o ours) rules() Engine {
	return Engine{
		Name:  byPath,
		Parse: func(body []byte) any { return policy.RulesOf(body, o.reading) },
		Check: func(parsed any, paths []string) (allowed int) {
			rules := parsed.(*policy.Rules)
			for _, path := range paths {
				if ok, rule := rules.Match(path); ok || rule.Line < 0 {
					allowed++
				}
			}
			return allowed
		},
	}
}

// policy is what a crawler uses: a snapshot compiled, a URL parsed, and
// Policy.Decide with the deciding rule.
func (o ours) policy() Engine {
	return Engine{
		Name: byURL,
		URLs: true,
		Lazy: true,
		Parse: func(body []byte) any {
			snapshot := o.snapshot(body)
			p, err := policy.Compile(&snapshot, o.reading, nil)
			if err != nil {
				return nil
			}
			return p
		},
		Check: func(parsed any, urls []string) (allowed int) {
			p := parsed.(*policy.Policy)
			for _, url := range urls {
				u, err := site.Parse(url)
				if err != nil {
					continue
				}
				if d := p.Decide(u.Path, o.now); d.Allowed || d.Rule.Line < 0 {
					allowed++
				}
			}
			return allowed
		},
	}
}

// file is the parser alone: every group, record and warning.
func (o ours) file() Engine {
	return Engine{
		Name:  wholeFile,
		Parse: func(body []byte) any { return robots.Parse(body, robots.Options{}) },
	}
}

// snapshot is what a crawler knows of an origin that sent body just now. The
// hash was made when it came and costs nothing here.
func (o ours) snapshot(body []byte) policy.Snapshot {
	return policy.Snapshot{
		Outcome: policy.Successful, Status: 200,
		FetchedAt: o.now, RefreshAt: o.now.Add(time.Hour), FreshUntil: o.now.Add(time.Hour),
		Copy: policy.Copy{Hash: policy.Hash{1}, Body: body, FetchedAt: o.now, ConfirmedAt: o.now},
	}
}

// size is what a Policy says that it retains.
func (o ours) size(parsed any) int { return parsed.(*policy.Policy).Size() }

// concern counts the rules of a file that concern the crawler, their lines'
// octets, and those of the sitemaps.
func (o ours) concern(body []byte) (rules, lines, sitemaps int) {
	file := robots.Parse(body, robots.Options{})
	closest := func(group *robots.Group) (s agent.Specificity) {
		for _, line := range group.Agents {
			s = max(s, line.Addressee.Concerns(o.token))
		}
		return s
	}
	least := agent.Wildcard
	for i := range file.Groups {
		if closest(&file.Groups[i]) >= agent.Pattern {
			least = agent.Pattern
		}
	}
	for i := range file.Groups {
		if closest(&file.Groups[i]) < least {
			continue
		}
		for _, rule := range file.Groups[i].Rules {
			rules++
			lines += len(rule.Text)
		}
	}
	for record := range file.Sitemaps() {
		sitemaps += len(record.Value)
	}
	return rules, lines, sitemaps
}
