package policy_test

import (
	"fmt"
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

const exampleFile = `User-agent: *
Disallow: /private/
Allow: /private/open/
Crawl-delay: 2
Sitemap: /sitemap.xml

User-agent: OtherBot
Disallow: /
`

func exampleBot() policy.Reading {
	agents, err := agent.ParseTokens("ExampleBot")
	if err != nil {
		panic(err)
	}
	return policy.Reading{Agents: agents}
}

// Only the rules: for whoever wants a parser and a matcher, and nothing else.
func ExampleRules_Match() {
	rules := policy.RulesOf([]byte(exampleFile), exampleBot())
	for _, url := range []string{"https://example.com/private/x", "/private/open/x", "/"} {
		allowed, rule := rules.Match(site.PathOf(url))
		fmt.Println(allowed, rule.Line, rule.Pattern)
	}
	// Output:
	// false 2 /private/
	// true 3 /private/open/
	// true 0
}

// A file in hand, with the reason of each answer.
func ExampleOffline() {
	by := policy.Offline([]byte(exampleFile), exampleBot())
	d := by.Decide("/private/report", time.Time{})
	fmt.Println(d)
	fmt.Println(d.Allowed, d.Reason, d.Rule.Line, d.Group.Agent, d.Delay.Interval)
	fmt.Println(by.Sitemaps())
	// Output:
	// disallowed: line 2 of robots.txt, "Disallow: /private/", is the most specific match for the group of "User-agent: *" (line 1, wildcard); line 4 asks for 2s between requests
	// false rule 2 * 2s
	// [/sitemap.xml]
}

// The same file as other parsers would have it.
func ExampleReading_dialect() {
	text := []byte("User-agent: *\nDisallow: /a\nAllow: /a/b\n")
	for _, name := range []string{"default", "default,file-order", "google"} {
		dialect, err := robots.ParseDialect(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		reading := exampleBot()
		reading.Options.Dialect = dialect
		allowed, rule := policy.RulesOf(text, reading).Match("/a/b")
		fmt.Println(name, allowed, rule.Line)
	}
	// Output:
	// default true 3
	// default,file-order false 2
	// google true 3
}

// Several names: the first that any group has decides, or all of them together.
func ExampleReading_together() {
	text := []byte("User-agent: FooBot-News\nDisallow: /news\n\nUser-agent: FooBot\nDisallow: /foo\n")
	agents, err := agent.ParseTokens("FooBot-News", "FooBot")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, together := range []bool{false, true} {
		rules := policy.RulesOf(text, policy.Reading{Agents: agents, Together: together})
		news, _ := rules.Match("/news")
		foo, _ := rules.Match("/foo")
		fmt.Println(together, news, foo)
	}
	// Output:
	// false false true
	// true false false
}

// What content may be used for, once it was fetched, and by which line.
func ExampleUsageOf() {
	file := robots.Parse([]byte(`User-agent: *
Content-Usage: train-ai=n, search=y
Content-Usage: /open/ train-ai=y
Content-Signal: ai-input=no
License: https://example.com/license.xml
`), robots.Options{})
	usage := policy.UsageOf(file, exampleBot())
	for _, path := range []string{"/page", "/open/page"} {
		for _, purpose := range usage.Purposes() {
			use := usage.Ask(path, purpose)
			fmt.Println(path, purpose, use.Permission, use.Record.Line)
		}
	}
	fmt.Println(usage.Ask("/page", policy.TrainAI))
	fmt.Println(usage.Licenses())
	// Output:
	// /page train-ai no 2
	// /page ai-use no 4
	// /page search yes 2
	// /open/page train-ai yes 3
	// /open/page ai-use no 4
	// /open/page search not said 0
	// train-ai: no: line 2 of robots.txt, "Content-Usage: train-ai=n, search=y", refuses it in the group of "User-agent: *" (line 1, wildcard)
	// [https://example.com/license.xml]
}

func ExampleParsePurpose() {
	purpose, err := policy.ParsePurpose("AI-Train")
	fmt.Println(purpose == policy.AITrain, err)
	_, err = policy.ParsePurpose("train ai")
	fmt.Println(err)
	// Output:
	// true <nil>
	// purpose "train ai" is not known; use train-ai, ai-use, ai-train, ai-input, search, index
}

// What is known of an origin, from one attempt to the next: an answer, then a
// failure, with the last good copy standing in.
func ExampleNext() {
	origin, err := site.ParseOrigin("https://example.com")
	if err != nil {
		fmt.Println(err)
		return
	}
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	known := policy.Next(nil, policy.Answer{
		Origin: origin, At: at, Response: policy.Response{Status: 200, Body: []byte(exampleFile)},
	}, policy.Lifetimes{})
	at = at.Add(48 * time.Hour)
	known = policy.Next(known, policy.Answer{Origin: origin, At: at, Response: policy.Response{Status: 503}}, policy.Lifetimes{})

	by, err := policy.Compile(known, exampleBot(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	d := by.Decide("/private/report", at)
	fmt.Println(d.Answer(), d.Reason, d.Stale, d.Access)
	// Output: disallowed rule true unreachable
}

// Where a redirect of robots.txt leads.
func ExampleFollow() {
	hops := []policy.Hop{{URL: "https://example.com/robots.txt", Status: 301}}
	for _, location := range []string{"/other.txt", "ftp://example.com/robots.txt"} {
		next, stop := policy.Follow(hops, policy.Response{Status: 301, Header: policy.Header{Location: location}}, 5)
		fmt.Printf("%q %v\n", next, stop)
	}
	// Output:
	// "https://example.com/other.txt" none
	// "" other-scheme
}
