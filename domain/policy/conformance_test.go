package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// crawler is how a crawler of these names reads robots.txt; without a name it is
// addressed by '*' alone.
func crawler(t testing.TB, names ...string) policy.Reading {
	t.Helper()
	if len(names) == 0 {
		return policy.Reading{}
	}
	agents, err := agent.ParseTokens(names...)
	if err != nil {
		t.Fatal(err)
	}
	return policy.Reading{Agents: agents}
}

// decide asks a robots.txt in hand about a path, for the crawler of a name.
func decide(t testing.TB, robotsTxt, name, path string) policy.Decision {
	t.Helper()
	return policy.Offline([]byte(robotsTxt), crawler(t, name)).Decide(path, time.Time{})
}

// RFC 9309 §5.1, "Simple Example", with every crawler in it and one that is not.
const simpleExample = `User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot

EOF
`

func TestSimpleExample(t *testing.T) {
	paths := []string{
		"/",                      // 0
		"/index.html",            // 1
		"/a.gif",                 // 2
		"/a.gif?b",               // 3
		"/a.gifs",                // 4
		"/example",               // 5
		"/example/",              // 6
		"/example/a",             // 7
		"/example/page.html",     // 8
		"/example/page.html?a=b", // 9
		"/example/page.htmlx",    // 10
		"/example/allowed.gif",   // 11
		"/example/other.gif",     // 12
		"/publications/",         // 13
		"/publications/a.gif",    // 14
		"/publications",          // 15
		"/Example/",              // 16
		"/robots.txt",            // 17
	}
	// The line that decides for each path: 0 for none, negative if it disallows.
	tests := []struct {
		name  string
		lines [18]int
	}{
		{"anybot", [18]int{0, 0, -2, 0, 0, 0, -3, -3, -3, -3, -3, -3, -3, 4, 4, 0, 0, 0}},
		{"foobot", [18]int{-7, -7, -7, -7, -7, -7, -7, -7, 8, 8, 8, 9, -7, -7, -7, -7, -7, 0}},
		{"FooBot", [18]int{-7, -7, -7, -7, -7, -7, -7, -7, 8, 8, 8, 9, -7, -7, -7, -7, -7, 0}},
		{"barbot", [18]int{0, 0, 0, 0, 0, 0, 0, 0, -13, -13, -13, 0, 0, 0, 0, 0, 0, 0}},
		{"bazbot", [18]int{0, 0, 0, 0, 0, 0, 0, 0, -13, -13, -13, 0, 0, 0, 0, 0, 0, 0}},
		{"quxbot", [18]int{}},
	}
	for _, test := range tests {
		for i, path := range paths {
			d := decide(t, simpleExample, test.name, path)
			line, allowed := test.lines[i], true
			if line < 0 {
				line, allowed = -line, false
			}
			if d.Allowed != allowed || d.Rule.Line != line {
				t.Errorf("§5.1: %s, %s: allowed %t by line %d, want %t by line %d", test.name, path, d.Allowed, d.Rule.Line, allowed, line)
			}
		}
	}
}

// RFC 9309 §5.2, "Longest Match".
func TestLongestMatchExample(t *testing.T) {
	const robotsTxt = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n"
	for path, want := range map[string]bool{
		"/example/page/":               true,
		"/example/page/a.gif":          true,
		"/example/page/disallowed.gif": false,
		"/example/page/disallow.gif":   true,
		"/example/page":                true,
	} {
		if d := decide(t, robotsTxt, "foobot", path); d.Allowed != want {
			t.Errorf("§5.2: %s: %s", path, d)
		}
	}
}

// RFC 9309 §2.2.1: groups that match the same product token are one; if none
// does, the groups of '*' are; if there is none of these, no rules apply.
func TestGroupExamples(t *testing.T) {
	const merged = "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz\n"
	const fallback = "user-agent: *\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: BazBot\ndisallow: /baz\n"
	const others = "user-agent: BarBot\ndisallow: /foo\n"
	tests := []struct {
		robotsTxt, name string
		want            string // which of foo, bar, baz are allowed
	}{
		{merged, "ExampleBot", ""},
		{merged, "examplebot", ""},
		{merged, "OtherBot", "foo bar baz"},
		{fallback, "ExampleBot", "baz"},
		{fallback, "BazBot", "foo bar"},
		{others, "ExampleBot", "foo bar baz"},
		{others, "BarBot", "bar baz"},
	}
	for _, test := range tests {
		var allowed []string
		for _, name := range []string{"foo", "bar", "baz"} {
			if decide(t, test.robotsTxt, test.name, "/"+name).Allowed {
				allowed = append(allowed, name)
			}
		}
		if got := strings.Join(allowed, " "); got != test.want {
			t.Errorf("§2.2.1: %q allows %s %q, want %q", test.robotsTxt, test.name, got, test.want)
		}
	}
}

// RFC 9309 §2.2.2: the rows of the table of paths. What stands in one row is
// equal, whichever of it is in the file and whichever in the URL.
func TestPathTable(t *testing.T) {
	rows := [][]string{
		{"/foo/bar?baz=quz"},
		{"/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https%3a%2f%2ffoo.bar"},
		{"/foo/bar/ツ", "/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"},
		{"/foo/bar/%62%61%7A", "/foo/bar/baz", "/foo/bar/%62%61%7a"},
	}
	for i, row := range rows {
		for j, other := range rows {
			for _, pattern := range row {
				for _, path := range other {
					for _, end := range []string{"", "$"} {
						robotsTxt := "User-agent: *\nDisallow: " + pattern + end + "\n"
						if d := decide(t, robotsTxt, "foobot", path); d.Allowed != (i != j) {
							t.Errorf("§2.2.2: pattern %s, path %s: %s", pattern+end, path, d)
						}
						robotsTxt = "User-agent: *\nDisallow: /\nAllow: " + pattern + end + "\n"
						if d := decide(t, robotsTxt, "foobot", path); d.Allowed != (i == j) {
							t.Errorf("§2.2.2: pattern %s, path %s: %s", pattern+end, path, d)
						}
					}
				}
			}
		}
	}
}

// RFC 9309 §2.2.3: the special characters, and how to mean them verbatim.
func TestSpecialCharacters(t *testing.T) {
	tests := []struct {
		line string
		url  string
		want bool // the line decides
	}{
		{"allow: / # comment in line", "https://www.example.com/", true},
		{"allow: /this/path/exactly$", "https://www.example.com/this/path/exactly", true},
		{"allow: /this/path/exactly$", "https://www.example.com/this/path/exactly/", false},
		{"allow: /this/path/exactly$", "https://www.example.com/this/path/exactly?a", false},
		{"allow: /this/*/exactly", "https://www.example.com/this/path/exactly", true},
		{"allow: /this/*/exactly", "https://www.example.com/this/long/path/exactly/so", true},
		{"allow: /this/*/exactly", "https://www.example.com/this//exactly", true},
		{"allow: /this/*/exactly", "https://www.example.com/this/exactly", false},
		{"allow: /path/file-with-a-%2A.html", "https://www.example.com/path/file-with-a-*.html", true},
		{"allow: /path/file-with-a-%2A.html", "https://www.example.com/path/file-with-a-%2A.html", true},
		{"allow: /path/file-with-a-%2A.html", "https://www.example.com/path/file-with-a-%2a.html", true},
		{"allow: /path/file-with-a-%2A.html", "https://www.example.com/path/file-with-a-b.html", false},
		{"allow: /path/foo-%24", "https://www.example.com/path/foo-$", true},
		{"allow: /path/foo-%24", "https://www.example.com/path/foo-%24", true},
		{"allow: /path/foo-%24", "https://www.example.com/path/foo-$x", true},
		{"allow: /path/foo-%24", "https://www.example.com/path/foo-", false},
	}
	for _, test := range tests {
		u, err := site.Parse(test.url)
		if err != nil {
			t.Fatal(err)
		}
		robotsTxt := "user-agent: *\ndisallow: *\n" + test.line + "\n"
		d := decide(t, robotsTxt, "foobot", u.Path)
		if d.Allowed != test.want || d.Rule.Line != map[bool]int{true: 3, false: 2}[test.want] {
			t.Errorf("§2.2.3: %q, %s: %s", test.line, test.url, d)
		}
	}
}

// RFC 9309 §2.2.4: other records interfere with nothing.
func TestOtherRecords(t *testing.T) {
	const robotsTxt = "user-agent: foobot\nsitemap: https://www.example.com/a.xml\ncrawl-delay: 3\nx: y\nuser-agent: barbot\n" +
		"host: example.com\ndisallow: /a\nsitemap: /b.xml\ndisallow: /b\n"
	for _, name := range []string{"foobot", "barbot"} {
		for path, want := range map[string]bool{"/a": false, "/b": false, "/c": true} {
			if d := decide(t, robotsTxt, name, path); d.Allowed != want {
				t.Errorf("§2.2.4: %s, %s: %s", name, path, d)
			}
		}
	}
}
