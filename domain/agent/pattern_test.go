package agent

import (
	"strings"
	"testing"
)

// A4: an expression over the whole identification string.
func TestMatchPattern(t *testing.T) {
	const mozilla = "Mozilla/5.0 (compatible; FooBot/2.1; +https://foo.example/bot)"
	for _, row := range []struct {
		value, identification string
		want                  bool
		why                   string
	}{
		{"*", mozilla, true, "any text"},
		{"Mozilla", mozilla, true, "open at its end"},
		{"mozilla/5.0 (COMPATIBLE", mozilla, true, "without case"},
		{"FooBot", mozilla, false, "anchored at its start"},
		{"*FooBot", mozilla, true, ""},
		{"Mozilla*foobot", mozilla, true, ""},
		{"Mozilla*foobot*bot)", mozilla, true, ""},
		{"Mozilla*foobot*bot)*", mozilla, true, ""},
		{"Mozilla*bot)*foobot", mozilla, false, "in this order"},
		{"Mozilla**foobot", mozilla, true, "'**' is '*'"},
		{"***", mozilla, true, ""},
		{"*", "", true, ""},
		{"", mozilla, false, "an empty value describes nobody (P7)"},
		{"", "", false, ""},
		{"FooBot/2.1 beta", "FooBot/2.1", false, "longer than what it should describe"},
		{"*bot*bot", "FooBot", false, "each stretch needs text of its own"},
		{"*oo*o", "Foo", false, "each stretch needs text of its own"},
		{"*o*o", "Foo", true, ""},
		{"Foo.Bot", "FooxBot", false, "no other character is special"},
		{"FooBot$", "FooBot", false, "no other character is special"},
		{"Ä*", "äbot", false, "ASCII case only"},
	} {
		if got := MatchPattern(row.value, row.identification); got != row.want {
			t.Errorf("%q describes %q: %v, want %v %s", row.value, row.identification, got, row.want, row.why)
		}
	}
}

// What hostile expressions cost is bounded by the identification string, which is
// the crawler's own.
func FuzzMatchPattern(f *testing.F) {
	f.Add("Mozilla*FooBot", "Mozilla/5.0 (compatible; FooBot)")
	f.Add("**a*", "aA")
	f.Fuzz(func(t *testing.T, value, identification string) {
		got := MatchPattern(value, identification)
		if value != "" && MatchPattern(value+"*", identification) != got {
			t.Fatalf("%q is open at its end, but not for %q", value, identification)
		}
		if !strings.Contains(value, "*") && value != "" {
			if want := len(value) <= len(identification) && equalFold(value, identification[:len(value)]); got != want {
				t.Fatalf("%q describes %q: %v", value, identification, got)
			}
		}
	})
}

// A2, A5: the same lines, read with each option and without.
func TestLineOptions(t *testing.T) {
	for _, row := range []struct {
		value                     string
		byDefault, cut, bare, rfc Line
	}{
		{"FooBot", Line{"FooBot", Exact}, Line{"FooBot", Exact}, Line{"FooBot", Exact}, Line{"FooBot", Exact}},
		{"FooBot/2.1", Line{"FooBot", Pattern}, Line{"FooBot", Pattern}, Line{"FooBot", Pattern}, Line{"FooBot", Pattern}},
		{"AB42bot", Line{"AB42bot", Exact}, Line{"AB", Pattern}, Line{"AB42bot", Exact}, Line{"AB", Pattern}},
		{"360Spider", Line{"360Spider", Exact}, Line{}, Line{"360Spider", Exact}, Line{}},
		{"Föö", Line{"Föö", Exact}, Line{"F", Pattern}, Line{"Föö", Exact}, Line{"F", Pattern}},
		{"*", Line{"", Wildcard}, Line{"", Wildcard}, Line{"", Wildcard}, Line{"", Wildcard}},
		{"* all", Line{"", Wildcard}, Line{"", Wildcard}, Line{}, Line{}},
		{"*\tall", Line{"", Wildcard}, Line{"", Wildcard}, Line{}, Line{}},
		{"*all", Line{}, Line{}, Line{}, Line{}},
		{"", Line{}, Line{}, Line{}, Line{}},
	} {
		for options, want := range map[LineOptions]Line{
			{}: row.byDefault, {CutNames: true}: row.cut, {BareWildcard: true}: row.bare, {CutNames: true, BareWildcard: true}: row.rfc,
		} {
			if got := options.Parse(row.value); got != want {
				t.Errorf("%q by %+v is %+v, want %+v", row.value, options, got, want)
			}
		}
	}
}

// A5: a crawler's name as Google's parser takes it.
func TestConcernsName(t *testing.T) {
	cut := LineOptions{CutNames: true}
	for _, row := range []struct {
		value, name string
		want        Specificity
	}{
		{"FooBot", "foobot", Exact},
		{"FooBot/1", "foobot", Pattern},
		{"FooBot/1", "FooBot/1", None},
		{"Foo Bar", "Foo Bar", None},
		{"*", "FooBot", Wildcard},
		{"*", "", Wildcard},
		{"42bot", "", Pattern},
		{"", "", Pattern},
		{"", "FooBot", None},
		{"FooBot", "", None},
	} {
		if got := cut.Parse(row.value).ConcernsName(row.name); got != row.want {
			t.Errorf("%q concerns %q: %v, want %v", row.value, row.name, got, row.want)
		}
	}
}

// A1: a product token in the RFC's sense.
func TestProductToken(t *testing.T) {
	for value, want := range map[string]string{
		"FooBot/2.1": "FooBot", "Foo_Bar-baz": "Foo_Bar-baz", "Foo Bar": "Foo", "AB42": "AB", "ツ": "", "": "", "*": "",
	} {
		if got := ProductToken(value); got != want {
			t.Errorf("the product token of %q is %q, want %q", value, got, want)
		}
	}
}
