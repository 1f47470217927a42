package policy_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// The reference: M2, M3, M4 and M6 once more, as plainly as they can be written
// and sharing no code with what they are to check. A pattern is a list of
// octets and stars; which places of a path it can reach is worked out one item
// after the other.

// referenceForm brings a text to normal form, item by item. Items that escapes
// of '*' and '$' stand for are noted in literal: in a pattern they are not
// special, and count three octets.
func referenceForm(text string, second bool) (items []int, literal []bool) {
	const (
		unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
		outside    = " <>\"\\^`{|}"
	)
	queried := false
	for text != "" {
		octet, escaped := text[0], false
		if octet == '%' && len(text) >= 3 {
			if value, err := strconv.ParseUint(text[1:3], 16, 8); err == nil {
				octet, escaped = byte(value), true
			}
		}
		decoded := strings.IndexByte(unreserved, octet) >= 0 ||
			second && queried && strings.IndexByte(":/?@", octet) >= 0
		switch {
		case escaped && strings.IndexByte("*$", octet) >= 0:
			items, literal = append(items, int(octet)), append(literal, true)
		case escaped && !decoded, octet < ' ' || octet > '~' || strings.IndexByte(outside, octet) >= 0:
			for _, c := range []byte(fmt.Sprintf("%%%02X", octet)) {
				items, literal = append(items, int(c)), append(literal, false)
			}
		default:
			items, literal = append(items, int(octet)), append(literal, false)
			queried = queried || octet == '?' && !escaped
		}
		if escaped {
			text = text[2:]
		}
		text = text[1:]
	}
	return items, literal
}

// referenceMatch tells whether a pattern matches a path in one reading, and how
// many octets it has.
func referenceMatch(pattern, path string, second bool) (match bool, length int) {
	items, literal := referenceForm(pattern, second)
	octets, _ := referenceForm(path, second)
	length = len(items)
	for _, escaped := range literal {
		if escaped {
			length += 2
		}
	}
	anchored := false
	if last := len(items) - 1; items[last] == '$' && !literal[last] {
		anchored, items = true, items[:last]
	}
	reached := make([]bool, len(octets)+1) // places behind what matched so far
	reached[0] = true
	for i, item := range items {
		next := make([]bool, len(octets)+1)
		for place := range reached {
			switch {
			case !reached[place]:
			case item == '*' && !literal[i]:
				for behind := place; behind <= len(octets); behind++ {
					next[behind] = true
				}
			case place < len(octets) && octets[place] == item:
				next[place+1] = true
			}
		}
		reached = next
	}
	if anchored {
		return reached[len(octets)], length
	}
	return slices.Contains(reached, true), length
}

// referenceDecide returns the rule that decides about a path, nil for none.
func referenceDecide(rules []robots.Rule, path string) (best *robots.Rule) {
	longest := 0
	try := func(rule *robots.Rule, pattern string) {
		match, length := referenceMatch(pattern, path, false)
		if !match && strings.Contains(pattern, "?") {
			match, _ = referenceMatch(pattern, path, true)
		}
		if match && (best == nil || length > longest || length == longest && best.Verb != rule.Verb && rule.Verb == robots.Allow) {
			best, longest = rule, length
		}
	}
	for i := range rules {
		rule := &rules[i]
		if rule.Pattern == "" || rule.Pattern[0] != '/' && rule.Pattern[0] != '*' {
			continue // P8
		}
		try(rule, rule.Pattern)
		if slash := strings.LastIndexByte(rule.Pattern, '/'); rule.Verb == robots.Allow && slash >= 0 &&
			strings.HasPrefix(rule.Pattern[slash:], "/index.htm") {
			try(rule, rule.Pattern[:slash+1]+"$") // M6
		}
	}
	return best
}

// referenceRules returns the rules that concern the crawler of a name (A3).
func referenceRules(file *robots.File, name string) (rules []robots.Rule, concerned bool) {
	for _, ours := range []func(agent.Line) bool{
		func(l agent.Line) bool { return l.Name != "" && strings.EqualFold(l.Name, name) },
		func(l agent.Line) bool { return l.Specificity == agent.Wildcard },
	} {
		for _, group := range file.Groups {
			if slices.ContainsFunc(group.Agents, func(a robots.UserAgent) bool { return ours(a.Addressee) }) {
				rules, concerned = append(rules, group.Rules...), true
			}
		}
		if concerned {
			break
		}
	}
	return rules, concerned
}

// checkDecisions holds the decisions about paths against the reference.
func checkDecisions(t rapid.TB, body []byte, reading policy.Reading, name string, paths []string) {
	t.Helper()
	rules, concerned := referenceRules(robots.Parse(body, robots.Options{}), name)
	snapshot := policy.Next(nil, policy.Answer{
		Origin: someOrigin, At: someTime, Response: policy.Response{Status: 200, Body: body},
	}, policy.Lifetimes{})
	p, err := policy.Compile(snapshot, reading, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Once each, and again: Rules may have found a faster way meanwhile.
	for _, path := range slices.Concat(paths, paths) {
		want := referenceDecide(rules, path)
		d := p.Decide(path, someTime)
		switch {
		case path == "/robots.txt":
			if !d.Allowed || d.Reason != policy.ReasonRobotsTxt {
				t.Fatalf("%q: %s", path, d)
			}
		case !concerned:
			if !d.Allowed || d.Reason != policy.ReasonNoGroup && d.Reason != policy.ReasonEmpty {
				t.Fatalf("%q about %q: %s, but no group concerns it", body, path, d)
			}
		case want == nil:
			if !d.Allowed || d.Reason != policy.ReasonNoRule && d.Reason != policy.ReasonRobotsTxt {
				t.Fatalf("%q about %q: %s, but no rule matches", body, path, d)
			}
		case d.Reason == policy.ReasonRobotsTxt: // however it is written
			if items, _ := referenceForm(path, false); !slices.Equal(items, formOf("/robots.txt")) {
				t.Fatalf("%q: %s", path, d)
			}
		case d.Allowed != (want.Verb == robots.Allow) || d.Rule != *want:
			t.Fatalf("%q about %q: %s; want %+v", body, path, d, *want)
		}
	}
}

func formOf(text string) []int {
	items, _ := referenceForm(text, false)
	return items
}

var (
	someTime   = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	someOrigin = mustOrigin("https://example.com")
)

func mustOrigin(text string) site.Origin {
	origin, err := site.ParseOrigin(text)
	if err != nil {
		panic(err)
	}
	return origin
}

// Rules and paths of few pieces, so that they meet.
func TestDecideAgreesWithTheReference(t *testing.T) {
	reading := crawler(t, "foobot")
	pieces := rapid.SampledFrom([]string{
		"/", "/", "a", "b", "ab", "*", "*", "**", "$", "?", "=", "%61", "%2A", "%2a", "%24", "%2F", "%2f", "%3A", ":", "%3f", "%40", "@",
		"ü", "%c3%bc", "%C3", "%", "%2", "%%32A", " ", "{", "index.html", "/index.htm", "12345678", "robots.txt", ";", "%00",
	})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(pieces, 0, 7).Draw(t, "pieces"), "") })
	line := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"Disallow: ", "Disallow: ", "Allow: "}).Draw(t, "key") +
			rapid.SampledFrom([]string{"/", "/", "/", "*", ""}).Draw(t, "start") + text.Draw(t, "pattern") +
			rapid.SampledFrom([]string{"", "", "", "$"}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		// Few rules are tried one by one, many are looked up.
		lines := rapid.SliceOfN(line, 1, rapid.SampledFrom([]int{3, 10, 100}).Draw(t, "most")).Draw(t, "lines")
		body := "User-agent: *\n" + strings.Join(lines, "\n")
		var paths []string
		for _, path := range rapid.SliceOfN(text, 1, 20).Draw(t, "paths") {
			paths = append(paths, "/"+path)
		}
		checkDecisions(t, []byte(body), reading, "foobot", paths)
	})
}

// FuzzDecide: any file, any path.
func FuzzDecide(f *testing.F) {
	f.Add([]byte(simpleExample), "/example/page.html")
	f.Add([]byte("user-agent: *\ndisallow: /a*b$\nallow: /%41?x=%2F\ndisallow: /%2A%24\n"), "/a?x=/b")
	f.Add([]byte("user-agent: *\nuser-agent: foobot\ndisallow: /\nallow: /index.html\n"), "/%C3%bC")
	f.Add([]byte("disallow /\nuser-agent foobot\nallow: /*?u=https://*\ndisalow: *a*b*c"), "/?u=https%3A%2F%2Fabc")
	reading := crawler(f, "foobot")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		if len(body) > 1<<14 || len(path) > 1<<10 {
			return // the reference is slow
		}
		checkDecisions(t, body, reading, "foobot", []string{path, site.PathOf(path), "/" + path, "/", "/a", "/robots.txt", "/index.html", "/?"})
	})
}
