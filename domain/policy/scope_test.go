package policy

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// scoped compares a whole copy with what a Scope keeps of it (C8): decisions,
// lines and what they say, records, usage.
func scoped(t *testing.T, body []byte, scope Scope, readings []Reading, paths []string) {
	t.Helper()
	whole := Snapshot{Outcome: Successful, Copy: Copy{Hash: HashOf(body), Body: body}}
	kept := whole
	kept.Copy = scope.Cut(whole.Copy)
	if kept.Copy.Scope != scope || kept.Copy.Hash != whole.Copy.Hash || kept.Copy.Body == nil || len(kept.Copy.Body) > len(body) {
		t.Fatalf("kept is %+v of %q", kept.Copy, body)
	}
	for _, reading := range readings {
		want, err := Compile(&whole, reading, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Compile(&kept, reading, nil)
		if err != nil {
			t.Fatalf("Compile for %v: %v", reading.Agents, err)
		}
		if !slices.Equal(got.Sitemaps(), want.Sitemaps()) {
			t.Fatalf("sitemaps %q, want %q\nof %q\nkept %q", got.Sitemaps(), want.Sitemaps(), body, kept.Copy.Body)
		}
		for _, path := range paths {
			g, w := got.Decide(path, time.Time{}), want.Decide(path, time.Time{})
			if diff := cmp.Diff(w, g, cmp.AllowUnexported(site.Origin{})); diff != "" {
				t.Fatalf("%s in %s, for %v (-whole +kept):\n%s\nof %q\nkept %q", path, scope.Dialect, reading.Agents, diff, body, kept.Copy.Body)
			}
			if n := w.Rule.Line; robots.LineAt(kept.Copy.Body, n) != robots.LineAt(body, n) {
				t.Fatalf("line %d is %q, was %q", n, robots.LineAt(kept.Copy.Body, n), robots.LineAt(body, n))
			}
		}
		wantUse, gotUse := UsageOfCopy(whole.Copy, reading), UsageOfCopy(kept.Copy, reading)
		for _, path := range paths[:2] {
			if w, g := wantUse.Ask(path, "train-ai"), gotUse.Ask(path, "train-ai"); cmp.Diff(w, g) != "" {
				t.Fatalf("use of %s: %+v, want %+v\nof %q\nkept %q", path, g, w, body, kept.Copy.Body)
			}
		}
	}
}

func scopeOf(t *testing.T, dialect robots.Dialect, tokens ...string) (Scope, []Reading) {
	t.Helper()
	agents, err := agent.ParseTokens(tokens...)
	if err != nil {
		t.Fatal(err)
	}
	scope := Scope{Agents: agents, Identification: "FooBot/2.1 (+http://x)", Dialect: dialect}
	readings := []Reading{{Agents: agents}, {Agents: agents, Together: true}, {}}
	for token := range agents.Tokens {
		readings = append(readings, Reading{Agents: agent.NewIdentity(token)})
	}
	for i := range readings {
		readings[i].Options.Dialect, readings[i].Identification = dialect, scope.Identification
	}
	return scope, readings
}

func scopeDialects() []robots.Dialect {
	return []robots.Dialect{
		robots.Default(), robots.Google(), robots.RFC9309(), robots.Legacy(),
		robots.Default().With(robots.LineContinuation), robots.Legacy().With(robots.LineContinuation, robots.FileOrder),
		robots.Default().Without(robots.OtherRecords), robots.Default().With(robots.AgentPatterns, robots.KeepTrailingSpace),
	}
}

// C8: what is kept for some answers them as the whole does, in every dialect.
func TestAScopeAnswersAsTheWhole(t *testing.T) {
	for _, dialect := range scopeDialects() {
		scope, readings := scopeOf(t, dialect, "FooBot", "BarBot")
		for seed := range uint64(50) {
			w := writer{rand.New(rand.NewPCG(seed, 7))}
			body := []byte(w.file(w.IntN(40)))
			scoped(t, body, scope, readings, append(w.paths(20), "/a", "/ab"))
		}
	}
}

func FuzzScope(f *testing.F) {
	f.Add([]byte("user-agent: x\nallow: /a\n\nuser-agent: foobot\n crawl-delay: 1\n disallow: /b # why\n"), "/b", uint8(4))
	f.Add([]byte("\xEF\xBB\xBF\xEF\xBB\xBFuser-agent: *\rdisallow: /\r\n sitemap: /x"), "/", uint8(5))
	f.Fuzz(func(t *testing.T, body []byte, path string, which uint8) {
		dialects := scopeDialects()
		scope, readings := scopeOf(t, dialects[int(which)%len(dialects)], "FooBot", "Bar")
		scoped(t, body, scope, readings, []string{path, site.PathOf(path)})
	})
}

// What is kept is what is needed, in its place.
func TestWhatAScopeKeeps(t *testing.T) {
	scope, _ := scopeOf(t, robots.Default(), "FooBot")
	for _, row := range []struct{ name, body, want string }{
		{"others go", "# c\nUser-agent: Other\nDisallow: /o\n\nUser-agent: foobot # us\nDisallow: /f # why\n\nUser-agent: Last\nDisallow: /l\n",
			"\n\n\n\nUser-agent: foobot # us\nDisallow: /f # why"},
		{"everybody's stay", "User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /a"},
		{"of a group for several their lines go", "User-agent: A\nUser-agent: FooBot\nUser-agent: B\nAllow: /\n", "\nUser-agent: FooBot\n\nAllow: /"},
		{"what concerns the file stays", "User-agent: A\nDisallow: /\nSitemap: /s\nHost: h\nFoo: bar\n", "\n\nSitemap: /s\nHost: h\nFoo: bar"},
		{"an empty rule ends a group", "User-agent: FooBot\nDisallow:\nUser-agent: A\nDisallow: /\n", "User-agent: FooBot\nDisallow:"},
		{"a file for others is not an empty one", "User-agent: A\nDisallow: /\n", "User-agent: A"},
		{"an empty one is", "# nothing\n\n", ""},
		{"line ends become one kind", "User-agent: *\r\nDisallow: /a\r\rAllow: /b", "User-agent: *\nDisallow: /a\n\nAllow: /b"},
	} {
		if got := scope.Cut(Copy{Body: []byte(row.body)}); string(got.Body) != row.want {
			t.Errorf("%s: kept %q, want %q", row.name, got.Body, row.want)
		}
	}
}

func TestScopeCovers(t *testing.T) {
	scope, readings := scopeOf(t, robots.Default(), "FooBot", "BarBot")
	for _, reading := range readings {
		if !scope.Covers(&reading) {
			t.Errorf("%v is not covered", reading)
		}
	}
	snapshot := Snapshot{Outcome: Successful, Copy: scope.Cut(Copy{Hash: Hash{1}, Body: []byte("User-agent: *\nDisallow: /")})}
	google := readings[0]
	google.Options.Dialect = robots.Google()
	for name, reading := range map[string]Reading{
		"another agent": readingOf(t, "Other"), "one of two": readingOf(t, "FooBot", "Other"), "another dialect": google,
	} {
		if scope.Covers(&reading) || !(Scope{}).Covers(&reading) {
			t.Errorf("%s: covered by the scope, or not by everybody's", name)
		}
		if _, err := Compile(&snapshot, reading, nil); !errors.Is(err, ErrOutOfScope) {
			t.Errorf("%s: Compile: %v, want ErrOutOfScope", name, err)
		}
	}
	// Cut once is cut: of what is gone nobody else can be served.
	other, _ := scopeOf(t, robots.Default(), "Other")
	if again := other.Cut(snapshot.Copy); again.Scope != scope {
		t.Errorf("a copy for %v became one for %v", scope, again.Scope)
	}
}

func TestScopeKey(t *testing.T) {
	scope, _ := scopeOf(t, robots.Default(), "FooBot", "BarBot")
	turned, _ := scopeOf(t, robots.Default(), "barbot", "FOOBOT")
	if scope.Key() != turned.Key() || len(scope.Key()) != 8 || strings.Trim(scope.Key(), "0123456789abcdef") != "" {
		t.Errorf("keys %q and %q", scope.Key(), turned.Key())
	}
	other, _ := scopeOf(t, robots.Default(), "FooBot")
	google, _ := scopeOf(t, robots.Google(), "FooBot", "BarBot")
	if keys := []string{scope.Key(), other.Key(), google.Key(), (Scope{}).Key()}; len(slices.Compact(slices.Sorted(slices.Values(keys)))) != 4 {
		t.Errorf("keys %q", keys)
	}
}
