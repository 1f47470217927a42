package policy

import "fmt"

// Choices are what a crawler makes of outcomes where the rules leave it a choice
// (SEMANTICS F8, F12, F13). Like a Profile they read the facts and do not change
// them: workers that choose otherwise share the same snapshots. A Decision that
// would be another without them says so (Decision.Chosen).
type Choices struct {
	// OnForbidden is what 401, 402 and 403 mean (F8); the profile's: they allow,
	// and disallow with Strict.
	OnForbidden OnForbidden
	// OnTooLong is what a file over the parsing limit means (F12); its first part
	// is read.
	OnTooLong OnTooLong
	// OnLongUnreachable is what an origin means that has been unreachable for
	// longer than LastGoodMax, without a last good copy (F13; RFC 9309
	// §2.3.1.4); the profile's.
	OnLongUnreachable OnLongUnreachable
}

// Check returns an error that names the field which holds no choice, or nil.
func (c Choices) Check() error {
	switch {
	case int(c.OnForbidden) >= len(onForbiddenNames):
		return fmt.Errorf("OnForbidden: there is no choice %d; use policy.ForbiddenByProfile, ForbiddenAllow or ForbiddenDisallow", c.OnForbidden)
	case int(c.OnTooLong) >= len(onTooLongNames):
		return fmt.Errorf("OnTooLong: there is no choice %d; use policy.TooLongCut or TooLongUnreachable", c.OnTooLong)
	case int(c.OnLongUnreachable) >= len(onLongUnreachableNames):
		return fmt.Errorf("OnLongUnreachable: there is no choice %d; use policy.LongUnreachableByProfile or LongUnreachableUnavailable", c.OnLongUnreachable)
	}
	return nil
}

// OnForbidden is a choice about 401, 402 and 403 (F8).
type OnForbidden uint8

// The choices about a robots.txt that is forbidden.
const (
	ForbiddenByProfile OnForbidden = iota
	ForbiddenAllow
	ForbiddenDisallow
)

var onForbiddenNames = [...]string{"profile", "allow", "disallow"}

func (o OnForbidden) String() string { return name(onForbiddenNames[:], int(o)) }

// MarshalText writes the name.
func (o OnForbidden) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the name.
func (o *OnForbidden) UnmarshalText(text []byte) error {
	return unmarshalName(o, "choice about a forbidden robots.txt", text, onForbiddenNames[:])
}

// OnTooLong is a choice about files over the parsing limit (F12).
type OnTooLong uint8

// The choices about a file that is too long.
const (
	TooLongCut         OnTooLong = iota // the rules in its first part (RFC 9309 §2.5)
	TooLongUnreachable                  // as an origin that cannot be reached, and no last good copy
)

var onTooLongNames = [...]string{"cut", "unreachable"}

func (o OnTooLong) String() string { return name(onTooLongNames[:], int(o)) }

// MarshalText writes the name.
func (o OnTooLong) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the name.
func (o *OnTooLong) UnmarshalText(text []byte) error {
	return unmarshalName(o, "choice about a file that is too long", text, onTooLongNames[:])
}

// OnLongUnreachable is a choice about origins that are unreachable for long, and
// have no last good copy (F13).
type OnLongUnreachable uint8

// The choices about an origin that is unreachable for long.
const (
	LongUnreachableByProfile   OnLongUnreachable = iota // complete disallow, but where the profile allows
	LongUnreachableUnavailable                          // as if there were no robots.txt: everything is allowed
)

var onLongUnreachableNames = [...]string{"profile", "unavailable"}

func (o OnLongUnreachable) String() string { return name(onLongUnreachableNames[:], int(o)) }

// MarshalText writes the name.
func (o OnLongUnreachable) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the name.
func (o *OnLongUnreachable) UnmarshalText(text []byte) error {
	return unmarshalName(o, "choice about an origin that is unreachable for long", text, onLongUnreachableNames[:])
}

// Chosen tells which of the Choices made a Decision another than its profile
// alone would have.
type Chosen uint8

// What was chosen.
const (
	ChosenNothing            Chosen = iota // the profile decided
	ChosenForbiddenAllow                   // ForbiddenAllow, with Strict
	ChosenForbiddenDisallow                // ForbiddenDisallow
	ChosenTooLongUnreachable               // TooLongUnreachable
	ChosenLongUnavailable                  // LongUnreachableUnavailable
)

var chosenNames = [...]string{
	"nothing", "on-forbidden=allow", "on-forbidden=disallow", "on-too-long=unreachable", "on-long-unreachable=unavailable",
}

func (c Chosen) String() string { return name(chosenNames[:], int(c)) }

// MarshalText writes the name.
func (c Chosen) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
