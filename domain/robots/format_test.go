package robots_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/polite-crawler/polite/domain/robots"
)

// P13: the canonical text.
func TestFormat(t *testing.T) {
	for _, row := range []struct{ rule, text, want string }{
		{"nothing", "", ""},
		{"nothing but comments", "# x\n\n", ""},
		{"first capitals, one space", "USER-AGENT:a\ndisALLOW :/x\n ALLOW\t:  /y # z\n", "User-agent: a\nDisallow: /x\nAllow: /y\n"},
		{"typos and missing colons", "useragent a\ndisalow /x\nsite-map: s\n", "User-agent: a\nDisallow: /x\n\nSitemap: s\n"},
		{"a blank line between groups", "user-agent: a\ndisallow: /\nuser-agent: b\nuser-agent: c\nallow: /", "User-agent: a\nDisallow: /\n\nUser-agent: b\nUser-agent: c\nAllow: /\n"},
		{"an empty Disallow for a group without rules", "user-agent: a\ncrawl-delay: 1\nuser-agent: b", "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow:\n"},
		{"empty rules stay", "user-agent: a\nallow:\ndisallow:", "User-agent: a\nAllow:\nDisallow:\n"},
		{"records behind whom they concern", "user-agent: a\nnoindex: /1\nuser-agent: b\ncrawl-delay: 2\ndisallow: /\nnoindex: /3", "User-agent: a\nNoindex: /1\nUser-agent: b\nDisallow: /\nCrawl-delay: 2\nNoindex: /3\n"},
		{"what stood above groups stays there", "noindex: /\nhost: h\ncrawl-delay: 1\nuser-agent: a\ndisallow: /\nsitemap: s\nX-FLAG: 1", "Noindex: /\nHost: h\nCrawl-delay: 1\n\nUser-agent: a\nDisallow: /\n\nSitemap: s\nX-flag: 1\n"},
		{"no groups", "sitemap: s\nfoo: bar\n: x\nbroken", "Sitemap: s\nFoo: bar\n"},
		{"what matches nothing stays", "user-agent: a\ndisallow: x y", "User-agent: a\nDisallow: x y\n"},
		{"what is broken goes", "disallow: /\nuser-agent:\n???\nallow: /", "User-agent:\nAllow: /\n"},
		{"a key like a mark", "\n\xEF\xBB\xBFdisallow: /", "\n\xEF\xBB\xBFdisallow: /\n"},
		{"all keys", "request-rate: 1/1\nvisit-time: 0000-0100\nHOST: h\nclean-param: p\ncontent-usage: u\ncontent-signal: s\nlicense: l", "Request-rate: 1/1\nVisit-time: 0000-0100\nHost: h\nClean-param: p\nContent-usage: u\nContent-signal: s\nLicense: l\n"},
	} {
		file := robots.Parse([]byte(row.text), robots.Options{})
		if got := string(robots.Format(file)); got != row.want {
			t.Errorf("P13 %s: %q is\n\t%q, want\n\t%q", row.rule, row.text, got, row.want)
		}
	}
}

// Lines that just fit before fit afterwards.
func TestFormatOfLongLines(t *testing.T) {
	fill := func(start string) string { return start + strings.Repeat("x", robots.MaxLine-len(start)) }
	for _, line := range []string{
		"disallow: /", "disallow:/", "disalow:/", "disalow /", "disallow   : /", "allow:/", "allow /", "sitemap:/", "site-map /", "foo:", "crawl-delay:",
	} {
		text := []byte("user-agent: a\n" + fill(line) + "\n")
		file := robots.Parse(text, robots.Options{})
		again := robots.Parse(robots.Format(file), robots.Options{})
		if got, want := essence(again), essence(file); got != want {
			t.Errorf("P13: %q and more is %d octets, then %d", line, len(want), len(got))
		}
		for _, warning := range again.Warnings {
			if warning.Kind == robots.LineTooLong {
				t.Errorf("P13: %q and more was too long when written again", line)
			}
		}
	}
	for _, line := range []string{"user-agent: ", "user-agent:", "useragent:", "useragent "} {
		file := robots.Parse([]byte(fill(line)), robots.Options{})
		if got, want := essence(robots.Parse(robots.Format(file), robots.Options{})), essence(file); got != want {
			t.Errorf("P13: %q and more is %d octets, then %d", line, len(want), len(got))
		}
	}
}

// P11, P13: what is left of a name that was cut does not become another's.
func TestFormatOfCutNames(t *testing.T) {
	file := robots.Parse([]byte("user-agent: FooBarBot\nallow: /\nuser-agent: Foo/12345\ndisallow: /\n"), robots.Options{Limits: robots.Limits{NameBytes: 5}})
	if got, want := string(robots.Format(file)), "User-agent:\nAllow: /\n\nUser-agent: Foo/1\nDisallow: /\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A File that was not parsed cannot smuggle lines in.
func TestFormatOfMadeFiles(t *testing.T) {
	file := &robots.File{
		Groups: []robots.Group{
			{
				Agents:  []robots.UserAgent{{Value: "a\nallow: /"}, {Value: "b # c"}},
				Rules:   []robots.Rule{{Verb: robots.Disallow, Pattern: "/\r\n#"}, {Verb: robots.Allow, Pattern: strings.Repeat("/", robots.MaxLine), Text: "x\nallow: /"}},
				Records: []robots.Record{{Kind: robots.CrawlDelay, Value: "1\ndisallow:"}, {Key: "a:b", Value: "c"}, {Key: "", Value: "c"}, {Key: "x\ny", Value: "z#"}},
			},
			{},
		},
	}
	if got, want := string(robots.Format(file)), "User-agent: a\nCrawl-delay: 1\nX: z\nUser-agent: b \nDisallow: /%0D%0A%23\nx\n\nDisallow:\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// essence is what a File says, line numbers and spelling aside.
func essence(f *robots.File) string {
	var b strings.Builder
	records := func(records []robots.Record) {
		for _, r := range records {
			key := r.Kind.String()
			if r.Kind == robots.Other {
				key = strings.ToLower(r.Key)
			}
			fmt.Fprintf(&b, " %q=%q for %d;", key, r.Value, r.Agents)
		}
	}
	for _, group := range f.Groups {
		for _, a := range group.Agents {
			fmt.Fprintf(&b, "[%q %q %s]", a.Value, a.Addressee.Name, a.Addressee.Specificity)
		}
		for _, rule := range group.Rules {
			fmt.Fprintf(&b, " %s %q;", rule.Verb, rule.Pattern)
		}
		if len(group.Rules) == 0 {
			b.WriteString(` disallow "";`)
		}
		records(group.Records)
		b.WriteByte('\n')
	}
	records(f.Records)
	return b.String()
}

// checkFormat: P13's property. A File has a canonical text, it says the same, and
// is its own.
func checkFormat(t interface {
	Helper()
	Fatalf(string, ...any)
}, text []byte, dialect robots.Dialect) {
	t.Helper()
	options := robots.Options{Dialect: dialect, Limits: robots.Limits{Bytes: math.MaxInt}}
	file := robots.Parse(text, options)
	canonical := robots.Format(file)
	again := robots.Parse(canonical, options)
	if got, want := essence(again), essence(file); got != want {
		t.Fatalf("in %v %.2000q is\n%.2000s\nand when written as %.2000q\n%.2000s", dialect, text, want, canonical, got)
	}
	if twice := robots.Format(again); string(twice) != string(canonical) {
		t.Fatalf("in %v %.2000q is written %.2000q, and then %.2000q", dialect, text, canonical, twice)
	}
	for _, w := range again.Warnings {
		switch w.Kind {
		case robots.MissingColon, robots.MisspelledKey, robots.NoField, robots.EmptyKey, robots.RuleOutsideGroup:
			t.Fatalf("in %v %.2000q is written %.2000q: %v", dialect, text, canonical, w)
		}
	}
}

func TestFormatOfRealFiles(t *testing.T) {
	for _, body := range realFiles(t) {
		for _, d := range []robots.Dialect{robots.Default(), robots.Google(), robots.RFC9309(), robots.Legacy(), robots.Default().With(robots.LineContinuation, robots.KeepTrailingSpace)} {
			checkFormat(t, body, d)
		}
	}
}

// drawText draws a text of pieces that are likely to mean something together.
func drawText(t *rapid.T) []byte {
	pieces := []string{
		"\n", "\n", "\n", "\r\n", "\r", "\n ", "\n\t", " ", "\t", "\v", "#", ":", ": ", ": ", ": ", ":", " : ", "\x00", "\xEF", "\xBB", "\xBF",
		"user-agent: ", "User-Agent: ", "useragent ", "user agent:", "user-agents:", "ua: ", "disallow: ", "Disallow: ", "disallow:", "disalow ", "ban:", "disallowed:",
		"allow: ", "allow:", "allow ", "sitemap: ", "site-map:", "crawl-delay: ", "request-rate: ", "visit-time: ", "noindex: ", "content-usage: ", "host: ", "flag: ", "other:", "foo",
		"*", "* x", "FooBot", "foobot/2.1", "FooBot*", "BarBot", "42bot", "Foo", "Ü", "/", "/a", "/b*", "$", "%2A", "%c3", "x", "1", "2.5", "1/5",
	}
	return []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), rapid.SampledFrom([]int{0, 10, 40, 100}).Draw(t, "least"), 200).Draw(t, "pieces"), ""))
}

func TestFormatProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkFormat(t, drawText(t), drawDialect(t)) })
}

func FuzzFormat(f *testing.F) {
	for i, dialect := range []string{"default", "google", "rfc9309", "legacy", "google,line-continuation,group-keys=flag,key-aliases=ua:user-agent", "keep-trailing-space,path-keys=flag"} {
		f.Add([]byte(manyRecords), dialect)
		f.Add([]byte("\xEF\xBBua: a\n flag: /x \n\tallow /x\x00\nuser-agent: *\n"[i:]), dialect)
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		dialect, err := robots.ParseDialect(name)
		if err != nil || strings.Contains(name, "key-aliases") && len(text) > robots.MaxLine {
			return // an alias can be shorter than its key
		}
		checkFormat(t, text, dialect)
	})
}
