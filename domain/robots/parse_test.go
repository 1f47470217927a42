package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/agent"
)

func parse(text string) *File { return Parse([]byte(text), Options{}) }

// outline writes a File on one line: each group in braces, with its user-agent
// lines, rules ("+" allows, "-" disallows) and records, each behind its line
// number; then the records of the file.
func outline(f *File) string {
	var parts []string
	for _, group := range f.Groups {
		lines := map[int]string{}
		for _, a := range group.Agents {
			lines[a.Line] = a.Value
		}
		for _, rule := range group.Rules {
			lines[rule.Line] = map[Verb]string{Allow: "+", Disallow: "-"}[rule.Verb] + rule.Pattern
		}
		for _, record := range group.Records {
			lines[record.Line] = fmt.Sprintf("%s=%s for %d", record.Key, record.Value, record.Agents)
		}
		parts = append(parts, "{"+inOrder(lines)+"}")
	}
	lines := map[int]string{}
	for _, record := range f.Records {
		lines[record.Line] = record.Key + "=" + record.Value
	}
	if len(lines) > 0 {
		parts = append(parts, inOrder(lines))
	}
	return strings.Join(parts, " ")
}

func inOrder(lines map[int]string) string {
	var numbers []int
	for number := range lines {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	var parts []string
	for _, number := range numbers {
		parts = append(parts, fmt.Sprintf("%d %s", number, lines[number]))
	}
	return strings.Join(parts, "; ")
}

// faultsOf lists the warnings as line and kind.
func faultsOf(f *File) (faults []fault) {
	for _, warning := range f.Warnings {
		faults = append(faults, fault{warning.Line, warning.Kind})
	}
	return faults
}

type fault struct {
	line int
	kind WarningKind
}

func TestParse(t *testing.T) {
	tests := []struct {
		rule   string
		text   string
		want   string
		faults []fault
	}{
		{"P1 nothing", "", "", nil},
		{"P1 nothing", "\n\r\n\r \t\n", "", nil},
		{"P1 nothing", "\x00", "", []fault{{1, NoField}}},
		{"P1 every line that makes sense", "\xFF\xFE\nuser-agent: a\n<p>\ndisallow: /\xFF\n", "{2 a; 4 -/\xFF}", []fault{{1, NoField}, {3, NoField}}},

		// P5, lines.
		{"P5 key and value", "user-agent:a\ndisallow:/x", "{1 a; 2 -/x}", nil},
		{"P5 trimmed", " \t\v\fuser-agent \t\v\f:\v\f \ta\t \v\f\n", "{1 a}", nil},
		{"P5 only these are trimmed", "user-agent: a\ndisallow: /x\u00A0\nuser-agent\u00A0: b", "{1 a; 2 -/x\u00A0} 3 user-agent\u00A0=b", nil},
		{"P5 the first colon", "user-agent: a\ndisallow: /x:y\nfoo:: z:", "{1 a; 2 -/x:y} 3 foo=: z:", nil},
		{"P5 comments", "# a\nuser-agent: a # b: c\ndisallow: /x#y\n #disallow: /z", "{2 a; 3 -/x}", nil},
		{"P5 comments", "user-agent: a\ndisallow#: /x\n", "{1 a}", []fault{{2, NoField}}},
		{"P5 comments", "user-agent: a\ndisallow: # /x", "{1 a; 2 -}", nil},
		{"P5 comments", "user-agent: a\ndisallow: /a%23b", "{1 a; 2 -/a%23b}", nil},
		{"P5 white space within", "user-agent: a\ndisallow: /x y\tz", "{1 a; 2 -/x y\tz}", nil},
		{"P5 without a colon", "user-agent a\ndisallow \t /x", "{1 a; 2 -/x}", []fault{{1, MissingColon}, {2, MissingColon}}},
		{"P5 without a colon", "user-agent a\nAllow /x # y", "{1 a; 2 +/x}", []fault{{1, MissingColon}, {2, MissingColon}}},
		{"P5 without a colon", "sitemap /s\ncrawl-delay 2\nhost a", "1 sitemap=/s; 2 crawl-delay=2; 3 host=a",
			[]fault{{1, MissingColon}, {2, RecordOutsideGroup}, {3, MissingColon}}},
		{"P5 exactly two words", "user-agent: a\ndisallow /x y\ndisallow\ndisallow \n", "{1 a}", []fault{{2, NoField}, {3, NoField}, {4, NoField}}},
		{"P5 words part at space and HT", "user-agent: a\ndisallow\v/x\ndisallow\f/x", "{1 a}", []fault{{2, NoField}, {3, NoField}}},
		{"P5 a known key", "user-agent: a\nforbid /x\nhello world", "{1 a}", []fault{{2, NoField}, {3, NoField}}},
		{"P5 an empty key", "user-agent: a\n: /x\n \t: /y\n:", "{1 a}", []fault{{2, EmptyKey}, {3, EmptyKey}, {4, EmptyKey}}},
		{"P5 an unknown key is no warning", "user-agent: a\nforbid: /x\nfoo bar: baz", "{1 a} 2 forbid=/x; 3 foo bar=baz", nil},

		// P6, keys.
		{"P6 without case", "USER-AGENT: a\nDisAllow: /x\naLLOW: /y\nSITEMAP: http://z", "{1 a; 2 -/x; 3 +/y} 4 SITEMAP=http://z", nil},
		{"P6 exact", "user-agent: a\nallowed: /x\ndisallows: /y\ndisallo: /z\nxallow: /\n", "{1 a} 2 allowed=/x; 3 disallows=/y; 4 disallo=/z; 5 xallow=/", nil},
		{"P6 exact", "user-agent: a\nuser--agent: b\nuser_agent: c\nuser  agent: d", "{1 a} 2 user--agent=b; 3 user_agent=c; 4 user  agent=d", nil},
		{"P6 exact", "user-agent: a\ndisallo\u017F: /x\nallow\x00: /", "{1 a} 2 disallo\u017F=/x; 3 allow\x00=/", nil},
		{"P6 typos", "useragent: a\nUser Agent: b\nDissallow: /1\nDissalow: /2\nDISALOW: /3\ndiasllow: /4\ndisallaw: /5\nSite-Map: /6",
			"{1 a; 2 b; 3 -/1; 4 -/2; 5 -/3; 6 -/4; 7 -/5} 8 Site-Map=/6",
			[]fault{{1, MisspelledKey}, {2, MisspelledKey}, {3, MisspelledKey}, {4, MisspelledKey}, {5, MisspelledKey}, {6, MisspelledKey}, {7, MisspelledKey}, {8, MisspelledKey}}},
		{"P6 a typo without a colon", "useragent a\ndisalow /x", "{1 a; 2 -/x}", []fault{{1, MissingColon}, {2, MissingColon}}},

		// P7, groups.
		{"P7 consecutive user-agent lines", "user-agent: a\nuser-agent: b\ndisallow: /x\nallow: /y", "{1 a; 2 b; 3 -/x; 4 +/y}", nil},
		{"P7 a rule ends them", "user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /y", "{1 a; 2 -/x} {3 b; 4 -/y}", nil},
		{"P7 an empty rule, too", "user-agent: a\ndisallow:\nuser-agent: b\nallow:\nuser-agent: c\ndisallow: /y", "{1 a; 2 -} {3 b; 4 +} {5 c; 6 -/y}", nil},
		{"P7 one that matches nothing, too", "user-agent: a\ndisallow: x\nuser-agent: b\n", "{1 a; 2 -x} {3 b}", []fault{{2, PatternWithoutSlash}}},
		{"P7 other records do not", "user-agent: a\nsitemap: http://s\nfoo: bar\nhost: h\nuser-agent: b\ndisallow: /x", "{1 a; 5 b; 6 -/x} 2 sitemap=http://s; 3 foo=bar; 4 host=h", nil},
		{"P7 other records do not", "user-agent: a\ndisallow: /x\nsitemap: http://s\ndisallow: /y", "{1 a; 2 -/x; 4 -/y} 3 sitemap=http://s", nil},
		{"P7 nor broken lines", "user-agent: a\n???\n: /\nuser-agent: b\ndisallow: /x", "{1 a; 4 b; 5 -/x}", []fault{{2, NoField}, {3, EmptyKey}}},
		{"P7 blank lines mean nothing", "user-agent: a\n\n \nuser-agent: b\n\n\ndisallow: /x\n\ndisallow: /y\n", "{1 a; 4 b; 7 -/x; 9 -/y}", nil},
		{"P7 rules outside", "disallow: /x\nallow: /y\ndisallow:\nuser-agent: a\nallow: /z",
			"{4 a; 5 +/z}", []fault{{1, RuleOutsideGroup}, {2, RuleOutsideGroup}, {3, RuleOutsideGroup}}},
		{"P7 no token", "user-agent:\nuser-agent: /\ndisallow: /x\n", "{1 ; 2 /; 3 -/x}", []fault{{1, NamelessAgent}, {2, NamelessAgent}}},
		{"P7 no token ends a group, too", "user-agent: a\ndisallow: /x\nuser-agent:\ndisallow: /y", "{1 a; 2 -/x} {3 ; 4 -/y}", []fault{{3, NamelessAgent}}},
		{"P7 no rules at the end", "user-agent: a\ndisallow: /x\nuser-agent: b", "{1 a; 2 -/x} {3 b}", nil},

		// P8, patterns.
		{"P8 without a slash", "user-agent: a\ndisallow: x\nallow: ?q\ndisallow: $\ndisallow: %2Fx\ndisallow: *x\ndisallow: //x",
			"{1 a; 2 -x; 3 +?q; 4 -$; 5 -%2Fx; 6 -*x; 7 -//x}",
			[]fault{{2, PatternWithoutSlash}, {3, PatternWithoutSlash}, {4, PatternWithoutSlash}, {5, PatternWithoutSlash}}},
		{"P8 empty ones are no warning", "user-agent: a\ndisallow:\nallow: #", "{1 a; 2 -; 3 +}", nil},

		// P9, other records.
		{"P9 sitemaps are global", "sitemap: http://1\nuser-agent: a\nsitemap: http://2\ndisallow: /\nsitemap: http://2", "{2 a; 4 -/} 1 sitemap=http://1; 3 sitemap=http://2; 5 sitemap=http://2", nil},
		{"P9 as written", "Sitemap: ht!tp://[\nHOST :  A b\nClean-Param: a&b /c\nLicense:\n", "1 Sitemap=ht!tp://[; 2 HOST=A b; 3 Clean-Param=a&b /c; 4 License=",
			[]fault{{1, InvalidSitemap}, {2, InvalidHost}, {4, InvalidLicense}}},
		{"P9 for the lines seen so far", "user-agent: a\ncrawl-delay: 1\nuser-agent: b\ncrawl-delay: 2\ndisallow: /\ncrawl-delay: 3\nuser-agent: c",
			"{1 a; 2 crawl-delay=1 for 1; 3 b; 4 crawl-delay=2 for 2; 5 -/; 6 crawl-delay=3 for 2} {7 c}", nil},
		{"P9 of a group", "user-agent: a\nrequest-rate: 1/2\nvisit-time: 0000-0100\nnoindex: /n\ncontent-usage: ai=n\ncontent-signal: search=yes\n",
			"{1 a; 2 request-rate=1/2 for 1; 3 visit-time=0000-0100 for 1; 4 noindex=/n for 1; 5 content-usage=ai=n for 1; 6 content-signal=search=yes for 1}", nil},
		{"P9 of nobody", "crawl-delay: 1\nrequest-rate: 1/2\nvisit-time: 0000-0100\nnoindex: /n\ncontent-usage: ai=n\ncontent-signal: search=yes\nuser-agent: a",
			"{7 a} 1 crawl-delay=1; 2 request-rate=1/2; 3 visit-time=0000-0100; 4 noindex=/n; 5 content-usage=ai=n; 6 content-signal=search=yes",
			[]fault{{1, RecordOutsideGroup}, {2, RecordOutsideGroup}, {3, RecordOutsideGroup}}},
		{"P10 invalid, but kept", "user-agent: a\ncrawl-delay: fast\ncrawl-delay:\nCrawl-Delay: -1", "{1 a; 2 crawl-delay=fast for 1; 3 crawl-delay= for 1; 4 Crawl-Delay=-1 for 1}",
			[]fault{{2, InvalidDelay}, {3, InvalidDelay}, {4, InvalidDelay}}},

		// P1: at most one warning a line, the gravest, of equal ones the first.
		{"P1 one warning", "disalow x\nuseragent\ncrawl-delay fast", "3 crawl-delay=fast", []fault{{1, RuleOutsideGroup}, {2, NoField}, {3, InvalidDelay}}},
		{"P1 one warning", "user-agent: a\ndisalow x\nnoindex x", "{1 a; 2 -x; 3 noindex=x for 1}", []fault{{2, PatternWithoutSlash}, {3, InvalidNoindex}}},
	}
	for _, test := range tests {
		f := parse(test.text)
		if got := outline(f); got != test.want {
			t.Errorf("%s: %q is\n\t%q, want\n\t%q", test.rule, test.text, got, test.want)
		}
		if got := faultsOf(f); !slices.Equal(got, test.faults) {
			t.Errorf("%s: the warnings about %q are %v, want %v", test.rule, test.text, got, test.faults)
		}
		if f.Truncated {
			t.Errorf("%s: %q was cut", test.rule, test.text)
		}
	}
}

// Everything about a line, once.
func TestParseKeepsWhatIsWritten(t *testing.T) {
	f := parse("\xEF\xBB\xBF User-Agent :  FooBot/2.1 # us\r\n\tAllow:\t/a b*$  # x\r\nCRAWL-delay :0.5\r\nSiteMap: /s # y\n")
	if len(f.Groups) != 1 || !slices.Equal(faultsOf(f), []fault{{4, RelativeSitemap}}) {
		t.Fatalf("%s, %v", outline(f), f.Warnings)
	}
	group := f.Groups[0]
	wantAgents := []UserAgent{{Addressee: agent.Line{Name: "FooBot", Specificity: agent.Pattern}, Value: "FooBot/2.1", Line: 1}}
	if !slices.Equal(group.Agents, wantAgents) {
		t.Errorf("the user-agent lines are %+v, want %+v", group.Agents, wantAgents)
	}
	wantRules := []Rule{{Verb: Allow, Line: 2, Pattern: "/a b*$", Text: "Allow:\t/a b*$"}}
	if !slices.Equal(group.Rules, wantRules) {
		t.Errorf("the rules are %+v, want %+v", group.Rules, wantRules)
	}
	wantRecords := []Record{{Kind: CrawlDelay, Key: "CRAWL-delay", Value: "0.5", Line: 3, Agents: 1}}
	if !slices.Equal(group.Records, wantRecords) {
		t.Errorf("the group's records are %+v, want %+v", group.Records, wantRecords)
	}
	wantFile := []Record{{Kind: Sitemap, Key: "SiteMap", Value: "/s", Line: 4}}
	if !slices.Equal(f.Records, wantFile) {
		t.Errorf("the file's records are %+v, want %+v", f.Records, wantFile)
	}
}

// P9: each key that is known has its kind, whatever its case; others are Other.
func TestKinds(t *testing.T) {
	kinds := map[string]Kind{
		"User-agent": UserAgentLine, "Allow": AllowLine, "Disallow": DisallowLine, "Sitemap": Sitemap,
		"Crawl-delay": CrawlDelay, "Request-rate": RequestRate, "Visit-time": VisitTime, "Host": Host,
		"Clean-param": CleanParam, "Noindex": Noindex, "Content-Usage": ContentUsage,
		"Content-Signal": ContentSignal, "License": License,
		"Foo": Other, "Allowed": Other, "Content-Signals": Other, "Hos": Other, "X-Content-Signal": Other,
	}
	for key, want := range kinds {
		for _, key := range []string{key, strings.ToLower(key), strings.ToUpper(key)} {
			if f := ReadLine(key + ": /x"); !f.OK || f.Kind != want || f.Key != key || f.Value != "/x" || f.Text != key+": /x" {
				t.Errorf("P6, P9: %q is %+v, want kind %d", key, f, want)
			}
		}
	}
}

// P9: in order, with duplicates; an empty one names nothing.
func TestSitemaps(t *testing.T) {
	f := parse("sitemap: /b\nuser-agent: a\nSITEMAP: https://example.com/a.xml\nsitemap:\ndisallow: /\nhost: h\nsite-map: /b\nsitemap: not a url\n")
	var got []string
	for record := range f.Sitemaps() {
		got = append(got, fmt.Sprint(record.Line, " ", record.Value))
	}
	want := []string{"1 /b", "3 https://example.com/a.xml", "7 /b", "8 not a url"}
	if !slices.Equal(got, want) {
		t.Errorf("P9: the sitemaps are %q, want %q", got, want)
	}
	for range f.Sitemaps() {
		break // the sequence can be left
	}
}

// F3: what tells a robots.txt from a page of HTML.
func TestHasDirective(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{"", false},
		{"<!doctype html>\n<html>\n<body>\n<p>Not found: sorry\n</html>", false},
		{"<p>User-agent: *</p>", false},
		{"# user-agent: *\n", false},
		{"host: example.com\ncrawl-delay: 3\nfoo: bar", false},
		{"disallow", false},
		{"user-agent: *", true},
		{"<pre>\nUser-agent: *\nDisallow:\n</pre>", true},
		{"\xEF\xBB\xBFallow: /", true},
		{"\n\n\rDISALLOW:", true},
		{"disallow /", true},
		{"useragent: x", true},
		{"sitemap: /s", true},
		{"site-map: /s", true},
	}
	for _, test := range tests {
		if got := HasDirective([]byte(test.text)); got != test.want {
			t.Errorf("F3: HasDirective(%q) = %t", test.text, got)
		}
	}
}
