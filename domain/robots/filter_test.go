package robots_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

func identity(t interface{ Fatal(...any) }, names ...string) agent.Identity {
	if len(names) == 0 {
		return agent.Identity{}
	}
	id, err := agent.ParseTokens(names...)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

const forMany = `Sitemap: /s
Crawl-delay: 9
User-agent: FooBot
Crawl-delay: 1
User-agent: BarBot
Crawl-delay: 2
User-agent: *
Disallow: /all
Noindex: /n

User-agent: BazBot
Disallow: /baz

User-agent: foobot/2
Allow: /foo
Crawl-delay: 3

User-agent: Mozilla*Foo
Disallow: /pattern

User-agent: *
Disallow: /rest
Host: h
`

// P13: what is kept for whom.
func TestFilter(t *testing.T) {
	for _, row := range []struct {
		rule    string
		agents  []string
		options robots.FilterOptions
		want    string
	}{
		{"a crawler's groups, and its lines of them", []string{"FooBot"}, robots.FilterOptions{}, "User-agent: FooBot\nDisallow: /all\nCrawl-delay: 1\nCrawl-delay: 2\nNoindex: /n\n\nUser-agent: foobot/2\nAllow: /foo\nCrawl-delay: 3\n"},
		{"the records behind them", []string{"barbot"}, robots.FilterOptions{}, "User-agent: BarBot\nDisallow: /all\nCrawl-delay: 2\nNoindex: /n\n"},
		{"those of '*'", nil, robots.FilterOptions{Fallback: true}, "User-agent: *\nDisallow: /all\nNoindex: /n\n\nUser-agent: *\nDisallow: /rest\n"},
		{"nobody", nil, robots.FilterOptions{}, ""},
		{"a crawler without a group", []string{"None"}, robots.FilterOptions{}, ""},
		{"both", []string{"BarBot"}, robots.FilterOptions{Fallback: true}, "User-agent: BarBot\nCrawl-delay: 2\nUser-agent: *\nDisallow: /all\nNoindex: /n\n\nUser-agent: *\nDisallow: /rest\n"},
		{"several tokens", []string{"BazBot", "BarBot"}, robots.FilterOptions{}, "User-agent: BarBot\nDisallow: /all\nCrawl-delay: 2\nNoindex: /n\n\nUser-agent: BazBot\nDisallow: /baz\n"},
		{"A4 expressions", []string{"None"}, robots.FilterOptions{Identification: "mozilla/5.0 foobot"}, "User-agent: Mozilla*Foo\nDisallow: /pattern\n"},

		{"as '*'", []string{"FooBot"}, robots.FilterOptions{As: "*"}, "User-agent: *\nDisallow: /all\nAllow: /foo\nCrawl-delay: 1\nCrawl-delay: 2\nNoindex: /n\nCrawl-delay: 3\n"},
		{"as somebody else", []string{"BazBot"}, robots.FilterOptions{As: "Other"}, "User-agent: Other\nDisallow: /baz\n"},
		{"as '*', the first token with a group", []string{"None", "BazBot", "FooBot"}, robots.FilterOptions{As: "*"}, "User-agent: *\nDisallow: /baz\n"},
		{"as '*', all tokens", []string{"None", "BazBot", "BarBot"}, robots.FilterOptions{As: "*", Together: true}, "User-agent: *\nDisallow: /all\nDisallow: /baz\nCrawl-delay: 2\nNoindex: /n\n"},
		{"as '*', all tokens, none of which has a group", []string{"None", "Nobody"}, robots.FilterOptions{As: "*", Together: true, Fallback: true}, "User-agent: *\nDisallow: /all\nDisallow: /rest\nNoindex: /n\n"},
		{"as '*', without fallback", []string{"None"}, robots.FilterOptions{As: "*"}, ""},
		{"as '*', with fallback", []string{"None"}, robots.FilterOptions{As: "*", Fallback: true}, "User-agent: *\nDisallow: /all\nDisallow: /rest\nNoindex: /n\n"},
		{"as '*', A4: an expression before the fallback", []string{"None"}, robots.FilterOptions{As: "*", Fallback: true, Identification: "Mozilla/5.0 foobot"}, "User-agent: *\nDisallow: /pattern\n"},
		{"as '*', A4: '*' is the fallback and no expression", []string{"None"}, robots.FilterOptions{As: "*", Identification: "Other/1"}, ""},
		{"as '*', A4: a name before an expression", []string{"BazBot"}, robots.FilterOptions{As: "*", Fallback: true, Identification: "Mozilla/5.0 foobot"}, "User-agent: *\nDisallow: /baz\n"},
	} {
		file := robots.Parse([]byte(forMany), robots.Options{})
		got := string(robots.Format(robots.Filter(file, identity(t, row.agents...), row.options)))
		want := "Sitemap: /s\nHost: h\n" // P9: the records of the file
		if row.want != "" {
			want = "Sitemap: /s\n\n" + row.want + "\nHost: h\n"
		}
		if got != want {
			t.Errorf("P13 %s:\n\t%q, want\n\t%q", row.rule, got, want)
		}
	}
}

// A4: the longest expression wins, equal ones combine; '*' with text behind it is
// none, however long.
func TestFilterByExpressions(t *testing.T) {
	const text = "user-agent: Foo\ndisallow: /1\nuser-agent: *oo*b\ndisallow: /2\nuser-agent: foo*o\ndisallow: /3\nuser-agent: * all\ndisallow: /4\nuser-agent: FooBar*\ndisallow: /5\n"
	file := robots.Parse([]byte(text), robots.Options{Dialect: robots.Legacy()})
	for identification, want := range map[string]string{
		"foo b/1":   "User-agent: *\nDisallow: /2\n",
		"foo b all": "User-agent: *\nDisallow: /2\n",
		"foo all":   "User-agent: *\nDisallow: /1\n",
		"FooFoo b":  "User-agent: *\nDisallow: /2\nDisallow: /3\n",
		"foo":       "User-agent: *\nDisallow: /1\n",
		"other":     "User-agent: *\nDisallow: /4\n",
		"foobar":    "User-agent: *\nDisallow: /5\n",
	} {
		kept := robots.Filter(file, agent.Identity{}, robots.FilterOptions{As: "*", Fallback: true, Identification: identification})
		if got := string(robots.Format(kept)); got != want {
			t.Errorf("%q: %q, want %q", identification, got, want)
		}
	}
}

// P13: the global records, line numbers and what limits did are kept; the File
// that is filtered stays as it is.
func TestFilterKeeps(t *testing.T) {
	file := robots.Parse([]byte(forMany), robots.Options{Limits: robots.Limits{Bytes: len(forMany) - 1, NameBytes: 9}})
	if !file.Truncated || !file.Limited {
		t.Fatalf("%+v", file)
	}
	before := string(robots.Format(file))
	kept := robots.Filter(file, identity(t, "BazBot"), robots.FilterOptions{})
	if !kept.Truncated || !kept.Limited {
		t.Error("the filtered File does not say what limits did")
	}
	if got, ok := robots.Records(kept.Records).Value("sitemap"); !ok || got != "/s" || len(kept.Records) != 1 {
		t.Errorf("the records are %+v", kept.Records)
	}
	if len(kept.Groups) != 1 || kept.Groups[0].Agents[0].Line != 11 || kept.Groups[0].Rules[0].Line != 12 {
		t.Errorf("the groups are %+v", kept.Groups)
	}
	for _, options := range []robots.FilterOptions{{As: "*"}, {As: "*", Fallback: true}, {Fallback: true}} {
		robots.Filter(file, identity(t, "FooBot"), options)
	}
	if after := string(robots.Format(file)); after != before {
		t.Errorf("Filter changed its File:\n%s", after)
	}
}

// checkAnswers: P13's property. Whoever asks what is made of a File is answered as
// by the File.
func checkAnswers(t interface {
	Helper()
	Fatalf(string, ...any)
	Fatal(...any)
}, text []byte, dialect robots.Dialect, paths []string, names ...string) {
	t.Helper()
	id := identity(t, names...)
	options := robots.Options{Dialect: dialect, Limits: robots.Limits{Bytes: 1 << 30}}
	file := robots.Parse(text, options)
	reparsed := func(file *robots.File) *robots.File { return robots.Parse(robots.Format(file), options) }
	as := func(id agent.Identity) policy.Reading {
		return policy.Reading{Agents: id, Identification: "Mozilla/5.0 (compatible; FooBot/2.1)", Options: options}
	}
	want := policy.NewRules(file, as(id))
	all := robots.FilterOptions{Fallback: true}
	if dialect.Has(robots.AgentPatterns) {
		all.Identification = as(id).Identification
	}
	forAll := all
	forAll.As = "*"
	var other agent.Identity // that '*' alone concerns
	for _, made := range []struct {
		how   string
		file  *robots.File
		id    agent.Identity
		lines bool // line numbers are the File's
	}{
		{"written and parsed again", reparsed(file), id, false},
		{"filtered", robots.Filter(file, id, all), id, true},
		{"filtered, written and parsed again", reparsed(robots.Filter(file, id, all)), id, false},
		{"filtered for all", robots.Filter(file, id, forAll), other, true},
		{"filtered for all, written and parsed again", reparsed(robots.Filter(file, id, forAll)), other, false},
	} {
		got := policy.NewRules(made.file, as(made.id))
		for _, path := range paths {
			wantAllowed, wantRule := want.Match(path)
			gotAllowed, gotRule := got.Match(path)
			if !made.lines {
				gotRule.Line, gotRule.Text = wantRule.Line, wantRule.Text
			}
			if gotAllowed != wantAllowed || gotRule != wantRule {
				t.Fatalf("%s for %v in %v: %q is allowed: %v by %+v, want %v by %+v\n%.2000q", made.how, names, dialect, path, gotAllowed, gotRule, wantAllowed, wantRule, text)
			}
		}
		if got, want := delays(made.file, made.id), delays(file, id); !dialect.Has(robots.AgentPatterns) && !slices.Equal(got, want) {
			t.Fatalf("%s for %v in %v: the delays are %q, want %q\n%.2000q", made.how, names, dialect, got, want, text)
		}
	}
}

// delays returns the Crawl-delays that concern a crawler (P9).
func delays(file *robots.File, id agent.Identity) (found []string) {
	of := func(concerns func(*robots.UserAgent) bool) (some bool) {
		for i := range file.Groups {
			group := &file.Groups[i]
			for j := range group.Agents {
				if concerns(&group.Agents[j]) {
					found = slices.AppendSeq(found, group.RecordsOf(j).Values("crawl-delay"))
					some = true
					break
				}
			}
		}
		return some
	}
	for token := range id.Tokens {
		if of(func(a *robots.UserAgent) bool { return a.Addressee.Concerns(token) > agent.Wildcard }) {
			return found
		}
	}
	of(func(a *robots.UserAgent) bool { return a.Addressee.Specificity == agent.Wildcard })
	return found
}

func TestAnswersOfRealFiles(t *testing.T) {
	folder := filepath.Join(outside(t, "POLITE_CORPUS"), "urls")
	asked := 0
	for host, body := range realFiles(t) {
		paths := []string{"/", "/robots.txt", "/a", "/search?q=1", "/wp-admin/", "/index.html"}
		if urls, err := os.ReadFile(filepath.Join(folder, host)); err == nil {
			for _, url := range strings.Fields(string(urls)) {
				if _, rest, ok := strings.Cut(url, "://"); ok {
					_, path, _ := strings.Cut(rest, "/")
					path, _, _ = strings.Cut(path, "#")
					paths = append(paths, "/"+path)
				}
			}
		}
		asked += len(paths)
		for _, names := range [][]string{{"Googlebot"}, {"Googlebot-News", "Googlebot"}, {"GPTBot"}, {"Nobody"}, nil} {
			checkAnswers(t, body, robots.Default(), paths, names...)
		}
		for _, d := range []robots.Dialect{robots.Google(), robots.RFC9309(), robots.Legacy()} {
			checkAnswers(t, body, d, paths, "Googlebot-News", "Googlebot")
		}
	}
	t.Logf("%d paths", asked)
	if asked < 5000 {
		t.Errorf("only %d paths were asked about", asked)
	}
}

func TestAnswersProperty(t *testing.T) {
	paths := []string{"/", "/a", "/ab", "/x", "/b", "/*", "/a$", "/%C3", "/foo/FooBot", "/robots.txt"}
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([][]string{nil, {"FooBot"}, {"BarBot", "FooBot"}, {"Foo"}, {"42bot"}}).Draw(t, "crawler")
		checkAnswers(t, drawText(t), drawDialect(t), paths, names...)
	})
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte(forMany), "/all", "FooBot", "default")
	f.Add([]byte(forMany), "/pattern", "None", "legacy")
	f.Add([]byte(manyRecords), "/x", "b", "google,file-order")
	f.Fuzz(func(t *testing.T, text []byte, path, name, dialect string) {
		if _, err := agent.ParseToken(name); err != nil {
			name = "FooBot"
		}
		d, err := robots.ParseDialect(dialect)
		if err != nil || strings.Contains(dialect, "key-aliases") && len(text) > robots.MaxLine {
			return // an alias can be shorter than its key
		}
		checkAnswers(t, text, d, []string{"/" + path}, name)
	})
}
