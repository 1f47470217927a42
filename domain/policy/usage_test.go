package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// usageOf reads a text as a dialect and a crawler do.
func usageOf(t testing.TB, text, dialect string, names ...string) *policy.Usage {
	t.Helper()
	reading := crawler(t, names...)
	var err error
	if reading.Options.Dialect, err = robots.ParseDialect(dialect); err != nil {
		t.Fatal(err)
	}
	return policy.UsageOf(robots.Parse([]byte(text), reading.Options), reading)
}

// The example of draft-ietf-aipref-attach-05 §3.4.
const usageExample = `User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
`

// U1: what the records of the crawler's groups say, by the longest path.
func TestUsage(t *testing.T) {
	const both = "user-agent: *\ncontent-usage: train-ai=%s\ncontent-signal: ai-train=%s\n"
	for _, row := range []struct {
		rule, text string
		name, path string
		purpose    policy.Purpose
		want       string // "yes 4", "no 5" by a line, or ""
	}{
		{"attach 3.4", usageExample, "FooBot", "/test", "train-ai", "no 4"},
		{"attach 3.4", usageExample, "FooBot", "/ai-ok/test", "train-ai", "yes 5"},
		{"attach 3.4", usageExample, "ExampleBot", "/test", "train-ai", "yes 9"},
		{"attach 3.4", usageExample, "ExampleBot", "/ai-ok/test", "train-ai", "yes 9"},
		{"vocab 5, unknown", usageExample, "FooBot", "/test", "search", ""},
		{"A3 no fallback", "user-agent: *\ncontent-usage: train-ai=n\nuser-agent: FooBot\nallow: /", "FooBot", "/", "train-ai", ""},
		{"A3 combined", "user-agent: FooBot\ndisallow: /x\ncontent-usage: train-ai=n\nuser-agent: *\nallow: /\nuser-agent: foobot/2\ncontent-usage: search=n", "FooBot", "/", "search", "no 7"},
		{"A3 combined", "user-agent: FooBot\ndisallow: /x\ncontent-usage: train-ai=n\nuser-agent: *\nallow: /\nuser-agent: foobot/2\ncontent-usage: search=n", "FooBot", "/", "train-ai", "no 3"},
		{"P9 the lines above", "user-agent: FooBot\ncontent-usage: train-ai=n\nuser-agent: BarBot\ncontent-usage: search=n\nallow: /", "BarBot", "/", "train-ai", ""},
		{"P9 the lines above", "user-agent: FooBot\ncontent-usage: train-ai=n\nuser-agent: BarBot\ncontent-usage: search=n\nallow: /", "BarBot", "/", "search", "no 4"},
		{"P9 the lines above", "user-agent: FooBot\ncontent-usage: train-ai=n\nuser-agent: BarBot\ncontent-usage: search=n\nallow: /", "FooBot", "/", "search", "no 4"},
		{"P9 the file's", "content-usage: train-ai=n\nuser-agent: FooBot\nallow: /", "FooBot", "/", "train-ai", "no 1"},
		{"P9 the file's", "content-usage: train-ai=n\n", "FooBot", "/", "train-ai", "no 1"},
		{"U1 the file's and the group's", "content-usage: train-ai=n\nuser-agent: FooBot\ncontent-usage: train-ai=y", "FooBot", "/", "train-ai", "no 1"},
		{"U1 the file's and the group's", "content-usage: train-ai=n\nuser-agent: FooBot\ncontent-usage: /a train-ai=y", "FooBot", "/a", "train-ai", "yes 3"},

		{"U1 the longest path alone", "user-agent: *\ncontent-usage: train-ai=n, search=y\ncontent-usage: /a train-ai=y", "", "/a", "search", ""},
		{"U1 the longest path alone", "user-agent: *\ncontent-usage: train-ai=n, search=y\ncontent-usage: /a train-ai=y", "", "/b", "search", "yes 2"},
		{"U1 a slash is longer than nothing", "user-agent: *\ncontent-usage: / train-ai=y\ncontent-usage: train-ai=n", "", "/", "train-ai", "yes 2"},
		{"U1 equal paths", "user-agent: *\ncontent-usage: /a train-ai=y\ncontent-usage: /a train-ai=n", "", "/a", "train-ai", "no 3"},
		{"U1 equal paths", "user-agent: *\ncontent-usage: /a train-ai=n\ncontent-usage: /%61 train-ai=y", "", "/a", "train-ai", "no 2"},
		{"U1 equal paths", "user-agent: *\ncontent-usage: /a search=n\ncontent-usage: /a train-ai=y", "", "/a", "train-ai", "yes 3"},
		{"U1 the first of equals", "user-agent: *\ncontent-usage: /a train-ai=n\ncontent-usage: /a train-ai=n", "", "/a", "train-ai", "no 2"},
		{"U1 as long", "user-agent: *\ncontent-usage: /a* train-ai=y\ncontent-usage: /*b train-ai=n", "", "/ab", "train-ai", "no 3"},
		{"M3", "user-agent: *\ncontent-usage: /*.pdf$ train-ai=n", "", "/a.pdf", "train-ai", "no 2"},
		{"M3", "user-agent: *\ncontent-usage: /*.pdf$ train-ai=n", "", "/a.pdfx", "train-ai", ""},
		{"M3", "user-agent: *\ncontent-usage: /a%2A train-ai=n", "", "/ab", "train-ai", ""},
		{"M2", "user-agent: *\ncontent-usage: /%7Ejoe train-ai=n", "", "/~joe/", "train-ai", "no 2"},
		{"M2", "user-agent: *\ncontent-usage: /ü train-ai=n", "", "/%c3%bc", "train-ai", "no 2"},
		{"M2 the second reading", "user-agent: *\ncontent-usage: /a?b=https://c train-ai=n", "", "/a?b=https%3A%2F%2Fc", "train-ai", "no 2"},
		{"M2 the second reading", "user-agent: *\ncontent-usage: /a*b=https:// train-ai=n", "", "/a?b=https%3A%2F%2Fc", "train-ai", ""},
		{"a disallowed path", usageExample, "FooBot", "/never/test", "train-ai", "no 4"},

		{"signals", "user-agent: *\ncontent-signal: search=yes, ai-train=no", "", "/", "ai-train", "no 2"},
		{"signals", "user-agent: *\ncontent-signal: search=yes, ai-train=no", "", "/", "search", "yes 2"},
		{"signals", "user-agent: *\ncontent-signal: search=yes, ai-train=no", "", "/", "ai-input", ""},
		{"signals of paths", "user-agent: *\ncontent-signal: search=yes\ncontent-signal: /a search=no", "", "/a", "search", "no 3"},
		{"signals of paths", "user-agent: *\ncontent-signal: search=no\ncontent-signal: /a search=yes", "", "/a", "search", "yes 3"},

		{"U3 either name", fmt.Sprintf(both, "n", ""), "", "/", "ai-train", "no 2"},
		{"U3 either name", fmt.Sprintf(both, "", "no"), "", "/", "train-ai", "no 3"},
		{"U3 either name", "user-agent: *\ncontent-usage: ai-use=n", "", "/", "ai-input", "no 2"},
		{"U3 either name", "user-agent: *\ncontent-signal: ai-input=no", "", "/", "ai-use", "no 2"},
		{"U3 each in its own vocabulary", "user-agent: *\ncontent-usage: ai-train=n", "", "/", "ai-train", ""},
		{"U3 each in its own vocabulary", "user-agent: *\ncontent-signal: train-ai=no", "", "/", "train-ai", ""},
		{"U3 other names", "user-agent: *\ncontent-usage: bots=n", "", "/", "bots", "no 2"},
		{"U3 other names", "user-agent: *\ncontent-usage: bots=n", "", "/", "train-ai", ""},

		{"U2 one refuses", fmt.Sprintf(both, "y", "no"), "", "/", "train-ai", "no 3"},
		{"U2 one refuses", fmt.Sprintf(both, "n", "yes"), "", "/", "train-ai", "no 2"},
		{"U2 both grant", fmt.Sprintf(both, "y", "yes"), "", "/", "train-ai", "yes 2"},
		{"U2 whatever the paths", "user-agent: *\ncontent-usage: /a/b train-ai=y\ncontent-signal: ai-train=no", "", "/a/b", "train-ai", "no 3"},

		{"noindex", "user-agent: *\nnoindex: /a\n", "", "/ab", "index", "no 2"},
		{"noindex", "user-agent: *\nnoindex: /a\n", "", "/ab", "search", "no 2"},
		{"noindex", "user-agent: *\nnoindex: /a\n", "", "/ab", "train-ai", ""},
		{"noindex", "user-agent: *\nnoindex: /a\n", "", "/b", "index", ""},
		{"noindex", "user-agent: *\nnoindex: a\nnoindex:\n", "", "/a", "index", ""},
		{"noindex, U2", "user-agent: *\nnoindex: /a\ncontent-signal: search=yes", "", "/a", "search", "no 2"},
		{"noindex, the longest", "user-agent: *\nnoindex: /\nnoindex: /a*", "", "/ab", "index", "no 3"},

		{"what cannot be read says nothing", "user-agent: *\ncontent-usage: train-ai=n, =\ncontent-usage: train-ai=no\ncontent-signal: ai-train=n", "", "/", "train-ai", ""},
		{"what cannot be read says nothing", "user-agent: *\ncontent-usage: train-ai=n\ncontent-usage: /a search", "", "/a", "train-ai", "no 2"},
	} {
		var names []string
		if row.name != "" {
			names = []string{row.name}
		}
		use := usageOf(t, row.text, "default", names...).Ask(row.path, row.purpose)
		got := ""
		if use.Permission != policy.NotSaid {
			got = fmt.Sprintf("%s %d", use.Permission, use.Record.Line)
		}
		if got != row.want || use.Purpose != row.purpose || (use.Record == robots.Record{}) != (got == "") {
			t.Errorf("%s: %q for %s, %s: %q (%+v), want %q", row.rule, row.text, row.purpose, row.path, got, use, row.want)
		}
	}
}

// U1: whose line it is, and which paths it is about.
func TestUseHasProvenance(t *testing.T) {
	const text = "content-usage: search=y\nuser-agent: BarBot\nuser-agent: FooBot/2\nuser-agent: foobot\nContent-Signal: /a* AI-Train=no # not yet\nallow: /"
	use := usageOf(t, text, "default", "FooBot").Ask("/abc", policy.TrainAI)
	want := policy.Use{
		Purpose: "train-ai", Permission: policy.No, Path: "/a*",
		Record: robots.Record{Kind: robots.ContentSignal, Key: "Content-Signal", Value: "/a* AI-Train=no", Line: 5, Agents: 3},
		Group:  policy.Group{Agent: "foobot", Line: 4, Specificity: agent.Exact},
	}
	if use != want {
		t.Errorf("%+v, want %+v", use, want)
	}
	// The group is the one that Decide names, too.
	if d := decide(t, text, "FooBot", "/abc"); d.Group != use.Group {
		t.Errorf("Decide goes by %+v, Ask by %+v", d.Group, use.Group)
	}
}

// U1: the switches that concern paths and groups hold for uses, too.
func TestUsageInDialects(t *testing.T) {
	for _, row := range []struct {
		dialect, text, path string
		want                policy.Permission
	}{
		{"default", "user-agent: *\ncontent-usage: /%7Ejoe train-ai=n", "/~joe", policy.No},
		{"no-percent-decoding", "user-agent: *\ncontent-usage: /%7Ejoe train-ai=n", "/~joe", policy.NotSaid},
		{"default", "user-agent: *\ncontent-usage: /a%2Ac train-ai=n", "/abc", policy.NotSaid},
		{"escaped-wildcard", "user-agent: *\ncontent-usage: /a%2Ac train-ai=n", "/abc", policy.No},
		{"default", "user-agent: MJ12bot\ncontent-usage: train-ai=n\nuser-agent: *\nallow: /", "/", policy.NotSaid},
		{"no-odd-names", "user-agent: MJ\nallow: /\nuser-agent: *\ncontent-usage: train-ai=n", "/", policy.NotSaid},
		{"default", "user-agent: M*\nuser-agent: *\ncontent-usage: train-ai=n", "/", policy.No},
		{"no-records", "user-agent: *\ncontent-usage: train-ai=n", "/", policy.NotSaid},
		{"file-order", "user-agent: *\ncontent-usage: train-ai=n\ncontent-usage: /a train-ai=y", "/a", policy.Yes},
		{"key-aliases=ai:content-usage", "user-agent: *\nai: train-ai=n", "/", policy.No},
	} {
		if use := usageOf(t, row.text, row.dialect, "MJ").Ask(row.path, policy.TrainAI); use.Permission != row.want {
			t.Errorf("%s: %q, %s: %v, want %v", row.dialect, row.text, row.path, use, row.want)
		}
	}
	for dialect, want := range map[string]policy.Permission{"default": policy.NotSaid, "complete-slash": policy.No} {
		if use := usageOf(t, "user-agent: *\nnoindex: a", dialect).Ask("/ab", policy.Index); use.Permission != want {
			t.Errorf("P8, %s: %v", dialect, use)
		}
	}
	reading := crawler(t, "FooBot")
	reading.Identification = "FooBot/1.0 (by Foo)"
	text := []byte("user-agent: *by foo\ncontent-usage: train-ai=n\nuser-agent: *\ncontent-usage: train-ai=y")
	for dialect, want := range map[robots.Dialect]policy.Permission{
		robots.Default(): policy.Yes, robots.Default().With(robots.AgentPatterns): policy.No,
	} {
		reading.Options.Dialect = dialect
		if use := policy.UsageOf(robots.Parse(text, reading.Options), reading).Ask("/", policy.TrainAI); use.Permission != want {
			t.Errorf("A4, %v: %v, want %v", dialect, use, want)
		}
	}
}

// A6: the groups of the first token that any group names, or of all together.
func TestUsageOfTokens(t *testing.T) {
	file := robots.Parse([]byte("user-agent: b\ncontent-usage: train-ai=n\nuser-agent: a\ncontent-usage: search=n\n"), robots.Options{})
	reading := crawler(t, "x", "a", "b")
	for together, want := range map[bool]policy.Permission{false: policy.NotSaid, true: policy.No} {
		reading.Together = together
		usage := policy.UsageOf(file, reading)
		if train, search := usage.Ask("/", policy.TrainAI), usage.Ask("/", policy.Search); train.Permission != want || search.Permission != policy.No {
			t.Errorf("A6, together %v: %v; %v", together, train, search)
		}
	}
}

// P10: licenses are the file's, each once, and only what is a URL.
func TestLicenses(t *testing.T) {
	usage := usageOf(t, "license: https://a.example/1\nuser-agent: *\nlicense: /2\nlicense: https://b.example/3\nlicense: https://a.example/1\n", "default")
	if got, want := usage.Licenses(), []string{"https://a.example/1", "https://b.example/3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !usage.Empty() || usageOf(t, usageExample, "default").Empty() {
		t.Error("Empty is not whether something is said")
	}
}

func TestUsagePurposes(t *testing.T) {
	for text, want := range map[string][]policy.Purpose{
		"": nil,
		"user-agent: *\ncontent-signal: x=no, search=yes, ai-train=no\ncontent-usage: y=n, x=y, train-ai=n": {policy.TrainAI, policy.Search, "x", "y"},
		"user-agent: *\nnoindex: /a\ncontent-signal: ai-input=no":                                           {policy.AIUse, policy.Search, policy.Index},
		"content-usage: ai-train=n, bots=n":                                                                 {"bots"},
	} {
		if got := usageOf(t, text, "default").Purposes(); !slices.Equal(got, want) {
			t.Errorf("%q says something of %q, want %q", text, got, want)
		}
	}
}

// What is cut may say otherwise, and an answer says so.
func TestUsageOfCopy(t *testing.T) {
	usage := policy.UsageOfCopy(policy.Copy{Body: []byte(usageExample), Truncated: true}, crawler(t, "FooBot"))
	use := usage.Ask("/", policy.TrainAI)
	if !use.Limited || use.Permission != policy.No || !strings.Contains(use.String(), "what was cut may say otherwise") {
		t.Errorf("%+v: %s", use, use)
	}
	if use := policy.UsageOfCopy(policy.Copy{}, crawler(t, "FooBot")).Ask("/", policy.TrainAI); use != (policy.Use{Purpose: policy.TrainAI}) {
		t.Errorf("%+v", use)
	}
}

// M7, in one sentence that a terminal can be trusted with.
func TestUseString(t *testing.T) {
	for _, row := range []struct {
		text, path string
		purpose    policy.Purpose
		want       string
	}{
		{usageExample, "/", "train-ai", `train-ai: no: line 4 of robots.txt, "Content-Usage: train-ai=n", refuses it in the group of "User-agent: *" (line 1, wildcard)`},
		{usageExample, "/ai-ok/", "train-ai", `train-ai: yes: line 5 of robots.txt, "Content-Usage: /ai-ok/ train-ai=y", grants it in the group of "User-agent: *" (line 1, wildcard)`},
		{"content-signal: search=no", "/", "search", `search: no: line 1 of robots.txt, "content-signal: search=no", refuses it for every crawler`},
		{"", "/", "search", "search: not said: no line of robots.txt that concerns this crawler grants or refuses it here"},
		{"content-signal: search=no, \x1b[31m=yes", "/", "search", `search: no: line 1 of robots.txt, "content-signal: search=no, \x1b[31m=yes", refuses it for every crawler`},
		{"", "/", "\x1b[31m", `"\x1b[31m": not said: no line of robots.txt that concerns this crawler grants or refuses it here`},
	} {
		if got := usageOf(t, row.text, "default", "FooBot").Ask(row.path, row.purpose).String(); got != row.want {
			t.Errorf("%s, want %s", got, row.want)
		}
	}
}

func TestParsePurpose(t *testing.T) {
	for text, want := range map[string]policy.Purpose{
		"train-ai": policy.TrainAI, "Search": policy.Search, "x_1.y*": "x_1.y*", "*": "*",
		"": "", "1a": "", "-a": "", "a b": "", "a=n": "", "ü": "", strings.Repeat("a", 101): "",
	} {
		got, err := policy.ParsePurpose(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "train-ai") {
			t.Errorf("%q: %v names no purpose", text, err)
		}
		var p policy.Purpose
		if err := p.UnmarshalText([]byte(text)); p != want || (err == nil) != (want != "") {
			t.Errorf("%q is unmarshalled as %q (%v)", text, p, err)
		}
	}
	for _, known := range policy.Purposes() {
		if p, err := policy.ParsePurpose(string(known)); p != known || err != nil {
			t.Errorf("%q is %q (%v)", known, p, err)
		}
	}
	for permission, want := range map[policy.Permission][2]string{
		policy.NotSaid: {"not said", "not-said"}, policy.Yes: {"yes", "yes"}, policy.No: {"no", "no"}, 9: {"unknown 9", "unknown-9"},
	} {
		if text, _ := permission.MarshalText(); permission.String() != want[0] || string(text) != want[1] {
			t.Errorf("%d is %q, %q", permission, permission, text)
		}
	}
}
