package policy

import "time"

// A Profile is what the outcomes of fetching mean to a crawler (SEMANTICS F).
type Profile uint8

// The profiles.
const (
	// RFC is RFC 9309: the last good copy while the origin is unreachable,
	// without one complete disallow. The default.
	RFC Profile = iota
	// Google is what Google documents: an unreachable origin is not crawled for
	// 12 hours, then by the last good copy, without one freely; after 30 days
	// freely.
	Google
	// Archive crawls freely where RFC would not for want of an answer. It shows
	// in every decision.
	Archive
	// Strict is RFC, but 401, 402 and 403 disallow, and redirects that lead
	// nowhere count as unreachable.
	Strict
)

var profileNames = [...]string{"rfc", "google", "archive", "strict"}

func (p Profile) String() string { return name(profileNames[:], int(p)) }

// MarshalText writes the name.
func (p Profile) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the name of a profile.
func (p *Profile) UnmarshalText(text []byte) error {
	return unmarshalName(p, "profile", text, profileNames[:])
}

// Access is how robots.txt was reached (RFC 9309 §2.3.1).
type Access uint8

// The results of access.
const (
	AccessUnreachable Access = iota // §2.3.1.4: no answer, or a server error
	AccessSuccessful                // §2.3.1.1
	AccessUnavailable               // §2.3.1.3: there is none
	AccessOffline                   // the file was given, not fetched
)

var accessNames = [...]string{"unreachable", "successful", "unavailable", "offline"}

func (a Access) String() string { return name(accessNames[:], int(a)) }

// MarshalText writes the name.
func (a Access) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// basis is what a question is decided by.
type basis uint8

const (
	disallowAll basis = iota
	allowAll
	byCopy      // the rules of the last good copy
	byStaleCopy // the same, because the origin fails, or for want of a newer answer
)

// A verdict is a reading of a snapshot. With a fifth field it would be handed on in
// memory instead of registers, octet by octet, which takes 13 ns of a decision.
type verdict struct {
	basis  basis
	access Access
	reason Reason // unless a rule gives a better one
	chosen Chosen // without that choice it would be another
}

// googleHolds is how long Google leaves an unreachable origin alone.
const googleHolds = 12 * time.Hour

// read says what the facts mean to a profile and its choices at a time.
func (f *facts) read(reading *heldReading, now time.Time) verdict {
	switch f.attempt.Outcome {
	case Unknown:
		return verdict{access: AccessUnreachable, reason: ReasonUnreachable}
	case Successful:
		if f.hasCopy() && !f.tooLong(reading) { // a store may have lost it
			v := verdict{basis: byCopy, access: AccessSuccessful}
			if !now.Before(f.freshUntil) {
				v.basis = byStaleCopy
			}
			return v
		}
	case SoftNotFound:
		return verdict{basis: allowAll, access: AccessSuccessful, reason: ReasonSoft404}
	case NotFound, Unavailable:
		return verdict{basis: allowAll, access: AccessUnavailable, reason: f.orChallenged(ReasonUnavailable)}
	case Forbidden:
		return f.readForbidden(reading)
	case BrokenRedirect:
		if reading.profile != Strict {
			return verdict{basis: allowAll, access: AccessUnavailable, reason: ReasonUnavailable}
		}
	}
	return f.readFailing(reading, now)
}

// readForbidden is F8.
func (f *facts) readForbidden(reading *heldReading) verdict {
	v := verdict{basis: allowAll, access: AccessUnavailable, reason: f.orChallenged(ReasonForbidden)}
	strict := reading.profile == Strict
	switch {
	case strict && reading.choices.OnForbidden == ForbiddenAllow:
		v.chosen = ChosenForbiddenAllow
	case strict:
		v.basis = disallowAll
	case reading.choices.OnForbidden == ForbiddenDisallow:
		v.basis, v.chosen = disallowAll, ChosenForbiddenDisallow
	}
	return v
}

// readFailing is F11 and F13: an origin that cannot be reached. One whose file
// is too long (F12) counts as one that has just become so.
func (f *facts) readFailing(reading *heldReading, now time.Time) verdict {
	failing := verdict{access: AccessUnreachable, reason: f.orChallenged(ReasonUnreachable)}
	since := time.Duration(0)
	if f.failingSince != nanos(time.Time{}) {
		since = now.Sub(instant(f.failingSince))
	}
	long := since >= reading.lastGoodMax

	bounded := reading.profile == Google || reading.profile == Archive
	holding := reading.profile == Google && since < googleHolds
	switch {
	case !f.hasCopy() || bounded && long:
	case f.tooLong(reading):
		if f.attempt.Outcome == Successful || !holding {
			failing.chosen = ChosenTooLongUnreachable
		}
	case !holding:
		failing.basis = byStaleCopy
		return failing
	}
	switch {
	case bounded && !holding:
		failing.basis = allowAll
	case !bounded && long && reading.choices.OnLongUnreachable == LongUnreachableUnavailable:
		return verdict{basis: allowAll, access: AccessUnavailable, reason: ReasonUnavailable, chosen: ChosenLongUnavailable}
	}
	return failing
}

func (f *facts) hasCopy() bool { return f.copied }

// tooLong reports whether the copy is of no use, as only its first part is there
// (F12).
func (f *facts) tooLong(reading *heldReading) bool {
	return f.truncated && reading.choices.OnTooLong == TooLongUnreachable
}

func (f *facts) orChallenged(reason Reason) Reason {
	if f.challenged {
		return ReasonChallenged
	}
	return reason
}
