package policy_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// Files that look like those of the web, the same on every machine: how many
// groups, rules a group, and of ten rules with a wildcard.
var benchFiles = []struct {
	name                     string
	groups, rules, wildcards int
}{
	{"tiny", 1, 3, 0},
	{"usual", 3, 12, 2},
	{"large", 20, 60, 4},
	{"huge", 40, 500, 3},
}

// benchFile writes such a file; the crawler is addressed by its last group.
func benchFile(groups, rules, wildcards int) []byte {
	chance := rand.New(rand.NewPCG(uint64(groups), uint64(rules)))
	segments := strings.Fields("account admin api cart catalog checkout cgi-bin feed images item login media news page print private search tag user wp-admin")
	segment := func() string {
		s := segments[chance.IntN(len(segments))]
		if chance.IntN(3) == 0 {
			s += fmt.Sprint("-", chance.IntN(1000))
		}
		return s
	}
	var b strings.Builder
	for group := range groups {
		name := "*"
		if group < groups-1 {
			name = fmt.Sprintf("Other%cBot", 'A'+group%26)
		}
		fmt.Fprintf(&b, "# group %d\nUser-agent: %s\nCrawl-delay: %d\n", group, name, 1+group%5)
		for range rules {
			key, path := "Disallow", "/"+segment()+"/"
			for range chance.IntN(3) {
				path += segment() + "/"
			}
			if chance.IntN(5) == 0 {
				key = "Allow"
			}
			if chance.IntN(10) < wildcards {
				path = []string{"/*/" + segment() + "/", "/*.php$", path + "*?" + segment() + "=", "*" + path}[chance.IntN(4)]
			}
			fmt.Fprintf(&b, "%s: %s\n", key, path)
		}
		b.WriteByte('\n')
	}
	b.WriteString("Sitemap: https://example.com/sitemap.xml\n")
	return []byte(b.String())
}

// What is asked about: paths as they come, a few of them with escapes.
var benchPaths = []string{
	"/",
	"/catalog/item-42/page-7.html",
	"/news/2026/11/21/some-longer-title-of-an-article",
	"/search?q=shoes&page=2&sort=price",
	"/catalog/shoes/%C3%BCbergr%C3%B6%C3%9Fe/",
	"/media/print/image.php",
}

func BenchmarkDecide(b *testing.B) {
	for _, f := range benchFiles {
		b.Run(f.name, func(b *testing.B) {
			p := policy.Offline(benchFile(f.groups, f.rules, f.wildcards), crawler(b, "ExampleBot"))
			for range 100 {
				p.Decide("/", someTime) // what is made once is made now
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p.Decide(benchPaths[i%len(benchPaths)], someTime)
			}
		})
	}
	b.Run("2KiB", func(b *testing.B) {
		p := policy.Offline(benchFile(3, 12, 2), crawler(b, "ExampleBot"))
		path := "/catalog/" + strings.Repeat("ü", 1<<10-5)
		b.ReportAllocs()
		for b.Loop() {
			p.Decide(path, someTime)
		}
	})
}

func BenchmarkDecideParallel(b *testing.B) {
	p := policy.Offline(benchFile(20, 60, 4), crawler(b, "ExampleBot"))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			p.Decide(benchPaths[i%len(benchPaths)], someTime)
		}
	})
}

func BenchmarkRulesOf(b *testing.B) {
	benchBodies(b, func(body []byte, reading policy.Reading) { policy.RulesOf(body, reading) })
}

func BenchmarkNewRules(b *testing.B) {
	for _, f := range benchFiles {
		b.Run(f.name, func(b *testing.B) {
			file := robots.Parse(benchFile(f.groups, f.rules, f.wildcards), robots.Options{})
			reading := crawler(b, "ExampleBot")
			b.ReportAllocs()
			for b.Loop() {
				policy.NewRules(file, reading)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	benchBodies(b, func(body []byte, _ policy.Reading) { robots.Parse(body, robots.Options{}) })
}

func benchBodies(b *testing.B, run func([]byte, policy.Reading)) {
	for _, f := range benchFiles {
		b.Run(f.name, func(b *testing.B) {
			body := benchFile(f.groups, f.rules, f.wildcards)
			reading := crawler(b, "ExampleBot")
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				run(body, reading)
			}
		})
	}
}
