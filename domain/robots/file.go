// Package robots parses robots.txt.
//
// It follows RFC 9309 §2.2 and, where the RFC is silent, what Google's parser
// and most others do (SEMANTICS P). It holds no rule of matching: package policy
// selects groups and matches paths. Use it alone to look into a file.
package robots

import (
	"iter"

	"github.com/polite-crawler/polite/domain/agent"
)

// A File is a parsed robots.txt. Its strings are as written and point into the
// text that was parsed; they come from the network: bound and quote them before
// printing.
type File struct {
	Groups    []Group
	Records   []Record  // records that concern no group, in order: Sitemap, Host, unknown keys…
	Warnings  []Warning // at most one a line, in order
	Truncated bool      // the text went on past the parsing limit (RFC 9309 §2.5)
	Limited   bool      // another of the Limits left something out (P11)
}

// A Group is the rules that one or more user-agent lines share (RFC 9309 §2.2.1).
type Group struct {
	Agents  []UserAgent
	Rules   []Rule
	Records []Record // Crawl-delay and the like, in order
}

// A UserAgent is a user-agent line.
type UserAgent struct {
	Addressee agent.Line // whom it addresses
	Value     string     // as written, without comment and outer white space
	Line      int        // from 1
}

// A Verb says what a rule does.
type Verb uint8

// The verbs (RFC 9309 §2.2.2). NoVerb is the zero Rule's.
const (
	NoVerb Verb = iota
	Allow
	Disallow
)

var verbNames = [...]string{"", "allow", "disallow"}

func (v Verb) String() string { return verbNames[v] }

// A Rule is an Allow or a Disallow line.
type Rule struct {
	Verb    Verb
	Line    int    // from 1
	Pattern string // as written; empty or without a leading '/' or '*' it matches nothing (P8)
	Text    string // the line without comment and outer white space
}

// A Record is any line that is neither a user-agent line nor a rule (RFC 9309
// §2.2.4).
type Record struct {
	Kind  Kind
	Key   string // as written
	Value string // as written, even if invalid
	Line  int    // from 1
	// Agents is how many of its group's user-agent lines came before the record:
	// it concerns them, and none that follow (P9). 0 for a record of the file.
	Agents int
}

// Sitemaps yields the file's Sitemap records, in order and with duplicates (P9).
func (f *File) Sitemaps() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, record := range f.Records {
			if record.Kind == Sitemap && record.Value != "" && !yield(record) {
				return
			}
		}
	}
}
