package robots

import "iter"

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

// Is reports whether the record has a key, without regard to case.
func (r *Record) Is(key string) bool { return sameKey(r.Key, key) }

// Records are records in order.
type Records []Record

// Value returns the value of the first record with a key.
func (rs Records) Value(key string) (value string, ok bool) { return first(rs.Values(key)) }

// Values yields the values of the records with a key, in order.
func (rs Records) Values(key string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range rs {
			if rs[i].Is(key) && !yield(rs[i].Value) {
				return
			}
		}
	}
}

// Global returns the records that concern the whole file: those of no group, but
// not a Crawl-delay, Request-rate or Visit-time above all user-agent lines, which
// concerns nobody (P9).
func (f *File) Global() Records {
	var global Records
	for i := range f.Records {
		switch {
		case !f.Records[i].Kind.needsGroup():
			if global != nil {
				global = append(global, f.Records[i])
			}
		case global == nil:
			global = append(make(Records, 0, len(f.Records)), f.Records[:i]...)
		}
	}
	if global == nil {
		return f.Records
	}
	return global
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

// Value returns the value of the group's first line with a key, be it a rule or a
// record.
func (g *Group) Value(key string) (value string, ok bool) { return first(g.Values(key)) }

// Values yields the values of the group's lines with a key, in order: patterns
// for Allow and Disallow, else those of its records.
func (g *Group) Values(key string) iter.Seq[string] {
	verb := NoVerb
	switch {
	case sameKey(key, "allow"):
		verb = Allow
	case sameKey(key, "disallow"):
		verb = Disallow
	default:
		return Records(g.Records).Values(key)
	}
	return func(yield func(string) bool) {
		for i := range g.Rules {
			if g.Rules[i].Verb == verb && !yield(g.Rules[i].Pattern) {
				return
			}
		}
	}
}

// RecordsOf returns the records that concern the group's user-agent line i, from
// 0: those that stand behind it (P9).
func (g *Group) RecordsOf(i int) Records {
	for n := range g.Records {
		if g.Records[n].Agents > i { // as it is of all that follow
			return g.Records[n:]
		}
	}
	return nil
}

func first(values iter.Seq[string]) (value string, ok bool) {
	for value := range values {
		return value, true
	}
	return "", false
}
