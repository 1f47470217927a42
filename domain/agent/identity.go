package agent

import (
	"strconv"
	"strings"
)

// An Identity is what a crawler answers to: product tokens in order, of which
// the first that has any group of its own decides (A6). Google's crawlers are
// documented so: "googlebot-news", then "googlebot".
//
// An Identity is comparable. The zero Identity answers to nothing but '*'.
type Identity struct {
	// The tokens, each followed by a space: tokens hold none, and a string,
	// unlike a slice, can be a map key. Names that were taken as passed begin
	// with '%', which is in no token, and escape it and the space.
	names string
}

// NewIdentity puts tokens in order. Tokens that were named before are dropped.
func NewIdentity(tokens ...Token) Identity {
	var id Identity
next:
	for _, token := range tokens {
		if token.IsZero() {
			continue
		}
		for known := range id.Tokens {
			if known.Equal(token) {
				continue next
			}
		}
		id.names += token.written() + " "
	}
	return id
}

// AsPassed puts names in order that are taken as they are, be they no product
// tokens: "Foo Bar" is then nobody's that "User-agent: Foo Bar" addresses, which
// is Foo, and an empty name is addressed by lines that name nobody. It is for
// asking as Google's parser is asked (A5), together with the Google dialect;
// crawlers have product tokens.
func AsPassed(names ...string) Identity {
	tokens := make([]Token, len(names))
	for i, name := range names {
		tokens[i] = Token{name: name, passed: true}
	}
	return NewIdentity(tokens...)
}

// ParseTokens reads product tokens into an Identity. At least one is required.
// The error is a *TokenError.
func ParseTokens(names ...string) (Identity, error) {
	if len(names) == 0 {
		_, err := ParseToken("")
		return Identity{}, err
	}
	tokens := make([]Token, len(names))
	for i, name := range names {
		token, err := ParseToken(name)
		if err != nil {
			return Identity{}, err
		}
		tokens[i] = token
	}
	return NewIdentity(tokens...), nil
}

// ParseIdentity derives a crawler's token from its identification string, the
// value of its User-Agent header (RFC 9309 §2.2.1, RFC 9110 §10.1.5): the token
// before the first '/', white space or end, or the one behind "compatible;" if
// it calls itself Mozilla. The error is a *TokenError.
func ParseIdentity(identification string) (Identity, error) {
	fail := func(problem string) (Identity, error) {
		return Identity{}, &TokenError{Input: identification, Problem: problem,
			Remedy: `start it with the product token, like "ExampleBot/1.0 (+https://example.com/bot)", or name the token`}
	}
	for i := 0; i < len(identification); i++ {
		if c := identification[i]; c < ' ' && c != '\t' || c == 0x7F {
			return fail("it holds a control character, which no header field can")
		}
	}
	text := strings.TrimSpace(identification)
	if text == "" {
		return fail("it is empty")
	}
	if strings.EqualFold(firstProduct(text), "Mozilla") {
		const marker = "compatible;"
		at := indexFold(text, marker)
		if at < 0 {
			return fail("it calls itself Mozilla and names no crawler behind \"compatible;\"")
		}
		text = strings.TrimSpace(text[at+len(marker):])
	}
	token, err := ParseToken(firstProduct(text))
	if err != nil {
		return fail("no product token can be derived from it")
	}
	return NewIdentity(token), nil
}

// firstProduct returns the name of the first product in an identification
// string, without its version.
func firstProduct(text string) string {
	if end := strings.IndexAny(text, "/ \t;()"); end >= 0 {
		return text[:end]
	}
	return text
}

// Tokens yields the tokens in order.
func (id Identity) Tokens(yield func(Token) bool) {
	for rest := id.names; rest != ""; {
		name, after, _ := strings.Cut(rest, " ")
		if !yield(tokenOf(name)) {
			return
		}
		rest = after
	}
}

// First returns the first token, or the zero Token.
func (id Identity) First() Token {
	name, _, _ := strings.Cut(id.names, " ")
	return tokenOf(name)
}

// Len returns how many tokens there are.
func (id Identity) Len() int { return strings.Count(id.names, " ") }

// IsZero reports whether the Identity holds no token.
func (id Identity) IsZero() bool { return id.names == "" }

// String lists the tokens, separated by commas, and names that were taken as
// passed in quotes.
func (id Identity) String() string {
	var b strings.Builder
	for token := range id.Tokens {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		if token.passed {
			b.WriteString(strconv.Quote(token.name))
		} else {
			b.WriteString(token.name)
		}
	}
	return b.String()
}

// asPassed begins a name of an Identity that was taken as passed.
const asPassed = "%"

// written is how an Identity holds a token.
func (t Token) written() string {
	if !t.passed {
		return t.name
	}
	return asPassed + strings.NewReplacer("%", "%25", " ", "%20").Replace(t.name)
}

// tokenOf reads what written has written; nothing is the zero Token.
func tokenOf(written string) Token {
	name, passed := strings.CutPrefix(written, asPassed)
	if !passed {
		return Token{name: name}
	}
	return Token{name: strings.NewReplacer("%25", "%", "%20", " ").Replace(name), passed: true}
}

// indexFold is strings.Index without regard to ASCII case.
func indexFold(text, marker string) int {
	for i := 0; i+len(marker) <= len(text); i++ {
		if equalFold(text[i:i+len(marker)], marker) {
			return i
		}
	}
	return -1
}
