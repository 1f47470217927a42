package site

import (
	"regexp"
	"strings"
	"testing"
)

func pathIn(form Form, path string) string { return string(AppendPath(nil, path, form)) }

func literalIn(form Form, stretch string, query bool) string {
	return string(AppendLiteral(nil, stretch, form, query))
}

// The rows of RFC 9309 §2.2.2: a path, the same path encoded, and what both have
// to match.
func TestNormalFormOfRFC9309(t *testing.T) {
	rows := []struct {
		form  Form
		paths []string // equal to each other
		match string
	}{
		{First, []string{"/foo/bar?baz=quz"}, "/foo/bar?baz=quz"},
		{First, []string{"/foo/bar/ツ", "/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84", "/foo/bar/%E3\x83%84"}, "/foo/bar/%E3%83%84"},
		{First, []string{"/foo/bar/%62%61%7A", "/foo/bar/baz", "/foo/bar/%62a%7a", "/%66%6f%6f/bar/baz"}, "/foo/bar/baz"},
		// The RFC's "path to match" is the escaped one; which of the two the
		// second reading writes is no matter, as both sides are written alike.
		{Second, []string{"/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https%3a%2f%2ffoo.bar"},
			"/foo/bar?baz=https://foo.bar"},
	}
	for _, row := range rows {
		for _, path := range row.paths {
			if got := pathIn(row.form, path); got != row.match {
				t.Errorf("§2.2.2: as a path, %q becomes %q, want %q", path, got, row.match)
			}
			if got := literalIn(row.form, path, false); got != row.match {
				t.Errorf("§2.2.2: as a pattern, %q becomes %q, want %q", path, got, row.match)
			}
		}
	}
}

// M2, row by row. Patterns are written as paths are, but for the special
// characters, whose escapes are literal there (M3).
func TestNormalForm(t *testing.T) {
	rows := []struct {
		rule string
		text string
		path string
		// literal, if it is another
		literal string
	}{
		{"unreserved is decoded", "/%7Ejoe", "/~joe", ""},
		{"unreserved is decoded", "/%7ejoe", "/~joe", ""},
		{"unreserved is decoded", "/%2D%2E%5F%7E%30%39%41%5A%61%7A", "/-._~09AZaz", ""},
		{"unreserved is decoded", "/a?%61=%62", "/a?a=b", ""},
		{"other escapes are upper-cased", "/%e3%83%84", "/%E3%83%84", ""},
		{"other escapes are upper-cased", "/a%2fb", "/a%2Fb", ""},
		{"other escapes are upper-cased", "/%3a%3f%40%23%5b%5d", "/%3A%3F%40%23%5B%5D", ""},
		{"other escapes are upper-cased", "/%21%26%27%28%29%2b%2c%3b%3d", "/%21%26%27%28%29%2B%2C%3B%3D", ""},
		{"other escapes are upper-cased", "/%00%1f%20%7f%ff", "/%00%1F%20%7F%FF", ""},
		{"other escapes are upper-cased", "/%25%2541", "/%25%2541", ""}, // decoded once, not twice
		{"%2F in a path is never /", "/a%2Fb", "/a%2Fb", ""},
		{"reserved characters stay", "/a:b@c!&'()+,;=[]", "/a:b@c!&'()+,;=[]", ""},
		{"over 0x7F is escaped", "/ツ", "/%E3%83%84", ""},
		{"over 0x7F is escaped", "/\x80\xFF", "/%80%FF", ""},
		{"what cannot stand in a URI is escaped", "/ <>\"\\^`{|}", "/%20%3C%3E%22%5C%5E%60%7B%7C%7D", ""},
		{"what cannot stand in a URI is escaped", "/\x00\x01\t\n\r\x1F\x7F", "/%00%01%09%0A%0D%1F%7F", ""},
		{"broken escapes stay", "/%", "/%", ""},
		{"broken escapes stay", "/%4", "/%4", ""},
		{"broken escapes stay", "/%zz%4g%g4", "/%zz%4g%g4", ""},
		{"broken escapes stay", "/%%41", "/%A", ""},
		{"broken escapes stay", "/%e", "/%e", ""},
		{"broken escapes stay", "/100%-%ツ", "/100%-%%E3%83%84", ""},
		{"dot segments stay", "/a/./b/../c", "/a/./b/../c", ""},
		{"dot segments stay", "/a/%2E%2E/c", "/a/../c", ""},
		{"double slashes stay", "//a///b//", "//a///b//", ""},
		{"case stays", "/A/b", "/A/b", ""},
		{"the query is not re-ordered", "/?b=1&a=2&&", "/?b=1&a=2&&", ""},
		{"a trailing ? stays", "/a?", "/a?", ""},
		{"M3: %2A is the character", "/a%2Ab%2ac", "/a*b*c", "/a%2Ab%2Ac"},
		{"M3: %24 is the character", "/a%24", "/a$", "/a%24"},
		{"M3: plain ones", "/a*b$", "/a*b$", ""},
		{"nothing", "", "", ""},
	}
	for _, row := range rows {
		if row.literal == "" {
			row.literal = row.path
		}
		if got := pathIn(First, row.text); got != row.path {
			t.Errorf("M2 %s: as a path, %q becomes %q, want %q", row.rule, row.text, got, row.path)
		}
		if got := literalIn(First, row.text, false); got != row.literal {
			t.Errorf("M2 %s: as a pattern, %q becomes %q, want %q", row.rule, row.text, got, row.literal)
		}
		if got := string(AppendPath([]byte("before "), row.text, First)); got != "before "+row.path {
			t.Errorf("M2 %s: appended, %q becomes %q", row.rule, row.text, got)
		}
		if got := Abnormal(row.text); got == len(row.text) && row.path != row.text {
			t.Errorf("M2 %s: Abnormal finds nothing in %q", row.rule, row.text)
		}
	}
}

// M2's second reading: %3A %2F %3F %40 after the first '?' are decoded.
func TestSecondReading(t *testing.T) {
	rows := []struct {
		rule string
		text string
		want string
	}{
		{"after the first ?", "/a?u=https%3A%2F%2Fb%40c%3Fd", "/a?u=https://b@c?d"},
		{"after the first ?", "/a?u=https%3a%2f%2fb%40c%3fd", "/a?u=https://b@c?d"},
		{"after the first ?", "/a?%2F?%2F", "/a?/?/"},
		{"not before it", "/a%2Fb%3Fc%3A%40", "/a%2Fb%3Fc%3A%40"},
		{"not before it", "/a%3Fb%2Fc?d%2Fe", "/a%3Fb%2Fc?d/e"},
		{"nothing else", "/a?%26%3D%23%5B%2B%20", "/a?%26%3D%23%5B%2B%20"},
		{"unreserved too", "/a?%7Ejoe", "/a?~joe"},
		{"once, not twice", "/a?%252F", "/a?%252F"},
		{"broken ones stay", "/a?%2", "/a?%2"},
	}
	for _, row := range rows {
		if got := pathIn(Second, row.text); got != row.want {
			t.Errorf("M2 %s: as a path, %q becomes %q, want %q", row.rule, row.text, got, row.want)
		}
		if got := literalIn(Second, row.text, false); got != row.want {
			t.Errorf("M2 %s: as a pattern, %q becomes %q, want %q", row.rule, row.text, got, row.want)
		}
	}
	if got := literalIn(Second, "b%2Fc", true); got != "b/c" {
		t.Errorf("M2: behind the pattern's first ?, %q becomes %q", "b%2Fc", got)
	}
	if got := literalIn(First, "b%2Fc?d%2Fe", true); got != "b%2Fc?d%2Fe" {
		t.Errorf("M2: the first reading makes %q of %q", got, "b%2Fc?d%2Fe")
	}
}

// Every octet, plain and escaped both ways, against the RFC's own words: escapes
// of unreserved characters are decoded, what is plain there stays, everything
// else meets its upper-case escape (§2.2.2, RFC 3986 §2.2, §2.3).
func TestNormalFormOfEveryOctet(t *testing.T) {
	const (
		unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
		reserved   = ":/?#[]@!$&'()*+,;="
	)
	const upper, lower = "0123456789ABCDEF", "0123456789abcdef"
	for i := range 256 {
		c := byte(i)
		escaped := string([]byte{'%', upper[c>>4], upper[c&15]})
		want, wantEscaped := escaped, escaped
		switch {
		case strings.IndexByte(unreserved, c) >= 0:
			want, wantEscaped = string([]byte{c}), string([]byte{c})
		case c == '*' || c == '$': // M3
			want, wantEscaped = string([]byte{c}), string([]byte{c})
		case strings.IndexByte(reserved, c) >= 0, c == '%': // '%' alone is a broken escape
			want = string([]byte{c})
		}
		for text, want := range map[string]string{
			string([]byte{c}): want,
			escaped:           wantEscaped,
			string([]byte{'%', lower[c>>4], lower[c&15]}): wantEscaped,
		} {
			if got := pathIn(First, text); got != want {
				t.Errorf("M2: %q becomes %q, want %q", text, got, want)
			}
		}
	}
}

// firstAbnormal is Abnormal, octet by octet: an escape may always have another
// form, anything else if it stands in none alone.
func firstAbnormal(text string) int {
	for i := range len(text) {
		if text[i] == '%' || pathIn(First, text[i:i+1]) != text[i:i+1] {
			return i
		}
	}
	return len(text)
}

func TestAbnormal(t *testing.T) {
	for _, length := range []int{0, 1, 7, 8, 9, 15, 16, 17, 40} {
		for _, octet := range []string{"a", "/", "*", "$", "?", "~", "%", " ", "\x00", "\x7F", "\x80", "{", "\""} {
			for at := range length {
				text := strings.Repeat("a", at) + octet + strings.Repeat("b", length-at-1)
				if got, want := Abnormal(text), firstAbnormal(text); got != want {
					t.Errorf("M2: Abnormal(%q) = %d, want %d", text, got, want)
				}
			}
		}
	}
}

var (
	escapes = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	normal  = regexp.MustCompile(`^(%[0-9A-F]{2}|[!-~])*$`)
)

// For any text: the normal form is made of characters of URIs, at most three
// times as long, and stays what it is when it is made again.
// What EscapesAreNormal says is that the normal form changes nothing, as far as
// escapes go.
func TestEscapesAreNormal(t *testing.T) {
	tests := map[string]bool{
		"": true, "/plain": true, "/%3A": true, "/%C3%BC": true, "/a%20b%2Fc": true,
		"/%3a": false, "/%c3%BC": false, "/%C3%bc": false, // lower case
		"/%41": false, "/%7E": false, "/%2D": false, // unreserved
		"/%2A": false, "/a%24": false, // special
		"/%": false, "/%3": false, "/%G0": false, "/%0g": false, "/%%3A": false, // broken
		"/%3A%41": false, "/%3A%3a": false,
	}
	for c := range 256 {
		written := string(appendEscape([]byte("/"), byte(c)))
		tests[written] = decodable[byte(c)]&(unreserved|special) == 0
	}
	for stretch, want := range tests {
		if got := EscapesAreNormal(stretch); got != want {
			t.Errorf("EscapesAreNormal(%q) = %v", stretch, got)
		}
		if normal := string(AppendLiteral(nil, stretch, First, false)); want && normal != stretch {
			t.Errorf("the normal form of %q is %q", stretch, normal)
		}
	}
}

func FuzzNormalForm(f *testing.F) {
	for _, seed := range []string{
		"/", "/a%2fb?c%3a%2F", "/ツ", "/%62%61%7A", "/%%41", "/%%34%31", "/%%32A", "/ \x00<>", "/a*%2A$%24", "/?%3F?", "/%2", "%",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// A '%' that starts no escape stays as it is (M2) and may then stand
		// before hexadecimal digits that were escaped: "%%34%31". Everything
		// else is stable.
		broken := strings.Contains(escapes.ReplaceAllString(text, ""), "%")
		for name, form := range map[string]func(string) string{
			"first":          func(s string) string { return pathIn(First, s) },
			"second":         func(s string) string { return pathIn(Second, s) },
			"pattern":        func(s string) string { return literalIn(First, s, false) },
			"second pattern": func(s string) string { return literalIn(Second, s, false) },
			"query":          func(s string) string { return literalIn(Second, s, true) },
		} {
			got := form(text)
			if len(got) > 3*len(text) {
				t.Errorf("%s: %q becomes %q, more than three times as long", name, text, got)
			}
			if again := form(got); again != got && !broken {
				t.Errorf("%s: %q becomes %q and then %q", name, text, got, again)
			}
			if !broken && !normal.MatchString(got) {
				t.Errorf("%s: %q becomes %q", name, text, got)
			}
		}
		// Upper- or lower-case escapes, plain or escaped: it is all one.
		if !broken {
			want := pathIn(First, text)
			lower := escapes.ReplaceAllStringFunc(text, strings.ToLower)
			if got := pathIn(First, lower); got != want {
				t.Errorf("%q becomes %q, but %q becomes %q", text, want, lower, got)
			}
		}
		if got, want := Abnormal(text), firstAbnormal(text); got != want {
			t.Errorf("Abnormal(%q) = %d, want %d", text, got, want)
		}
	})
}

// Wherever an octet stands that cannot stay as it is, Abnormal finds it, and only
// such.
func TestAbnormalFindsEveryOctet(t *testing.T) {
	for _, other := range []string{"z", "~"} { // a '~' is looked at twice
		for length := 1; length <= 26; length++ {
			for at := range length {
				for c := range 256 {
					want := length
					if c <= ' ' || c >= 0x7F || strings.IndexByte("%<>\"\\^`{|}", byte(c)) >= 0 {
						want = at
					}
					path := strings.Repeat(other, at) + string([]byte{byte(c)}) + strings.Repeat(other, length-at-1)
					if got := Abnormal(path); got != want {
						t.Fatalf("M2: Abnormal(%q) is %d, want %d", path, got, want)
					}
				}
			}
		}
	}
}
