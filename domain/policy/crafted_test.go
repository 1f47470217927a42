package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/internal/word"
	"github.com/polite-crawler/polite/domain/robots"
)

// M5: who knows the hash can choose rules that meet in one place of a trie's
// table. To fill it would take the square of their number: there is no trie then,
// and what decides is the same.
func TestCollidingRules(t *testing.T) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	var file strings.Builder
	file.WriteString("user-agent: *\n")
	var paths []string
	rules := 0
	for i := 0; rules < 3000; i++ {
		path := string([]byte{'/', letters[i>>18&63], letters[i>>12&63], letters[i>>6&63], letters[i&63]})
		if mix(seed, word.Head(path), 5)>>54 != 512 {
			continue
		}
		if rules++; rules%100 == 0 {
			paths = append(paths, path, path+"/a")
		} else {
			file.WriteString("disallow: " + path + "\n")
		}
	}
	paths = append(paths, "/aaaa", strings.Fields(file.String())[9])
	compare(t, []byte(file.String()), Reading{}, paths)
	if x := RulesOf([]byte(file.String()), Reading{}).newIndex(); x.trie != nil {
		t.Error("rules that collide are in a trie")
	}
}

// M2: an odd rule's form for one reading is not for the other. A broken escape,
// "%3%41", becomes in normal form what looks like one.
func TestReadingsApart(t *testing.T) {
	body := []byte("user-agent: *\ndisallow: /a?%2A%3A:\n")
	compare(t, body, Reading{}, []string{"/a?*%3%41%3A", "/a?*%3A:", "/a?*::", "/a?*%3a%3a"})
}

// A File that was made by hand is no cause to panic: its rules may have no text,
// another, or more than any line.
func TestFileMadeByHand(t *testing.T) {
	long := "/" + strings.Repeat("a", 1<<17)
	for _, row := range []struct {
		rule    robots.Rule
		path    string
		allowed bool
		text    string
	}{
		{robots.Rule{Verb: robots.Disallow, Pattern: "/a"}, "/ab", false, "Disallow: /a"},
		{robots.Rule{Verb: robots.Disallow, Pattern: "/ü*%2A"}, "/%C3%BCx*", false, "Disallow: /ü*%2A"},
		{robots.Rule{Verb: robots.Disallow, Pattern: "/ü"}, "/%C3%BC", false, "Disallow: /ü"},
		{robots.Rule{Verb: robots.Disallow, Pattern: "/a", Text: "Disallow: /b"}, "/b", true, ""},
		{robots.Rule{Verb: robots.Disallow, Pattern: "/a\nb"}, "/a%0ab", false, "Disallow: /a\nb"}, // M2
		{robots.Rule{Verb: robots.Disallow, Pattern: "/a\r$"}, "/a\r", false, "Disallow: /a\r$"},
		{robots.Rule{Verb: robots.Disallow, Pattern: long}, long, false, ("Disallow: " + long)[:robots.MaxLine]},
		{robots.Rule{Verb: robots.Disallow, Pattern: "/a", Text: long + "/a"}, "/a", true, ""},
	} {
		file := &robots.File{Groups: []robots.Group{{
			Agents: []robots.UserAgent{{Addressee: agent.ParseLine("*"), Value: "*", Line: 1}},
			Rules:  []robots.Rule{row.rule},
		}}}
		allowed, rule := NewRules(file, Reading{}).Match(row.path)
		if allowed != row.allowed || rule.Text != row.text {
			t.Errorf("%.30v: %.30q is allowed: %v, by %.40q", row.rule, row.path, allowed, rule.Text)
		}
	}
}

// What else a File says that was made by hand is what lines can hold: no location
// with a line end, no name that is longer than counts (P3, P4).
func TestRestOfAFileMadeByHand(t *testing.T) {
	file := &robots.File{Groups: []robots.Group{{Agents: []robots.UserAgent{
		{Addressee: agent.ParseLine("*"), Value: "* " + strings.Repeat("x", 1<<16), Line: 1},
	}}}}
	for _, location := range []string{"/a", "/a\n\xFF", "\n", "/b", "/b\n/c"} {
		file.Records = append(file.Records, robots.Record{Kind: robots.Sitemap, Value: location})
	}
	r := NewRules(file, Reading{})
	if got := r.sitemaps(); !slices.Equal(got, []string{"/a", "/b"}) {
		t.Errorf("sitemaps %q", got)
	}
	if got := len(r.group(0).Agent); got != robots.MaxLine {
		t.Errorf("a name of %d octets is shown", got)
	}
}
