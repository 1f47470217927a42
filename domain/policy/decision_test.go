package policy_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// M7: everything that a Decision carries, once for a fetched file and once for
// one in hand.
func TestDecision(t *testing.T) {
	const file = "# ours\nUser-Agent: FooBot/2 # us\n\tDisallow : /a*b$   # no\nAllow: /a\nCrawl-delay: 2\n"
	snapshot := policy.Next(nil, answer(200, policy.Response{Body: []byte(file), Header: policy.Header{CacheControl: "max-age=3600"}}), policy.Lifetimes{})
	reading := crawler(t, "foobot")
	reading.Profile = policy.Google
	p, err := policy.Compile(snapshot, reading, nil)
	if err != nil {
		t.Fatal(err)
	}
	rule := robots.Rule{Verb: robots.Disallow, Line: 3, Pattern: "/a*b$", Text: "Disallow : /a*b$"}
	group := policy.Group{Agent: "FooBot/2", Line: 2, Specificity: agent.Pattern}
	delay := policy.Delay{Interval: 2 * time.Second, Source: policy.CrawlDelay, Line: 5}
	want := policy.Decision{
		Reason: policy.ReasonRule, Access: policy.AccessSuccessful, Profile: policy.Google,
		Attempt: policy.Attempt{Outcome: policy.Successful, Status: 200},
		Rule:    rule, Group: group, Delay: delay,
		Origin: someOrigin, Hash: policy.HashOf([]byte(file)), FetchedAt: someTime, ExpiresAt: someTime.Add(time.Hour),
	}
	check := func(what string, got, want policy.Decision) {
		t.Helper()
		if !got.FetchedAt.Equal(want.FetchedAt) || !got.ExpiresAt.Equal(want.ExpiresAt) {
			t.Errorf("M7 %s: fetched %s, holds until %s, want %s, %s", what, got.FetchedAt, got.ExpiresAt, want.FetchedAt, want.ExpiresAt)
		}
		got.FetchedAt, got.ExpiresAt = want.FetchedAt, want.ExpiresAt // equal, perhaps in another zone
		if got != want {
			t.Errorf("M7 %s:\n\t%+v, want\n\t%+v", what, got, want)
		}
	}
	now := someTime.Add(time.Minute)
	check("a rule", p.Decide("/axb", now), want)

	allowed := want
	allowed.Allowed, allowed.Rule = true, robots.Rule{Verb: robots.Allow, Line: 4, Pattern: "/a", Text: "Allow: /a"}
	check("another rule", p.Decide("/a", now), allowed)
	none := want
	none.Allowed, none.Reason, none.Rule = true, policy.ReasonNoRule, robots.Rule{}
	check("no rule", p.Decide("/c", now), none)
	own := none
	own.Reason = policy.ReasonRobotsTxt
	check("robots.txt", p.Decide("/robots.txt", now), own)
	stale := want
	stale.Stale = true
	check("past its time", p.Decide("/axb", someTime.Add(time.Hour)), stale)

	offline := policy.Offline([]byte(file), crawler(t, "foobot")).Decide("/axb", now)
	check("in hand", offline, policy.Decision{
		Reason: policy.ReasonRule, Access: policy.AccessOffline, Attempt: policy.Attempt{Outcome: policy.Successful}, Rule: rule, Group: group, Delay: delay, Hash: policy.HashOf([]byte(file)),
	})
	check("in hand, empty", policy.Offline(nil, policy.Reading{}).Decide("/", now), policy.Decision{
		Allowed: true, Reason: policy.ReasonEmpty, Access: policy.AccessOffline, Attempt: policy.Attempt{Outcome: policy.Successful}, Hash: policy.HashOf(nil),
	})
}

// M7: empty is a file that says nothing; one that speaks to others is not.
func TestEmptyAndNoGroup(t *testing.T) {
	for file, want := range map[string]policy.Reason{
		"":                                   policy.ReasonEmpty,
		"\n \r\n# nothing\n":                 policy.ReasonEmpty,
		"\xEF\xBB\xBF":                       policy.ReasonEmpty,
		"what\nis this\n":                    policy.ReasonEmpty,
		"sitemap: /s.xml":                    policy.ReasonNoGroup,
		"foo: bar":                           policy.ReasonNoGroup,
		"user-agent: barbot\ndisallow: /\n":  policy.ReasonNoGroup,
		"user-agent:\ndisallow: /\n":         policy.ReasonNoGroup,
		"user-agent: foobot\n":               policy.ReasonNoRule,
		"user-agent: *\ndisallow:\n":         policy.ReasonNoRule,
		"user-agent: *\ndisallow: private\n": policy.ReasonNoRule,
	} {
		if d := decide(t, file, "foobot", "/"); d.Reason != want || !d.Allowed {
			t.Errorf("M7: %q: %s, want the reason %s", file, d, want)
		}
	}
}

// M7: limits that were hit are said, as a dropped Disallow opens access.
func TestLimited(t *testing.T) {
	whole := someFile + strings.Repeat("#\n", (robots.DefaultBytes-len(someFile))/2)
	if d := decide(t, whole, "foobot", "/"); d.Limited {
		t.Errorf("P2: %d octets: %s", len(whole), d)
	}
	if d := decide(t, whole+"disallow: /", "foobot", "/"); !d.Limited || !d.Allowed {
		t.Errorf("P2: %d octets: %s", len(whole)+11, d)
	}
}

// P9: the Gate's sitemaps are absolute, each once, in order.
func TestSitemapsOfAPolicy(t *testing.T) {
	const file = "sitemap: /b.xml\nsitemap: https://example.com/b.xml\nuser-agent: barbot\nSITEMAP: http://other.example/a.xml\nsitemap: c.xml\n" +
		"sitemap:\nsitemap: ftp://example.com/d.xml\nsitemap: http://[\nsite-map: /b.xml\nsitemap: //cdn.example/e.xml\n"
	snapshot := policy.Next(nil, answer(200, policy.Response{Body: []byte(file)}), policy.Lifetimes{})
	p, err := policy.Compile(snapshot, policy.Reading{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"https://example.com/b.xml", "http://other.example/a.xml", "https://example.com/c.xml", "https://cdn.example/e.xml",
	}
	if got := p.Sitemaps(); !slices.Equal(got, want) {
		t.Errorf("P9: the sitemaps are %q, want %q", got, want)
	}
	wantOffline := []string{
		"/b.xml", "https://example.com/b.xml", "http://other.example/a.xml", "c.xml", "ftp://example.com/d.xml", "http://[", "//cdn.example/e.xml",
	}
	if got := policy.Offline([]byte(file), policy.Reading{}).Sitemaps(); !slices.Equal(got, wantOffline) {
		t.Errorf("P9: in hand, the sitemaps are %q, want %q", got, wantOffline)
	}
	none, err := policy.Compile(policy.Next(nil, answer(404, policy.Response{}), policy.Lifetimes{}), policy.Reading{}, nil)
	if err != nil || len(none.Sitemaps()) != 0 {
		t.Errorf("P9: of no file, the sitemaps are %q, %v", none.Sitemaps(), err)
	}
}

// M7: a Decision prints as one line that a person understands, whatever the
// file holds: it is hostile.
func TestSentences(t *testing.T) {
	const hostile = "\x1B]0;\x07\u202E\u2028\u0085\x00\xFF\v\"'%s"
	long := strings.Repeat("\x1B", 10_000)
	files := []policy.Answer{
		answer(200, policy.Response{Body: []byte("user-agent: *" + hostile + "\ndisallow: /" + hostile + "\ncrawl-delay: 1.5\n")}),
		answer(200, policy.Response{Body: []byte("user-agent: * " + long + "\nallow: /" + long + "*\n"), Truncated: true}),
		answer(200, policy.Response{Body: []byte("user-agent: * \u202E\ndisallow: /a\n")}),
		answer(200, policy.Response{Body: []byte("user-agent: barbot" + hostile)}),
		answer(200, policy.Response{}),
		answer(200, policy.Response{Body: []byte(somePage)}),
		answer(404, policy.Response{}),
		answer(403, policy.Response{}),
		answer(403, policy.Response{Header: policy.Header{Challenge: hostile}}),
		answer(503, policy.Response{Header: policy.Header{Challenge: hostile}}),
		failure(policy.FailedTimeout),
		stopped(policy.StopScheme),
		stopped(policy.StopLoop),
	}
	seen := map[policy.Reason]bool{}
	for _, a := range files {
		for _, prev := range []*policy.Snapshot{nil, withCopy()} {
			for profile := policy.RFC; profile <= policy.Strict; profile++ {
				p, err := policy.Compile(policy.Next(prev, a, policy.Lifetimes{}), policy.Reading{Profile: profile}, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, path := range []string{"/", "/" + hostile, "/" + long, "/private", "/robots.txt"} {
					d := p.Decide(path, someTime)
					seen[d.Reason] = true
					checkSentence(t, d)
				}
			}
		}
	}
	for reason := policy.ReasonRule; reason <= policy.ReasonChallenged; reason++ {
		if !seen[reason] {
			t.Errorf("no Decision has the reason %s: this test looks at too little", reason)
		}
	}
	checkSentence(t, policy.Decision{})
	checkSentence(t, policy.Decision{Reason: 200, Access: 200, Profile: 200})
	checkSentence(t, decide(t, someFile, "foobot", "/private"))
}

func checkSentence(t *testing.T, d policy.Decision) {
	t.Helper()
	text := d.String()
	start := "disallowed: "
	if d.Allowed {
		start = "allowed: "
	}
	if !strings.HasPrefix(text, start) || len(text) > 4000 {
		t.Errorf("M7: %q", text)
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			t.Errorf("M7: %q holds %q", text, r)
		}
	}
	if d.Reason == policy.ReasonRule && !strings.Contains(text, "line ") {
		t.Errorf("M7: %q does not say where the rule is", text)
	}
	if d.Profile != policy.RFC && !strings.Contains(text, d.Profile.String()) {
		t.Errorf("F: %q does not say that its profile is %s", text, d.Profile)
	}
	if d.Stale && !strings.Contains(text, "last good copy") {
		t.Errorf("F11: %q does not say that the copy is stale", text)
	}
}
