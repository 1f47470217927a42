package robots

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// P11: each limit with a text that keeps to it, one that does not, and what is
// left of that.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		rule    string
		limits  Limits
		text    string
		want    string
		faults  []fault
		limited bool
	}{
		{"groups", Limits{Groups: 1}, "user-agent: a\ndisallow: /1\nsitemap: http://s", "{1 a; 2 -/1} 3 sitemap=http://s", nil, false},
		{
			"groups: later ones are skipped", Limits{Groups: 1}, "user-agent: a\ndisallow: /1\nuser-agent: b\ncrawl-delay: 1\ndisallow: /2\nuser-agent: c\nsitemap: http://s",
			"{1 a; 2 -/1} 7 sitemap=http://s", []fault{{3, TooManyGroups}, {4, SkippedGroup}, {5, SkippedGroup}, {6, TooManyGroups}}, true,
		},
		{"lines a group", Limits{GroupLines: 2}, "user-agent: a\nuser-agent: b\ndisallow: /1\ncrawl-delay: 1\nhost: x\nfoo: y\n", "{1 a; 2 b; 3 -/1; 4 crawl-delay=1 for 2} 5 host=x; 6 foo=y", nil, false},
		{
			"lines a group: the next has its own", Limits{GroupLines: 1}, "user-agent: a\ndisallow: /1\ndisallow: /2\ncrawl-delay: 1\nuser-agent: b\ndisallow: /3",
			"{1 a; 2 -/1} {5 b; 6 -/3}", []fault{{3, TooManyLines}, {4, TooManyLines}}, true,
		},
		{"lines a group: rules and records together", Limits{GroupLines: 1}, "user-agent: a\ncrawl-delay: 1\ndisallow: /1", "{1 a; 2 crawl-delay=1 for 1}", []fault{{3, TooManyLines}}, true},
		{"lines of the file", Limits{GroupLines: 1}, "host: x\nuser-agent: a\nsitemap: http://s\ndisallow: /", "{2 a; 4 -/} 1 host=x", []fault{{3, TooManyLines}}, true},
		{"user-agent lines", Limits{Agents: 2}, "user-agent: a\ndisallow: /1\nuser-agent: b\ndisallow: /2", "{1 a; 2 -/1} {3 b; 4 -/2}", nil, false},
		{
			"user-agent lines: of a group", Limits{Agents: 1}, "user-agent: a\nuser-agent: b\ndisallow: /1",
			"{1 a; 3 -/1}", []fault{{2, TooManyAgents}}, true,
		},
		{
			"user-agent lines: rules never pass to another agent", Limits{Agents: 1}, "user-agent: a\ndisallow: /1\nuser-agent: b\nallow: /2\ncrawl-delay: 1\nuser-agent: c\nallow: /3",
			"{1 a; 2 -/1}", []fault{{3, TooManyAgents}, {4, SkippedGroup}, {5, SkippedGroup}, {6, TooManyAgents}, {7, SkippedGroup}}, true,
		},
		{"keys", Limits{KeyBytes: 10}, "user-agent: a\nuser agent: b\nabcdefghij: /1", "{1 a; 2 b} 3 abcdefghij=/1", []fault{{2, MisspelledKey}}, false},
		{"keys", Limits{KeyBytes: 10}, "user-agent: a\nabcdefghijk: /1\ncrawl-delay: 1", "{1 a}", []fault{{2, KeyTooLong}, {3, KeyTooLong}}, true},
		{"keys: fewer than 10 are 10", Limits{KeyBytes: 3}, "user-agent: a\nabcdefghijk: /1", "{1 a}", []fault{{2, KeyTooLong}}, true},
		{"names", Limits{NameBytes: 6}, "user-agent: FooBot\ndisallow: /", "{1 FooBot; 2 -/}", nil, false},
		{"names: truncated", Limits{NameBytes: 6}, "user-agent: FooBot/2.1\ndisallow: /", "{1 FooBot; 2 -/}", []fault{{1, NameTooLong}}, true},
		{"values", Limits{ValueBytes: 3}, "user-agent: abc\ndisallow: /bc\nhost: abc", "{1 abc; 2 -/bc} 3 host=abc", nil, false},
		{
			"values: dropped", Limits{ValueBytes: 3}, "user-agent: a\ndisallow: /bcd\nallow: /b\nhost: abcd\nsitemap: s",
			"{1 a; 3 +/b} 5 sitemap=s", []fault{{2, ValueTooLong}, {4, ValueTooLong}, {5, RelativeSitemap}}, true,
		},
		{
			"values: a dropped rule still ends the user-agent lines", Limits{ValueBytes: 3}, "user-agent: a\ndisallow: /bcd\nuser-agent: b\nallow: /b",
			"{1 a} {3 b; 4 +/b}", []fault{{2, ValueTooLong}}, true,
		},
		{
			"values: rules under a dropped user-agent line never pass to another agent", Limits{ValueBytes: 3}, "user-agent: a\ndisallow: /1\nuser-agent: long\nallow: /2\nuser-agent: b",
			"{1 a; 2 -/1} {5 b}", []fault{{3, ValueTooLong}, {4, SkippedGroup}}, true,
		},
		{
			"values: a dropped user-agent line among others", Limits{ValueBytes: 3}, "user-agent: long\nuser-agent: a\ncrawl-delay: 1\nuser-agent: long\ndisallow: /1",
			"{2 a; 3 crawl-delay=1 for 1; 5 -/1}", []fault{{1, ValueTooLong}, {4, ValueTooLong}}, true,
		},
		{
			"values: user-agent lines that are dropped together are one group", Limits{ValueBytes: 3, Groups: 1}, "user-agent: long\nuser-agent: long\nuser-agent: a\nallow: /",
			"{3 a; 4 +/}", []fault{{1, ValueTooLong}, {2, ValueTooLong}}, true,
		},
		{
			"values: a dropped record ends nothing", Limits{ValueBytes: 3}, "user-agent: a\nhost: long\ncrawl-delay: 1000\nuser-agent: b\ndisallow: /1",
			"{1 a; 4 b; 5 -/1}", []fault{{2, ValueTooLong}, {3, ValueTooLong}}, true,
		},
		{
			"values: a dropped rule outside stays outside", Limits{ValueBytes: 3}, "disallow: /bcd\nuser-agent: a\ndisallow: /",
			"{2 a; 3 -/}", []fault{{1, ValueTooLong}}, true,
		},
		{"wildcards", Limits{Wildcards: 2}, "user-agent: a\ndisallow: *a**b$\nallow: /%2A%2a*x*\nhosts: ***a*b*c", "{1 a; 2 -*a**b$; 3 +/%2A%2a*x*} 4 hosts=***a*b*c", nil, false},
		{
			"wildcards: dropped", Limits{Wildcards: 2}, "user-agent: a\ndisallow: *a*b*\nuser-agent: b\nallow: /",
			"{1 a} {3 b; 4 +/}", []fault{{2, TooManyWildcards}}, true,
		},
	} {
		f := Parse([]byte(test.text), Options{Limits: test.limits})
		if got := outline(f); got != test.want {
			t.Errorf("P11 %s: %q is\n\t%q, want\n\t%q", test.rule, test.text, got, test.want)
		}
		if got := faultsOf(f); !slices.Equal(got, test.faults) {
			t.Errorf("P11 %s: the warnings about %q are %v, want %v", test.rule, test.text, got, test.faults)
		}
		if f.Limited != test.limited || f.Truncated {
			t.Errorf("P11 %s: %q: limited %v, want %v; truncated %v", test.rule, test.text, f.Limited, test.limited, f.Truncated)
		}
		if f := parse(test.text); f.Limited {
			t.Errorf("P11 %s: limits are on by default", test.rule)
		}
	}
}

// P11: the warning says how long a value was.
func TestValueTooLongSaysHowLong(t *testing.T) {
	f := Parse([]byte("user-agent: a\ndisallow: /"+strings.Repeat("x", 2500)), Options{Limits: Untrusted()})
	if len(f.Warnings) != 1 || f.Warnings[0].Octets != 2501 || !strings.Contains(f.Warnings[0].String(), "2501 octets") {
		t.Errorf("the warnings are %v", f.Warnings)
	}
	f = Parse([]byte("a-key-that-is-too-long-by-an-octet: x"), Options{Limits: Untrusted()})
	if len(f.Warnings) != 1 || f.Warnings[0].Octets != 0 || strings.Contains(f.Warnings[0].String(), "octets") {
		t.Errorf("the warnings are %v", f.Warnings)
	}
}

// P11, A1: what is left of a name that was cut is nobody's.
func TestCutNamesAddressNobody(t *testing.T) {
	f := Parse([]byte("user-agent: FooBot/2.1\nuser-agent: FooBarBot\nuser-agent: * and all\n"), Options{Limits: Limits{NameBytes: 6}})
	var got []string
	for _, a := range f.Groups[0].Agents {
		got = append(got, a.Value+"="+a.Addressee.Name+" "+a.Addressee.Specificity.String())
	}
	if want := []string{"FooBot=FooBot pattern", "FooBar= none", "* and = wildcard"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// A4: an expression that is cut describes more.
	f = Parse([]byte("user-agent: Mozilla*FooBot\ndisallow: /1\nuser-agent: Foo*\nallow: /2"), Options{Dialect: Legacy(), Limits: Limits{NameBytes: 6}})
	if got, want := outline(f), "{3 Foo*; 4 +/2}"; got != want || !f.Limited {
		t.Errorf("%q, want %q", got, want)
	}
}

// P11: "%2A" counts where it is a wildcard.
func TestWildcards(t *testing.T) {
	for _, row := range []struct {
		pattern        string
		plain, escaped int
	}{
		{"", 0, 0}, {"/", 0, 0}, {"*", 1, 1}, {"**", 1, 1}, {"/*/**/***", 3, 3}, {"%2A", 0, 1}, {"%2a*%2A", 1, 1},
		{"/%2A/%2a/*", 1, 3}, {"%", 0, 0}, {"%2", 0, 0}, {"%%2A", 0, 1}, {"%2B*", 1, 1}, {"*%2*", 2, 2}, {"%25%2A", 0, 1},
	} {
		if got := wildcards(row.pattern, false); got != row.plain {
			t.Errorf("%q has %d wildcards, want %d", row.pattern, got, row.plain)
		}
		if got := wildcards(row.pattern, true); got != row.escaped {
			t.Errorf("%q has %d wildcards with escaped ones, want %d", row.pattern, got, row.escaped)
		}
	}
	text := []byte("user-agent: a\ndisallow: /%2A/%2a/*")
	for dialect, kept := range map[Dialect]int{Default(): 1, Default().With(EscapedWildcard): 0} {
		if f := Parse(text, Options{Dialect: dialect, Limits: Limits{Wildcards: 2}}); len(f.Groups[0].Rules) != kept {
			t.Errorf("%v: %s", dialect, outline(f))
		}
	}
}

func TestUntrusted(t *testing.T) {
	want := Limits{Groups: 1000, GroupLines: 1000, Agents: 1000, KeyBytes: 32, NameBytes: 200, ValueBytes: 2000, Wildcards: 10}
	if got := Untrusted(); got != want || got.Check() != nil {
		t.Errorf("Untrusted() is %+v (%v), want %+v", got, got.Check(), want)
	}
	many := "user-agent: a\nallow: /\n"
	f := Parse([]byte(strings.Repeat(many, 1001)), Options{Limits: Untrusted()})
	if len(f.Groups) != 1000 || !f.Limited {
		t.Errorf("%d groups", len(f.Groups))
	}
}

// P11: a key limit that leaves no room for User-agent is an error of options.
func TestLimitErrors(t *testing.T) {
	for _, row := range []struct {
		limits Limits
		limit  string
		least  int
	}{
		{Limits{KeyBytes: 9}, "KeyBytes", 10},
		{Limits{KeyBytes: -1}, "KeyBytes", 10},
		{Limits{Bytes: -1}, "Bytes", 0},
		{Limits{Groups: -1}, "Groups", 0},
		{Limits{GroupLines: -1}, "GroupLines", 0},
		{Limits{Agents: -1}, "Agents", 0},
		{Limits{NameBytes: -1}, "NameBytes", 0},
		{Limits{ValueBytes: -1}, "ValueBytes", 0},
		{Limits{Wildcards: -1}, "Wildcards", 0},
	} {
		err := row.limits.Check()
		var wrong *LimitError
		if !errors.As(err, &wrong) || wrong.Limit != row.limit || wrong.Least != row.least || !strings.Contains(err.Error(), row.limit) {
			t.Errorf("%+v: %v", row.limits, err)
		}
		// Parse never fails (P1).
		if got := outline(Parse([]byte("user-agent: a\ndisallow: /*"), Options{Limits: row.limits})); got != "{1 a; 2 -/*}" {
			t.Errorf("%+v: %s", row.limits, got)
		}
	}
	for _, limits := range []Limits{{}, {KeyBytes: 10}, {Bytes: 1}, {Groups: 1, GroupLines: 1, Agents: 1, NameBytes: 1, ValueBytes: 1, Wildcards: 1}} {
		if err := limits.Check(); err != nil {
			t.Errorf("%+v: %v", limits, err)
		}
	}
}
