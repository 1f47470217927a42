package robots

import (
	"fmt"
	"math/bits"
	"strings"
)

// presets in the order that String prefers them in.
var presets = [...]struct {
	name    string
	dialect func() Dialect
}{
	{"default", Default},
	{"google", Google},
	{"rfc9309", RFC9309},
	{"legacy", Legacy},
}

// The names that are no switch's: what is left if both of two that exclude each
// other are off.
const (
	typoKeys = "typo-keys" // neither ExactKeys nor PrefixKeys
	longest  = "longest"   // neither FileOrder nor AllowFirst
)

// off before a switch's name turns it off.
const off = "no-"

// ParseDialect reads a preset and switches: "google", "default,file-order",
// "legacy,no-complete-slash". A preset stands first; without one the switches are
// set on top of Default, which "" is, too. A switch is turned on by its name and
// off by "no-" before it; "typo-keys" and "longest" stand for neither of the
// two switches that exclude each other. Three take keys, separated by '+':
// "group-keys=my-flag", "path-keys=my-path", "key-aliases=ua:user-agent+block:disallow".
// Names are compared without case. The error is a *DialectError.
func ParseDialect(text string) (Dialect, error) {
	var d Dialect
	if strings.TrimSpace(text) == "" {
		return d, nil
	}
	for i, item := range strings.Split(strings.ToLower(text), ",") {
		item = strings.TrimSpace(item)
		problem := d.set(item, i == 0)
		if problem != "" {
			return Dialect{}, &DialectError{Input: text, Name: item, Problem: problem}
		}
	}
	return d, nil
}

// set reads one item and returns what is wrong with it, "" if nothing.
func (d *Dialect) set(item string, first bool) (problem string) {
	if name, keys, ok := strings.Cut(item, "="); ok {
		return d.lists.set(name, keys)
	}
	for _, preset := range presets {
		if preset.name == item {
			if !first {
				return "a preset stands first"
			}
			*d = preset.dialect()
			return ""
		}
	}
	switch item {
	case typoKeys:
		*d = d.Without(ExactKeys, PrefixKeys)
		return ""
	case longest:
		*d = d.Without(FileOrder, AllowFirst)
		return ""
	}
	name, negated := strings.CutPrefix(item, off)
	for s, known := range switchNames {
		if known != name {
			continue
		}
		if negated {
			*d = d.Without(Switch(s))
		} else {
			*d = d.With(Switch(s))
		}
		return ""
	}
	return "there is no such preset or switch"
}

// String writes the Dialect as ParseDialect reads it, in as few switches as can
// be.
func (d Dialect) String() string {
	var nearest string
	var base Dialect
	fewest := int(switches) + 1
	for _, preset := range presets {
		if n := bits.OnesCount32(preset.dialect().flipped ^ d.flipped); n < fewest {
			nearest, base, fewest = preset.name, preset.dialect(), n
		}
	}
	var b strings.Builder
	b.WriteString(nearest)
	// What is turned off comes first: it cannot turn off what is on.
	for s, name := range switchNames {
		if base.Has(Switch(s)) && !d.Has(Switch(s)) {
			b.WriteString("," + off + name)
		}
	}
	for s, name := range switchNames {
		if !base.Has(Switch(s)) && d.Has(Switch(s)) {
			b.WriteString("," + name)
		}
	}
	d.lists.write(&b)
	return b.String()
}

// MarshalText writes what String does.
func (d Dialect) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what ParseDialect does.
func (d *Dialect) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDialect(string(text))
	return err
}

// A DialectError says why a text names no Dialect.
type DialectError struct {
	Input   string // as given
	Name    string // the item of it that is wrong
	Problem string
}

func (e *DialectError) Error() string {
	const longest = 200
	cut := func(s string) string { return s[:min(len(s), longest)] }
	return fmt.Sprintf("dialect %q: %q: %s; presets: %s; switches, %q before one turns it off: %s",
		cut(e.Input), cut(e.Name), e.Problem, strings.Join(DialectPresets(), ", "), off, strings.Join(DialectSwitches(), ", "))
}

// DialectPresets returns the names of the presets.
func DialectPresets() []string {
	names := make([]string, len(presets))
	for i, preset := range presets {
		names[i] = preset.name
	}
	return names
}

// DialectSwitches returns the names of the switches, as ParseDialect knows them.
func DialectSwitches() []string {
	names := append([]string{typoKeys, longest}, switchNames[:]...)
	return append(names, groupKeys+"=…", pathKeys+"=…", keyAliases+"=…")
}
