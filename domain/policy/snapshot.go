package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/polite-crawler/polite/domain/site"
)

// A Snapshot holds the facts that are known about an origin's robots.txt: how
// the last attempt to fetch it ended, and the last good copy. It judges
// nothing: a Policy reads it the way a profile does, so workers with different
// profiles share it. Its times are in the holder's clock.
//
// A Snapshot is a value; what Copy.Body points to must not be changed.
type Snapshot struct {
	Origin site.Origin
	// Rev is the stored state that this Snapshot was read from or made from; a
	// Cache takes it only while that is still what is stored.
	Rev Rev

	// How the last attempt ended.
	Outcome    Outcome   // Unknown: nothing is known, whatever else stands here
	Failure    Failure   // why no whole answer came
	Stop       Stop      // why a redirect was not followed
	Status     int       // of the final answer, 0: none came
	Challenged bool      // the answer was a bot challenge instead of a robots.txt
	Hops       int       // redirects followed
	FinalURL   string    // of the last exchange
	FetchedAt  time.Time // when it ended

	RefreshAt  time.Time // from here on the origin is asked again, in the background
	FreshUntil time.Time // from here on questions wait for the new answer

	// While attempts fail (Outcome Unreachable or RefusedRedirect).
	Failures     int       // attempts in a row
	FailingSince time.Time // the first of them

	// Copy is the last good copy (SEMANTICS F, below the table); its Hash is
	// zero if there is none.
	Copy Copy
}

// A Copy is a robots.txt as an origin served it.
type Copy struct {
	Hash        Hash   // of the whole body
	Body        []byte // UTF-8, whole lines; nil: not at hand, ask the Cache
	Scope       Scope  // whose lines Body has, the others are empty; zero: it is whole
	Truncated   bool   // the origin's file went on (RFC 9309 §2.5)
	Charset     string // as served
	Validators  Validators
	FetchedAt   time.Time // when this body came
	ConfirmedAt time.Time // when the origin last stood by it: by sending it, or by a 304
}

// Known reports whether anything is known about the origin.
func (s *Snapshot) Known() bool { return s != nil && s.Outcome != Unknown }

// Failing reports whether the last attempt failed, so that what is known is
// answered at once and retried behind the callers' backs.
func (s *Snapshot) Failing() bool {
	return s.Outcome == Unreachable || s.Outcome == RefusedRedirect
}

// HasCopy reports whether there is a last good copy, at hand or in the Cache.
func (s *Snapshot) HasCopy() bool { return s.Copy.Hash != Hash{} }

// Servable reports whether s may answer a question at this time without asking
// the origin first: it is fresh, or the origin is failing and there is nothing
// better (RFC 9309 §2.4).
func (s *Snapshot) Servable(now time.Time) bool {
	return s.Known() && (s.Failing() || now.Before(s.FreshUntil))
}

// Due reports whether the origin should be asked again, at once or behind the
// callers' backs.
func (s *Snapshot) Due(now time.Time) bool { return !now.Before(s.RefreshAt) }

// KeepFor returns how long a store should keep s: beyond its freshness, since a
// last good copy has its use when the origin cannot be reached (RFC 9309
// §2.3.1.4), and a count of failures while they go on.
func (s *Snapshot) KeepFor(now time.Time, lifetimes Lifetimes) time.Duration {
	end := s.FreshUntil
	if s.RefreshAt.After(end) {
		end = s.RefreshAt
	}
	keep := max(end.Sub(now), 0) + keepFailures
	if s.HasCopy() {
		keep = max(keep, lifetimes.OrDefault().LastGoodMax+keepFailures)
	}
	return keep
}

// keepFailures is how long a store remembers an origin past its next attempt:
// twice the longest back-off, so that the back-off grows (SEMANTICS F11).
const keepFailures = 2 * time.Hour

// An Outcome is how an attempt to learn an origin's robots.txt ended; the
// numbers are rows of SEMANTICS F.
type Outcome uint8

// The outcomes. Their values are stored: append, never renumber.
const (
	Unknown         Outcome = iota
	Successful              // F1, F2, F12: the rules of Copy
	SoftNotFound            // F3: a page of HTML without any directive
	BrokenRedirect          // F5: too many, a loop, no or a bad Location
	RefusedRedirect         // F6: to another scheme, or from a public to a private address
	NotFound                // F7: 404, 410
	Unavailable             // F7: any other 4xx
	Forbidden               // F8: 401, 402, 403
	Unreachable             // F9–F11
)

var outcomeNames = [...]string{
	"unknown", "successful", "soft-not-found", "broken-redirect", "refused-redirect", "not-found", "unavailable",
	"forbidden", "unreachable",
}

func (o Outcome) String() string { return name(outcomeNames[:], int(o)) }

// A Rev names one stored state of a Snapshot. Revs are compared for equality
// only; "" is the state of an origin about which nothing was ever stored.
type Rev string

// A Hash identifies a robots.txt body: SHA-256 of its UTF-8 form, whole. Zero is
// none.
type Hash [sha256.Size]byte

// HashOf returns the Hash of a body.
func HashOf(body []byte) Hash { return sha256.Sum256(body) }

// String returns the hash as "sha256:" and hexadecimal digits, or "" for none.
func (h Hash) String() string {
	if h == (Hash{}) {
		return ""
	}
	return "sha256:" + hex.EncodeToString(h[:])
}
