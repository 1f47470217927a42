package agent

import "strings"

// A Specificity says how closely a user-agent line concerns a crawler (A3). More
// is closer.
type Specificity uint8

// The specificities.
const (
	None     Specificity = iota // the line addresses somebody else
	Wildcard                    // it addresses everybody
	Pattern                     // it names the crawler with something behind it: "FooBot/1.0"
	Exact                       // it names the crawler, bare
)

var specificityNames = [...]string{"none", "wildcard", "pattern", "exact"}

func (s Specificity) String() string {
	if int(s) < len(specificityNames) {
		return specificityNames[s]
	}
	return "unknown"
}

// MarshalText writes the name.
func (s Specificity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A Line is what the value of a user-agent line says.
type Line struct {
	// Name is the product token that the line addresses, "" for none. It is a
	// substring of the value.
	Name string
	// Specificity is how closely the line concerns whom it addresses; None if
	// it addresses nobody.
	Specificity Specificity
}

// LineOptions say how the values of user-agent lines are read. They are
// comparable; the zero LineOptions are ParseLine's.
type LineOptions struct {
	// CutNames ends every name before the first octet that is not in the RFC's
	// alphabet: "AB42bot" addresses AB (A5). Default: such names are names.
	CutNames bool
	// BareWildcard takes '*' for the wildcard only if it stands alone (A2).
	// Default: "* text" is the wildcard, too.
	BareWildcard bool
}

// ParseLine reads the value of a user-agent line, without comment and outer
// white space. Its token is its longest prefix in the RFC's alphabet (A1), or
// its whole first word for a name outside it (A5); '*', alone or before white
// space, is the wildcard (A2).
func ParseLine(value string) Line { return LineOptions{}.Parse(value) }

// Parse reads the value of a user-agent line as ParseLine does, but by options.
func (o LineOptions) Parse(value string) Line {
	if value == "" {
		return Line{}
	}
	if value[0] == '*' && (len(value) == 1 || isSpace(value[1]) && !o.BareWildcard) {
		return Line{Specificity: Wildcard}
	}
	end := len(ProductToken(value))
	if end < len(value) && beyondOctet(value[end]) && !o.CutNames {
		for end < len(value) && value[end] != '/' && value[end] != '*' && !isSpace(value[end]) {
			end++
		}
	}
	switch end {
	case 0:
		return Line{}
	case len(value):
		return Line{Name: value, Specificity: Exact}
	default:
		return Line{Name: value[:end], Specificity: Pattern}
	}
}

// ProductToken returns the longest prefix of a value that is in the alphabet of
// RFC 9309 §2.2.1 (A1). A name is a product token in the RFC's sense if it is
// not empty and its own ProductToken; ParseToken takes some more (A5).
func ProductToken(value string) string {
	end := 0
	for end < len(value) && tokenOctet(value[end]) {
		end++
	}
	return value[:end]
}

// Concerns returns how closely the line concerns the crawler of that token.
func (l Line) Concerns(token Token) Specificity {
	if token.passed {
		return l.ConcernsName(token.name)
	}
	if l.Specificity == Wildcard || l.Name != "" && equalFold(l.Name, token.name) {
		return l.Specificity
	}
	return None
}

// ConcernsName is Concerns for a name that is taken as it was passed, be it no
// product token: an empty one is concerned by lines that name nobody (A5,
// Google).
func (l Line) ConcernsName(name string) Specificity {
	switch {
	case l.Specificity == None && name == "":
		return Pattern
	case l.Specificity == Wildcard || l.Specificity != None && equalFold(l.Name, name):
		return l.Specificity
	}
	return None
}

func isSpace(c byte) bool { return strings.IndexByte(" \t\v\f", c) >= 0 }
