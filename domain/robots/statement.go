package robots

import (
	"iter"
	"slices"
	"time"
)

// A Statement is a record with whom it concerns: what it says, as typed values,
// and on whose authority.
type Statement struct {
	Record
	Group  *Group      // that it stands in; nil for a record of the file
	Agents []UserAgent // of the group, those that it concerns: the lines above it (P9)
}

// ForNobody reports whether the record concerns nobody: a Crawl-delay,
// Request-rate or Visit-time above all user-agent lines (P9).
func (s *Statement) ForNobody() bool { return s.Group == nil && s.Kind.needsGroup() }

// Statements yields the file's records of some kinds, of any kind if none is
// named, in the order of the file, those of groups and of the file alike.
func (f *File) Statements(kinds ...Kind) iter.Seq[Statement] {
	return func(yield func(Statement) bool) {
		wanted := func(r *Record) bool { return len(kinds) == 0 || slices.Contains(kinds, r.Kind) }
		global := f.Records
		// flush yields the records of the file that stand before a line.
		flush := func(line int) bool {
			for len(global) > 0 && (line < 0 || global[0].Line < line) {
				record := &global[0]
				global = global[1:]
				if wanted(record) && !yield(Statement{Record: *record}) {
					return false
				}
			}
			return true
		}
		for i := range f.Groups {
			group := &f.Groups[i]
			for j := range group.Records {
				record := &group.Records[j]
				if !flush(record.Line) {
					return
				}
				if wanted(record) && !yield(Statement{*record, group, group.Agents[:min(record.Agents, len(group.Agents))]}) {
					return
				}
			}
		}
		flush(-1)
	}
}

// Delay returns what a Crawl-delay says. Like all that follow, it is not ok for a
// record of another kind, nor for a value that is not understood.
func (r *Record) Delay() (delay time.Duration, ok bool) {
	if r.Kind != CrawlDelay {
		return 0, false
	}
	return ParseDelay(r.Value)
}

// Rate returns what a Request-rate says.
func (r *Record) Rate() (rate Rate, ok bool) {
	if r.Kind != RequestRate {
		return Rate{}, false
	}
	return ParseRate(r.Value)
}

// Window returns what a Visit-time says.
func (r *Record) Window() (window Window, ok bool) {
	if r.Kind != VisitTime {
		return Window{}, false
	}
	return ParseVisitTime(r.Value)
}

// Mirror returns what a Host says.
func (r *Record) Mirror() (mirror Mirror, ok bool) {
	if r.Kind != Host {
		return Mirror{}, false
	}
	return ParseHost(r.Value)
}

// CleanRule returns what a Clean-param says.
func (r *Record) CleanRule() (rule CleanRule, ok bool) {
	if r.Kind != CleanParam {
		return CleanRule{}, false
	}
	return ParseCleanParam(r.Value)
}

// Pattern returns the paths that a Noindex keeps out of the index.
func (r *Record) Pattern() (pattern string, ok bool) {
	return r.Value, r.Kind == Noindex && isPattern(r.Value)
}

// UsageRule returns what a Content-Usage or a Content-Signal says.
func (r *Record) UsageRule() (rule UsageRule, ok bool) {
	switch r.Kind {
	case ContentUsage:
		return ParseContentUsage(r.Value)
	case ContentSignal:
		return ParseContentSignal(r.Value)
	}
	return UsageRule{}, false
}
