// Package robots parses robots.txt.
//
// It follows RFC 9309 §2.2 and, where the RFC is silent, what Google's parser
// and most others do (docs/semantics.md, P). It holds no rule of matching:
// package policy selects groups and matches paths. Use it alone to look into a
// file.
//
// Parse makes a File with every group, rule, record and warning, and never fails;
// ParseStrict would rather fail. Walk calls back for each line instead. Filter
// keeps what concerns one crawler, and Format writes a File again. Statements yields
// every other record with whom it concerns, and as a typed value. Options choose the
// Dialect, which is what parsers differ in, and the Limits.
package robots

import (
	"github.com/polite-crawler/polite/domain/agent"
)

// A File is a parsed robots.txt. Its strings are as written and point into the
// text that was parsed; they come from the network: bound and quote them before
// printing.
type File struct {
	Groups    []Group
	Records   []Record  // those of no group, in order: Sitemap, Host, unknown keys…
	Warnings  []Warning // at most one a line, in order
	Truncated bool      // the text went on past the parsing limit (RFC 9309 §2.5)
	Limited   bool      // another of the Limits left something out (P11)
}

// A Group is the rules that one or more user-agent lines share (RFC 9309 §2.2.1).
type Group struct {
	Agents  []UserAgent
	Rules   []Rule
	Records []Record // Crawl-delay and the like, in order (P9)
}

// A UserAgent is a user-agent line.
type UserAgent struct {
	Addressee agent.Line // whom it addresses
	Value     string     // as written, without comment and outer white space
	Line      int        // from 1
	Cut       bool       // the value was longer than Limits.NameBytes and was truncated (P11)
}

// A Verb says what a rule does.
type Verb uint8

// The verbs (RFC 9309 §2.2.2). NoVerb is the zero Rule's.
const (
	NoVerb Verb = iota
	Allow
	Disallow
)

// verbs are those of the kinds of lines.
var verbs = [...]Verb{AllowLine: Allow, DisallowLine: Disallow}

var verbNames = [...]string{"", "allow", "disallow"}

func (v Verb) String() string {
	if int(v) < len(verbNames) {
		return verbNames[v]
	}
	return "unknown"
}

// A Rule is an Allow or a Disallow line.
type Rule struct {
	Verb    Verb
	Line    int    // from 1
	Pattern string // as written; empty or without a leading '/' or '*' it matches nothing (P8)
	Text    string // the line without comment and outer white space
}
