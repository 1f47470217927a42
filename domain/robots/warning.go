package robots

import "fmt"

// A Warning is a line that does not say what its author may think.
type Warning struct {
	Line int // from 1
	Kind WarningKind
	Text string // the line without comment and outer white space; hostile text
	// Octets is how long the value was, of one that a limit dropped (P11); else 0.
	Octets int
}

// Severity says how much the warning weighs.
func (w Warning) Severity() Severity { return w.Kind.Severity() }

// String names line, fault and remedy, and quotes nothing of the file.
func (w Warning) String() string {
	if w.Octets > 0 {
		return fmt.Sprintf("line %d: %s (%d octets); %s", w.Line, w.Kind, w.Octets, w.Kind.Remedy())
	}
	return fmt.Sprintf("line %d: %s; %s", w.Line, w.Kind, w.Kind.Remedy())
}

// A Severity is how much a warning weighs.
type Severity uint8

// The severities, the gravest last.
const (
	Minor Severity = iota // the line is understood all the same
	Major                 // the line, or part of it, means nothing
	Grave                 // access, or use, is probably not what the author wants
)

var severityNames = [...]string{"minor", "major", "grave"}

func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "unknown"
}

// MarshalText writes the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

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
	SlashCompleted                  // P8: CompleteSlash; understood all the same
	InvalidRate                     // P10: ignored
	InvalidTime                     // P10: ignored
	TooManyGroups                   // P11: the group is skipped
	TooManyAgents                   // P11: the user-agent line is dropped
	SkippedGroup                    // P11: the line of such a group is dropped
	TooManyLines                    // P11: dropped
	KeyTooLong                      // P11: dropped
	NameTooLong                     // P11: truncated
	ValueTooLong                    // P11: dropped
	TooManyWildcards                // P11: dropped
	RelativeSitemap                 // P9: resolved against the URL of robots.txt
	InvalidSitemap                  // P9: ignored
	InvalidHost                     // P10: ignored
	InvalidCleanParam               // P10: ignored
	InvalidNoindex                  // P10: matches nothing
	InvalidUsage                    // P10: a Content-Usage; ignored
	InvalidSignal                   // P10: a Content-Signal; what makes no sense in it is ignored
	UnclearPreference               // P10: neither y nor n; it says nothing
	ForeignPurpose                  // P10: a word of the other record's vocabulary; it says nothing there
	InvalidLicense                  // P10: ignored
)

var faults = [...]struct {
	name            string
	severity        Severity
	problem, remedy string
}{
	NoFault:             {"none", Minor, "nothing is wrong", "leave it"},
	LineTooLong:         {"line-too-long", Grave, "the line is longer than 16,663 octets and was cut there", "shorten it"},
	MissingColon:        {"missing-colon", Minor, "there is no colon between key and value", "write \"key: value\""},
	MisspelledKey:       {"misspelled-key", Minor, "the key is misspelled", "correct it to User-agent, Allow, Disallow or Sitemap"},
	NoField:             {"no-field", Major, "the line is not \"key: value\" and was ignored", "write \"key: value\", or start it with '#'"},
	EmptyKey:            {"empty-key", Major, "there is no key before the colon, so the line was ignored", "write \"key: value\""},
	RuleOutsideGroup:    {"rule-outside-group", Grave, "the rule stands before any user-agent line and was ignored", "put a User-agent line above it"},
	NamelessAgent:       {"nameless-agent", Grave, "the user-agent line names no product token and addresses nobody", "name a crawler, or '*' for all"},
	PatternWithoutSlash: {"pattern-without-slash", Grave, "the pattern starts with neither '/' nor '*' and matches nothing", "start it with '/'"},
	RecordOutsideGroup:  {"record-outside-group", Major, "the line stands before any user-agent line and concerns nobody", "put a User-agent line above it"},
	InvalidDelay:        {"invalid-delay", Major, "the delay is not a number of seconds up to ten years and was ignored", "write seconds, like 2 or 0.5"},
	SlashCompleted:      {"slash-completed", Minor, "the pattern starts with neither '/' nor '*'; a '/' was put before it", "start it with '/'"},
	InvalidRate:         {"invalid-rate", Major, "the request rate is not pages per seconds and was ignored", "write it like 1/10s or 1/5m 0900-1700"},
	InvalidTime:         {"invalid-time", Major, "the visit time is no time of day and was ignored", "write it in UTC, like 0900-1700"},
	TooManyGroups:       {"too-many-groups", Grave, "there are more groups than the reader takes, and this one was skipped", "combine groups"},
	TooManyAgents:       {"too-many-agents", Grave, "there are more user-agent lines than the reader takes, and this one was dropped", "name fewer crawlers"},
	SkippedGroup:        {"skipped-group", Grave, "the line belongs to a group that was skipped", "shorten what stands above it"},
	TooManyLines:        {"too-many-lines", Grave, "the group has more lines than the reader takes, and this one was dropped", "combine rules"},
	KeyTooLong:          {"key-too-long", Major, "the key is longer than the reader takes, and the line was dropped", "shorten it"},
	NameTooLong:         {"name-too-long", Major, "the name is longer than the reader takes and was cut", "write the product token alone"},
	ValueTooLong:        {"value-too-long", Grave, "the value is longer than the reader takes, and the line was dropped", "shorten it"},
	TooManyWildcards:    {"too-many-wildcards", Grave, "the pattern has more wildcards than the reader takes, and the rule was dropped", "use fewer '*'"},
	RelativeSitemap:     {"relative-sitemap", Minor, "the sitemap is not an absolute URL and was taken as relative to robots.txt", "write the whole URL, with https:// and the host"},
	InvalidSitemap:      {"invalid-sitemap", Major, "the sitemap is no URL of http or https and was ignored", "write the whole URL, like https://example.com/sitemap.xml"},
	InvalidHost:         {"invalid-host", Major, "the host is no host's name and was ignored", "write the name alone, like www.example.com"},
	InvalidCleanParam:   {"invalid-clean-param", Major, "the line does not say which parameters of which path, and was ignored", "write it like ref&session /path"},
	InvalidNoindex:      {"invalid-noindex", Grave, "the path starts with neither '/' nor '*' and nothing is kept out of the index", "start it with '/'"},
	InvalidUsage:        {"invalid-usage", Grave, "the usage preferences cannot be read and were ignored", "write them like train-ai=n, search=y, with a path and a space before them if they are not for every path"},
	InvalidSignal:       {"invalid-signal", Grave, "a content signal is neither yes nor no and was ignored", "write signals like search=yes, ai-train=no"},
	UnclearPreference:   {"unclear-preference", Grave, "a usage preference is neither y nor n and says nothing", "write it like train-ai=n"},
	ForeignPurpose:      {"foreign-purpose", Grave, "a purpose is named as in the other kind of record and says nothing here", "write train-ai or ai-use in a Content-Usage, ai-train or ai-input in a Content-Signal"},
	InvalidLicense:      {"invalid-license", Major, "the license is no absolute URL of http or https and was ignored", "write the whole URL, like https://example.com/license.xml"},
}

// String says what is wrong, and how the line was taken.
func (k WarningKind) String() string {
	if int(k) < len(faults) {
		return faults[k].problem
	}
	return "unknown fault"
}

// Name is a word for the fault, for machines: "missing-colon".
func (k WarningKind) Name() string {
	if int(k) < len(faults) {
		return faults[k].name
	}
	return "unknown"
}

// MarshalText writes the Name.
func (k WarningKind) MarshalText() ([]byte, error) { return []byte(k.Name()), nil }

// Severity says how much it weighs.
func (k WarningKind) Severity() Severity {
	if int(k) < len(faults) {
		return faults[k].severity
	}
	return Minor
}

// Remedy says what the file's author can do.
func (k WarningKind) Remedy() string {
	if int(k) < len(faults) {
		return faults[k].remedy
	}
	return "look at the line"
}
