package polite_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
)

const robotsTxt = `User-agent: *
Disallow: /private/
Sitemap: /sitemap.xml

User-agent: OtherBot
Disallow: /
`

// site stands for a site of the web.
func site() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			fmt.Fprint(w, robotsTxt)
		}
	}))
}

func ExampleNew() {
	web := site()
	defer web.Close()
	ctx := context.Background()

	gate, done, err := polite.New(ctx, polite.Config{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer done()

	for _, path := range []string{"/", "/private/report"} {
		decision, err := gate.Check(ctx, web.URL+path)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(path, decision.Allowed, decision.Reason, decision.Rule.Line)
	}
	// Output:
	// / true no-rule 0
	// /private/report false rule 2
}

func ExampleGate_As() {
	web := site()
	defer web.Close()
	ctx := context.Background()
	gate, done, err := polite.New(ctx, polite.Config{UserAgent: "ExampleBot/1.0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer done()

	other, err := gate.As("OtherBot")
	if err != nil {
		fmt.Println(err)
		return
	}
	decision, err := other.Check(ctx, web.URL+"/")
	fmt.Println(decision.Allowed, decision.Group.Agent, err)
	// Output: false OtherBot <nil>
}

func ExampleGate_Inspect() {
	web := site()
	defer web.Close()
	ctx := context.Background()
	gate, done, err := polite.New(ctx, polite.Config{UserAgent: "ExampleBot/1.0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer done()

	// The first question fetches the file, the second one knows it.
	for range 2 {
		seen, err := gate.Inspect(ctx, web.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(seen.Account(), len(seen.Hops), len(seen.Snapshot.Copy.Body))
	}
	// Refresh asks again, whatever is known.
	seen, err := gate.Refresh(ctx, web.URL)
	fmt.Println(len(seen.Hops), err)
	// Output:
	// it was served: the answer is 200 1 90
	// it was served: the answer is 200 0 90
	// 1 <nil>
}

func ExampleTransport() {
	web := site()
	defer web.Close()
	gate, done, err := polite.New(context.Background(), polite.Config{UserAgent: "ExampleBot/1.0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer done()

	client := &http.Client{Transport: &polite.Transport{Gate: gate}}
	response, err := client.Get(web.URL + "/private/report")
	if err == nil {
		response.Body.Close()
	}
	var disallowed *polite.DisallowedError
	if errors.As(err, &disallowed) {
		fmt.Println(errors.Is(err, polite.ErrDisallowed), disallowed.Decision.Rule.Line)
	}
	// Output: true 2
}

func ExampleReadRobots() {
	robots, err := polite.ReadRobots([]byte(robotsTxt), "ExampleBot")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(robots.Check("https://example.com/private/report"))
	fmt.Println(robots.Check("/public"))
	fmt.Println(robots.Sitemaps())
	// Output:
	// disallowed: line 2 of robots.txt, "Disallow: /private/", is the most specific match for the group of "User-agent: *" (line 1, wildcard)
	// allowed: no rule of robots.txt matches the group of "User-agent: *" (line 1, wildcard)
	// [/sitemap.xml]
}

// What content may be used for, once it was fetched.
func ExampleRobots_Uses() {
	file, err := polite.ReadRobots([]byte(`User-agent: *
Content-Usage: train-ai=n
Content-Usage: /blog/ train-ai=y
Content-Signal: search=yes
`), "ExampleBot")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/", "/blog/post"} {
		use := file.Uses(path, policy.TrainAI)
		fmt.Println(path, use.Permission, use.Record.Line)
	}
	fmt.Println(file.Uses("/", policy.AIUse))
	// Output:
	// / no 2
	// /blog/post yes 3
	// ai-use: not said: no line of robots.txt that concerns this crawler grants or refuses it here
}

func ExampleGate_Uses() {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nContent-Usage: train-ai=n\n")
	}))
	defer web.Close()
	gate, done, err := polite.New(context.Background(), polite.Config{UserAgent: "ExampleBot/1.0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer done()

	use, err := gate.Uses(context.Background(), web.URL+"/some/page", policy.TrainAI)
	fmt.Println(use, err)
	// Output: train-ai: no: line 2 of robots.txt, "Content-Usage: train-ai=n", refuses it in the group of "User-agent: *" (line 1, wildcard) <nil>
}

func ExampleAllowed() {
	allowed, err := polite.Allowed([]byte(robotsTxt), "OtherBot", "https://example.com/")
	fmt.Println(allowed, err)
	// Output: false <nil>
}

// fixed is a Fetcher that always gives the same answer.
type fixed policy.Response

func (f fixed) Fetch(context.Context, policy.Request) (policy.Response, error) {
	return policy.Response(f), nil
}

// A test swaps the adapters: no network, no Redis.
func Example_adapters() {
	store, err := memory.New(memory.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	agents, err := agent.ParseTokens("ExampleBot")
	if err != nil {
		fmt.Println(err)
		return
	}
	gate, err := app.New(app.Ports{
		Fetcher: fixed{Status: http.StatusServiceUnavailable},
		Cache:   store,
	}, app.Options{Agents: agents})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()

	decision, err := gate.Check(context.Background(), "https://example.com/")
	fmt.Println(decision.Allowed, decision.Reason, err)
	// Output: false unreachable <nil>
}
