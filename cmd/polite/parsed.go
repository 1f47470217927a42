package main

import (
	"time"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// A parsed file is a robots.txt with what there is to say about it.
type parsed struct {
	shown    *robots.File     // what concerns the crawler, or all
	warnings []robots.Warning // of the whole file
	dialect  robots.Dialect
	charset  string
	hash     policy.Hash
	limit    int    // in octets
	url      string // that it was fetched for; "" for none

	agents   agent.Identity  // the crawler; zero for none
	rules    int             // that it goes by
	decision polite.Decision // whose group and delay are its own
	uses     []polite.Use    // that it may make of the content of "/", as far as anything is said
	licenses []string        // that whoever uses the content has to read
}

// understand parses a source for what --agent asks for.
func (p *parse) understand(src *source) (*parsed, error) {
	text, cut := src.text, src.cut
	if p.Strict {
		if err := p.refuse(src); err != nil {
			return nil, err
		}
	}
	options := p.options(text)
	file := robots.Parse(text, options)
	file.Truncated = cut
	result := &parsed{
		shown:    file,
		warnings: file.Warnings,
		dialect:  p.Dialect,
		charset:  src.charset,
		hash:     policy.HashOf(text),
		limit:    int(p.MaxBytes),
		url:      src.url,
	}
	if len(p.Agent) == 0 {
		return result, nil
	}
	agents, err := identityOf(p.Agent)
	if err != nil {
		return nil, err
	}
	keep := robots.FilterOptions{Fallback: true}
	if p.Dialect.Has(robots.AgentPatterns) {
		keep.Identification = p.Agent[0]
	}
	result.agents = agents
	result.shown = robots.Filter(file, agents, keep)
	keep.As = "*" // one group of all that decides
	for _, group := range robots.Filter(file, agents, keep).Groups {
		result.rules = len(group.Rules)
	}
	reading := policy.Reading{Agents: agents, Identification: p.Agent[0], Options: options}
	by := policy.OfCopy(policy.Copy{Body: text, Truncated: cut}, reading)
	result.decision = by.Decide(site.RobotsPath, time.Time{})
	result.use(policy.UsageOf(file, reading))
	return result, nil
}

// use takes what the file says of uses. A file can name any number of purposes:
// nobody reads more of them than some.
func (p *parsed) use(usage *policy.Usage) {
	const most = 20
	for i, purpose := range usage.Purposes() {
		if i < most {
			p.uses = append(p.uses, usage.Ask("/", purpose))
		}
	}
	p.licenses = usage.Licenses()
}

// isFor reports whether a crawler was named.
func (p *parsed) isFor() bool { return !p.agents.IsZero() }
