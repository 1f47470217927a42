package robots

import (
	"fmt"
	"math"
	"strings"
)

// Limits bound what Parse keeps (P2, P11). They are comparable. The zero value of
// each field is its default.
type Limits struct {
	// Bytes is the parsing limit; the text is cut at the last whole line within
	// it. RFC 9309 §2.5 asks for at least 500 KiB. Default: 512 KiB, but none in
	// a Dialect without ParsingLimit.
	Bytes int
	// Groups is how many groups are kept; later ones are skipped. Default: all.
	Groups int
	// GroupLines is how many rules and records of one group are kept, and how
	// many records of the file. Default: all.
	GroupLines int
	// Agents is how many user-agent lines are kept in all. Groups that are left
	// without one are skipped. Default: all.
	Agents int
	// KeyBytes is how long a key may be; lines with longer ones are dropped. At
	// least 10, what User-agent takes. Default: any length.
	KeyBytes int
	// NameBytes is how long the value of a user-agent line may be; longer ones
	// are truncated. Default: any length.
	NameBytes int
	// ValueBytes is how long a value may be; lines with longer ones are dropped.
	// Default: any length.
	ValueBytes int
	// Wildcards is how many '*' a pattern may have, "**" counting once; rules
	// with more are dropped. Default: any number.
	Wildcards int
}

// DefaultBytes is the parsing limit (P2).
const DefaultBytes = 512 << 10

// minKeyBytes is what User-agent takes.
const minKeyBytes = len("user-agent")

// Untrusted returns the Limits that are meant for files from anywhere: a thousand
// groups, user-agent lines, and lines a group; keys of 32 octets, names of 200,
// values of 2,000, and ten wildcards a pattern (P11).
func Untrusted() Limits {
	return Limits{
		Groups: 1000, GroupLines: 1000, Agents: 1000,
		KeyBytes: 32, NameBytes: 200, ValueBytes: 2000, Wildcards: 10,
	}
}

// Check returns a *LimitError if a limit cannot be. Parse, which never fails,
// takes such a one for what comes closest.
func (l Limits) Check() error {
	for _, limit := range [...]struct {
		name         string
		value, least int
	}{
		{"Bytes", l.Bytes, 0}, {"Groups", l.Groups, 0}, {"GroupLines", l.GroupLines, 0}, {"Agents", l.Agents, 0},
		{"KeyBytes", l.KeyBytes, minKeyBytes}, {"NameBytes", l.NameBytes, 0}, {"ValueBytes", l.ValueBytes, 0}, {"Wildcards", l.Wildcards, 0},
	} {
		if limit.value != 0 && limit.value < limit.least || limit.value < 0 {
			return &LimitError{Limit: limit.name, Value: limit.value, Least: limit.least}
		}
	}
	return nil
}

// A LimitError is a limit that cannot be.
type LimitError struct {
	Limit string // the field of Limits
	Value int
	Least int // that it can be, besides 0 for its default
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("limit %s: %d is less than %d; leave it 0 for the default", e.Limit, e.Value, e.Least)
}

// orDefault returns the limits with a number for each that is off.
func (l Limits) orDefault(d Dialect) Limits {
	off := func(limit *int, value int) {
		if *limit <= 0 {
			*limit = value
		}
	}
	if d.Has(ParsingLimit) {
		off(&l.Bytes, DefaultBytes)
	}
	if l.KeyBytes != 0 {
		l.KeyBytes = max(l.KeyBytes, minKeyBytes)
	}
	for _, limit := range []*int{&l.Bytes, &l.Groups, &l.GroupLines, &l.Agents, &l.KeyBytes, &l.NameBytes, &l.ValueBytes, &l.Wildcards} {
		off(limit, math.MaxInt)
	}
	return l
}

// wildcards counts the wildcards of a pattern: stretches of '*', and of "%2A"
// where that is one.
func wildcards(pattern string, escaped bool) (n int) {
	for within := false; pattern != ""; {
		switch {
		case pattern[0] == '*':
			pattern = pattern[1:]
		case escaped && hasPrefixFold(pattern, "%2a"):
			pattern = pattern[len("%2a"):]
		default:
			within = false
			next := strings.IndexAny(pattern, "*%")
			if next < 0 {
				return n
			}
			pattern = pattern[max(next, 1):]
			continue
		}
		if !within {
			n++
		}
		within = true
	}
	return n
}
