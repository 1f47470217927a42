package robots_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/polite-crawler/polite/domain/robots"
)

// The table of P12, as it stands there.
func TestPresets(t *testing.T) {
	const on, off = true, false
	table := []struct {
		s                                  robots.Switch
		byDefault, google, rfc9309, legacy bool
	}{
		{robots.ExactKeys, off, off, on, off},
		{robots.PrefixKeys, off, on, off, on},
		{robots.OptionalColon, on, on, off, on},
		{robots.WildcardText, on, on, off, on},
		{robots.PartialMark, on, on, off, on},
		{robots.IndexHTML, on, on, off, on},
		{robots.OddNames, on, off, off, on},
		{robots.PercentDecoding, on, off, on, on},
		{robots.RobotsTxtAllowed, on, off, on, on},
		{robots.CompleteSlash, off, off, off, on},
		{robots.AgentPatterns, off, off, off, on},
		{robots.FileOrder, off, off, off, off},
		{robots.AllowFirst, off, off, off, off},
		{robots.LineContinuation, off, off, off, off},
		{robots.EscapedWildcard, off, off, off, off},
		{robots.KeepTrailingSpace, off, off, off, off},
		{robots.OtherRecords, on, on, on, on},
		// P5, P2: what Google's parser does besides.
		{robots.AnyTwoWords, off, on, off, off},
		{robots.NULEnds, off, on, off, off},
		{robots.ParsingLimit, on, off, on, on},
	}
	for _, row := range table {
		for dialect, want := range map[robots.Dialect]bool{
			robots.Default(): row.byDefault, robots.Google(): row.google, robots.RFC9309(): row.rfc9309, robots.Legacy(): row.legacy,
		} {
			if got := dialect.Has(row.s); got != want {
				t.Errorf("%v has %v: %v, want %v", dialect, row.s, got, want)
			}
		}
	}
	if robots.Default() != (robots.Dialect{}) {
		t.Error("the zero Dialect is not Default")
	}
	if got, want := len(table), len(robots.DialectSwitches())-5; got != want {
		t.Errorf("the table has %d switches of %d", got, want)
	}
}

func TestParseDialect(t *testing.T) {
	for _, row := range []struct {
		text string
		want robots.Dialect
		name string // String
	}{
		{"", robots.Default(), "default"},
		{" ", robots.Default(), "default"},
		{"default", robots.Default(), "default"},
		{"google", robots.Google(), "google"},
		{"RFC9309", robots.RFC9309(), "rfc9309"},
		{" Legacy ", robots.Legacy(), "legacy"},
		{"default,file-order,complete-slash", robots.Default().With(robots.FileOrder, robots.CompleteSlash), "default,complete-slash,file-order"},
		{"file-order", robots.Default().With(robots.FileOrder), "default,file-order"},
		{"default, No-Index-HTML", robots.Default().Without(robots.IndexHTML), "default,no-index-html"},
		{"default,no-file-order", robots.Default(), "default"},
		{"file-order,allow-first", robots.Default().With(robots.AllowFirst), "default,allow-first"},
		{"file-order,longest", robots.Default(), "default"},
		{"google,exact-keys", robots.Google().With(robots.ExactKeys), "google,no-prefix-keys,exact-keys"},
		{"google,typo-keys", robots.Google().Without(robots.PrefixKeys), "google,no-prefix-keys"},
		{"no-missing-colon,no-wildcard-text,no-partial-mark", robots.Default().Without(robots.OptionalColon, robots.WildcardText, robots.PartialMark), "default,no-missing-colon,no-wildcard-text,no-partial-mark"},
		{"exact-keys,no-missing-colon,no-wildcard-text,no-partial-mark,no-index-html,no-odd-names", robots.RFC9309(), "rfc9309"},
	} {
		got, err := robots.ParseDialect(row.text)
		if err != nil || got != row.want || got.String() != row.name {
			t.Errorf("%q is %v (%v), want %v", row.text, got, err, row.name)
		}
	}
}

func TestParseDialectOfLists(t *testing.T) {
	for _, row := range []struct{ text, name string }{
		{"group-keys=My-Flag", "default,group-keys=my-flag"},
		{"google,group-keys=b+a+b", "google,group-keys=a+b"},
		{"group-keys=b,group-keys=a", "default,group-keys=a+b"},
		{"path-keys=noindex+my path", "default,path-keys=my path+noindex"},
		{"key-aliases=ua:User-Agent+block:disallow", "default,key-aliases=block:disallow+ua:user-agent"},
		{"key-aliases=x:allow+x:disallow", "default,key-aliases=x:disallow"},
	} {
		got, err := robots.ParseDialect(row.text)
		if err != nil || got.String() != row.name {
			t.Errorf("%q is %v (%v), want %v", row.text, got, err, row.name)
		}
	}
}

func TestParseDialectErrors(t *testing.T) {
	for _, row := range []struct{ text, name, problem string }{
		{"bing", "bing", "no such preset or switch"},
		{"default,", "", "no such preset or switch"},
		{"default,fileorder", "fileorder", "no such preset or switch"},
		{"no-google", "no-google", "no such preset or switch"},
		{"no-no-file-order", "no-no-file-order", "no such preset or switch"},
		{"no-longest", "no-longest", "no such preset or switch"},
		{"file-order,google", "google", "a preset stands first"},
		{"default,default", "default", "a preset stands first"},
		{"keys=x", "keys=x", "no such list"},
		{"group-keys=", "group-keys=", "not empty"},
		{"group-keys=a+", "group-keys=a+", "not empty"},
		{"group-keys=a:b", "group-keys=a:b", "holds no ':'"},
		{"group-keys=a#", "group-keys=a#", "neither '#'"},
		{"group-keys=a\tb", "group-keys=a\tb", "nor control characters"},
		{"group-keys=disallow", "group-keys=disallow", "no record's"},
		{"path-keys=dissallow", "path-keys=dissallow", "no record's"},
		{"key-aliases=ua", "key-aliases=ua", "alias:key"},
		{"key-aliases=host:allow", "key-aliases=host:allow", "cannot be a key that is known"},
		{"key-aliases=ua:agent", "key-aliases=ua:agent", "stands for a key that is known"},
		{"key-aliases=ua:useragent", "key-aliases=ua:useragent", "stands for a key that is known"},
	} {
		got, err := robots.ParseDialect(row.text)
		var wrong *robots.DialectError
		if !errors.As(err, &wrong) {
			t.Errorf("%q is %v (%v), want a DialectError", row.text, got, err)
			continue
		}
		if wrong.Input != row.text || wrong.Name != row.name || !strings.Contains(wrong.Problem, row.problem) {
			t.Errorf("%q: %+v, want %q, %q", row.text, *wrong, row.name, row.problem)
		}
		// Whoever mistyped one sees them all.
		for _, name := range append(robots.DialectPresets(), robots.DialectSwitches()...) {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%q: the error does not name %s", row.text, name)
			}
		}
	}
}

// drawDialect draws any Dialect there is.
func drawDialect(t *rapid.T) robots.Dialect {
	presets := []robots.Dialect{robots.Default(), robots.Google(), robots.RFC9309(), robots.Legacy()}
	d := rapid.SampledFrom(presets).Draw(t, "preset")
	names := robots.DialectSwitches()
	for range rapid.IntRange(0, 4).Draw(t, "switches") {
		name := rapid.SampledFrom(names).Draw(t, "switch")
		if key, ok := strings.CutSuffix(name, "…"); ok {
			name = key + map[string]string{"group-keys=": "flag+other", "path-keys=": "noindex", "key-aliases=": "ua:user-agent+ban:disallow"}[key]
		} else if name != "longest" && name != "typo-keys" && rapid.Bool().Draw(t, "off") {
			name = "no-" + name
		}
		next, err := robots.ParseDialect(d.String() + "," + name)
		if err != nil {
			t.Fatal(err)
		}
		d = next
	}
	return d
}

func TestDialectRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDialect(t)
		got, err := robots.ParseDialect(d.String())
		if err != nil || got != d {
			t.Fatalf("%v is read as %v (%v)", d, got, err)
		}
		text, _ := d.MarshalText()
		var again robots.Dialect
		if err := again.UnmarshalText(text); err != nil || again != d {
			t.Fatalf("%s is unmarshalled as %v (%v)", text, again, err)
		}
	})
}
