// Package site names what a crawler asks about: the origin whose robots.txt
// applies, and the path that its rules are matched against.
//
// It follows RFC 3986 (URI syntax), RFC 6454 (origins) and RFC 9309 §2.2.2
// (how paths are compared). Use it whenever a URL has to be brought to the one
// form that every worker of a fleet agrees on.
package site

import (
	"strings"
)

// An Origin is scheme, host and port in canonical form: lower case, the host as
// an A-label without a trailing dot, the port left out where it is the
// scheme's default. Two URLs are ruled by the same robots.txt exactly if their
// Origins are equal (RFC 9309 §2.3). The zero Origin is none.
//
// Origins are comparable and safe as map keys. An Origin cut from a canonical
// URL is a substring of it and costs no allocation.
type Origin struct {
	text string // "https://example.com", "http://[::1]:8080"
}

// ParseOrigin reads an origin from a URL or from "scheme://host[:port]"; path,
// query, fragment and userinfo are dropped. The error is a *ParseError.
func ParseOrigin(raw string) (Origin, error) {
	u, err := Parse(raw)
	return u.Origin, err
}

// String returns the canonical form, "https://example.com:8443", or "" for none.
func (o Origin) String() string { return o.text }

// IsZero reports whether o names no origin.
func (o Origin) IsZero() bool { return o.text == "" }

// Scheme returns "http" or "https".
func (o Origin) Scheme() string {
	scheme, _, _ := strings.Cut(o.text, "://")
	return scheme
}

// Host returns the host without port: a name in A-label form, an IPv4 address,
// or an IPv6 address in brackets.
func (o Origin) Host() string {
	_, authority, _ := strings.Cut(o.text, "://")
	if colon := strings.LastIndexByte(authority, ':'); colon > strings.LastIndexByte(authority, ']') {
		return authority[:colon]
	}
	return authority
}

// Port returns the effective port in decimal: the one named, else the scheme's.
func (o Origin) Port() string {
	_, authority, _ := strings.Cut(o.text, "://")
	if colon := strings.LastIndexByte(authority, ':'); colon > strings.LastIndexByte(authority, ']') {
		return authority[colon+1:]
	}
	if o.text == "" {
		return ""
	}
	return defaultPort(o.Scheme())
}

// RobotsURL returns where the origin's robots.txt lives (RFC 9309 §2.3).
func (o Origin) RobotsURL() string { return o.text + RobotsPath }

// MarshalText writes the canonical form.
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.text), nil }

// UnmarshalText reads what MarshalText wrote, or any URL; empty text is the zero
// Origin.
func (o *Origin) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*o = Origin{}
		return nil
	}
	parsed, err := ParseOrigin(string(text))
	if err == nil {
		*o = parsed
	}
	return err
}

func defaultPort(scheme string) string {
	if scheme == "http" {
		return "80"
	}
	return "443"
}

// Clone returns the same Origin in memory of its own, for keeping it longer than
// the URL that it was cut from.
func (o Origin) Clone() Origin { return Origin{strings.Clone(o.text)} }
