package policy

import (
	"fmt"
	"strconv"
	"strings"
)

// A NameError says that a text is not one of the names that are known.
type NameError struct {
	What  string // "profile"
	Input string // as given
	Known []string
}

func (e *NameError) Error() string {
	return fmt.Sprintf("%s %s is not known; use %s", e.What, strconv.Quote(e.Input), strings.Join(e.Known, ", "))
}

// name is the text of an enumeration's value.
func name(names []string, value int) string {
	if value < len(names) {
		return names[value]
	}
	return fmt.Sprintf("unknown-%d", value)
}

// unmarshalName reads the text of an enumeration's value.
func unmarshalName[E ~uint8](value *E, what string, text []byte, names []string) error {
	for i, name := range names {
		if name == string(text) {
			*value = E(i)
			return nil
		}
	}
	return &NameError{What: what, Input: string(text), Known: names}
}
