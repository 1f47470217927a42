package agent

import (
	"slices"
	"strings"
	"testing"
)

func namesOf(id Identity) (names []string) {
	for token := range id.Tokens {
		names = append(names, token.String())
	}
	return names
}

// A6: a crawler is an ordered list of tokens.
func TestParseTokens(t *testing.T) {
	tests := []struct {
		rule  string
		names []string
		want  []string
		text  string
	}{
		{"A6 one", []string{"FooBot"}, []string{"FooBot"}, "FooBot"},
		{"A6 in order", []string{"googlebot-news", "googlebot"}, []string{"googlebot-news", "googlebot"}, "googlebot-news, googlebot"},
		{"A6 in order", []string{"googlebot", "googlebot-news"}, []string{"googlebot", "googlebot-news"}, "googlebot, googlebot-news"},
		{"A1 named once", []string{"FooBot", "foobot", "BarBot", "FOOBOT", "BARBOT"}, []string{"FooBot", "BarBot"}, "FooBot, BarBot"},
		{"A5 beyond the alphabet", []string{"MJ12bot", "ツ"}, []string{"MJ12bot", "ツ"}, "MJ12bot, ツ"},
	}
	for _, test := range tests {
		id, err := ParseTokens(test.names...)
		if err != nil || !slices.Equal(namesOf(id), test.want) || id.String() != test.text {
			t.Errorf("%s: ParseTokens(%q) = %q, %v, want %q", test.rule, test.names, id, err, test.want)
		}
		if id.First().String() != test.want[0] || id.IsZero() {
			t.Errorf("%s: the first of %q is %q", test.rule, test.names, id.First())
		}
	}

	for _, names := range [][]string{nil, {""}, {"*"}, {"FooBot", "*"}, {"FooBot", "Bar/1"}, {"Foo Bot"}} {
		id, err := ParseTokens(names...)
		if !id.IsZero() {
			t.Errorf("A6: ParseTokens(%q) = %q", names, id)
		}
		input := ""
		if len(names) > 0 {
			input = names[len(names)-1]
		}
		checkTokenError(t, err, input)
	}
}

// An Identity is a key: the same tokens in the same order are the same.
func TestIdentityIsAKey(t *testing.T) {
	a, _ := ParseTokens("foo", "bar")
	b, _ := ParseTokens("foo", "bar", "FOO")
	c, _ := ParseTokens("bar", "foo")
	d, _ := ParseTokens("foo")
	if a != b || a == c || a == d || len(map[Identity]bool{a: true, b: true, c: true, d: true}) != 3 {
		t.Errorf("%q, %q, %q, %q", a, b, c, d)
	}
	if foo, bar := (Token{name: "foo"}), (Token{name: "bar"}); NewIdentity(foo, Token{}, bar) != a {
		t.Errorf("NewIdentity(foo, none, bar) = %q", NewIdentity(foo, Token{}, bar))
	}
}

func TestZeroIdentity(t *testing.T) {
	var zero Identity
	if !zero.IsZero() || !zero.First().IsZero() || zero.String() != "" || namesOf(zero) != nil || NewIdentity() != zero {
		t.Errorf("the zero Identity is %q with %q", zero, namesOf(zero))
	}
}

func TestTokensCanStop(t *testing.T) {
	id, _ := ParseTokens("foo", "bar", "baz")
	var seen []string
	for token := range id.Tokens {
		if seen = append(seen, token.String()); len(seen) == 2 {
			break
		}
	}
	if !slices.Equal(seen, []string{"foo", "bar"}) {
		t.Errorf("saw %q", seen)
	}
}

// A6: the token before '/', or the one behind "compatible;" in a Mozilla string.
func TestParseIdentity(t *testing.T) {
	tests := []struct {
		identification string
		want           string
	}{
		{"ExampleBot", "ExampleBot"},
		{"ExampleBot/1.0", "ExampleBot"},
		{"ExampleBot/1.0 (+https://example.com/bot)", "ExampleBot"},
		{"  ExampleBot/1.0  ", "ExampleBot"},
		{"ExampleBot (+https://example.com/bot)", "ExampleBot"},
		{"ExampleBot\t(all)", "ExampleBot"},
		{"example_bot-news/2", "example_bot-news"},
		{"MJ12bot/v1.4.8", "MJ12bot"},
		{"360Spider", "360Spider"},
		{"Mozilla/5.0 (compatible; ExampleBot/2.1; +https://example.com/bot)", "ExampleBot"},
		{"Mozilla/5.0 (compatible;ExampleBot)", "ExampleBot"},
		{"mozilla/5.0 (COMPATIBLE; ExampleBot/2.1)", "ExampleBot"},
		{"Mozilla/5.0 (X11; Linux x86_64; compatible; ExampleBot/1.2; +https://example.com) Chrome/1 Safari/2", "ExampleBot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; MJ12bot/v1.4.8; http://mj12bot.example/)", "MJ12bot"},
		{"Mozilla (compatible; ExampleBot)", "ExampleBot"},
		{"Mozilla\t(compatible; ExampleBot/1)", "ExampleBot"},
	}
	for _, test := range tests {
		id, err := ParseIdentity(test.identification)
		if err != nil || id.String() != test.want {
			t.Errorf("A6: ParseIdentity(%q) = %q, %v, want %q", test.identification, id, err, test.want)
		}
	}
}

func TestParseIdentityRefuses(t *testing.T) {
	for _, identification := range []string{
		"",
		" \t ",
		"/1.0",
		"(compatible; ExampleBot)",
		"*",
		"Mozilla",
		"Mozilla/5.0",
		"Mozilla (X11)",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36",
		"Mozilla/5.0 (compatible)",
		"Mozilla/5.0 (compatible; )",
		"Mozilla/5.0 (compatible; +https://example.com)",
		"ExampleBot, OtherBot",
		"Example@Bot/1.0",
		"\"ExampleBot\"",
		"-/1.0",
		"ExampleBot/1.0\r\nX-Evil: 1",
		"Example\x00Bot",
		"ExampleBot\x7F",
		"Example\xFFBot",
		strings.Repeat("a", 1<<16),
	} {
		id, err := ParseIdentity(identification)
		if !id.IsZero() {
			t.Errorf("A6: ParseIdentity(%q) = %q", identification, id)
		}
		checkTokenError(t, err, identification)
	}
}

// What is derived is a valid token, and stands in the identification string.
func FuzzParseIdentity(f *testing.F) {
	for _, seed := range []string{
		"FooBot/1.0", "Mozilla/5.0 (compatible; FooBot/1.0)", "Mozilla (compatible;", "compatible; x", "", "\n", "a b c", "ツ/1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, identification string) {
		id, err := ParseIdentity(identification)
		if err != nil {
			checkTokenError(t, err, identification)
			return
		}
		names := namesOf(id)
		if len(names) != 1 || !strings.Contains(identification, names[0]) {
			t.Fatalf("ParseIdentity(%q) = %q", identification, names)
		}
		if _, err := ParseToken(names[0]); err != nil {
			t.Errorf("ParseIdentity(%q) = %q: %v", identification, names, err)
		}
		if strings.EqualFold(names[0], "Mozilla") && !strings.Contains(strings.ToLower(identification), "compatible;") {
			t.Errorf("ParseIdentity(%q) takes Mozilla for a crawler's name", identification)
		}
	})
}
