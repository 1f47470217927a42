package agent_test

import (
	"fmt"

	"github.com/polite-crawler/polite/domain/agent"
)

// A crawler's own name, as it is to stand in robots.txt.
func ExampleParseToken() {
	for _, name := range []string{"ExampleBot", "MJ12bot", "ExampleBot/2.1"} {
		token, err := agent.ParseToken(name)
		fmt.Println(token, err)
	}
	// Output:
	// ExampleBot <nil>
	// MJ12bot <nil>
	//  user agent "ExampleBot/2.1": '/' cannot stand in a product token; give the bare product token, like "ExampleBot"
}

// The same from the header that the crawler sends.
func ExampleParseIdentity() {
	for _, header := range []string{
		"ExampleBot/1.0 (+https://example.com/bot)",
		"Mozilla/5.0 (compatible; ExampleBot/1.0)",
		"Mozilla/5.0 (X11; Linux x86_64)",
	} {
		identity, err := agent.ParseIdentity(header)
		fmt.Println(identity, err != nil)
	}
	// Output:
	// ExampleBot false
	// ExampleBot false
	//  true
}

// A crawler that answers to several names, the first that any group has deciding.
func ExampleParseTokens() {
	identity, err := agent.ParseTokens("googlebot-news", "googlebot")
	if err != nil {
		fmt.Println(err)
		return
	}
	for token := range identity.Tokens {
		fmt.Println(token)
	}
	fmt.Println(identity.First(), identity.Len())
	// Output:
	// googlebot-news
	// googlebot
	// googlebot-news 2
}

// Whom user-agent lines address, and how closely that concerns a crawler.
func ExampleLine_Concerns() {
	foo, err := agent.ParseToken("FooBot")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, value := range []string{"foobot", "FooBot/2.1", "*", "BarBot", "FooBotany"} {
		line := agent.ParseLine(value)
		fmt.Printf("%q names %q: %s\n", value, line.Name, line.Concerns(foo))
	}
	// Output:
	// "foobot" names "foobot": exact
	// "FooBot/2.1" names "FooBot": pattern
	// "*" names "": wildcard
	// "BarBot" names "BarBot": none
	// "FooBotany" names "FooBotany": none
}

// Names outside the RFC's alphabet, as they are and as Google cuts them.
func ExampleLineOptions() {
	for _, options := range []agent.LineOptions{{}, {CutNames: true}} {
		line := options.Parse("AB42bot")
		fmt.Println(line.Name, line.Specificity)
	}
	// Output:
	// AB42bot exact
	// AB pattern
}

// User-agent lines as expressions over the whole identification string.
func ExampleMatchPattern() {
	const crawler = "Mozilla/5.0 (compatible; FooBot/2.1)"
	for _, value := range []string{"Mozilla*FooBot", "*foobot/2", "FooBot"} {
		fmt.Println(value, agent.MatchPattern(value, crawler))
	}
	// Output:
	// Mozilla*FooBot true
	// *foobot/2 true
	// FooBot false
}

// A name as it is, for asking as Google's parser is asked.
func ExampleAsPassed() {
	name := agent.AsPassed("Foo Bar").First()
	google := agent.LineOptions{CutNames: true}
	fmt.Println(google.Parse("Foo Bar").Concerns(name), google.Parse("*").Concerns(name))
	// Output: none wildcard
}
