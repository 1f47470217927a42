package policy

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// compare holds Rules, made straight from a body and from the File, tried one by
// one and by the index, against the plain algorithm.
func compare(t *testing.T, body []byte, reading Reading, paths []string) {
	t.Helper()
	plain := newPlainRules(body, reading)
	for way, fast := range map[string]*Rules{
		"from bytes": RulesOf(body, reading),
		"from File":  NewRules(robots.Parse(body, robots.Options{}), reading),
	} {
		var groups []Group
		for i := range fast.groups() {
			groups = append(groups, fast.group(i))
		}
		if !slices.Equal(groups, plain.groups) || fast.delayed() != plain.delay || fast.blank != plain.blank || fast.cut != plain.cut {
			t.Fatalf("%s: groups %+v, delay %+v, blank %v, cut %v; want %+v, %+v, %v, %v\n%q", way,
				groups, fast.delayed(), fast.blank, fast.cut, plain.groups, plain.delay, plain.blank, plain.cut, body)
		}
		if !slices.Equal(fast.sitemaps(), plain.maps) {
			t.Fatalf("%s: sitemaps %q, want %q\n%q", way, fast.sitemaps(), plain.maps, body)
		}
		index := fast.newIndex()
		for _, path := range paths {
			want, decided := plain.match(path)
			agree := func(way string, i int) {
				var got found
				if i >= 0 {
					rule := fast.rule(i)
					got = found{rule.Text, rule.Pattern, rule.Line, fast.list[i].group(), rule.Verb == robots.Allow}
				}
				if decided != (i >= 0) || got != want {
					t.Fatalf("%s: %q is decided by %+v (%v), want %+v (%v)\n%q", way, path, got, i >= 0, want, decided, body)
				}
			}
			agree(way, fast.find(path))
			if site.Abnormal(path) == len(path) {
				if got, want := index.find(fast, path), fast.first(path, int(fast.count)); got != want {
					t.Fatalf("%s: by the index %q meets rule %d, by trying all %d\n%q", way, path, got, want, body)
				}
			}
		}
	}
}

func readingOf(t *testing.T, tokens ...string) Reading {
	t.Helper()
	identity, err := agent.ParseTokens(tokens...)
	if err != nil {
		t.Fatal(err)
	}
	return Reading{Agents: identity}
}

// a writer writes robots.txt files and paths by chance, out of pieces that are
// likely to meet.
type writer struct{ *rand.Rand }

func (w writer) of(pieces ...string) string { return pieces[w.IntN(len(pieces))] }

func (w writer) path() string {
	var b strings.Builder
	b.WriteByte('/')
	for range w.IntN(8) {
		b.WriteString(w.of("a", "b", "ab", "/", "/", "catalog/", "index.html", "?", "=", "&", "%2F", "%2f", "%41", "%2A", "%24",
			"*", "$", "ü", "%C3%BC", "%3f", "%zz", " ", ":", "%3A", "-", ".php"))
	}
	return b.String()
}

func (w writer) pattern() string {
	p := w.path()
	for range w.IntN(4) {
		at := 1 + w.IntN(len(p))
		p = p[:at] + w.of("*", "*", "**", "$") + p[at:]
	}
	return w.of("", "", "", "*", "x") + p + w.of("", "", "$", "*", "*$", "index.htm")
}

func (w writer) line() string {
	end := w.of("\n", "\n", "\n", "\r\n", "\r", " \n", " # x\n", "\n\n")
	before := w.of("", "", "", " ", "\t ", "\v")
	colon := w.of(":", ": ", ": ", ": ", " : ", ":\t", " ")
	switch w.IntN(12) {
	case 0, 1:
		return before + w.of("User-agent", "user-agent", "USER-AGENT", "useragent", "User agent") + colon +
			w.of("*", "* x", "FooBot", "foobot/2.1", "foobot*", "BarBot", "Foo", "FooBot9", "", "Ü", "9bot", "\u212A", "-9") + end
	case 2:
		return before + w.of("Crawl-delay", "crawl-delay", "Crawl-Delay") + colon + w.of("1", "2.5", "x", "0", "10") + end
	case 3:
		return before + w.of("Sitemap", "site-map", "Host", "Foo", "#", "Noindex") + colon + w.of("/s", "http://x/y", "", "a b") + end
	case 4:
		return w.of("", "x", "allow", "disallow /a b", ": /", "\xEF\xBB\xBF", "\x00", "disallow:", "Allow:", "d", "Sitemap\x1a/s", "User\ragent:*", "Disallow\x1a/a", "\xEF\xBBDisallow: /a") + end
	default:
		return before + w.of("Disallow", "Allow", "disallow", "ALLOW", "Disalow", "allowed") + colon + w.pattern() + end
	}
}

func (w writer) file(lines int) string {
	var b strings.Builder
	b.WriteString(w.of("", "", "", "\xEF\xBB\xBF", "\xEF"))
	for range lines {
		b.WriteString(w.line())
	}
	return b.String()
}

func (w writer) paths(n int) []string {
	paths := []string{"/", "/robots.txt"}
	for range n {
		paths = append(paths, w.path())
	}
	return paths
}

// The fast way and the plain one agree on files and paths by chance.
func TestFastAgreesWithPlain(t *testing.T) {
	readings := []Reading{readingOf(t, "FooBot"), readingOf(t, "BarBot", "foobot"), readingOf(t, "Unknown"), {}, {Agents: agent.AsPassed("", "-9")}, readingOf(t, "9Bot", "Ü")}
	ways := map[string]int{}
	for seed := range uint64(3000) {
		w := writer{rand.New(rand.NewPCG(seed, 1))}
		lines, reading := w.IntN(40), readings[w.IntN(len(readings))]
		if seed%20 == 0 { // more general rules than are tried one by one
			lines = 400 + w.IntN(600)
		}
		body := []byte(w.file(lines))
		if seed%50 == 1 { // more rules than are found by letter
			body = append(body, "\nuser-agent: FooBot\nuser-agent: BarBot\nuser-agent: *\n"...)
			for range 300 + w.IntN(900) {
				body = append(body, w.of("allow: ", "disallow: ")+w.pattern()+"\n"...)
			}
		}
		paths := w.paths(40)
		compare(t, body, reading, paths)
		r := RulesOf(body, reading)
		x := r.newIndex()
		switch {
		case x.trie != nil:
			ways["trie"]++
		case x.general != nil && x.general.grams != nil:
			ways["letters and grams"]++
		case len(x.letters) > 0:
			ways["letters"]++
		}
		if x.floor < int32(r.count) && slices.ContainsFunc(paths[1:], func(path string) bool { return x.find(r, path) == int(x.floor) }) {
			ways["floor"]++
		}
		if x.home >= 0 {
			ways["home"]++
		}
	}
	for _, way := range []string{"trie", "letters and grams", "letters", "floor", "home"} {
		if ways[way] < 10 {
			t.Errorf("only %d files were decided by %s", ways[way], way)
		}
	}
}

// nested is a path or a pattern that begins as many others do: of few octets, and
// some of the length of a trie's branch.
func (w writer) nested(pieces int) string {
	var b strings.Builder
	b.WriteByte('/')
	for range w.IntN(pieces) {
		b.WriteString(w.of("a", "a", "b", "/", "?", "aaaaaaaa"))
	}
	return b.String()
}

// nestedFile writes rules that many paths meet several of, with each ending that a
// pattern can have: what is longest as a literal does not decide then, nor what
// matches the whole path.
func (w writer) nestedFile(rules, pieces int) string {
	var b strings.Builder
	b.WriteString("user-agent: *\n")
	for range rules {
		p := w.nested(pieces)
		if w.IntN(8) == 0 {
			at := 1 + w.IntN(len(p))
			p = p[:at] + "*" + p[at:]
		}
		b.WriteString(w.of("allow: ", "disallow: ") + p + w.of("", "", "*", "$", "*$", "**", "$$", "%2A", "%61", "%2") + "\n")
	}
	return b.String()
}

// M4: of rules that begin alike the right one decides, by whatever way it is found.
func TestNestedRules(t *testing.T) {
	ways := map[string]int{}
	for seed := range uint64(600) {
		w := writer{rand.New(rand.NewPCG(seed, 3))}
		pieces := 3 + w.IntN(12)
		body := []byte(w.nestedFile([]int{5, 40, 200, 290, 600}[seed%5], pieces))
		paths := []string{"", "/", "a", "b/", "/a", "//"}
		for range 60 {
			paths = append(paths, w.nested(pieces))
		}
		compare(t, body, Reading{}, paths)
		r := RulesOf(body, Reading{})
		x := r.newIndex()
		for _, path := range paths[2:] {
			i := x.find(r, path)
			if i < 0 || x.trie == nil {
				continue
			}
			rule := &r.list[i]
			switch found := x.trie.find(r, path); {
			case found != i:
				ways["general instead of trie"]++
			case rule.has(anchored):
				ways["whole"]++
			case rule.has(open):
				ways["open"]++
			case len(r.literal(rule)) > 16:
				ways["deep"]++
			default:
				ways["trie"]++
			}
		}
	}
	for _, way := range []string{"general instead of trie", "whole", "open", "deep", "trie"} {
		if ways[way] < 50 {
			t.Errorf("only %d paths were decided by way of: %s", ways[way], way)
		}
	}
}

// The tokens are a crawler's, in order of preference.
func FuzzFastAgreesWithPlain(f *testing.F) {
	f.Add([]byte("user-agent: *\ndisallow: /a*b$\nallow: /%41?x=%2F\n"), "/a?x=/", "foobot")
	for seed := range uint64(10) {
		w := writer{rand.New(rand.NewPCG(seed, 2))}
		f.Add([]byte(w.file(20)), w.path(), "foobot")
	}
	for seed := range uint64(20) {
		x := extreme{writer{rand.New(rand.NewPCG(seed, 5))}, []string{"foobot", "barbot", "Ü"}}
		f.Add([]byte(x.file()), x.path(), x.of("foobot", "Ü barbot foobot", "barbot foobot"))
	}
	f.Fuzz(func(t *testing.T, body []byte, path, tokens string) {
		identity, err := agent.ParseTokens(strings.Fields(tokens)...)
		if err != nil {
			identity = agent.Identity{}
		}
		compare(t, body, Reading{Agents: identity}, []string{path, site.PathOf(path)})
	})
}
