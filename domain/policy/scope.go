package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
)

// A Scope is whom a store keeps the lines of a robots.txt for (C8). It is
// comparable; the zero Scope is everybody.
type Scope struct {
	Agents         agent.Identity // whose groups are kept, besides those of '*'
	Identification string         // whose expressions are, for dialects with robots.AgentPatterns (A4)
	Dialect        robots.Dialect // how the file was read for that
}

// ErrOutOfScope is Compile's answer to a copy of which only what concerns others
// is at hand.
var ErrOutOfScope = errors.New("the snapshot's copy was kept for other crawlers")

// IsZero reports whether the Scope is everybody.
func (s Scope) IsZero() bool { return s == Scope{} }

// Equal reports whether two Scopes are the same, as == does.
func (s Scope) Equal(other Scope) bool { return s == other }

// Covers reports whether a copy that was kept for the Scope answers a reading as
// the whole one does.
func (s Scope) Covers(reading *Reading) bool {
	if s.IsZero() {
		return true
	}
	if reading.Options.Dialect != s.Dialect || s.Dialect.Has(robots.AgentPatterns) && reading.Identification != s.Identification {
		return false
	}
	for token := range reading.Agents.Tokens {
		if !s.has(token) {
			return false
		}
	}
	return true
}

func (s Scope) has(token agent.Token) bool {
	for kept := range s.Agents.Tokens {
		if kept.Equal(token) {
			return true
		}
	}
	return false
}

// Cut returns a whole copy with the lines that concern the Scope; the others are
// empty. It keeps the Hash of the whole one, which says what was fetched.
func (s Scope) Cut(whole Copy) Copy {
	if s.IsZero() || whole.Body == nil || !whole.Scope.IsZero() {
		return whole
	}
	whole.Body = robots.Only(whole.Body, s.Agents, robots.Options{Dialect: s.Dialect},
		robots.FilterOptions{Fallback: true, Identification: s.identification()})
	whole.Scope = s
	return whole
}

// Key names the Scope: equal for those that keep the same lines, whatever order
// their agents are in. It is "" for everybody.
func (s Scope) Key() string {
	if s.IsZero() {
		return ""
	}
	var names []string
	for token := range s.Agents.Tokens {
		names = append(names, strings.ToLower(token.String()))
	}
	slices.Sort(names)
	sum := sha256.Sum256([]byte(strings.Join(names, " ") + "\n" + s.Dialect.String() + "\n" + s.identification()))
	return hex.EncodeToString(sum[:4])
}

// identification is what counts of it.
func (s Scope) identification() string {
	if s.Dialect.Has(robots.AgentPatterns) {
		return s.Identification
	}
	return ""
}
