package site

import (
	"strings"
	"testing"
)

// M1: what is matched is path, parameters and query, of whatever was given.
func TestPathOf(t *testing.T) {
	tests := []struct {
		rule string
		raw  string
		want string
	}{
		{"M1 no path is /", "", "/"},
		{"M1 no path is /", "https://shop.example", "/"},
		{"M1 no path is /", "https://shop.example:8443", "/"},
		{"M1 no path is /", "shop.example", "/"},
		{"M1 no path is /", "//shop.example", "/"},
		{"M1 no path is /", "https://", "/"},
		{"M1 no path is /", "https:", "/"},
		{"M1 no path is /", "/", "/"},
		{"M1 no path is /", "//", "/"},

		{"M1 scheme and authority are dropped", "https://shop.example/", "/"},
		{"M1 scheme and authority are dropped", "https://shop.example/a/b", "/a/b"},
		{"M1 scheme and authority are dropped", "https://user:secret@shop.example:8443/a", "/a"},
		{"M1 scheme and authority are dropped", "ftp://shop.example/a", "/a"},
		{"M1 scheme and authority are dropped", "shop.example/a/", "/a/"},
		{"M1 scheme and authority are dropped", "shop.example:8080/a", "/a"},
		{"M1 //host/path", "//shop.example/a/b", "/a/b"},
		{"M1 //host/path", "//shop.example?q", "/?q"},
		{"M1 path-only input", "/a", "/a"},
		{"M1 path-only input", "/a//b/../c", "/a//b/../c"},
		{"M1 path-only input", "a/b", "/b"},

		{"M1 parameters belong to it", "https://shop.example/a;v=1", "/a;v=1"},
		{"M1 parameters belong to it", "https://shop.example/a;v=1/b;w?q", "/a;v=1/b;w?q"},
		{"M1 ; before a slash", "shop.example;v=1", "/;v=1"},
		{"M1 ; before a slash", "https://shop.example;v=1/a", "/;v=1/a"},

		{"M1 the query belongs to it", "https://shop.example/a?b=c&a=d", "/a?b=c&a=d"},
		{"M1 the query is never re-ordered", "https://shop.example/?z=1&a=2&z=0", "/?z=1&a=2&z=0"},
		{"M1 the query is never re-ordered", "https://shop.example/?a&&b=+%20", "/?a&&b=+%20"},
		{"M1 ? before a slash", "https://shop.example?q=/a", "/?q=/a"},
		{"M1 ? before a slash", "shop.example?q", "/?q"},
		{"M1 ? before a slash", "?q", "/?q"},
		{"M1 a trailing ? stays", "https://shop.example/a?", "/a?"},
		{"M1 a trailing ? stays", "https://shop.example?", "/?"},
		{"M1 a trailing ? stays", "/a?", "/a?"},

		{"M1 the fragment is dropped", "https://shop.example/a#top", "/a"},
		{"M1 the fragment is dropped", "https://shop.example/a?q#top?x/y", "/a?q"},
		{"M1 the fragment is dropped", "https://shop.example/a?#", "/a?"},
		{"M1 the fragment is dropped", "https://shop.example#/a", "/"},
		{"M1 the fragment is dropped", "https://shop.example#?a", "/"},
		{"M1 the fragment is dropped", "#/a", "/"},
		{"M1 the fragment is dropped", "/a#", "/a"},

		{"M1 a URL within is no scheme", "https://shop.example/to?u=http://a.example/b", "/to?u=http://a.example/b"},
		{"M1 a URL within is no scheme", "/to/http://a.example/b", "/to/http://a.example/b"},
		{"M1 a URL within is no scheme", "shop.example/http://a.example/b", "/http://a.example/b"},
		{"M1 a URL within is no scheme", "shop.example?u=http://a.example/b", "/?u=http://a.example/b"},
		{"M1 a URL within is no scheme", "shop.example;u=http://a.example/b", "/;u=http://a.example/b"},

		{"M1 taken raw", "/%zz%", "/%zz%"},
		{"M1 taken raw", "https://shop.example/ツ \x00\xFF", "/ツ \x00\xFF"},
	}
	for _, test := range tests {
		if got := PathOf(test.raw); got != test.want {
			t.Errorf("%s: PathOf(%q) = %q, want %q", test.rule, test.raw, got, test.want)
		}
	}
}

// Whatever is given, there is a path, without a fragment; and where the URL has
// an origin, PathOf and Parse agree about what comes behind it.
func FuzzPathOf(f *testing.F) {
	for _, seed := range []string{
		"", "/", "//", "a/b", "https://a.example/b?c#d", "//a/b", "?q", ";p", "#/", "a://b", "/a://b", "http://a.example?u=b://c",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		path := PathOf(raw)
		if !strings.HasPrefix(path, "/") || strings.Contains(path, "#") {
			t.Errorf("PathOf(%q) = %q", raw, path)
		}
		if path != "/" && !strings.Contains(raw, path[1:]) {
			t.Errorf("PathOf(%q) = %q, which is not as written", raw, path)
		}
		if again := PathOf("https://a.example" + path); again != path {
			t.Errorf("PathOf(%q) = %q, but %q behind an authority", raw, path, again)
		}
		// M1 has a ';' start the path; RFC 3986 has it in userinfo, too.
		_, rest, _ := strings.Cut(raw, "://")
		authority := rest[:indexFrom(rest, "/?#", 0)]
		if u, err := Parse(raw); err == nil && u.Path != path && !strings.Contains(authority, ";") {
			t.Errorf("PathOf(%q) = %q, but Parse gives %q", raw, path, u.Path)
		}
	})
}
