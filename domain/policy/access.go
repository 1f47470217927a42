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
	for i, name := range profileNames {
		if name == string(text) {
			*p = Profile(i)
			return nil
		}
	}
	return &NameError{What: "profile", Input: string(text), Known: profileNames[:]}
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
	byCopy // the rules of the last good copy
)

// A verdict is a profile's reading of a snapshot.
type verdict struct {
	basis  basis
	access Access
	reason Reason // unless a rule gives a better one
	stale  bool   // the copy is used because the origin fails, or for want of a newer answer
}

// googleHolds is how long Google leaves an unreachable origin alone.
const googleHolds = 12 * time.Hour

// read says what the facts mean to a profile at a time.
func (f *facts) read(profile Profile, lastGoodMax time.Duration, now time.Time) verdict {
	switch f.outcome {
	case Unknown:
		return verdict{disallowAll, AccessUnreachable, ReasonUnreachable, false}
	case Successful:
		if f.hasCopy() { // a store may have lost it
			return verdict{byCopy, AccessSuccessful, ReasonNone, !now.Before(f.freshUntil)}
		}
	case SoftNotFound:
		return verdict{allowAll, AccessSuccessful, ReasonSoft404, false}
	case NotFound, Unavailable:
		return verdict{allowAll, AccessUnavailable, ReasonUnavailable, false}
	case Forbidden:
		forbidden := verdict{allowAll, AccessUnavailable, f.orChallenged(ReasonForbidden), false}
		if profile == Strict {
			forbidden.basis = disallowAll
		}
		return forbidden
	case BrokenRedirect:
		if profile != Strict {
			return verdict{allowAll, AccessUnavailable, ReasonUnavailable, false}
		}
	}
	return f.readFailing(profile, lastGoodMax, now)
}

// readFailing is F11 and F13: an origin that cannot be reached.
func (f *facts) readFailing(profile Profile, lastGoodMax time.Duration, now time.Time) verdict {
	failing := verdict{disallowAll, AccessUnreachable, f.orChallenged(ReasonUnreachable), false}
	allowed, copied := failing, failing
	allowed.basis = allowAll
	copied.basis, copied.stale = byCopy, true

	since := time.Duration(0)
	if f.failingSince != nanos(time.Time{}) {
		since = now.Sub(instant(f.failingSince))
	}
	switch profile {
	case Google:
		switch {
		case since < googleHolds:
			return failing
		case f.hasCopy() && since < lastGoodMax:
			return copied
		}
		return allowed
	case Archive:
		if f.hasCopy() && since < lastGoodMax {
			return copied
		}
		return allowed
	}
	if f.hasCopy() { // §2.3.1.4: beyond 30 days, too (F13)
		return copied
	}
	return failing
}

func (f *facts) hasCopy() bool { return f.hash != Hash{} }

func (f *facts) orChallenged(reason Reason) Reason {
	if f.challenged {
		return ReasonChallenged
	}
	return reason
}
