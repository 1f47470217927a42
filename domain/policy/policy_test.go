package policy_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// Compile needs the copy's body, or an earlier Policy of the same copy for the
// same crawler.
func TestCompile(t *testing.T) {
	reading := crawler(t, "foobot")
	whole := withCopy()
	bare := withCopy()
	bare.Copy.Body = nil
	if _, err := policy.Compile(bare, reading, nil); !errors.Is(err, policy.ErrNoBody) {
		t.Errorf("without a body: %v", err)
	}
	before, err := policy.Compile(whole, reading, nil)
	if err != nil {
		t.Fatal(err)
	}
	if string(whole.Copy.Body) != someFile {
		t.Errorf("Compile changed the snapshot")
	}
	if before.Hash() != whole.Copy.Hash || before.Reading() == (policy.Reading{}) || before.Origin() != someOrigin {
		t.Errorf("hash %s, reading %+v, origin %s", before.Hash(), before.Reading(), before.Origin())
	}

	// The same copy, another answer since: the rules are used again.
	failing := policy.Next(bare, failure(policy.FailedTimeout), policy.Lifetimes{})
	p, err := policy.Compile(failing, reading, before)
	if err != nil {
		t.Fatal(err)
	}
	if d := p.Decide("/private", someTime); d.Allowed || !d.Stale || d.Rule.Line != 2 {
		t.Errorf("by the rules of before: %s", d)
	}
	// Another profile reads the same rules.
	other := reading
	other.Profile = policy.Strict
	if _, err := policy.Compile(bare, other, before); err != nil {
		t.Errorf("for another profile: %v", err)
	}
	// Another crawler, or another copy, does not.
	if _, err := policy.Compile(bare, crawler(t, "barbot"), before); !errors.Is(err, policy.ErrNoBody) {
		t.Errorf("for another crawler: %v", err)
	}
	changed := *bare
	changed.Copy.Hash = policy.HashOf([]byte("other"))
	if _, err := policy.Compile(&changed, reading, before); !errors.Is(err, policy.ErrNoBody) {
		t.Errorf("of another copy: %v", err)
	}
	fresh := withCopy()
	fresh.Copy.Body = []byte("user-agent: *\nallow: /private\n")
	fresh.Copy.Hash = policy.HashOf(fresh.Copy.Body)
	p, err = policy.Compile(fresh, reading, before)
	if err != nil {
		t.Fatal(err)
	}
	if d := p.Decide("/private", someTime); !d.Allowed {
		t.Errorf("by the rules of now: %s", d)
	}
	// Where there is no copy, no body is needed.
	if _, err := policy.Compile(policy.Next(nil, answer(404, policy.Response{}), policy.Lifetimes{}), reading, before); err != nil {
		t.Errorf("without a copy: %v", err)
	}
}

// A Policy gives back the facts that it stands on.
func TestSnapshotOfAPolicy(t *testing.T) {
	for _, snapshot := range []*policy.Snapshot{
		withCopy(),
		policy.Next(withCopy(), failure(policy.FailedTLS), policy.Lifetimes{}),
		policy.Next(nil, stopped(policy.StopScheme), policy.Lifetimes{}),
		policy.Next(nil, answer(404, policy.Response{}), policy.Lifetimes{}),
	} {
		p, err := policy.Compile(snapshot, policy.Reading{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := p.Snapshot()
		if got.Copy.Body != nil {
			t.Error("it holds the body")
		}
		if got.Origin != snapshot.Origin || got.Outcome != snapshot.Outcome || got.Failure != snapshot.Failure || got.Status != snapshot.Status ||
			got.Hops != snapshot.Hops || got.FinalURL != snapshot.FinalURL || got.Failures != snapshot.Failures ||
			got.Copy.Hash != snapshot.Copy.Hash || got.Copy.Truncated != snapshot.Copy.Truncated {
			t.Errorf("%+v, want %+v", got, snapshot)
		}
		for what, times := range map[string][2]time.Time{
			"FetchedAt": {got.FetchedAt, snapshot.FetchedAt}, "RefreshAt": {got.RefreshAt, snapshot.RefreshAt},
			"FreshUntil": {got.FreshUntil, snapshot.FreshUntil}, "FailingSince": {got.FailingSince, snapshot.FailingSince},
			"Copy.FetchedAt": {got.Copy.FetchedAt, snapshot.Copy.FetchedAt}, "Copy.ConfirmedAt": {got.Copy.ConfirmedAt, snapshot.Copy.ConfirmedAt},
		} {
			if !times[0].Equal(times[1]) || times[0].IsZero() != times[1].IsZero() {
				t.Errorf("%s of %s is %s, want %s", what, snapshot.Outcome, times[0], times[1])
			}
		}
	}
}

// A file with each kind of rule, and more of them than are tried one by one.
func manyRules(n int) []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\nCrawl-delay: 1\n")
	for i := range n {
		fmt.Fprintf(&b, "Disallow: /catalog/%d/\nAllow: /*/page-%d*.html$\nDisallow: /search?q=%d&u=https%%3A%%2F%%2F\n", i, i, i)
	}
	b.WriteString("Disallow: /ü/%2A\nAllow: /dir/index.html\n")
	return []byte(b.String())
}

// M5: no question allocates, for paths of up to 2 KiB.
func TestDecideAllocatesNothing(t *testing.T) {
	long := func(path string, octets int) string { return path + strings.Repeat("ü", (octets-len(path))/2) }
	paths := map[string]string{
		"plain":                     "/catalog/17/item.html",
		"plain, 2 KiB":              "/catalog/17/" + strings.Repeat("a", 2<<10-12),
		"with a query":              "/search?q=17&u=https://example.com/",
		"to be normalised":          "/%63atalog/17/ü",
		"to be normalised, 2 KiB":   long("/%63atalog/17/", 2<<10),
		"with a query, both, 2 KiB": long("/search?q=17&u=https%3a%2F%2f", 2<<10),
		"of an odd rule":            "/%C3%BC/*",
		"of a directory":            "/dir/",
		"of a wildcard":             "/a/page-17-b.html",
		"no match":                  "/nowhere",
		"robots.txt":                "/robots.txt",
		"robots.txt, escaped":       "/%72obots%2etxt",
	}
	failing := policy.Next(nil, failure(policy.FailedConnect), policy.Lifetimes{})
	for _, rules := range []int{1, 500} {
		file := manyRules(rules)
		snapshot := policy.Next(nil, answer(200, policy.Response{Body: file}), policy.Lifetimes{})
		for _, s := range []*policy.Snapshot{snapshot, policy.Next(snapshot, failure(policy.FailedDNS), policy.Lifetimes{}), failing} {
			p, err := policy.Compile(s, crawler(t, "foobot"), nil)
			if err != nil {
				t.Fatal(err)
			}
			for range 100 {
				p.Decide("/nowhere", someTime) // what is made once is made now
			}
			for what, path := range paths {
				if len(path) > 2<<10 {
					t.Fatalf("%s: %d octets", what, len(path))
				}
				if n := testing.AllocsPerRun(20, func() { p.Decide(path, someTime) }); n != 0 {
					t.Errorf("M5: %d rules, %s: %v allocations", rules, what, n)
				}
			}
		}
		r := policy.RulesOf(file, crawler(t, "foobot"))
		for range 100 {
			r.Match("/nowhere")
		}
		for what, path := range paths {
			if n := testing.AllocsPerRun(20, func() { r.Match(path) }); n != 0 {
				t.Errorf("M5: Rules.Match, %d rules, %s: %v allocations", rules, what, n)
			}
		}
	}
}

// M5: a path of any length is answered, and hostile patterns cost path ×
// wildcards at most: with backtracking this would take years.
func TestHostilePatterns(t *testing.T) {
	var file strings.Builder
	file.WriteString("user-agent: *\n")
	for range 40 {
		file.WriteString("disallow: /" + strings.Repeat("*a", 4000) + "*b\nallow: " + strings.Repeat("*aa", 4000) + "$\n")
		file.WriteString("disallow: /" + strings.Repeat("**", 4000) + "c\nallow: /?" + strings.Repeat("*%2F", 2000) + "c\n")
	}
	p := policy.Offline([]byte(file.String()), crawler(t, "foobot"))
	for _, path := range []string{
		"/" + strings.Repeat("a", 2<<10), "/" + strings.Repeat("a", 16<<10), "/" + strings.Repeat("ab", 8<<10) + "d",
		"/?" + strings.Repeat("%2f", 4<<10), "/" + strings.Repeat("*", 1<<10),
	} {
		for range 3 {
			p.Decide(path, someTime)
		}
	}
}

// P1, M5: no file of the parsing limit's size costs more to compile, or to ask
// about, than its length; were anything of it quadratic, this would take minutes.
func TestHostileFiles(t *testing.T) {
	var nested strings.Builder
	for i := range 1000 {
		nested.WriteString("disallow: /" + strings.Repeat("a", i) + "\n")
	}
	for name, piece := range map[string]string{
		"rules":            "disallow: /\n",
		"allows":           "allow: /\r",
		"nested rules":     nested.String(),
		"anchored rules":   "disallow: /a$\n",
		"wildcards":        "disallow: /*a\n",
		"wild beginnings":  "disallow: *\n",
		"queries":          "disallow: /?%2f\n",
		"literal stars":    "disallow: /%2A\n",
		"other forms":      "disallow: /%61\n",
		"directories":      "allow: /index.htm\n",
		"our groups":       "user-agent: foobot\ndisallow: /a\n",
		"others' groups":   "user-agent: barbot\ndisallow: /a\n",
		"our lines":        "user-agent: foobot/1\n",
		"everybody":        "user-agent: *\n",
		"everybody's":      "user-agent: *\ndisallow: /\n",
		"nobody's":         "user-agent:\ndisallow: /\n",
		"delays":           "crawl-delay: 1\n",
		"sitemaps":         "sitemap: /\n",
		"records":          "a: b\n",
		"CR":               "\r",
		"no end":           "disallow: /",
		"comments":         "disallow: / #\n",
		"spaces":           "disallow: /    \r",
		"colons":           "disallow:::::/\n",
		"nothing it knows": "d\ra\ru\rc\rs\r",
	} {
		file := []byte("user-agent: foobot\n" + strings.Repeat(piece, (robots.DefaultBytes-40)/len(piece)))
		p := policy.Offline(file, crawler(t, "foobot"))
		parsed := policy.NewRules(robots.Parse(file, robots.Options{}), crawler(t, "foobot"))
		for range 2 { // ten questions: rules may be looked up by then
			for _, path := range []string{"/", "/" + strings.Repeat("a", 2<<10), "/?" + strings.Repeat("%2F", 600), "/ü", "/index.html"} {
				d := p.Decide(path, someTime)
				if allowed, rule := parsed.Match(path); allowed != d.Allowed || rule != d.Rule {
					t.Errorf("%s: %.20s: %s, but by way of the File %+v decides", name, path, d, rule)
				}
			}
		}
		p.Sitemaps()
	}
}

// M8: a Policy is immutable and safe for concurrent use. The race detector
// watches; each goroutine must get what it would get alone.
func TestConcurrentUse(t *testing.T) {
	file := manyRules(200)
	snapshot := policy.Next(nil, answer(200, policy.Response{Body: file}), policy.Lifetimes{})
	reading := crawler(t, "foobot")
	compile := func(prev *policy.Policy) *policy.Policy {
		p, err := policy.Compile(snapshot, reading, prev)
		if err != nil {
			t.Error(err)
		}
		return p
	}
	var paths []string
	for i := range 50 {
		paths = append(paths, fmt.Sprintf("/catalog/%d/a", i*5), fmt.Sprintf("/x/page-%d.html", i), fmt.Sprintf("/search?q=%d&u=https://x", i), "/%C3%BC/*", "/dir/")
	}
	want := make([]policy.Decision, len(paths))
	for i, path := range paths {
		want[i] = compile(nil).Decide(path, someTime) // each by a Policy that nobody used before
	}
	shared := compile(nil)
	size := shared.Size()
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for n := range 4 * len(paths) {
				i := (n*7 + g*31) % len(paths)
				if got := shared.Decide(paths[i], someTime); got != want[i] {
					t.Errorf("M8: %s: %+v, alone %+v", paths[i], got, want[i])
					return
				}
				if n%50 == 0 {
					if got := compile(shared).Decide(paths[i], someTime); got != want[i] {
						t.Errorf("M8: %s, compiled from the shared one: %+v, alone %+v", paths[i], got, want[i])
					}
					shared.Sitemaps()
					shared.Snapshot()
					if shared.Size() != size {
						t.Errorf("M8: the size changes: %d, it was %d", shared.Size(), size)
					}
				}
			}
		})
	}
	group.Wait()
}

// A Policy holds no body: what happens to the octets that it was compiled from
// is no matter to it, and they are free to go.
func TestNoBodyIsHeld(t *testing.T) {
	file := manyRules(60)
	file = append(file, "Sitemap: /s.xml\nuser-agent: foobot/1\ndisallow: /own\ndisallow: /%6Fwn/*/x\n"...)
	paths := []string{"/", "/catalog/17/", "/own", "/own/a/x", "/dir/", "/%C3%BC/*", "/robots.txt"}
	for _, name := range []string{"foobot", "barbot"} {
		body := append([]byte(nil), file...)
		snapshot := policy.Next(nil, answer(200, policy.Response{Body: body}), policy.Lifetimes{})
		compiled, err := policy.Compile(snapshot, crawler(t, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		parsed := append([]byte(nil), file...)
		rules := policy.NewRules(robots.Parse(parsed, robots.Options{}), crawler(t, name))
		offline := policy.Offline(body, crawler(t, name))

		describe := func() (text string) {
			for _, path := range paths {
				allowed, rule := rules.Match(path)
				text += fmt.Sprintf("%+v %+v %v %+v\n", compiled.Decide(path, someTime), offline.Decide(path, someTime), allowed, rule)
			}
			return text + fmt.Sprint(compiled.Sitemaps(), offline.Sitemaps())
		}
		before := strings.Clone(describe())
		for i := range body {
			body[i], parsed[i] = '#', '#'
		}
		if after := describe(); after != before {
			t.Errorf("M8: with the body gone, %s is told\n%s\nand before\n%s", name, after, before)
		}
	}

	// And nothing points into it.
	compiled, body := func() (*policy.Policy, weak.Pointer[[1 << 16]byte]) {
		body := new([1 << 16]byte)
		copy(body[:], file)
		snapshot := policy.Next(nil, answer(200, policy.Response{Body: body[:len(file)]}), policy.Lifetimes{})
		p, err := policy.Compile(snapshot, crawler(t, "foobot"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return p, weak.Make(body)
	}()
	for range 3 { // what is pooled for the next file goes with the second
		runtime.GC()
	}
	if body.Value() != nil {
		t.Error("M8: the body is still held")
	}
	if d := compiled.Decide("/own", someTime); d.Allowed {
		t.Errorf("M8: %s", d)
	}
}

// Size is about what a Policy retains: no less than three quarters of it, and no
// more than twice.
func TestSize(t *testing.T) {
	const policies = 64
	files := map[string][]byte{
		"small":         []byte(someFile),
		"empty":         nil,
		"many":          manyRules(100),
		"wildcards":     []byte("user-agent: *\n" + strings.Repeat("disallow: /*a*b*c*d*e*f*g*h*\n", 300)),
		"short rules":   []byte("user-agent: *\n" + strings.Repeat("disallow: /a\n", 2000)),
		"long rules":    []byte("user-agent: *\n" + strings.Repeat("disallow: /"+strings.Repeat("a", 4000)+"\n", 20)),
		"escaped":       []byte("user-agent: *\n" + strings.Repeat("disallow: /üüüüüüüü?a=%2F%2A\n", 500)),
		"index.html":    []byte("user-agent: *\n" + strings.Repeat("allow: /a/b/c/index.html\n", 500)),
		"many groups":   []byte(strings.Repeat("user-agent: foobot/1\ndisallow: /a\n", 500)),
		"sitemaps":      []byte(strings.Repeat("sitemap: https://example.com/sitemap.xml\n", 1000)),
		"others' rules": []byte("user-agent: barbot\n" + strings.Repeat("disallow: /abcdefghij\n", 5000)),
	}
	for name, file := range files {
		snapshot := policy.Next(nil, answer(200, policy.Response{Body: file}), policy.Lifetimes{})
		held := make([]*policy.Policy, policies)
		before := heap()
		for i := range held {
			p, err := policy.Compile(snapshot, crawler(t, "foobot"), nil)
			if err != nil {
				t.Fatal(err)
			}
			held[i] = p
		}
		for _, p := range held {
			for range 20 { // an index may be made
				p.Decide("/nowhere", someTime)
			}
		}
		retained := (heap() - before) / policies
		if size := held[0].Size(); retained > size+size/3+512 || size > 2*retained+512 {
			t.Errorf("%s: the size is %d, about %d are retained", name, size, retained)
		}
		runtime.KeepAlive(held)
	}
}

// heap returns how many octets of the heap are in use.
func heap() int {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
