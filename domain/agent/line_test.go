package agent

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

func TestParseLine(t *testing.T) {
	tests := []struct {
		rule  string
		value string
		want  Line
	}{
		{"A1 the longest prefix", "FooBot", Line{"FooBot", Exact}},
		{"A1 the longest prefix", "foo_bot-news", Line{"foo_bot-news", Exact}},
		{"A1 the longest prefix", "FooBot/2.1", Line{"FooBot", Pattern}},
		{"A1 the longest prefix", "FooBot/", Line{"FooBot", Pattern}},
		{"A1 the longest prefix", "Foo Bar", Line{"Foo", Pattern}},
		{"A1 the longest prefix", "Foo\tBar", Line{"Foo", Pattern}},
		{"A1 the longest prefix", "FooBot*", Line{"FooBot", Pattern}},
		{"A1 the longest prefix", "FooBot, BarBot", Line{"FooBot", Pattern}},
		{"A1 the longest prefix", "FooBot;q=1", Line{"FooBot", Pattern}},
		{"A1 the longest prefix", "FooBot (1.0)", Line{"FooBot", Pattern}},
		{"A1 the longest prefix", "Mozilla/5.0 (compatible; FooBot/2.1)", Line{"Mozilla", Pattern}},

		{"A2 the wildcard", "*", Line{"", Wildcard}},
		{"A2 the wildcard", "* ", Line{"", Wildcard}},
		{"A2 the wildcard", "* and anything", Line{"", Wildcard}},
		{"A2 the wildcard", "*\tanything", Line{"", Wildcard}},
		{"A2 the wildcard", "*\v", Line{"", Wildcard}},
		{"A2 the wildcard", "*\f*", Line{"", Wildcard}},
		{"A2 not the wildcard", "*bot", Line{}},
		{"A2 not the wildcard", "*/1.0", Line{}},
		{"A2 not the wildcard", "**", Line{}},
		{"A2 not the wildcard", "*1", Line{}},

		{"A5 the first word", "MJ12bot", Line{"MJ12bot", Exact}},
		{"A5 the first word", "MJ12bot/v1.4", Line{"MJ12bot", Pattern}},
		{"A5 the first word", "MJ12bot*", Line{"MJ12bot", Pattern}},
		{"A5 the first word", "AI2Bot Dolma", Line{"AI2Bot", Pattern}},
		{"A5 the first word", "360Spider", Line{"360Spider", Exact}},
		{"A5 the first word", "Foo.Bot", Line{"Foo.Bot", Exact}},
		{"A5 the first word", "FooBot2.1", Line{"FooBot2.1", Exact}},
		{"A5 the first word", ".foo", Line{".foo", Exact}},
		{"A5 the first word", "Кролик", Line{"Кролик", Exact}},
		{"A5 the first word", "fooツ/1.0", Line{"fooツ", Pattern}},
		{"A5 the first word", "foo\xFFbar baz", Line{"foo\xFFbar", Pattern}},
		{"A5 the first word", "MJ12,bot;x /1", Line{"MJ12,bot;x", Pattern}},
		{"A5 only behind a token's octets", "Foo/2bot", Line{"Foo", Pattern}},
		{"A5 only behind a token's octets", "Foo@2bot", Line{"Foo", Pattern}},

		{"P7 no token", "", Line{}},
		{"P7 no token", "/", Line{}},
		{"P7 no token", "/FooBot", Line{}},
		{"P7 no token", "(FooBot)", Line{}},
		{"P7 no token", "@", Line{}},
		{"P7 no token", "\x00", Line{}},
		{"P7 no token", "?*", Line{}},
	}
	for _, test := range tests {
		if got := ParseLine(test.value); got != test.want {
			t.Errorf("%s: ParseLine(%q) = %+v, want %+v", test.rule, test.value, got, test.want)
		}
	}
}

// A1, A3, A5: whom a user-agent line concerns, and how closely.
func TestConcerns(t *testing.T) {
	tests := []struct {
		rule  string
		value string
		token string
		want  Specificity
	}{
		{"A3 exact", "FooBot", "FooBot", Exact},
		{"A1 without case", "FOOBOT", "foobot", Exact},
		{"A3 pattern", "FooBot/2.1", "foobot", Pattern},
		{"A3 pattern", "FooBot*", "foobot", Pattern},
		{"A3 pattern", "foobot everywhere", "FooBot", Pattern},
		{"A3 wildcard", "*", "FooBot", Wildcard},
		{"A3 wildcard", "* all", "FooBot", Wildcard},
		{"A3 none", "BarBot", "FooBot", None},
		{"A3 none", "", "FooBot", None},
		{"A3 none", "*Bot", "FooBot", None},
		{"A1 whole tokens", "Foo", "FooBot", None},
		{"A1 whole tokens", "FooBot", "Foo", None},
		{"A1 whole tokens", "FooBot-News", "FooBot", None},
		{"A1 whole tokens", "FooBot", "FooBot-News", None},
		{"A1 the prefix counts", "Foo Bot", "Foo", Pattern},
		{"A5 MJ12bot is not MJ", "MJ12bot", "MJ", None},
		{"A5 MJ is not MJ12bot", "MJ", "MJ12bot", None},
		{"A5 MJ12bot", "mj12BOT", "MJ12bot", Exact},
		{"A5 MJ12bot", "MJ12bot/1.4", "MJ12bot", Pattern},
		{"A5 360Spider", "360spider", "360Spider", Exact},
	}
	for _, test := range tests {
		token, err := ParseToken(test.token)
		if err != nil {
			t.Fatal(err)
		}
		if got := ParseLine(test.value).Concerns(token); got != test.want {
			t.Errorf("%s: %q concerns %q: %s, want %s", test.rule, test.value, test.token, got, test.want)
		}
	}
}

// A crawler without a name is addressed by the wildcard alone.
func TestConcernsNobody(t *testing.T) {
	for value, want := range map[string]Specificity{"*": Wildcard, "": None, "FooBot": None, "/": None} {
		if got := ParseLine(value).Concerns(Token{}); got != want {
			t.Errorf("A3: %q concerns nobody: %s, want %s", value, got, want)
		}
	}
}

// A3 counts: 3 exact, 2 pattern, 1 wildcard, 0 none.
func TestSpecificity(t *testing.T) {
	if Exact != 3 || Pattern != 2 || Wildcard != 1 || None != 0 {
		t.Errorf("A3: exact %d, pattern %d, wildcard %d, none %d", Exact, Pattern, Wildcard, None)
	}
	for specificity, want := range map[Specificity]string{
		None: `"none"`, Wildcard: `"wildcard"`, Pattern: `"pattern"`, Exact: `"exact"`, 9: `"unknown"`,
	} {
		if got, err := json.Marshal(specificity); err != nil || string(got) != want {
			t.Errorf("%d is %s, %v, want %s", specificity, got, err, want)
		}
	}
}

// The rules once more, as regular expressions.
var (
	wildcardLine = regexp.MustCompile(`^\*([ \t\v\f]|$)`)                             // A2
	tokenPrefix  = regexp.MustCompile(`^[A-Za-z_-]*`)                                 // A1
	beyond       = regexp.MustCompile(`^[A-Za-z_-]*([0-9.]|[^\x00-\x7F])`)            // A5
	firstWord    = regexp.MustCompile(`^[^/ \t\v\f*]*`)                               // A5
	plainLine    = regexp.MustCompile(`^[\x00-\x7F\p{L}\p{N}\p{M}\p{Z}\p{P}\p{S}]*$`) // what regexp sees as it is
)

func FuzzParseLine(f *testing.F) {
	for _, seed := range []string{"*", "* x", "*x", "FooBot", "FooBot/1", "MJ12bot*", ".a/b", "ツ x", "", "a\x00", "a\xFF b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		got := ParseLine(value)
		if !strings.HasPrefix(value, got.Name) {
			t.Errorf("ParseLine(%q) = %+v, which it does not start with", value, got)
		}
		if !plainLine.MatchString(value) {
			return
		}
		want := Line{}
		if wildcardLine.MatchString(value) {
			want.Specificity = Wildcard
		} else {
			want.Name = tokenPrefix.FindString(value)
			if beyond.MatchString(value) {
				want.Name = firstWord.FindString(value)
			}
			switch want.Name {
			case "":
			case value:
				want.Specificity = Exact
			default:
				want.Specificity = Pattern
			}
		}
		if got != want {
			t.Errorf("ParseLine(%q) = %+v, want %+v", value, got, want)
		}
	})
}
