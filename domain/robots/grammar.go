package robots

import (
	"strings"

	"github.com/polite-crawler/polite/domain/agent"
)

// A grammar is a Dialect as the parser needs it: the switches that concern what
// a line says.
type grammar struct {
	keys          keyMode
	optionalColon bool
	anyTwoWords   bool
	nulEnds       bool
	keepSpace     bool
	continues     bool // LineContinuation
	records       bool
	partialMark   bool
	patterns      bool // AgentPatterns
	completeSlash bool
	agents        agent.LineOptions
	added         []added
}

// A keyMode is how keys are compared (P6).
type keyMode uint8

const (
	withTypos keyMode = iota
	exactly
	asPrefix
)

// added is a key that a Dialect's lists name.
type added struct {
	key   string
	kind  Kind // what it is an alias of
	notes notes
}

func newGrammar(d Dialect) grammar {
	g := grammar{
		optionalColon: d.Has(OptionalColon),
		anyTwoWords:   d.Has(AnyTwoWords),
		nulEnds:       d.Has(NULEnds),
		keepSpace:     d.Has(KeepTrailingSpace),
		continues:     d.Has(LineContinuation),
		records:       d.Has(OtherRecords),
		partialMark:   d.Has(PartialMark),
		patterns:      d.Has(AgentPatterns),
		completeSlash: d.Has(CompleteSlash),
		agents:        agent.LineOptions{CutNames: !d.Has(OddNames), BareWildcard: !d.Has(WildcardText)},
	}
	switch {
	case d.Has(ExactKeys):
		g.keys = exactly
	case d.Has(PrefixKeys):
		g.keys = asPrefix
	}
	if d.lists != (lists{}) {
		g.add(d.lists)
	}
	return g
}

func (g *grammar) add(l lists) {
	for key := range l.each(l.aliases) {
		alias, target, _ := strings.Cut(key, ":")
		kind, _ := kindOf(target)
		g.added = append(g.added, added{key: alias, kind: kind})
	}
	for key := range l.each(l.group) {
		g.added = append(g.added, added{key: key, notes: addedToGroups})
	}
	for key := range l.each(l.path) {
		g.added = append(g.added, added{key: key, notes: addedToPaths})
	}
}

// kindOf finds what a line's key makes of it.
func (g *grammar) kindOf(f *Field) {
	for i := range g.added {
		if a := &g.added[i]; len(a.key) == len(f.Key) && hasPrefixFold(f.Key, a.key) {
			f.notes |= a.notes
			if a.kind != Other {
				f.Kind = a.kind
				return
			}
		}
	}
	var typo bool
	if g.keys == asPrefix {
		f.Kind, typo = kindOfPrefix(f.Key)
	} else {
		f.Kind, typo = kindOf(f.Key)
	}
	switch {
	case !typo:
	case g.keys == exactly:
		f.Kind = Other
	default:
		f.notes |= commonTypo
	}
}

// judgeKey takes note of a key that is known, but not written so.
func (g *grammar) judgeKey(f *Field) {
	if f.notes&commonTypo != 0 || g.keys == asPrefix && f.Kind.isCore() && len(f.Key) > len(kindKeys[f.Kind]) {
		f.blame(MisspelledKey)
	}
}
