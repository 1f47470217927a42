package robots_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/robots"
)

// record returns Callbacks that write down what is called.
func record(calls *[]string) robots.Callbacks {
	note := func(what string) func(int, string) {
		return func(line int, value string) { *calls = append(*calls, fmt.Sprintf("%d %s %s", line, what, value)) }
	}
	return robots.Callbacks{
		Start:     func() { *calls = append(*calls, "start") },
		End:       func() { *calls = append(*calls, "end") },
		UserAgent: note("user-agent"),
		Allow:     note("allow"),
		Disallow:  note("disallow"),
		Sitemap:   note("sitemap"),
		Unknown: func(line int, key, value string) {
			*calls = append(*calls, fmt.Sprintf("%d unknown %s=%s", line, key, value))
		},
		Line: func(line int, m robots.Metadata) {
			var notes []string
			for _, n := range []struct {
				name string
				on   bool
			}{
				{"empty", m.Empty}, {"comment", m.Comment}, {"comment-only", m.CommentOnly}, {"directive", m.Directive},
				{"missing-colon", m.MissingColon}, {"typo", m.Typo}, {"too-long", m.TooLong},
			} {
				if n.on {
					notes = append(notes, n.name)
				}
			}
			if m.Key != robots.NoKey {
				notes = append(notes, m.Key.String())
			}
			*calls = append(*calls, fmt.Sprintf("%d: %s", line, strings.Join(notes, " ")))
		},
	}
}

// P14: what is called for which lines, in order.
func TestWalk(t *testing.T) {
	for _, row := range []struct {
		rule, text string
		dialect    robots.Dialect
		want       []string
	}{
		{"nothing is an empty line", "", robots.Google(), []string{"1: empty"}},
		{"a mark alone, too", "\xEF\xBB\xBF", robots.Google(), []string{"1: empty"}},
		{"what follows the last line end is a line", "\r\n", robots.Google(), []string{"1: empty", "2: empty"}},
		{"each line once", "a\n\r\n\r \t\n#\n # x", robots.Google(), []string{"1: ", "2: empty", "3: empty", "4: empty", "5: comment comment-only", "6: comment comment-only"}},
		{
			"directives", "User-Agent: Foo/1 ü # x\nAllow: /ü%c3\ndisallow: %aa\nSitemap: /ü%c3\nFoo: ü%c3\nnoArchive: 1", robots.Google(),
			[]string{
				"1 user-agent Foo/1 ü", "1: comment directive used", "2 allow /%C3%BC%C3", "2: directive used", "3 disallow %AA", "3: directive used",
				"4 sitemap /ü%c3", "4: directive used", "5 unknown Foo=%C3%BC%C3", "5: directive unknown", "6 unknown noArchive=1", "6: directive unused",
			},
		},
		{
			"typos and missing colons", "useragent a\ndisallow /x y\nfoo bar\nsite-maps: s\ndisallowed: /\n: x", robots.Google(),
			[]string{
				"1 user-agent a", "1: directive missing-colon typo used", "2: ", "3 unknown foo=bar", "3: directive missing-colon unknown",
				"4 sitemap s", "4: directive typo used", "5 disallow /", "5: directive used", "6: ",
			},
		},
		{
			"typos and missing colons, by default", "useragent a\nfoo bar\nsite-maps: s", robots.Default(),
			[]string{"1 user-agent a", "1: directive missing-colon typo used", "2: ", "3 unknown site-maps=s", "3: directive unknown"},
		},
		{
			"typos and missing colons, by the RFC", "useragent a\nuseragent: a", robots.RFC9309(),
			[]string{"1: ", "2 unknown useragent=a", "2: directive unknown"},
		},
		{
			"NUL", "allow: /\x00x # y\n\x00", robots.Google(), []string{"1 allow /", "1: directive used", "2: empty"},
		},
		{
			"too long", "allow: /" + strings.Repeat("x", robots.MaxLine) + "\n#" + strings.Repeat("x", robots.MaxLine), robots.Google(),
			[]string{"1 allow /" + strings.Repeat("x", robots.MaxLine-8), "1: directive too-long used", "2: comment comment-only too-long"},
		},
		{
			"unused keys", "Clean-param: 1\ncontent-signal: 1\ncontent-usage: 1\ncrawl-delay: 1\ndomain: 1\nhost: 1\nnoarchive: 1\nnofollow: 1\nnoindex: 1\nrequest-rate: 1\nrevisit-after: 1\nvisit-time: 1\nlicense: 1\nhosts: 1",
			robots.Google(),
			[]string{
				"1 unknown Clean-param=1", "1: directive unused", "2 unknown content-signal=1", "2: directive unused", "3 unknown content-usage=1", "3: directive unused",
				"4 unknown crawl-delay=1", "4: directive unused", "5 unknown domain=1", "5: directive unused", "6 unknown host=1", "6: directive unused",
				"7 unknown noarchive=1", "7: directive unused", "8 unknown nofollow=1", "8: directive unused", "9 unknown noindex=1", "9: directive unused",
				"10 unknown request-rate=1", "10: directive unused", "11 unknown revisit-after=1", "11: directive unused", "12 unknown visit-time=1", "12: directive unused",
				"13 unknown license=1", "13: directive unknown", "14 unknown hosts=1", "14: directive unknown",
			},
		},
		{
			"lines that are continued have the first one's number", "allow:\n /x\n# y\nallow: /z\n\t/z", robots.Default().With(robots.LineContinuation),
			[]string{"1 allow /x", "1: directive used", "3: comment comment-only", "4 allow /z /z", "4: directive used"},
		},
	} {
		var got []string
		robots.Walk([]byte(row.text), robots.Options{Dialect: row.dialect}, record(&got))
		want := append(append([]string{"start"}, row.want...), "end")
		if !slices.Equal(got, want) {
			t.Errorf("P14 %s: %.200q calls\n\t%.200q, want\n\t%.200q", row.rule, row.text, got, want)
		}
	}
}

// P14: callbacks may be left out; P2: the parsing limit holds.
func TestWalkWithoutCallbacks(t *testing.T) {
	text := []byte("user-agent: a\nallow: /\ndisallow: /\nsitemap: s\nfoo: bar\n")
	robots.Walk(text, robots.Options{}, robots.Callbacks{})
	var calls []string
	robots.Walk(text, robots.Options{Limits: robots.Limits{Bytes: 20}}, robots.Callbacks{Line: record(&calls).Line})
	if want := []string{"1: directive used", "2: empty"}; !slices.Equal(calls, want) {
		t.Errorf("%q, want %q", calls, want)
	}
}

// P14: values are escaped as in Google's parser.
func TestEscapePattern(t *testing.T) {
	for value, want := range map[string]string{
		"": "", "/a/b": "/a/b", "/ü": "/%C3%BC", "\xFF": "%FF", "%aa": "%AA", "%Aa": "%AA", "%aA": "%AA", "%Aa%aA%AA": "%AA%AA%AA",
		"%": "%", "%a": "%a", "%ag": "%ag", "%%aa": "%%AA", "%a%aa": "%a%AA", "% <>\"\\^`{|}": "% <>\"\\^`{|}", "%41%7E": "%41%7E", "%zz%c3": "%zz%C3",
	} {
		if got := robots.EscapePattern(value); got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
	}
}

// Walk and Parse read the same: every real file, in every preset.
func TestWalkAgreesWithParse(t *testing.T) {
	for host, body := range realFiles(t) {
		for _, d := range []robots.Dialect{robots.Default(), robots.Google(), robots.RFC9309(), robots.Legacy()} {
			options := robots.Options{Dialect: d}
			file := robots.Parse(body, options)
			agents, records := 0, len(file.Records)
			for _, group := range file.Groups {
				agents += len(group.Agents)
				records += len(group.Records)
			}
			walkedAgents, walkedRecords := 0, 0
			robots.Walk(body, options, robots.Callbacks{
				UserAgent: func(int, string) { walkedAgents++ },
				Sitemap:   func(int, string) { walkedRecords++ },
				Unknown:   func(int, string, string) { walkedRecords++ },
			})
			if agents != walkedAgents || records != walkedRecords {
				t.Errorf("%s in %v: Parse finds %d user-agent lines and %d records, Walk %d and %d", host, d, agents, records, walkedAgents, walkedRecords)
			}
		}
	}
}
