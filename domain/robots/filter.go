package robots

import "github.com/polite-crawler/polite/domain/agent"

// FilterOptions say what else Filter keeps. The zero FilterOptions keep what
// names the crawler.
type FilterOptions struct {
	// Fallback keeps the groups of '*', too. Default: not.
	Fallback bool
	// As puts what decides about the crawler into one group under this
	// user-agent line: the groups of its first token that any group names, else,
	// with Fallback, of '*' (A3, A6). A reader that knows no other name is then
	// answered as the crawler. Default: groups keep their lines.
	As string
	// Together lets As have the groups of all the crawler's tokens (A6).
	// Default: those of the first that any group names.
	Together bool
	// Identification is the crawler's whole identification string. With it, the
	// lines that describe it as expressions are the crawler's, too (A4).
	// Default: none, for a Dialect without AgentPatterns.
	Identification string
}

// Filter returns what of a File concerns a crawler: the user-agent lines that
// name one of its tokens with their rules and records, and the records of the
// whole file (P13). It answers the crawler as the File does, with the same line
// numbers. Warnings are left out. The two Files share their rules.
func Filter(file *File, agents agent.Identity, options FilterOptions) *File {
	kept := &File{Records: file.Global(), Truncated: file.Truncated, Limited: file.Limited}
	f := filter{file: file, agents: agents, options: options}
	if options.As != "" {
		if group := f.readdressed(); len(group.Agents) > 0 {
			kept.Groups = []Group{group}
		}
		return kept
	}
	for i := range file.Groups {
		if group := f.only(&file.Groups[i], f.concerns); len(group.Agents) > 0 {
			kept.Groups = append(kept.Groups, group)
		}
	}
	return kept
}

type filter struct {
	file    *File
	agents  agent.Identity
	options FilterOptions
}

// concerns reports whether a user-agent line concerns any of the crawler's
// tokens, or everybody.
func (f *filter) concerns(a *UserAgent) bool {
	if a.Addressee.Specificity == agent.Wildcard {
		return f.options.Fallback
	}
	return f.names(a) || f.describes(a)
}

// names reports whether a user-agent line names any of the crawler's tokens.
func (f *filter) names(a *UserAgent) bool {
	for token := range f.agents.Tokens {
		if a.Addressee.Concerns(token) > agent.Wildcard {
			return true
		}
	}
	return false
}

// describes reports whether a line is an expression that describes the crawler.
func (f *filter) describes(a *UserAgent) bool {
	return f.options.Identification != "" && agent.MatchPattern(a.Value, f.options.Identification)
}

// only returns a group with some of its user-agent lines, and the records that
// concern those.
func (f *filter) only(g *Group, keeps func(*UserAgent) bool) Group {
	kept := Group{Rules: g.Rules}
	records := g.Records
	for i := range g.Agents {
		if keeps(&g.Agents[i]) {
			kept.Agents = append(kept.Agents, g.Agents[i])
		}
		for len(records) > 0 && records[0].Agents <= i+1 {
			if record := records[0]; len(kept.Agents) > 0 {
				record.Agents = len(kept.Agents)
				kept.Records = append(kept.Records, record)
			}
			records = records[1:]
		}
	}
	return kept
}

// readdressed returns the groups that decide about the crawler as one under
// another user-agent line; without a line if there are none.
func (f *filter) readdressed() (all Group) {
	if f.options.Together {
		all = f.combined(f.names)
	} else {
		for token := range f.agents.Tokens {
			all = f.combined(func(a *UserAgent) bool { return a.Addressee.Concerns(token) > agent.Wildcard })
			if len(all.Agents) > 0 {
				break
			}
		}
	}
	if len(all.Agents) > 0 {
		return all
	}
	if longest := f.longestExpression(); longest > 0 {
		return f.combined(func(a *UserAgent) bool {
			return a.Addressee.Specificity != agent.Wildcard && len(a.Value) == longest && f.describes(a)
		})
	}
	if f.options.Fallback {
		all = f.combined(func(a *UserAgent) bool { return a.Addressee.Specificity == agent.Wildcard })
	}
	return all
}

// longestExpression returns the length of the longest line that describes the
// crawler: it wins, together with its equals (A4).
func (f *filter) longestExpression() (longest int) {
	for i := range f.file.Groups {
		for j := range f.file.Groups[i].Agents {
			if a := &f.file.Groups[i].Agents[j]; a.Addressee.Specificity != agent.Wildcard && f.describes(a) {
				longest = max(longest, len(a.Value))
			}
		}
	}
	return longest
}

// combined puts the groups with such lines into one, under As.
func (f *filter) combined(concerns func(*UserAgent) bool) (all Group) {
	for i := range f.file.Groups {
		g := f.only(&f.file.Groups[i], concerns)
		if len(g.Agents) == 0 {
			continue
		}
		if len(all.Agents) == 0 {
			as := within(f.options.As)
			all.Agents = []UserAgent{{Addressee: agent.ParseLine(as), Value: as, Line: g.Agents[0].Line}}
		}
		all.Rules = append(all.Rules, g.Rules...)
		for _, record := range g.Records {
			record.Agents = 1
			all.Records = append(all.Records, record)
		}
	}
	return all
}
