package policy

import (
	"strings"

	"github.com/polite-crawler/polite/domain/robots"
)

// A Purpose is what content may be used for, by the name that a record has for
// it. Which names there are is open: any that a record holds can be asked for.
type Purpose string

// The purposes that are known. Content-Usage and Content-Signal name the same two
// differently; either name asks both (U3).
const (
	TrainAI Purpose = "train-ai" // training an AI model; "ai-train" in a Content-Signal
	AIUse   Purpose = "ai-use"   // as input to an AI model; "ai-input" in a Content-Signal
	AITrain Purpose = "ai-train" // TrainAI by its other name
	AIInput Purpose = "ai-input" // AIUse by its other name
	Search  Purpose = "search"   // finding it; a Noindex refuses that, too
	Index   Purpose = "index"    // keeping it in an index; what a Noindex refuses
)

// Purposes returns the purposes that are known.
func Purposes() []Purpose { return []Purpose{TrainAI, AIUse, AITrain, AIInput, Search, Index} }

// ParsePurpose reads the name of a purpose, which may be one that is not known:
// letters, digits, '_', '-', '.' and '*' (RFC 9651 §3.1.2), 100 of them at most,
// without regard to case. The error is a *NameError.
func ParsePurpose(text string) (Purpose, error) {
	const longest = 100
	name := strings.ToLower(text)
	for i := 0; i < len(name); i++ {
		c := name[i]
		letter := 'a' <= c && c <= 'z' || c == '*'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '_' && c != '-' && c != '.') {
			name = ""
		}
	}
	if name == "" || len(name) > longest {
		unknown := &NameError{What: "purpose", Input: text}
		for _, p := range Purposes() {
			unknown.Known = append(unknown.Known, string(p))
		}
		return "", unknown
	}
	return Purpose(name), nil
}

// UnmarshalText reads what ParsePurpose does.
func (p *Purpose) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePurpose(string(text))
	return err
}

// in returns the name that a kind of record has for the purpose.
func (p Purpose) in(kind robots.Kind) string {
	usage := kind == robots.ContentUsage
	switch p {
	case TrainAI, AITrain:
		if usage {
			return string(TrainAI)
		}
		return string(AITrain)
	case AIUse, AIInput:
		if usage {
			return string(AIUse)
		}
		return string(AIInput)
	}
	return string(p)
}

// purposeOf returns the purpose that a name in a record means: that of two names
// which Content-Usage has.
func purposeOf(name string) Purpose {
	switch p := Purpose(name); p {
	case AITrain:
		return TrainAI
	case AIInput:
		return AIUse
	default:
		return p
	}
}
