package robots

import (
	"strings"

	"github.com/dunglas/httpsfv"
)

// A UsageRule is what a Content-Usage or a Content-Signal says: what the content
// of some paths may be used for. What it does not mention it neither allows nor
// refuses.
type UsageRule struct {
	Path        string       // a pattern, like a rule's; "" for every path
	Preferences []Preference // each purpose once, in order
	// Reuse is what "use=" says in a Content-Signal, "immediate", "reference" or
	// "full"; "" if it is not said.
	Reuse string
}

// A Preference is what is said of one purpose.
type Preference struct {
	Purpose string // "train-ai", "search"…, in lower case
	Allowed bool
}

// Of returns what the rule says of a purpose.
func (r *UsageRule) Of(purpose string) (allowed, said bool) {
	for _, p := range r.Preferences {
		if p.Purpose == purpose {
			return p.Allowed, true
		}
	}
	return false, false
}

// ParseContentUsage reads a Content-Usage value (draft-ietf-aipref-attach-05 §3,
// draft-ietf-aipref-vocab-08 §6; P10): perhaps a path and white space, then a
// dictionary of RFC 9651 whose values are y or n. Other values say nothing, nor do
// the words of Content-Signal, ai-train and ai-input; parameters mean nothing. It
// is not ok if there is no such dictionary, or none of its values says anything.
func ParseContentUsage(value string) (rule UsageRule, ok bool) {
	read := readContentUsage(value)
	return read.UsageRule, len(read.Preferences) > 0
}

// ParseContentSignal reads a Content-Signal value (contentsignals.org; P10):
// perhaps a path and white space, then signals, separated by commas, each a
// name, '=' and yes or no, without regard to case; of two of one name no counts.
// What else there is says nothing, nor do the words of Content-Usage, train-ai and
// ai-use. It is not ok if there is no signal at all.
func ParseContentSignal(value string) (rule UsageRule, ok bool) {
	read := readContentSignal(value)
	return read.UsageRule, len(read.Preferences) > 0 || read.Reuse != ""
}

// usageReading is a UsageRule, with what is wrong with it.
type usageReading struct {
	UsageRule
	fault WarningKind
}

// blame notes a fault. All are as grave: the first stands.
func (r *usageReading) blame(fault WarningKind) {
	if r.fault == NoFault {
		r.fault = fault
	}
}

// cutUsagePath parts the path from the preferences: it starts with a slash and
// ends before the first space or HT (draft-ietf-aipref-attach-05 §3.2).
func cutUsagePath(value string) (path, preferences string) {
	if value == "" || value[0] != '/' {
		return "", value
	}
	if end := strings.IndexAny(value, " \t"); end >= 0 {
		return value[:end], trimLeft(value[end:])
	}
	return value, ""
}

func readContentUsage(value string) (read usageReading) {
	path, preferences := cutUsagePath(value)
	dictionary, err := httpsfv.UnmarshalDictionary([]string{preferences})
	if err != nil || preferences == "" {
		read.blame(InvalidUsage)
		return read
	}
	read.Path = path
	for _, purpose := range dictionary.Names() {
		member, _ := dictionary.Get(purpose)
		switch answer := yesOrNo(member); {
		case purpose == "ai-train" || purpose == "ai-input":
			read.blame(ForeignPurpose)
		case answer == "y" || answer == "n":
			read.Preferences = append(read.Preferences, Preference{purpose, answer == "y"})
		default:
			read.blame(UnclearPreference)
		}
	}
	return read
}

// yesOrNo returns the token that stands for a preference, "" if it is none.
func yesOrNo(member httpsfv.Member) string {
	if item, ok := member.(httpsfv.Item); ok {
		if token, ok := item.Value.(httpsfv.Token); ok {
			return string(token)
		}
	}
	return ""
}

func readContentSignal(value string) (read usageReading) {
	path, signals := cutUsagePath(value)
	read.Path = path
	at := map[string]int{} // a file of one line may name thousands
	for signal := range strings.SplitSeq(signals, ",") {
		name, answer, found := strings.Cut(signal, "=")
		name, answer = strings.ToLower(trim(name)), strings.ToLower(trim(answer))
		switch {
		case name == "use" && (answer == "immediate" || answer == "reference" || answer == "full"):
			read.Reuse = stricterReuse(read.Reuse, answer)
		case !found || !isPurpose(name) || answer != "yes" && answer != "no":
			read.blame(InvalidSignal)
		case name == "train-ai" || name == "ai-use":
			read.blame(ForeignPurpose)
		default:
			i, known := at[name]
			if !known {
				i, at[name] = len(read.Preferences), len(read.Preferences)
				read.Preferences = append(read.Preferences, Preference{name, true})
			}
			read.Preferences[i].Allowed = read.Preferences[i].Allowed && answer == "yes"
		}
	}
	return read
}

// isPurpose reports whether a name could stand in a Content-Usage, too (RFC 9651
// §3.1.2).
func isPurpose(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if (c < 'a' || c > 'z') && c != '*' && (i == 0 || (c < '0' || c > '9') && c != '_' && c != '-' && c != '.') {
			return false
		}
	}
	return name != ""
}

// stricterReuse returns which of two "use=" lets a crawler do less.
func stricterReuse(a, b string) string {
	for _, use := range [...]string{"immediate", "reference", "full"} {
		if a == use || b == use {
			return use
		}
	}
	return ""
}
