// Package agent tells which user-agent lines of a robots.txt concern a crawler,
// and how closely.
//
// It follows RFC 9309 §2.2.1 (the user-agent line) and, for names outside its
// alphabet, SEMANTICS A5. Use it to validate a crawler's product token, to take
// it from an identification string, and to select groups.
package agent

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Token is a crawler's product token, the name that it is addressed by in
// robots.txt: "ExampleBot". A Token is valid once parsed; tokens are compared
// without regard to ASCII case. The zero Token names nobody.
type Token struct {
	name   string
	passed bool // taken as it was passed, be it empty (AsPassed)
}

// ParseToken reads a product token: letters, '_' and '-' (RFC 9309 §2.2.1), or a
// name outside that alphabet as it occurs in the wild, with digits, dots and
// letters beyond ASCII ("MJ12bot", "360Spider"; A5). It is strict: "FooBot/2.1"
// is an identification string, not a token. The error is a *TokenError.
func ParseToken(name string) (Token, error) {
	fail := func(problem, remedy string) (Token, error) {
		return Token{}, &TokenError{Input: name, Problem: problem, Remedy: remedy}
	}
	const form = `give the bare product token, like "ExampleBot"`
	switch {
	case name == "":
		return fail("it is empty", form)
	case name == "*":
		return fail("'*' addresses every crawler and is nobody's name", form)
	case len(name) > maxToken:
		return fail("it is longer than 200 octets", form)
	case !utf8.ValidString(name):
		return fail("it is not valid UTF-8", form)
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; !tokenOctet(c) && !beyondOctet(c) {
			return fail(fmt.Sprintf("%q cannot stand in a product token", rune(c)), form)
		}
	}
	if strings.Trim(name, "-_.") == "" {
		return fail("it holds no letter or digit", form)
	}
	return Token{name: name}, nil
}

// maxToken bounds a crawler's own name; no crawler known comes near.
const maxToken = 200

// String returns the token as it was given.
func (t Token) String() string { return t.name }

// IsZero reports whether t names nobody.
func (t Token) IsZero() bool { return t == Token{} }

// Equal reports whether two tokens are the same without regard to ASCII case.
func (t Token) Equal(other Token) bool {
	return t.passed == other.passed && equalFold(t.name, other.name)
}

// A TokenError says why a text is no product token, or yields none.
type TokenError struct {
	Input   string // as given
	Problem string // what is wrong with it
	Remedy  string // what to write instead
}

func (e *TokenError) Error() string {
	input := e.Input
	if len(input) > maxToken {
		input = input[:maxToken] + "…"
	}
	return fmt.Sprintf("user agent %s: %s; %s", strconv.Quote(input), e.Problem, e.Remedy)
}

// tokenOctet reports whether c is in the alphabet of RFC 9309 §2.2.1.
func tokenOctet(c byte) bool {
	return c|0x20-'a' < 26 || c == '_' || c == '-'
}

// beyondOctet reports whether c marks a name outside that alphabet (A5).
func beyondOctet(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c >= 0x80
}

// equalFold compares without regard to ASCII case; octets beyond ASCII must be
// equal, as RFC 9309 knows no other case.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}
