package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// verdictIn asks a text in a dialect about a path: "+2" is allowed by line 2,
// "-" disallowed by none; a delay follows.
func verdictIn(t *testing.T, dialect robots.Dialect, text, name, path string) string {
	t.Helper()
	identity, err := agent.ParseTokens(name)
	if err != nil {
		t.Fatal(err)
	}
	d := policy.Offline([]byte(text), policy.Reading{
		Agents: identity, Identification: name + "/1.0 (made by Foo)", Options: robots.Options{Dialect: dialect},
	}).Decide(path, time.Time{})
	verdict := "-"
	if d.Allowed {
		verdict = "+"
	}
	if d.Rule.Line > 0 {
		verdict += fmt.Sprint(d.Rule.Line)
	}
	if d.Delay.Source != policy.NoDelay {
		verdict += " " + d.Delay.Interval.String()
	}
	return verdict
}

// P12: each switch that changes an answer, with the same file answered both ways;
// and each preset answers as it has the switch. Those that change only which
// records are kept, and how, have their table in package robots.
func TestSwitchesAnswer(t *testing.T) {
	long := strings.Repeat("#"+strings.Repeat("x", 1022)+"\n", 513)
	tested := map[string]bool{}
	for _, row := range []struct {
		rule, on, off string
		text, path    string
		with, without string
		name          string // FooBot if it is not said
		only          bool   // presets differ in more than this switch
	}{
		{rule: "M6", on: "index-html", off: "no-index-html",
			text: "user-agent: *\ndisallow: /\nallow: /a/index.html", path: "/a/", with: "+3", without: "-2"},
		{rule: "M6 only an Allow", on: "index-html", off: "no-index-html",
			text: "user-agent: *\ndisallow: /a/index.html", path: "/a/", with: "+", without: "+"},
		{rule: "M2 unreserved", on: "percent-decoding", off: "no-percent-decoding",
			text: "user-agent: *\ndisallow: /%7Ejoe", path: "/~joe/", with: "-2", without: "+"},
		{rule: "M2 the path's case", on: "percent-decoding", off: "no-percent-decoding",
			text: "user-agent: *\ndisallow: /ü", path: "/%c3%bc", with: "-2", without: "+"},
		{rule: "M2 the path's octets", on: "percent-decoding", off: "no-percent-decoding",
			text: "user-agent: *\ndisallow: /ü", path: "/ü", with: "-2", without: "+"},
		{rule: "M2 the pattern in either way", on: "percent-decoding", off: "no-percent-decoding",
			text: "user-agent: *\ndisallow: /ü", path: "/%C3%BC", with: "-2", without: "-2"},
		{rule: "M3 escaped '*'", on: "percent-decoding", off: "no-percent-decoding",
			text: "user-agent: *\ndisallow: /a%2A", path: "/a*", with: "-2", without: "+"},
		{rule: "M4", on: "robots-txt-allowed", off: "no-robots-txt-allowed",
			text: "user-agent: *\ndisallow: /", path: "/robots.txt", with: "+", without: "-2"},
		{rule: "A5 a line's name", on: "odd-names", off: "no-odd-names",
			text: "user-agent: MJ12bot\ndisallow: /\nuser-agent: *\nallow: /x", path: "/x", name: "MJ", with: "+4", without: "-2"},
		{rule: "A5 one's own name", on: "odd-names", off: "no-odd-names",
			text: "user-agent: MJ12bot\ndisallow: /\nuser-agent: *\nallow: /x", path: "/x", name: "MJ12bot", with: "-2", without: "+4"},
		{rule: "A2", on: "wildcard-text", off: "no-wildcard-text",
			text: "user-agent: * and all\ndisallow: /", path: "/x", with: "-2", without: "+"},
		{rule: "A4", on: "agent-patterns", off: "no-agent-patterns",
			text: "user-agent: *made by foo\ndisallow: /\nuser-agent: *\nallow: /x", path: "/x", with: "-2", without: "+4"},
		{rule: "A4 a name is closer", on: "agent-patterns", off: "no-agent-patterns",
			text: "user-agent: *made by foo\ndisallow: /\nuser-agent: FooBot\nallow: /x", path: "/x", with: "+4", without: "+4"},
		{rule: "P8", on: "complete-slash", off: "no-complete-slash",
			text: "user-agent: *\ndisallow: x", path: "/xy", with: "-2", without: "+"},
		{rule: "P8 never an empty one", on: "complete-slash", off: "no-complete-slash",
			text: "user-agent: *\ndisallow:", path: "/x", with: "+", without: "+"},
		{rule: "M4 precedence", on: "file-order", off: "longest",
			text: "user-agent: *\ndisallow: /x\nallow: /xy", path: "/xyz", with: "-2", without: "+3"},
		{rule: "M4 precedence", on: "file-order", off: "allow-first", only: true,
			text: "user-agent: *\ndisallow: /x\nallow: /", path: "/xyz", with: "-2", without: "+3"},
		{rule: "M4 precedence", on: "allow-first", off: "longest",
			text: "user-agent: *\nallow: /\ndisallow: /x", path: "/xyz", with: "+2", without: "-3"},
		{rule: "M4 precedence of equals", on: "longest", off: "file-order",
			text: "user-agent: *\ndisallow: /x\nallow: /x", path: "/x", with: "+3", without: "-2"},
		{rule: "P12 escaped wildcards", on: "escaped-wildcard", off: "no-escaped-wildcard",
			text: "user-agent: *\ndisallow: /a%2Ac", path: "/abc", with: "-2", without: "+"},
		{rule: "P12 escaped wildcards", on: "escaped-wildcard", off: "no-escaped-wildcard",
			text: "user-agent: *\ndisallow: /a%2ac$", path: "/abcd", with: "+", without: "+"},
		{rule: "P6", on: "prefix-keys", off: "typo-keys",
			text: "user-agents: *\ndisallow-all: /", path: "/x", with: "-2", without: "+"},
		{rule: "P6", on: "exact-keys", off: "typo-keys", only: true,
			text: "user-agent: *\ndisalow: /", path: "/x", with: "+", without: "-2"},
		{rule: "P6", on: "typo-keys", off: "exact-keys", only: true,
			text: "useragent: *\ndisallow: /", path: "/x", with: "-2", without: "+"},
		{rule: "P5", on: "missing-colon", off: "no-missing-colon",
			text: "user-agent: *\ndisallow /", path: "/x", with: "-2", without: "+"},
		{rule: "P5 an unknown key starts nothing", on: "any-two-words", off: "no-any-two-words",
			text: "user-agent: *\nprohibit /\ndisallow: /x", path: "/x", with: "-3", without: "-3"},
		{rule: "P3", on: "partial-mark", off: "no-partial-mark",
			text: "\xEF\xBBuser-agent: *\ndisallow: /", path: "/x", with: "-2", without: "+"},
		{rule: "P5 NUL", on: "nul-ends", off: "no-nul-ends",
			text: "user-agent: *\ndisallow: /x\x00y", path: "/xz", with: "-2", without: "+"},
		{rule: "P2", on: "parsing-limit", off: "no-parsing-limit",
			text: "user-agent: *\n" + long + "disallow: /\n", path: "/x", with: "+", without: "-515"},
		{rule: "P12 continuation", on: "line-continuation", off: "no-line-continuation",
			text: "user-agent: *\ndisallow:\n /x", path: "/x", with: "-2", without: "+"},
		{rule: "P12 trailing space", on: "keep-trailing-space", off: "no-keep-trailing-space",
			text: "user-agent: *\ndisallow: /x ", path: "/xy", with: "+", without: "-2"},
		{rule: "P12 trailing space", on: "keep-trailing-space", off: "no-keep-trailing-space",
			text: "user-agent: *\ndisallow: /x ", path: "/x%20y", with: "-2", without: "-2"},
		{rule: "P9", on: "records", off: "no-records",
			text: "user-agent: *\ncrawl-delay: 3\ndisallow: /", path: "/x", with: "-3 3s", without: "-3"},
		{rule: "P12 aliases", on: "key-aliases=ban:disallow", off: "default", only: true,
			text: "user-agent: *\nban: /", path: "/x", with: "-2", without: "+"},
	} {
		if row.name == "" {
			row.name = "FooBot"
		}
		on, err := robots.ParseDialect(row.on)
		if err != nil {
			t.Fatal(err)
		}
		off, err := robots.ParseDialect(row.off)
		if err != nil {
			t.Fatal(err)
		}
		if got := verdictIn(t, on, row.text, row.name, row.path); got != row.with {
			t.Errorf("%s: %.80q for %s, %s in %s: %s, want %s", row.rule, row.text, row.name, row.path, on, got, row.with)
		}
		if got := verdictIn(t, off, row.text, row.name, row.path); got != row.without {
			t.Errorf("%s: %.80q for %s, %s in %s: %s, want %s", row.rule, row.text, row.name, row.path, off, got, row.without)
		}
		if row.with != row.without {
			tested[row.on], tested[strings.TrimPrefix(row.off, "no-")] = true, true
		}
		if row.only {
			continue
		}
		differs := switchOf(t, on, off)
		for _, preset := range []robots.Dialect{robots.Default(), robots.Google(), robots.RFC9309(), robots.Legacy()} {
			want := row.without
			if preset.Has(differs) == on.Has(differs) {
				want = row.with
			}
			if got := verdictIn(t, preset, row.text, row.name, row.path); got != want {
				t.Errorf("%s: %.80q for %s, %s in %s: %s, want %s", row.rule, row.text, row.name, row.path, preset, got, want)
			}
		}
	}
	for _, name := range robots.DialectSwitches() {
		switch name {
		case "group-keys=…", "path-keys=…", "any-two-words": // records alone
			continue
		case "key-aliases=…":
			name = "key-aliases=ban:disallow"
		}
		if !tested[name] {
			t.Errorf("no file is answered both ways by %s", name)
		}
	}
}

// switchOf returns the switch that one of two dialects has, and the other not.
func switchOf(t *testing.T, on, off robots.Dialect) robots.Switch {
	t.Helper()
	for s := range robots.Switch(len(robots.DialectSwitches())) {
		if on.Has(s) != off.Has(s) && s.String() != "unknown" {
			return s
		}
	}
	t.Fatalf("%v and %v have the same switches", on, off)
	return 0
}

// A5, Google: the crawler's name is taken as passed, empty included.
func TestNamesAsPassed(t *testing.T) {
	const text = "user-agent: *\ndisallow: /\nuser-agent: Foo Bar\nallow: /a\nuser-agent: 42\nallow: /b"
	for _, row := range []struct {
		name, path string
		want       bool
	}{
		{"Foo", "/a", true},
		{"Foo Bar", "/a", false}, // the line addresses Foo
		{"", "/b", true},         // the line addresses nobody
		{"", "/a", true},         // no rule of that group matches
		{"42", "/b", false},
		{"Other", "/b", false},
	} {
		d := policy.Offline([]byte(text), policy.Reading{
			Agents: agent.AsPassed(row.name), Options: robots.Options{Dialect: robots.Google()},
		}).Decide(row.path, time.Time{})
		if d.Allowed != row.want {
			t.Errorf("A5: %q, %s: %v, want %v", row.name, row.path, d, row.want)
		}
	}
}
