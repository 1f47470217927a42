package main

import (
	"net/url"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// json is the file for programs: one object, every key always there, null where
// there is nothing.
func (p *parsed) json() ([]byte, error) {
	out := fileJSON{
		Groups:    make([]groupJSON, 0, len(p.shown.Groups)),
		Records:   recordsJSON(p.shown.Records, p.base()),
		Warnings:  make([]warningJSON, 0, len(p.warnings)),
		Truncated: p.shown.Truncated,
		Limited:   p.shown.Limited,
		Dialect:   p.dialect,
		Charset:   p.charset,
		Hash:      p.hash.String(),
	}
	if p.url != "" {
		out.URL = &p.url
	}
	for i := range p.shown.Groups {
		out.Groups = append(out.Groups, newGroupJSON(&p.shown.Groups[i], p.base()))
	}
	for _, w := range p.warnings {
		out.Warnings = append(out.Warnings, warningJSON{
			Line: w.Line, Kind: w.Kind, Severity: w.Severity(), Problem: w.Kind.String(), Remedy: w.Kind.Remedy(), Text: w.Text, Octets: w.Octets,
		})
	}
	if p.isFor() {
		crawler := crawlerJSON{Rules: p.rules, Uses: []useJSON{}, Licenses: []string{}}
		for name := range p.names {
			crawler.Tokens = append(crawler.Tokens, name)
		}
		if g := p.decision.Group; g.Line > 0 {
			crawler.Group = &lineJSON{Agent: g.Agent, Line: g.Line, Specificity: g.Specificity}
		}
		if d := p.decision.Delay; d.Source != policy.NoDelay {
			seconds := d.Interval.Seconds()
			crawler.Delay = &seconds
		}
		for _, use := range p.uses {
			crawler.Uses = append(crawler.Uses, newUseJSON(use, false))
		}
		crawler.Licenses = append(crawler.Licenses, p.licenses...)
		out.Crawler = &crawler
	}
	line, err := marshal(out)
	return append(harmless(line), '\n'), err
}

func newGroupJSON(g *robots.Group, base *url.URL) groupJSON {
	out := groupJSON{
		Agents:  make([]lineJSON, 0, len(g.Agents)),
		Rules:   make([]ruleJSON, 0, len(g.Rules)),
		Records: recordsJSON(g.Records, base),
	}
	for _, a := range g.Agents {
		out.Agents = append(out.Agents, lineJSON{Agent: a.Value, Line: a.Line, Specificity: a.Addressee.Specificity})
	}
	for _, r := range g.Rules {
		out.Rules = append(out.Rules, ruleJSON{Verb: r.Verb.String(), Pattern: r.Pattern, Line: r.Line, Text: r.Text})
	}
	return out
}

func recordsJSON(records []robots.Record, base *url.URL) []recordJSON {
	out := make([]recordJSON, 0, len(records))
	for i := range records {
		r := &records[i]
		out = append(out, recordJSON{Kind: r.Kind.String(), Key: r.Key, Value: r.Value, Line: r.Line, Agents: r.Agents, Says: says(r, base)})
	}
	return out
}

type fileJSON struct {
	Groups    []groupJSON    `json:"groups"`
	Records   []recordJSON   `json:"records"` // of the whole file
	Warnings  []warningJSON  `json:"warnings"`
	Truncated bool           `json:"truncated"`
	Limited   bool           `json:"limited"`
	Crawler   *crawlerJSON   `json:"crawler"`
	Dialect   robots.Dialect `json:"dialect"`
	Charset   string         `json:"charset"`
	Hash      string         `json:"hash"`
	URL       *string        `json:"url"`
}

type groupJSON struct {
	Agents  []lineJSON   `json:"agents"`
	Rules   []ruleJSON   `json:"rules"`
	Records []recordJSON `json:"records"`
}

type lineJSON struct {
	Agent       string            `json:"agent"`
	Line        int               `json:"line"`
	Specificity agent.Specificity `json:"specificity"`
}

type ruleJSON struct {
	Verb    string `json:"verb"`
	Pattern string `json:"pattern"`
	Line    int    `json:"line"`
	Text    string `json:"text"`
}

type recordJSON struct {
	Kind   string `json:"kind"`
	Key    string `json:"key"`
	Value  string `json:"value"`
	Line   int    `json:"line"`
	Agents int    `json:"agents"` // of the group, how many of the first it concerns
	Says   any    `json:"says"`   // by its kind; null: it is not understood
}

type warningJSON struct {
	Line     int                `json:"line"`
	Kind     robots.WarningKind `json:"kind"`
	Severity robots.Severity    `json:"severity"`
	Problem  string             `json:"problem"`
	Remedy   string             `json:"remedy"`
	Text     string             `json:"text"`
	Octets   int                `json:"octets"` // of a value that was dropped; else 0
}

type crawlerJSON struct {
	Tokens   []string  `json:"tokens"`
	Group    *lineJSON `json:"group"` // that it goes by
	Rules    int       `json:"rules"` // that it goes by
	Delay    *float64  `json:"crawl_delay"`
	Uses     []useJSON `json:"uses"` // of the content of "/", by the purposes that anything is said of
	Licenses []string  `json:"licenses"`
}
