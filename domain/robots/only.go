package robots

import "github.com/polite-crawler/polite/domain/agent"

// Only returns a text with only those lines that Filter keeps: the others are
// empty, so that the lines that are left have their numbers, and those behind the
// last of them are gone. Read by the same Options it answers the crawler as the
// whole text does (P13), line numbers included, be the limits out of the way.
//
// It is for keeping a robots.txt in less room: runs of empty lines compress to
// next to nothing. FilterOptions.As has no use here.
func Only(text []byte, agents agent.Identity, options Options, filter FilterOptions) []byte {
	options.Limits = Limits{Bytes: max(len(text), 1)}
	filter.As = ""
	file := Parse(text, options)
	kept := marks{}
	kept.take(Filter(file, agents, filter))
	if len(kept) == 0 {
		// Else it would be a file that says nothing at all, which is another
		// answer than one that says nothing to the crawler.
		switch {
		case len(file.Records) > 0:
			kept[file.Records[0].Line] = struct{}{}
		case len(file.Groups) > 0:
			kept[file.Groups[0].Agents[0].Line] = struct{}{}
		}
	}
	return kept.lines(text, options.Dialect)
}

// marks are the numbers of lines.
type marks map[int]struct{}

func (m marks) take(file *File) {
	records := func(all []Record) {
		for i := range all {
			m[all[i].Line] = struct{}{}
		}
	}
	records(file.Records)
	for i := range file.Groups {
		g := &file.Groups[i]
		records(g.Records)
		for j := range g.Agents {
			m[g.Agents[j].Line] = struct{}{}
		}
		for j := range g.Rules {
			m[g.Rules[j].Line] = struct{}{}
		}
	}
}

// lines returns the lines of a text that are marked, with what continues them,
// and line ends for the others.
func (m marks) lines(text []byte, dialect Dialect) []byte {
	g := newGrammar(dialect)
	source := newSource(g.skipMark(string(text)), &g)
	raw := newLines(string(text)) // with the mark, if the first line has one
	only := make([]byte, 0, len(text))
	whole := 0 // octets up to the last line that is kept
	var f Field
	more := source.next(&f)
	for kept := false; ; {
		line, ok := raw.Next()
		if !ok {
			return only[:whole]
		}
		if more && raw.Number == source.number {
			_, kept = m[source.number]
			more = source.next(&f)
		}
		if raw.Number > 1 {
			only = append(only, '\n')
		}
		if kept {
			only = append(only, line...)
			whole = len(only)
		}
	}
}
