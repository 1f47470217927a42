package policy

import (
	"slices"
	"strings"

	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// Usage is what a robots.txt says a crawler may do with the content of its site
// (docs/semantics.md, U): the Content-Usage, Content-Signal and Noindex records
// of the groups that decide about the crawler, and of the whole file. It says
// nothing about fetching, which is Policy's. It is immutable and safe for
// concurrent use; its strings come from the network.
type Usage struct {
	terms    []terms
	licenses []string
	asGiven  bool // paths are compared as they are given (robots.PercentDecoding off)
	limited  bool
}

// terms are what one record says.
type terms struct {
	record  robots.Record
	group   Group // zero: of the whole file
	rule    robots.UsageRule
	pattern odd  // of the paths that it is about; without a path of any
	query   bool // the path holds a '?', and so has a second reading (M2)
}

// UsageOf selects from a File, as Parse made it, what it says to a crawler about
// uses. The groups that count are those whose rules do (A3, A6); the records of
// the file concern everybody (P9).
func UsageOf(file *robots.File, reading Reading) *Usage {
	u := &Usage{
		asGiven: !reading.Options.Dialect.Has(robots.PercentDecoding),
		limited: file.Truncated || file.Limited,
	}
	whose, forms := newHearing(file, reading), new(scan)
	for statement := range file.Statements(robots.ContentUsage, robots.ContentSignal, robots.Noindex) {
		if group, ours := whose.group(&statement); ours {
			u.add(statement.Record, group, reading.Options.Dialect, forms)
		}
	}
	u.licenses = licensesOf(file)
	return u
}

func licensesOf(file *robots.File) (urls []string) {
	known := map[string]bool{}
	for statement := range file.Statements(robots.License) {
		if location, ok := statement.URL(nil); ok && !known[location.String()] {
			known[location.String()] = true
			urls = append(urls, location.String())
		}
	}
	return urls
}

// UsageOfCopy is UsageOf for a copy in hand, as OfCopy takes it.
func UsageOfCopy(c Copy, reading Reading) *Usage {
	reading.Options.Limits.Bytes = max(len(c.Body), 1) // it was cut where it had to be
	file := robots.Parse(c.Body, reading.Options)
	file.Truncated = c.Truncated
	return UsageOf(file, reading)
}

// add adds a record if it says anything.
func (u *Usage) add(record robots.Record, group Group, dialect robots.Dialect, forms *scan) {
	t := terms{record: record, group: group}
	if record.Kind == robots.Noindex {
		t.rule.Path = record.Value
		if t.rule.Path == "" || t.rule.Path[0] != '/' && t.rule.Path[0] != '*' && !dialect.Has(robots.CompleteSlash) {
			return // P8
		}
	} else {
		var ok bool
		if t.rule, ok = record.UsageRule(); !ok {
			return
		}
	}
	if t.rule.Path != "" {
		t.pattern, t.query = formOf(dialect, t.rule.Path, forms), strings.Contains(t.rule.Path, "?")
	}
	u.terms = append(u.terms, t)
}

// formOf brings a pattern to the form that a dialect's rules have.
func formOf(dialect robots.Dialect, pattern string, forms *scan) (o odd) {
	if pattern[0] != '/' && pattern[0] != '*' {
		pattern = "/" + pattern
	}
	if dialect.Has(robots.EscapedWildcard) {
		pattern = escapedStars.Replace(pattern)
	}
	forms.formIn(dialect, &o, pattern)
	return o
}

// Licenses returns the URLs of the licenses that the file names, for everybody,
// each once, in order: who uses the content has to read them (RSL).
func (u *Usage) Licenses() []string { return slices.Clone(u.licenses) }

// Purposes returns the purposes that anything is said of, about whatever path:
// those that are known by the names that Content-Usage has for them, then others
// in order.
func (u *Usage) Purposes() (said []Purpose) {
	names := map[Purpose]bool{}
	var others []Purpose
	for i := range u.terms {
		t := &u.terms[i]
		if t.record.Kind == robots.Noindex {
			names[Index], names[Search] = true, true
		}
		for _, p := range t.rule.Preferences {
			if purpose := purposeOf(p.Purpose); !names[purpose] {
				names[purpose] = true
				others = append(others, purpose)
			}
		}
	}
	known := []Purpose{TrainAI, AIUse, Search, Index}
	for _, purpose := range known {
		if names[purpose] {
			said = append(said, purpose)
		}
	}
	for _, purpose := range others {
		if !slices.Contains(known, purpose) {
			said = append(said, purpose)
		}
	}
	return said
}

// Empty reports whether nothing is said about any use, of any path.
func (u *Usage) Empty() bool { return len(u.terms) == 0 }

// Ask answers whether the content of a path, parameters and query, as they stand
// in a URL, may be used for a purpose. Of the records of one kind those with the
// longest path that matches count, together; what one of them refuses is
// refused, and so is what one kind of record refuses and another grants (U1, U2).
func (u *Usage) Ask(path string, purpose Purpose) Use {
	first, second := path, path
	if !u.asGiven {
		first = string(site.AppendPath(nil, path, site.First))
		second = string(site.AppendPath(nil, path, site.Second))
	}
	use := Use{Purpose: purpose, Limited: u.limited}
	for _, kind := range [...]robots.Kind{robots.ContentUsage, robots.ContentSignal, robots.Noindex} {
		by, permission := u.ask(kind, first, second, purpose)
		if permission > use.Permission {
			use.Permission, use.Record, use.Path, use.Group = permission, by.record, by.rule.Path, by.group
		}
	}
	return use
}

// ask answers by the records of one kind, and returns the first that says so.
func (u *Usage) ask(kind robots.Kind, first, second string, purpose Purpose) (by *terms, permission Permission) {
	longest := -1
	for i := range u.terms {
		t := &u.terms[i]
		if t.record.Kind != kind || t.pattern.length < longest || !t.concerns(first, second) {
			continue
		}
		if t.pattern.length > longest { // it stands for all that shorter ones say
			longest, by, permission = t.pattern.length, nil, NotSaid
		}
		if says := t.of(purpose); says > permission {
			by, permission = t, says
		}
	}
	return by, permission
}

// concerns reports whether a path, in both readings, is among the record's.
func (t *terms) concerns(first, second string) bool {
	o := &t.pattern
	return t.rule.Path == "" || glob(o.first, first, oddWildcard, o.anchored) ||
		t.query && glob(o.second, second, oddWildcard, o.anchored)
}

// of returns what the record says of a purpose.
func (t *terms) of(purpose Purpose) Permission {
	if t.record.Kind == robots.Noindex {
		if purpose == Index || purpose == Search {
			return No
		}
		return NotSaid
	}
	switch allowed, said := t.rule.Of(purpose.in(t.record.Kind)); {
	case !said:
		return NotSaid
	case allowed:
		return Yes
	}
	return No
}
