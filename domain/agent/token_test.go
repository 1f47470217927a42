package agent

import (
	"errors"
	"strings"
	"testing"
	"unicode"
)

func TestParseToken(t *testing.T) {
	tests := []struct {
		rule string
		name string
		ok   bool
	}{
		{"A1 letters, _ and -", "ExampleBot", true},
		{"A1 letters, _ and -", "example_bot-news", true},
		{"A1 letters, _ and -", "a", true},
		{"A1 letters, _ and -", "-a_", true},
		{"A5 digits", "MJ12bot", true},
		{"A5 digits", "AI2Bot", true},
		{"A5 digits", "360Spider", true},
		{"A5 digits", "007", true},
		{"A5 dots", "Foo.Bot", true},
		{"A5 dots", "foo.bot.", true},
		{"A5 over 0x7F", "Кролик", true},
		{"A5 over 0x7F", "ツbot", true},
		{"bound", strings.Repeat("a", 200), true},

		{"A6 strict", "", false},
		{"A6 strict", "FooBot/2.1", false},
		{"A6 strict", "FooBot*", false},
		{"A6 strict", "*", false},
		{"A6 strict", "* ", false},
		{"A6 strict", "Foo Bot", false},
		{"A6 strict", " FooBot", false},
		{"A6 strict", "FooBot\t", false},
		{"A6 strict", "FooBot\n", false},
		{"A6 strict", "Foo\x00Bot", false},
		{"A6 strict", "FooBot;", false},
		{"A6 strict", "Foo,Bot", false},
		{"A6 strict", "(FooBot)", false},
		{"A6 strict", "FooBot:", false},
		{"A6 strict", "Foo@Bot", false},
		{"A6 strict", "Mozilla/5.0 (compatible; FooBot/2.1)", false},
		{"A6 strict", "https://example.com/bot", false},
		{"not text", "Foo\xFFBot", false},
		{"no name", "-", false},
		{"no name", "_._", false},
		{"no name", ".", false},
		{"bound", strings.Repeat("a", 201), false},
		{"bound", strings.Repeat("\x01", 1<<16), false},
	}
	for _, test := range tests {
		token, err := ParseToken(test.name)
		if test.ok {
			if err != nil || token.String() != test.name || token.IsZero() {
				t.Errorf("%s: ParseToken(%q) = %q, %v", test.rule, test.name, token, err)
			}
			continue
		}
		checkTokenError(t, err, test.name)
		if !token.IsZero() {
			t.Errorf("%s: ParseToken(%q) = %q besides its error", test.rule, test.name, token)
		}
	}
}

// checkTokenError: a refusal has a type, says what to do, and prints safely.
func checkTokenError(t *testing.T, err error, input string) {
	t.Helper()
	var refused *TokenError
	if !errors.As(err, &refused) {
		t.Errorf("%.300q: the error is %v, want a *TokenError", input, err)
		return
	}
	if refused.Input != input || refused.Problem == "" || refused.Remedy == "" {
		t.Errorf("%.300q: the error is %#v", input, refused)
	}
	message := err.Error()
	if len(message) > 2000 {
		t.Errorf("%.300q: the message has %d octets", input, len(message))
	}
	for _, r := range message {
		if !unicode.IsPrint(r) {
			t.Errorf("%.300q: the message %q holds %q", input, message, r)
		}
	}
}

// A1: compared without case, of ASCII that is: RFC 9309 knows no other.
func TestTokenEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"FooBot", "foobot", true},
		{"FOO_BOT-x", "foo_bot-X", true},
		{"MJ12bot", "mj12BOT", true},
		{"FooBot", "FooBots", false},
		{"FooBot", "Foo-Bot", false},
		{"Foo_", "Foo\u007F", false},
		{"Бот", "Бот", true},
		{"Бот", "бОТ", false},
		{"K", "\u212A", false}, // the Kelvin sign folds to k in Unicode
	}
	for _, test := range tests {
		a, b := Token{name: test.a}, Token{name: test.b}
		if a.Equal(b) != test.want || b.Equal(a) != test.want {
			t.Errorf("A1: %q equals %q: %t, want %t", a, b, a.Equal(b), test.want)
		}
	}
}

// Whatever is accepted as a crawler's name can be addressed by it, bare: a
// crawler that no user-agent line could name would escape every file.
func FuzzParseToken(f *testing.F) {
	for _, seed := range []string{"FooBot", "MJ12bot", ".a", "a.", "-5", "ツ", "a\u00A0", "*", "a/b", "", "\xFF"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		token, err := ParseToken(name)
		if err != nil {
			checkTokenError(t, err, name)
			return
		}
		for _, value := range []string{name, strings.Map(asciiUpper, name), strings.Map(asciiLower, name)} {
			if got := ParseLine(value).Concerns(token); got != Exact {
				t.Errorf("A3: %q addresses %q as %s, want exact", value, name, got)
			}
			for _, suffix := range []string{"/1.0", " (all)", "*", "\tx"} {
				if got := ParseLine(value + suffix).Concerns(token); got != Pattern {
					t.Errorf("A3: %q addresses %q as %s, want pattern", value+suffix, name, got)
				}
			}
		}
		if got := ParseLine(name + "x").Concerns(token); got != None {
			t.Errorf("A1: %q addresses %q as %s", name+"x", name, got)
		}
	})
}

func asciiUpper(r rune) rune {
	if 'a' <= r && r <= 'z' {
		r -= 'a' - 'A'
	}
	return r
}

func asciiLower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		r += 'a' - 'A'
	}
	return r
}
