package policy

import (
	"fmt"
	"strings"

	"github.com/polite-crawler/polite/domain/robots"
)

// A Permission is what a robots.txt says of a use.
type Permission uint8

// The permissions. What is not said is neither granted nor refused.
const (
	NotSaid Permission = iota
	Yes
	No
)

var permissionNames = [...]string{"not-said", "yes", "no"}

// String returns "yes", "no" or "not said".
func (p Permission) String() string {
	return strings.ReplaceAll(name(permissionNames[:], int(p)), "-", " ")
}

// MarshalText writes "yes", "no" or "not-said".
func (p Permission) MarshalText() ([]byte, error) {
	return []byte(name(permissionNames[:], int(p))), nil
}

// A Use says whether content may be used for a purpose, and by which line. It is
// a value; its strings come from the network: quote them before printing, as
// String does.
type Use struct {
	Purpose    Purpose
	Permission Permission
	Record     robots.Record // that says so, the first of several; zero: none does
	Path       string        // that the record is about, as written; "" for every path
	Group      Group         // of the record; zero: it is the whole file's
	Limited    bool          // the file was longer than was read: what was cut may say otherwise
}

// String says in one sentence what was said and by which line.
func (u Use) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", quoteIfOdd(string(u.Purpose)), u.Permission)
	if u.Permission == NotSaid {
		b.WriteString(": no line of robots.txt that concerns this crawler grants or refuses it here")
	} else {
		fmt.Fprintf(&b, ": line %d of robots.txt, %s, ", u.Record.Line, quote(u.Record.Key+": "+u.Record.Value))
		b.WriteString(map[Permission]string{Yes: "grants it", No: "refuses it"}[u.Permission])
		if u.Group.Line == 0 {
			b.WriteString(" for every crawler")
		} else {
			d := Decision{Group: u.Group}
			b.WriteString(" in " + d.group())
		}
	}
	if u.Limited {
		b.WriteString("; the file is longer than the parsing limit, what was cut may say otherwise")
	}
	return b.String()
}

// quoteIfOdd quotes what was asked for if it is no purpose's name.
func quoteIfOdd(text string) string {
	if purpose, err := ParsePurpose(text); err != nil || string(purpose) != text {
		return quote(text)
	}
	return text
}
