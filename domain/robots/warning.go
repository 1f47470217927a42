package robots

import "fmt"

// A Warning is a line that does not say what its author may think.
type Warning struct {
	Line int // from 1
	Kind WarningKind
	Text string // the line without comment and outer white space; hostile text
}

// String names line, fault and remedy, and quotes nothing of the file.
func (w Warning) String() string {
	return fmt.Sprintf("line %d: %s; %s", w.Line, w.Kind, w.Kind.Remedy())
}

// A WarningKind is what is wrong with a line.
type WarningKind uint8

// The faults, with the rule that says how the line is taken.
const (
	NoFault             WarningKind = iota
	LineTooLong                     // P4: cut after MaxLine octets
	MissingColon                    // P5: understood all the same
	MisspelledKey                   // P6: understood all the same
	NoField                         // P5: ignored
	EmptyKey                        // P5: ignored
	RuleOutsideGroup                // P7: ignored
	NamelessAgent                   // P7: addresses nobody
	PatternWithoutSlash             // P8: matches nothing
	RecordOutsideGroup              // P9: belongs to nobody
	InvalidDelay                    // P10: ignored
)

var faults = [...]struct{ problem, remedy string }{
	NoFault:             {"nothing is wrong", "leave it"},
	LineTooLong:         {"the line is longer than 16,663 octets and was cut there", "shorten it"},
	MissingColon:        {"there is no colon between key and value", "write \"key: value\""},
	MisspelledKey:       {"the key is misspelled", "correct it to User-agent, Disallow or Sitemap"},
	NoField:             {"the line is not \"key: value\" and was ignored", "write \"key: value\", or start it with '#'"},
	EmptyKey:            {"there is no key before the colon, so the line was ignored", "write \"key: value\""},
	RuleOutsideGroup:    {"the rule stands before any user-agent line and was ignored", "put a User-agent line above it"},
	NamelessAgent:       {"the user-agent line names no product token and addresses nobody", "name a crawler, or '*' for all"},
	PatternWithoutSlash: {"the pattern starts with neither '/' nor '*' and matches nothing", "start it with '/'"},
	RecordOutsideGroup:  {"the line stands before any user-agent line and concerns nobody", "put a User-agent line above it"},
	InvalidDelay:        {"the delay is not a number of seconds up to ten years and was ignored", "write seconds, like 2 or 0.5"},
}

// String says what is wrong, and how the line was taken.
func (k WarningKind) String() string {
	if int(k) < len(faults) {
		return faults[k].problem
	}
	return "unknown fault"
}

// Remedy says what the file's author can do.
func (k WarningKind) Remedy() string {
	if int(k) < len(faults) {
		return faults[k].remedy
	}
	return "look at the line"
}
