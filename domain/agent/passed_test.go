package agent

import (
	"slices"
	"testing"
)

// A5, Google: the crawler's name is taken as passed, empty included.
func TestAsPassed(t *testing.T) {
	for _, row := range []struct {
		name, value string
		want        Specificity
	}{
		{"FooBot", "FooBot", Exact},
		{"foobot", "FooBot/2.1", Pattern},
		{"FooBot", "BarBot", None},
		{"FooBot", "*", Wildcard},
		{"Foo Bar", "Foo Bar", None}, // the line addresses Foo
		{"Foo", "Foo Bar", Pattern},
		{"FooBot/2.1", "FooBot/2.1", None},
		{"", "", Pattern},
		{"", "42", Pattern}, // as names are cut
		{"", "FooBot", None},
		{"", "*", Wildcard},
		{"*", "*", Wildcard},
	} {
		identity := AsPassed(row.name)
		if identity.IsZero() || identity.Len() != 1 || identity.First().IsZero() || identity.First().String() != row.name {
			t.Errorf("A5: %q is %v, %d names", row.name, identity, identity.Len())
		}
		if got := (LineOptions{CutNames: true}).Parse(row.value).Concerns(identity.First()); got != row.want {
			t.Errorf("A5: %q concerns %q: %v, want %v", row.value, row.name, got, row.want)
		}
	}
}

// Names stay what they are, in order, and are no tokens.
func TestAsPassedKeepsNames(t *testing.T) {
	names := []string{"Foo Bar", "", "%", "%20", " ", "%2520", "\x00\n", "FooBot", "ツ"}
	identity := AsPassed(names...)
	if got := namesOf(identity); !slices.Equal(got, names) || identity.Len() != len(names) {
		t.Errorf("the names are %q, want %q", got, names)
	}
	if got, want := AsPassed("Foo Bar", "\x1B", "").String(), `"Foo Bar", "\x1b", ""`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if AsPassed() != (Identity{}) || AsPassed("a", "A") != AsPassed("a") || AsPassed("a") == NewIdentity(Token{name: "a"}) {
		t.Error("identities that are not the same are equal, or the other way round")
	}
}

func FuzzAsPassed(f *testing.F) {
	f.Add("Foo Bar", "%20")
	f.Add("", " ")
	f.Fuzz(func(t *testing.T, a, b string) {
		want := []string{a, b}
		if equalFold(a, b) {
			want = want[:1]
		}
		if got := namesOf(AsPassed(a, b)); !slices.Equal(got, want) {
			t.Fatalf("%q are %q", want, got)
		}
	})
}
