package robots_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
)

func ExampleParse() {
	file := robots.Parse([]byte(`
User-agent: FooBot
User-agent: BarBot
Disallow: /private/
Allow: /private/open/
Crawl-delay: 2

Sitemap: https://example.com/sitemap.xml
`), robots.Options{})

	for _, group := range file.Groups {
		for _, line := range group.Agents {
			fmt.Println("for", line.Addressee.Name)
		}
		for _, rule := range group.Rules {
			fmt.Printf("  line %d: %s %s\n", rule.Line, rule.Verb, rule.Pattern)
		}
	}
	for sitemap := range file.Sitemaps() {
		fmt.Println(sitemap.Value)
	}
	// Output:
	// for FooBot
	// for BarBot
	//   line 4: disallow /private/
	//   line 5: allow /private/open/
	// https://example.com/sitemap.xml
}

// What a file's author may not have meant.
func ExampleParse_warnings() {
	file := robots.Parse([]byte("Disallow: /tmp\nUseragent: *\nDisallow: private\nCrawl-delay: soon\n"), robots.Options{})
	for _, warning := range file.Warnings {
		fmt.Printf("%s: %v\n", warning.Severity(), warning)
	}
	// Output:
	// grave: line 1: the rule stands before any user-agent line and was ignored; put a User-agent line above it
	// minor: line 2: the key is misspelled; correct it to User-agent, Allow, Disallow or Sitemap
	// grave: line 3: the pattern starts with neither '/' nor '*' and matches nothing; start it with '/'
	// major: line 4: the delay is not a number of seconds up to ten years and was ignored; write seconds, like 2 or 0.5
}

// The same file as Google's parser and as RFC 9309 have it.
func ExampleParseDialect() {
	text := []byte("User-agents: *\nDisallow /tmp\n")
	for _, name := range []string{"google", "rfc9309", "default", "default,prefix-keys"} {
		dialect, err := robots.ParseDialect(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		file := robots.Parse(text, robots.Options{Dialect: dialect})
		fmt.Printf("%s: %d groups\n", dialect, len(file.Groups))
	}
	// Output:
	// google: 1 groups
	// rfc9309: 0 groups
	// default: 0 groups
	// default,prefix-keys: 1 groups
}

func ExampleDialect_With() {
	dialect := robots.Legacy().With(robots.FileOrder).Without(robots.CompleteSlash)
	fmt.Println(dialect)
	fmt.Println(dialect.Has(robots.FileOrder), dialect.Has(robots.IndexHTML))
	// Output:
	// legacy,no-complete-slash,file-order
	// true true
}

// A file from anywhere, within bounds.
func ExampleUntrusted() {
	limits := robots.Untrusted()
	limits.ValueBytes = 10
	file := robots.Parse([]byte("User-agent: *\nDisallow: /a/very/long/path\nDisallow: /tmp\n"), robots.Options{Limits: limits})
	fmt.Println(file.Limited, len(file.Groups[0].Rules))
	fmt.Println(file.Warnings[0])
	// Output:
	// true 1
	// line 2: the value is longer than the reader takes, and the line was dropped (17 octets); shorten it
}

func ExampleParseStrict() {
	_, err := robots.ParseStrict([]byte("User-agent: *\nDisallow: /caf\xE9\n"), robots.Options{})
	var encoding *robots.EncodingError
	if errors.As(err, &encoding) {
		fmt.Println("line", encoding.Line)
	}
	fmt.Println(err)
	// Output:
	// line 2
	// robots.txt is not UTF-8: line 2, octet 15: 0xE9 (offset 28)
}

func ExampleWalk() {
	robots.Walk([]byte("User-agent: *\nDisalow: /café\n# end"), robots.Options{}, robots.Callbacks{
		UserAgent: func(line int, value string) { fmt.Println(line, "user-agent", value) },
		Disallow:  func(line int, value string) { fmt.Println(line, "disallow", value) },
		Line: func(line int, m robots.Metadata) {
			if m.Typo || m.CommentOnly {
				fmt.Printf("%d typo: %v, comment: %v\n", line, m.Typo, m.CommentOnly)
			}
		},
	})
	// Output:
	// 1 user-agent *
	// 2 disallow /caf%C3%A9
	// 2 typo: true, comment: false
	// 3 typo: false, comment: true
}

func ExampleGroup_Values() {
	file := robots.Parse([]byte("User-agent: *\nNoindex: /a\nnoindex: /b\nDisallow: /c\n"), robots.Options{})
	group := &file.Groups[0]
	fmt.Println(slices.Collect(group.Values("Noindex")), slices.Collect(group.Values("disallow")))
	// Output: [/a /b] [/c]
}

// A Crawl-delay concerns the user-agent lines above it.
func ExampleGroup_RecordsOf() {
	file := robots.Parse([]byte("User-agent: FooBot\nCrawl-delay: 5\nUser-agent: BarBot\nDisallow: /tmp\n"), robots.Options{})
	group := &file.Groups[0]
	for i, line := range group.Agents {
		delay, ok := group.RecordsOf(i).Value("crawl-delay")
		fmt.Println(line.Value, delay, ok)
	}
	// Output:
	// FooBot 5 true
	// BarBot  false
}

func ExampleFile_Global() {
	file := robots.Parse([]byte("Host: example.com\nUser-agent: *\nX-Owner: me\nDisallow: /tmp\n"), robots.Options{})
	host, _ := file.Global().Value("host")
	owner, _ := file.Global().Value("x-owner")
	fmt.Println(host, owner)
	// Output: example.com me
}

func ExampleParseRate() {
	rate, ok := robots.ParseRate("30/1m 2200-0600")
	fmt.Println(rate.Interval(), rate.During.From, rate.During.To, ok)
	// Output: 2s 22h0m0s 6h0m0s true
}

// Every other record, as a typed value, with whom it concerns.
func ExampleFile_Statements() {
	file := robots.Parse([]byte(`User-agent: FooBot
Crawl-delay: 1.5
User-agent: BarBot
Request-rate: 1/10s
Content-Usage: /blog/ train-ai=n
Disallow: /tmp
Sitemap: /sitemap.xml
`), robots.Options{})
	base, _ := url.Parse("https://example.com/robots.txt")
	for s := range file.Statements() {
		fmt.Printf("line %d, for %d agents: %s ", s.Line, len(s.Agents), s.Kind)
		if delay, ok := s.Delay(); ok {
			fmt.Println(delay)
		}
		if rate, ok := s.Rate(); ok {
			fmt.Println(rate.Interval())
		}
		if rule, ok := s.UsageRule(); ok {
			fmt.Println(rule.Path, rule.Preferences)
		}
		if location, ok := s.URL(base); ok {
			fmt.Println(location)
		}
	}
	// Output:
	// line 2, for 1 agents: crawl-delay 1.5s
	// line 4, for 2 agents: request-rate 10s
	// line 5, for 2 agents: content-usage /blog/ [{train-ai false}]
	// line 7, for 0 agents: sitemap https://example.com/sitemap.xml
}

func ExampleParseContentUsage() {
	rule, ok := robots.ParseContentUsage("/blog/ train-ai=n, search=y")
	allowed, said := rule.Of("search")
	fmt.Println(rule.Path, allowed, said, ok)
	_, ok = robots.ParseContentUsage("Train-AI=no") // case counts, and it is n
	fmt.Println(ok)
	// Output:
	// /blog/ true true true
	// false
}

func ExampleParseContentSignal() {
	rule, ok := robots.ParseContentSignal("search=yes, ai-train=no, use=reference")
	fmt.Println(rule.Preferences, rule.Reuse, ok)
	// Output: [{search true} {ai-train false}] reference true
}

func ExampleParseHost() {
	mirror, ok := robots.ParseHost("https://www.example.com:8443")
	fmt.Println(mirror.Scheme, mirror.Name, mirror.Port, ok)
	// Output: https www.example.com 8443 true
}

func ExampleParseCleanParam() {
	rule, ok := robots.ParseCleanParam("ref&session /shop/*.php")
	fmt.Println(rule.Parameters, rule.Path, ok)
	// Output: [ref session] /shop/*.php true
}

func ExampleParseVisitTime() {
	window, ok := robots.ParseVisitTime("2200-0600")
	midnight := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	fmt.Println(window.Contains(midnight), window.Contains(midnight.Add(12*time.Hour)), ok)
	// Output: true false true
}

func ExampleParseDelay() {
	for _, value := range []string{"1.5", "-1", "1e3"} {
		delay, ok := robots.ParseDelay(value)
		fmt.Println(delay, ok)
	}
	// Output:
	// 1.5s true
	// 0s false
	// 0s false
}

func ExampleFile_Sitemaps() {
	file := robots.Parse([]byte("Sitemap: https://example.com/a.xml\nUser-agent: *\nSitemap: /b.xml\nDisallow:\n"), robots.Options{})
	for record := range file.Sitemaps() {
		fmt.Println(record.Line, record.Value)
	}
	fmt.Println(file.Warnings[0].Kind.Name())
	// Output:
	// 1 https://example.com/a.xml
	// 3 /b.xml
	// relative-sitemap
}

// A line as it was served, by the number that a rule or a decision names.
func ExampleLineAt() {
	fmt.Println(robots.LineAt([]byte("User-agent: *\r\nDisallow: /tmp # for now\r\n"), 2))
	// Output: Disallow: /tmp # for now
}

// Whether what was served for a robots.txt is one.
func ExampleHasDirective() {
	fmt.Println(robots.HasDirective([]byte("<html><body>Not found</body></html>")), robots.HasDirective([]byte("user-agent: *")))
	// Output: false true
}

func ExampleEscapePattern() {
	fmt.Println(robots.EscapePattern("/caf\u00e9/%c3%a9"))
	// Output: /caf%C3%A9/%C3%A9
}

func ExampleGroup_Value() {
	file := robots.Parse([]byte("User-agent: *\nCrawl-delay: 2\nDisallow: /tmp\n"), robots.Options{})
	delay, ok := file.Groups[0].Value("crawl-delay")
	fmt.Println(delay, ok)
	// Output: 2 true
}

const forSeveral = `# Welcome
useragent: FooBot
disallow: /foo
user-agent: *
disallow: /all
sitemap: https://example.com/sitemap.xml
`

func ExampleFormat() {
	fmt.Printf("%s", robots.Format(robots.Parse([]byte(forSeveral), robots.Options{})))
	// Output:
	// User-agent: FooBot
	// Disallow: /foo
	//
	// User-agent: *
	// Disallow: /all
	//
	// Sitemap: https://example.com/sitemap.xml
}

// What one crawler may do, written for a reader that knows only '*'.
func ExampleFilter() {
	crawler, err := agent.ParseTokens("FooBot-Images", "FooBot")
	if err != nil {
		fmt.Println(err)
		return
	}
	file := robots.Parse([]byte(forSeveral), robots.Options{})
	fmt.Printf("%s", robots.Format(robots.Filter(file, crawler, robots.FilterOptions{Fallback: true, As: "*"})))
	// Output:
	// User-agent: *
	// Disallow: /foo
	//
	// Sitemap: https://example.com/sitemap.xml
}
