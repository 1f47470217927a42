package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
)

// A3, A6: which groups are consulted. In these files a rule's path names its
// group; want lists what is disallowed, and the group that the Decision shows.
func TestGroupSelection(t *testing.T) {
	const (
		a      = "user-agent: foobot\ndisallow: /a\n"
		b      = "user-agent: FooBot/2.1\ndisallow: /b\n"
		c      = "user-agent: barbot\ndisallow: /c\n"
		d      = "user-agent: *\ndisallow: /d\n"
		e      = "user-agent: * all of you\ndisallow: /e\n"
		none   = "user-agent: foobot\n"
		closed = "user-agent: foobot\ndisallow:\n" // so that the next line opens a group
	)
	tests := []struct {
		rule  string
		file  string
		names string
		want  string
		group policy.Group
	}{
		{"A3 exact", c + a + d, "foobot", "/a", policy.Group{Agent: "foobot", Line: 3, Specificity: agent.Exact}},
		{"A1 without case", c + a + d, "FOOBOT", "/a", policy.Group{Agent: "foobot", Line: 3, Specificity: agent.Exact}},
		{"A3 pattern", c + b + d, "foobot", "/b", policy.Group{Agent: "FooBot/2.1", Line: 3, Specificity: agent.Pattern}},
		{"A3 3 and 2 are combined", a + c + b + d, "foobot", "/a /b", policy.Group{Agent: "foobot", Line: 1, Specificity: agent.Exact}},
		{"A3 3 and 2 are combined", b + c + a + d, "foobot", "/a /b", policy.Group{Agent: "FooBot/2.1", Line: 1, Specificity: agent.Pattern}},
		{"A3 combined wherever they stand", a + d + a + c + strings.ReplaceAll(a, "/a", "/b"), "foobot", "/a /b", policy.Group{Agent: "foobot", Line: 1, Specificity: agent.Exact}},
		{"A3 wildcard", a + b + d, "quxbot", "/d", policy.Group{Agent: "*", Line: 5, Specificity: agent.Wildcard}},
		{"A3 wildcards are combined", d + a + e, "quxbot", "/d /e", policy.Group{Agent: "*", Line: 1, Specificity: agent.Wildcard}},
		{"A3 the wildcard is not combined with ours", d + a, "foobot", "/a", policy.Group{Agent: "foobot", Line: 3, Specificity: agent.Exact}},
		{"A3 nobody", a + b + c, "quxbot", "", policy.Group{}},
		{"A3 nobody", "", "quxbot", "", policy.Group{}},
		{"A3 without rules", d + none, "foobot", "", policy.Group{Agent: "foobot", Line: 3, Specificity: agent.Exact}},
		{"A3 without rules", closed + d, "foobot", "", policy.Group{Agent: "foobot", Line: 1, Specificity: agent.Exact}},
		{"A3 without rules", d + none, "quxbot", "/d", policy.Group{Agent: "*", Line: 1, Specificity: agent.Wildcard}},
		{"A3 without rules, and another", closed + c + b, "foobot", "/b", policy.Group{Agent: "foobot", Line: 1, Specificity: agent.Exact}},
		{"A3 an empty wildcard", a + "user-agent: *\n", "quxbot", "", policy.Group{Agent: "*", Line: 3, Specificity: agent.Wildcard}},
		{"A3 the most specific line of a group", "user-agent: *\nuser-agent: foobot/1\nuser-agent: foobot\nuser-agent: FOOBOT\n" + "disallow: /a\n", "foobot", "/a",
			policy.Group{Agent: "foobot", Line: 3, Specificity: agent.Exact}},
		{"A3 the most specific line of a group", "user-agent: foobot/1\nuser-agent: *\ndisallow: /a\n", "foobot", "/a",
			policy.Group{Agent: "foobot/1", Line: 1, Specificity: agent.Pattern}},
		{"A3 a shared group", "user-agent: barbot\nuser-agent: foobot\ndisallow: /a\n" + d, "foobot", "/a",
			policy.Group{Agent: "foobot", Line: 2, Specificity: agent.Exact}},
		{"A3 a shared group", "user-agent: barbot\nuser-agent: *\ndisallow: /a\n" + d, "quxbot", "/a /d",
			policy.Group{Agent: "*", Line: 2, Specificity: agent.Wildcard}},
		{"A3 a shared group", "user-agent: barbot\nuser-agent: *\ndisallow: /a\n" + d, "barbot", "/a",
			policy.Group{Agent: "barbot", Line: 1, Specificity: agent.Exact}},
		{"A1 whole tokens", "user-agent: foo\ndisallow: /a\nuser-agent: foobot-news\ndisallow: /b\n" + d, "foobot", "/d",
			policy.Group{Agent: "*", Line: 5, Specificity: agent.Wildcard}},
		{"A2 not the wildcard", "user-agent: *bot\ndisallow: /a\n" + d, "foobot", "/d", policy.Group{Agent: "*", Line: 3, Specificity: agent.Wildcard}},
		{"A5 MJ12bot is not MJ", "user-agent: MJ\ndisallow: /a\nuser-agent: mj12BOT\ndisallow: /b\n" + d, "MJ12bot", "/b",
			policy.Group{Agent: "mj12BOT", Line: 3, Specificity: agent.Exact}},
		{"A5 MJ12bot is not MJ", "user-agent: MJ12bot\ndisallow: /a\n" + d, "MJ", "/d", policy.Group{Agent: "*", Line: 3, Specificity: agent.Wildcard}},
		{"P7 rules of nobody", "disallow: /a\n" + c, "foobot", "", policy.Group{}},
		{"P7 rules of nobody", "user-agent:\ndisallow: /a\n" + d, "foobot", "/d", policy.Group{Agent: "*", Line: 3, Specificity: agent.Wildcard}},
		{"P7 a rule that matches nothing ends user-agent lines", "user-agent: foobot\ndisallow: a\nuser-agent: barbot\ndisallow: /b", "foobot", "",
			policy.Group{Agent: "foobot", Line: 1, Specificity: agent.Exact}},

		{"A6 the first that has a group", a + c + d, "foobot barbot", "/a", policy.Group{Agent: "foobot", Line: 1, Specificity: agent.Exact}},
		{"A6 the first that has a group", a + c + d, "barbot foobot", "/c", policy.Group{Agent: "barbot", Line: 3, Specificity: agent.Exact}},
		{"A6 the first that has a group", a + c + d, "quxbot barbot", "/c", policy.Group{Agent: "barbot", Line: 3, Specificity: agent.Exact}},
		{"A6 the first that has a group", a + c + d, "quxbot quuxbot", "/d", policy.Group{Agent: "*", Line: 5, Specificity: agent.Wildcard}},
		{"A6 even a less specific one", b + c + d, "foobot barbot", "/b", policy.Group{Agent: "FooBot/2.1", Line: 1, Specificity: agent.Pattern}},
		{"A6 even one without rules", c + d + none, "foobot barbot", "", policy.Group{Agent: "foobot", Line: 5, Specificity: agent.Exact}},
		{"A6 in one group", "user-agent: barbot\nuser-agent: foobot\ndisallow: /a\n", "foobot barbot", "/a",
			policy.Group{Agent: "foobot", Line: 2, Specificity: agent.Exact}},
		{"A3 a crawler without a name", a + d + "user-agent:\ndisallow: /x", "", "/d", policy.Group{Agent: "*", Line: 3, Specificity: agent.Wildcard}},
		{"A3 a crawler without a name", a + b, "", "", policy.Group{}},
	}
	for _, test := range tests {
		p := policy.Offline([]byte(test.file), crawler(t, strings.Fields(test.names)...))
		var disallowed []string
		for _, path := range []string{"/a", "/b", "/c", "/d", "/e"} {
			if !p.Decide(path, time.Time{}).Allowed {
				disallowed = append(disallowed, path)
			}
		}
		if got := strings.Join(disallowed, " "); got != test.want {
			t.Errorf("%s: %q disallows %q for %s, want %q", test.rule, test.file, got, test.names, test.want)
		}
		other := p.Decide("/other", time.Time{})
		if other.Group != test.group {
			t.Errorf("%s: %q: the group is %+v, want %+v", test.rule, test.file, other.Group, test.group)
		}
		want := policy.ReasonNoRule
		switch {
		case test.file == "":
			want = policy.ReasonEmpty
		case test.group == (policy.Group{}):
			want = policy.ReasonNoGroup
		}
		if other.Reason != want || !other.Allowed {
			t.Errorf("M7: %q: %s, want the reason %s", test.file, other, want)
		}
	}
}

// M7: the group is the deciding rule's, of several that are combined.
func TestGroupOfTheDecidingRule(t *testing.T) {
	const file = "user-agent: foobot\ndisallow: /a\n\nuser-agent: foobot/2\ndisallow: /b\n\nuser-agent: FOOBOT\ndisallow: /c\n"
	for path, want := range map[string]policy.Group{
		"/a": {Agent: "foobot", Line: 1, Specificity: agent.Exact},
		"/b": {Agent: "foobot/2", Line: 4, Specificity: agent.Pattern},
		"/c": {Agent: "FOOBOT", Line: 7, Specificity: agent.Exact},
		"/d": {Agent: "foobot", Line: 1, Specificity: agent.Exact},
	} {
		if d := decide(t, file, "foobot", path); d.Group != want {
			t.Errorf("M7: %s: the group is %+v, want %+v", path, d.Group, want)
		}
	}
}

// P9, P10: the delay that a crawler is asked for.
func TestDelaySelection(t *testing.T) {
	second := func(n float64, line int) policy.Delay {
		return policy.Delay{Interval: time.Duration(n * float64(time.Second)), Source: policy.CrawlDelay, Line: line}
	}
	tests := []struct {
		rule  string
		file  string
		names string
		want  policy.Delay
	}{
		{"P9 of the group", "user-agent: foobot\ncrawl-delay: 3\ndisallow:\n", "foobot", second(3, 2)},
		{"P9 of the group", "user-agent: foobot\ndisallow:\nCRAWL-DELAY : 2.5 # s\n", "foobot", second(2.5, 3)},
		{"P9 of the wildcard", "user-agent: foobot\ncrawl-delay: 3\ndisallow:\nuser-agent: *\ncrawl-delay: 4\n", "quxbot", second(4, 5)},
		{"P9 never of the wildcard besides", "user-agent: foobot\ndisallow: /\nuser-agent: *\ncrawl-delay: 4\n", "foobot", policy.Delay{}},
		{"P9 never of the wildcard besides", "user-agent: *\ncrawl-delay: 4\ndisallow:\nuser-agent: foobot\n", "foobot", policy.Delay{}},
		{"P9 nobody", "crawl-delay: 3\nuser-agent: *\ndisallow:\n", "foobot", policy.Delay{}},
		{"P9 of others", "user-agent: barbot\ncrawl-delay: 3\n", "foobot", policy.Delay{}},
		{"P9 seen so far", "user-agent: foobot\ncrawl-delay: 3\nuser-agent: barbot\ndisallow:\n", "foobot", second(3, 2)},
		{"P9 seen so far", "user-agent: foobot\ncrawl-delay: 3\nuser-agent: barbot\ndisallow:\n", "barbot", policy.Delay{}},
		{"P9 seen so far", "user-agent: foobot\ncrawl-delay: 3\nuser-agent: barbot\ncrawl-delay: 2\ndisallow:\n", "foobot", second(3, 2)},
		{"P9 seen so far", "user-agent: foobot\ncrawl-delay: 3\nuser-agent: barbot\ncrawl-delay: 2\ndisallow:\n", "barbot", second(2, 4)},
		{"P9 seen so far", "user-agent: *\ncrawl-delay: 3\nuser-agent: foobot\ndisallow:\n", "foobot", policy.Delay{}},
		{"P9 seen so far", "user-agent: *\ncrawl-delay: 3\nuser-agent: foobot\ndisallow:\n", "quxbot", second(3, 2)},
		{"P9 seen so far", "user-agent: foobot/1\ncrawl-delay: 3\nuser-agent: foobot\ndisallow:\n", "foobot", second(3, 2)},
		{"P9 behind a rule", "user-agent: foobot\nuser-agent: barbot\ndisallow: /\ncrawl-delay: 3\n", "barbot", second(3, 4)},
		{"P9 without ending the group", "user-agent: foobot\ncrawl-delay: 3\ndisallow: /\nuser-agent: barbot\n", "barbot", policy.Delay{}},
		{"P9 of combined groups", "user-agent: foobot\ncrawl-delay: 1\ndisallow:\nuser-agent: *\ncrawl-delay: 9\ndisallow:\nuser-agent: foobot\ncrawl-delay: 2\n", "foobot", second(2, 8)},
		{"P10 the longest", "user-agent: foobot\ncrawl-delay: 2\ncrawl-delay: 10\ncrawl-delay: 3\n", "foobot", second(10, 3)},
		{"P10 the longest", "user-agent: foobot\ncrawl-delay: 2\ncrawl-delay: 2.0\n", "foobot", second(2, 2)},
		{"P10 the longest", "user-agent: *\ncrawl-delay: 2\ndisallow: /\nuser-agent: *\ncrawl-delay: 3\n", "foobot", second(3, 5)},
		{"P10 zero is a delay", "user-agent: foobot\ncrawl-delay: 0\n", "foobot", second(0, 2)},
		{"P10 zero is a delay", "user-agent: foobot\ncrawl-delay: 0\ncrawl-delay: 0.5\n", "foobot", second(0.5, 3)},
		{"P10 the rest is ignored", "user-agent: foobot\ncrawl-delay: 2\ncrawl-delay: fast\ncrawl-delay: -5\ncrawl-delay: 5s\ncrawl-delay: 315360001\n", "foobot", second(2, 2)},
		{"P10 the rest is ignored", "user-agent: foobot\ncrawl-delay:\n", "foobot", policy.Delay{}},
		{"P10 ten years", "user-agent: foobot\ncrawl-delay: 315360000\n", "foobot", second(315360000, 2)},
		{"A6 of the token that decides", "user-agent: foobot\ncrawl-delay: 1\ndisallow:\nuser-agent: barbot\ncrawl-delay: 2\n", "barbot foobot", second(2, 5)},
		{"A6 of the token that decides", "user-agent: foobot\ncrawl-delay: 1\ndisallow:\nuser-agent: barbot\n", "barbot foobot", policy.Delay{}},
		{"P5 without a colon", "user-agent foobot\ncrawl-delay 7\n", "foobot", second(7, 2)},
	}
	for _, test := range tests {
		for _, path := range []string{"/", "/robots.txt"} {
			d := policy.Offline([]byte(test.file), crawler(t, strings.Fields(test.names)...)).Decide(path, time.Time{})
			if d.Delay != test.want {
				t.Errorf("%s: %q: the delay is %+v, want %+v", test.rule, test.file, d.Delay, test.want)
			}
		}
	}
}
