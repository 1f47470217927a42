package robots

// A Dialect is how a robots.txt is read: a preset and the switches that were
// turned on or off on top of it (P12). It is comparable; the zero Dialect is
// Default. Package policy obeys the switches that concern matching.
type Dialect struct {
	flipped uint32 // the switches that are not as in Default
	lists   lists
}

// Default follows RFC 9309, and where it is silent what most parsers do.
func Default() Dialect { return Dialect{} }

// Google answers as Google's open-source parser does, its departures from the
// RFC included.
func Google() Dialect {
	return Dialect{}.
		With(PrefixKeys, AnyTwoWords, NULEnds).
		Without(OddNames, PercentDecoding, RobotsTxtAllowed, ParsingLimit)
}

// RFC9309 understands what RFC 9309 defines, and nothing else.
func RFC9309() Dialect {
	return Dialect{}.
		With(ExactKeys).
		Without(OptionalColon, WildcardText, PartialMark, IndexHTML, OddNames)
}

// Legacy is for crawlers that went by older parsers: it takes whatever can be
// taken for a directive.
func Legacy() Dialect {
	return Dialect{}.With(PrefixKeys, CompleteSlash, AgentPatterns)
}

// A Switch is one thing that parsers differ in.
type Switch uint8

// The switches. Each is named by its String in ParseDialect.
const (
	// ExactKeys: a key is written right, or it is unknown (P6). Excludes
	// PrefixKeys; without either, common misspellings are understood.
	ExactKeys Switch = iota
	// PrefixKeys: whatever starts with a key or a misspelling of it is that key:
	// "allowed: /x" is an Allow (P6).
	PrefixKeys
	// OptionalColon: two words, the first of them a known key, need no colon (P5).
	OptionalColon
	// AnyTwoWords: nor do two words whose first is no known key (P5, Google).
	AnyTwoWords
	// WildcardText: '*', white space and anything is the wildcard (A2).
	WildcardText
	// PartialMark: the beginning of a byte order mark is skipped, too (P3).
	PartialMark
	// NULEnds: a NUL ends a line's content (P5, Google).
	NULEnds
	// ParsingLimit: without Limits.Bytes, 512 KiB are read (P2); else all.
	ParsingLimit
	// OddNames: a name outside the RFC's alphabet is a name (A5); else it is cut
	// at the first other octet.
	OddNames
	// AgentPatterns: a user-agent line may be an expression over the whole
	// identification string (A4).
	AgentPatterns
	// IndexHTML: an Allow of a directory's index.html allows the directory (M6).
	IndexHTML
	// PercentDecoding: patterns and paths are brought to one form (M2); else only
	// patterns are, and only by escaping and upper-casing.
	PercentDecoding
	// RobotsTxtAllowed: /robots.txt is always allowed (M4).
	RobotsTxtAllowed
	// CompleteSlash: a pattern without a leading '/' or '*' gets a '/' (P8).
	CompleteSlash
	// EscapedWildcard: "%2A" in a pattern is '*'.
	EscapedWildcard
	// FileOrder: the first rule that matches decides. Excludes AllowFirst;
	// without either, the longest does (M4).
	FileOrder
	// AllowFirst: any Allow that matches decides.
	AllowFirst
	// LineContinuation: a line that starts with white space and has no known key
	// continues the line before.
	LineContinuation
	// KeepTrailingSpace: white space at the end of a pattern is part of it.
	KeepTrailingSpace
	// OtherRecords: what is neither a user-agent line nor a rule is kept (P9).
	OtherRecords

	switches // how many there are
)

// inDefault are the switches that Default has on.
const inDefault = 1<<OptionalColon | 1<<WildcardText | 1<<PartialMark | 1<<ParsingLimit | 1<<OddNames |
	1<<IndexHTML | 1<<PercentDecoding | 1<<RobotsTxtAllowed | 1<<OtherRecords

var switchNames = [switches]string{
	ExactKeys:         "exact-keys",
	PrefixKeys:        "prefix-keys",
	OptionalColon:     "missing-colon",
	AnyTwoWords:       "any-two-words",
	WildcardText:      "wildcard-text",
	PartialMark:       "partial-mark",
	NULEnds:           "nul-ends",
	ParsingLimit:      "parsing-limit",
	OddNames:          "odd-names",
	AgentPatterns:     "agent-patterns",
	IndexHTML:         "index-html",
	PercentDecoding:   "percent-decoding",
	RobotsTxtAllowed:  "robots-txt-allowed",
	CompleteSlash:     "complete-slash",
	EscapedWildcard:   "escaped-wildcard",
	FileOrder:         "file-order",
	AllowFirst:        "allow-first",
	LineContinuation:  "line-continuation",
	KeepTrailingSpace: "keep-trailing-space",
	OtherRecords:      "records",
}

// String returns the name that ParseDialect knows the switch by.
func (s Switch) String() string {
	if s < switches {
		return switchNames[s]
	}
	return "unknown"
}

// Has reports whether a switch is on.
func (d Dialect) Has(s Switch) bool { return (inDefault^d.flipped)>>s&1 != 0 }

// With returns the Dialect with switches turned on, and those off that they
// exclude.
func (d Dialect) With(on ...Switch) Dialect {
	for _, s := range on {
		d = d.Without(excludedBy(s))
		if s < switches && !d.Has(s) {
			d.flipped ^= 1 << s
		}
	}
	return d
}

// Without returns the Dialect with switches turned off.
func (d Dialect) Without(off ...Switch) Dialect {
	for _, s := range off {
		if s < switches && d.Has(s) {
			d.flipped ^= 1 << s
		}
	}
	return d
}

// excludedBy returns the other of two that cannot both be on.
func excludedBy(s Switch) Switch {
	switch s {
	case ExactKeys:
		return PrefixKeys
	case PrefixKeys:
		return ExactKeys
	case FileOrder:
		return AllowFirst
	case AllowFirst:
		return FileOrder
	}
	return switches
}
