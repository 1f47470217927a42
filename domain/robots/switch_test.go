package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/agent"
)

func parseAs(t *testing.T, dialect, text string) *File {
	t.Helper()
	d, err := ParseDialect(dialect)
	if err != nil {
		t.Fatal(err)
	}
	return Parse([]byte(text), Options{Dialect: d})
}

// reading is what a text says in a dialect.
type reading struct {
	dialect string
	outline string
	faults  []fault
}

// P12: each switch that concerns parsing, with the same text read both ways.
func TestSwitches(t *testing.T) {
	for _, test := range []struct {
		rule, text string
		readings   []reading
	}{
		{
			"P6 keys", "user-agents: a\nallowed: /1\ndisallow-all: /2\ndisalowed: /3\ndisalow: /4\nsitemaps: http://5\nsite-maps: http://6\nhosts: h\ncrawl-delays: 1",
			[]reading{
				{
					"typo-keys", "1 user-agents=a; 2 allowed=/1; 3 disallow-all=/2; 4 disalowed=/3; 6 sitemaps=http://5; 7 site-maps=http://6; 8 hosts=h; 9 crawl-delays=1",
					[]fault{{5, RuleOutsideGroup}},
				},
				{
					"exact-keys", "1 user-agents=a; 2 allowed=/1; 3 disallow-all=/2; 4 disalowed=/3; 5 disalow=/4; 6 sitemaps=http://5; 7 site-maps=http://6; 8 hosts=h; 9 crawl-delays=1",
					nil,
				},
				{
					"prefix-keys", "{1 a; 2 +/1; 3 -/2; 4 -/3; 5 -/4} 6 sitemaps=http://5; 7 site-maps=http://6; 8 hosts=h; 9 crawl-delays=1",
					[]fault{{1, MisspelledKey}, {2, MisspelledKey}, {3, MisspelledKey}, {4, MisspelledKey}, {5, MisspelledKey}, {6, MisspelledKey}, {7, MisspelledKey}},
				},
				{
					"google", "{1 a; 2 +/1; 3 -/2; 4 -/3; 5 -/4} 6 sitemaps=http://5; 7 site-maps=http://6; 8 hosts=h; 9 crawl-delays=1",
					[]fault{{1, MisspelledKey}, {2, MisspelledKey}, {3, MisspelledKey}, {4, MisspelledKey}, {5, MisspelledKey}, {6, MisspelledKey}, {7, MisspelledKey}},
				},
			},
		},
		{
			"P6 keys, written right", "User-Agent: a\nALLOW: /1\ndisallow: /2\nSitemap: http://3",
			[]reading{
				{"typo-keys", "{1 a; 2 +/1; 3 -/2} 4 Sitemap=http://3", nil},
				{"exact-keys", "{1 a; 2 +/1; 3 -/2} 4 Sitemap=http://3", nil},
				{"prefix-keys", "{1 a; 2 +/1; 3 -/2} 4 Sitemap=http://3", nil},
			},
		},
		{
			"P5 missing colon", "user-agent a\ndisallow\t/x\nforbid /y\nallow /z z\nallow",
			[]reading{
				{"missing-colon", "{1 a; 2 -/x}", []fault{{1, MissingColon}, {2, MissingColon}, {3, NoField}, {4, NoField}, {5, NoField}}},
				{"no-missing-colon", "", []fault{{1, NoField}, {2, NoField}, {3, NoField}, {4, NoField}, {5, NoField}}},
				{"any-two-words", "{1 a; 2 -/x} 3 forbid=/y", []fault{{1, MissingColon}, {2, MissingColon}, {3, MissingColon}, {4, NoField}, {5, NoField}}},
				{"google", "{1 a; 2 -/x} 3 forbid=/y", []fault{{1, MissingColon}, {2, MissingColon}, {3, MissingColon}, {4, NoField}, {5, NoField}}},
				{"rfc9309", "", []fault{{1, NoField}, {2, NoField}, {3, NoField}, {4, NoField}, {5, NoField}}},
			},
		},
		{
			"P3 partial mark", "\xEF\xBBuser-agent: a\ndisallow: /",
			[]reading{
				{"partial-mark", "{1 a; 2 -/}", nil},
				{"no-partial-mark", "1 \xEF\xBBuser-agent=a", []fault{{2, RuleOutsideGroup}}},
			},
		},
		{
			"P3 the whole mark", "\xEF\xBB\xBFuser-agent: a\ndisallow: /",
			[]reading{
				{"partial-mark", "{1 a; 2 -/}", nil},
				{"no-partial-mark", "{1 a; 2 -/}", nil},
			},
		},
		{
			"P5 NUL", "user-agent: a\x00b\ndisallow: /x\x00y\nallow\x00: /z\n\x00disallow: /\nsitemap: http://s # \x00",
			[]reading{
				{"no-nul-ends", "{1 a\x00b; 2 -/x\x00y} 3 allow\x00=/z; 4 \x00disallow=/; 5 sitemap=http://s", nil},
				{"nul-ends", "{1 a; 2 -/x} 5 sitemap=http://s", []fault{{3, NoField}}},
				{"google", "{1 a; 2 -/x} 5 sitemap=http://s", []fault{{3, NoField}}},
			},
		},
		{
			"P8 complete the slash", "user-agent: a\ndisallow: x\nallow:\nallow: $",
			[]reading{
				{"no-complete-slash", "{1 a; 2 -x; 3 +; 4 +$}", []fault{{2, PatternWithoutSlash}, {4, PatternWithoutSlash}}},
				{"complete-slash", "{1 a; 2 -x; 3 +; 4 +$}", []fault{{2, SlashCompleted}, {4, SlashCompleted}}},
			},
		},
		{
			"A4 expressions", "user-agent: *Bot*\nuser-agent: (compatible\nuser-agent:\ndisallow: /",
			[]reading{
				{"no-agent-patterns", "{1 *Bot*; 2 (compatible; 3 ; 4 -/}", []fault{{1, NamelessAgent}, {2, NamelessAgent}, {3, NamelessAgent}}},
				{"agent-patterns", "{1 *Bot*; 2 (compatible; 3 ; 4 -/}", []fault{{3, NamelessAgent}}},
			},
		},
		{
			"P12 line continuation", "user-agent:\n a\ndisallow\n\t: # x\n  # y\n\n  /x\n /y\n allow: /z\n  foo: bar\n",
			[]reading{
				{
					"no-line-continuation", "{1 ; 9 +/z} 10 foo=bar",
					[]fault{{1, NamelessAgent}, {2, NoField}, {3, NoField}, {4, EmptyKey}, {7, NoField}, {8, NoField}},
				},
				{"line-continuation", "{1 a; 3 -; 9 +/z foo: bar}", []fault{{6, NoField}}},
			},
		},
		{
			"P12 line continuation", "user-agent: a\ndisallow: /a\n  /b\n\t \n  /c # d\n  disalow /e\n",
			[]reading{
				{"line-continuation", "{1 a; 2 -/a /b /c; 6 -/e}", []fault{{6, MissingColon}}},
				{"rfc9309,line-continuation", "{1 a; 2 -/a /b /c disalow /e}", nil},
			},
		},
		{
			"P12 only a space or HT continues a line", "user-agent: a\ndisallow: /a\n\v/b\n\f/c",
			[]reading{{"line-continuation", "{1 a; 2 -/a}", []fault{{3, NoField}, {4, NoField}}}},
		},
		{
			"P12 an indented file stays what it is", "  user-agent: a\n\tdisallow: /x\n  sitemap: http://s\n   \n  host: h",
			[]reading{
				{"no-line-continuation", "{1 a; 2 -/x} 3 sitemap=http://s; 5 host=h", nil},
				{"line-continuation", "{1 a; 2 -/x} 3 sitemap=http://s; 5 host=h", nil},
			},
		},
		{
			"P12 trailing space", "user-agent: a \ndisallow: /x \t\nallow: /y # z\nallow:  \ncrawl-delay: 1 \n allow /z ",
			[]reading{
				{"no-keep-trailing-space", "{1 a; 2 -/x; 3 +/y; 4 +; 5 crawl-delay=1 for 1; 6 +/z}", []fault{{6, MissingColon}}},
				{"keep-trailing-space", "{1 a; 2 -/x \t; 3 +/y; 4 +; 5 crawl-delay=1 for 1; 6 +/z}", []fault{{6, MissingColon}}},
			},
		},
		{
			"P12 keys of groups", "my-flag: 0\nuser-agent: a\nMy-Flag: 1\nother: 2\ndisallow: /",
			[]reading{
				{"default", "{2 a; 5 -/} 1 my-flag=0; 3 My-Flag=1; 4 other=2", nil},
				{"group-keys=my-flag", "{2 a; 3 My-Flag=1 for 1; 5 -/} 1 my-flag=0; 4 other=2", nil},
				{"google,group-keys=other+my-flag", "{2 a; 3 My-Flag=1 for 1; 4 other=2 for 1; 5 -/} 1 my-flag=0", nil},
			},
		},
		{
			"P12 aliases", "ua: a\nBan: /x\nban /y\nSM: http://s\nbans: /z",
			[]reading{
				{"default", "1 ua=a; 2 Ban=/x; 4 SM=http://s; 5 bans=/z", []fault{{3, NoField}}},
				{"key-aliases=ua:user-agent+ban:disallow+sm:sitemap", "{1 a; 2 -/x; 3 -/y} 4 SM=http://s; 5 bans=/z", []fault{{3, MissingColon}}},
			},
		},
		{
			"P12 keys of paths", "user-agent: a\nmy-path: x \nmy-path: /y ",
			[]reading{
				{"keep-trailing-space", "{1 a} 2 my-path=x; 3 my-path=/y", nil},
				{"keep-trailing-space,path-keys=my-path", "{1 a} 2 my-path=x ; 3 my-path=/y ", []fault{{2, PatternWithoutSlash}}},
				{"path-keys=my-path", "{1 a} 2 my-path=x; 3 my-path=/y", []fault{{2, PatternWithoutSlash}}},
			},
		},
		{
			"P12 records off", "sitemap: http://s\ncrawl-delay: 1\nuser-agent: a\ncrawl-delay: x\nfoo: bar\nuser-agent: b\ndisallow: /",
			[]reading{
				{"records", "{3 a; 4 crawl-delay=x for 1; 6 b; 7 -/} 1 sitemap=http://s; 2 crawl-delay=1; 5 foo=bar", []fault{{2, RecordOutsideGroup}, {4, InvalidDelay}}},
				{"no-records", "{3 a; 6 b; 7 -/}", nil},
			},
		},
	} {
		for _, want := range test.readings {
			f := parseAs(t, want.dialect, test.text)
			if got := outline(f); got != want.outline {
				t.Errorf("%s: %q in %s is\n\t%q, want\n\t%q", test.rule, test.text, want.dialect, got, want.outline)
			}
			if got := faultsOf(f); !slices.Equal(got, want.faults) {
				t.Errorf("%s: the warnings about %q in %s are %v, want %v", test.rule, test.text, want.dialect, got, want.faults)
			}
			checkText(t, f)
		}
	}
}

// checkText: a pattern is the end of its line's text, which package policy stands
// on.
func checkText(t *testing.T, f *File) {
	t.Helper()
	for _, group := range f.Groups {
		for _, rule := range group.Rules {
			if !strings.HasSuffix(rule.Text, rule.Pattern) {
				t.Errorf("the pattern %q is not the end of %q", rule.Pattern, rule.Text)
			}
		}
	}
}

// P12: only a pattern keeps its trailing space.
func TestKeepTrailingSpaceInText(t *testing.T) {
	f := parseAs(t, "keep-trailing-space", " user-agent: a \n allow: \n disallow:  /x  \n disallow: /y # \n")
	var got []string
	for _, rule := range f.Groups[0].Rules {
		got = append(got, rule.Text)
	}
	if want := []string{"allow:", "disallow:  /x  ", "disallow: /y"}; !slices.Equal(got, want) {
		t.Errorf("the texts are %q, want %q", got, want)
	}
}

// A2, A5: whom the same lines address.
func TestSwitchesOfNames(t *testing.T) {
	const text = "user-agent: MJ12bot\nuser-agent: FooBot\nuser-agent: * all\nuser-agent: *\nuser-agent: 42\n"
	for dialect, want := range map[string]string{
		"default":                     "MJ12bot exact, FooBot exact,  wildcard,  wildcard, 42 exact",
		"google":                      "MJ pattern, FooBot exact,  wildcard,  wildcard,  none",
		"rfc9309":                     "MJ pattern, FooBot exact,  none,  wildcard,  none",
		"default,no-odd-names":        "MJ pattern, FooBot exact,  wildcard,  wildcard,  none",
		"default,no-wildcard-text":    "MJ12bot exact, FooBot exact,  none,  wildcard, 42 exact",
		"rfc9309,odd-names":           "MJ12bot exact, FooBot exact,  none,  wildcard, 42 exact",
		"legacy":                      "MJ12bot exact, FooBot exact,  wildcard,  wildcard, 42 exact",
		"legacy,no-agent-patterns":    "MJ12bot exact, FooBot exact,  wildcard,  wildcard, 42 exact",
		"google,wildcard-text":        "MJ pattern, FooBot exact,  wildcard,  wildcard,  none",
		"google,no-wildcard-text":     "MJ pattern, FooBot exact,  none,  wildcard,  none",
		"google,odd-names,file-order": "MJ12bot exact, FooBot exact,  wildcard,  wildcard, 42 exact",
	} {
		f := parseAs(t, dialect, text)
		var got []string
		for _, a := range f.Groups[0].Agents {
			got = append(got, fmt.Sprintf("%s %s", a.Addressee.Name, a.Addressee.Specificity))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", dialect, strings.Join(got, ", "), want)
		}
	}
}

// P2: Google's parser has no limit; a limit that is asked for holds in every
// dialect.
func TestSwitchParsingLimit(t *testing.T) {
	text := "user-agent: a\n" + strings.Repeat("disallow: /\n", DefaultBytes/12+10)
	for _, row := range []struct {
		dialect   Dialect
		bytes     int
		truncated bool
	}{
		{Default(), 0, true},
		{Google(), 0, false},
		{Google(), DefaultBytes, true},
		{Google().With(ParsingLimit), 0, true},
		{Default().Without(ParsingLimit), 0, false},
		{Default(), len(text), false},
		{Default(), -1, true},
	} {
		f := Parse([]byte(text), Options{Dialect: row.dialect, Limits: Limits{Bytes: row.bytes}})
		if f.Truncated != row.truncated {
			t.Errorf("%v, %d bytes: truncated %v, want %v", row.dialect, row.bytes, f.Truncated, row.truncated)
		}
		if whole := strings.Count(text, "disallow"); (len(f.Groups[0].Rules) == whole) == row.truncated {
			t.Errorf("%v, %d bytes: %d rules of %d", row.dialect, row.bytes, len(f.Groups[0].Rules), whole)
		}
	}
}

// P4, P12: what is joined is bounded like a line, and costs no more than its
// octets.
func TestContinuationIsBounded(t *testing.T) {
	d := Default().With(LineContinuation)
	text := "user-agent: a\ndisallow: /" + strings.Repeat("\n x", DefaultBytes/4)
	f := Parse([]byte(text), Options{Dialect: d})
	rule := f.Groups[0].Rules[0]
	if len(rule.Text) != MaxLine-1 && len(rule.Text) != MaxLine {
		t.Errorf("the joined line has %d octets", len(rule.Text))
	}
	if got := faultsOf(f); !slices.Equal(got, []fault{{2, LineTooLong}}) {
		t.Errorf("the warnings are %v", got)
	}
}

// Any text parses in any dialect, into what policy can stand on.
func FuzzDialects(f *testing.F) {
	f.Add([]byte("user-agent: a\n  b\ndisallow /x \x00\n%2a: y"), uint32(1<<LineContinuation|1<<KeepTrailingSpace))
	f.Add([]byte("\xEF\xBBua: a\n ban: /x \n\tx: y\nflag: z"), uint32(1<<PrefixKeys|1<<AnyTwoWords|1<<AgentPatterns))
	f.Fuzz(func(t *testing.T, text []byte, flipped uint32) {
		var d Dialect
		for s := range switches {
			if flipped>>s&1 != 0 {
				d = d.With(s)
			} else {
				d = d.Without(s)
			}
		}
		if flipped>>31 != 0 {
			d.lists = lists{group: "flag", path: "flag+path", aliases: "ban:disallow+ua:user-agent"}
		}
		limits := Limits{}
		if flipped>>30&1 != 0 {
			limits = Limits{Groups: 2, GroupLines: 2, Agents: 3, KeyBytes: 10, NameBytes: 5, ValueBytes: 12, Wildcards: 1}
		}
		file := Parse(text, Options{Dialect: d, Limits: limits})
		checkText(t, file)
		line := 0
		for _, w := range file.Warnings {
			if w.Line <= line {
				t.Fatalf("%q: warnings about line %d and %d", text, line, w.Line)
			}
			line = w.Line
		}
		for _, group := range file.Groups {
			if len(group.Agents) == 0 {
				t.Fatalf("%q: a group without user-agent lines", text)
			}
			for _, record := range group.Records {
				if record.Agents < 1 || record.Agents > len(group.Agents) {
					t.Fatalf("%q: a record for %d of %d", text, record.Agents, len(group.Agents))
				}
			}
			for _, a := range group.Agents {
				if a.Addressee.Specificity == agent.Exact && a.Addressee.Name != a.Value && limits == (Limits{}) {
					t.Fatalf("%q: %+v", text, a)
				}
			}
		}
	})
}
