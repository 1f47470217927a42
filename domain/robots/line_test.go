package robots

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// P3: lines end in LF, CR or CRLF, mixed; CRLF counts once; the last needs none.
func TestLines(t *testing.T) {
	tests := []struct {
		rule string
		text string
		want []string
	}{
		{"P3 nothing", "", nil},
		{"P3 LF", "a\nb\n", []string{"a", "b"}},
		{"P3 CR", "a\rb\r", []string{"a", "b"}},
		{"P3 CRLF", "a\r\nb\r\n", []string{"a", "b"}},
		{"P3 mixed", "a\nb\rc\r\nd", []string{"a", "b", "c", "d"}},
		{"P3 mixed", "a\r\nb\rc\nd\r\n", []string{"a", "b", "c", "d"}},
		{"P3 no end", "a", []string{"a"}},
		{"P3 no end", "a\rb", []string{"a", "b"}},
		{"P3 blank lines count", "\n\na\n\n", []string{"", "", "a", ""}},
		{"P3 blank lines count", "\r\ra\r\r", []string{"", "", "a", ""}},
		{"P3 blank lines count", "\r\n\r\na\r\n\r\n", []string{"", "", "a", ""}},
		{"P3 CRLF counts once, LFCR twice", "a\n\rb", []string{"a", "", "b"}},
		{"P3 CRLF counts once, LFCR twice", "a\r\r\nb", []string{"a", "", "b"}},
		{"P3 CRLF counts once, LFCR twice", "a\r\n\nb", []string{"a", "", "b"}},
		{"P3 CRLF counts once, LFCR twice", "\r\n\r\r\n\n\r", []string{"", "", "", "", ""}},
		{"P3 nothing else ends a line", "a\v\f\x00\u0085\u2028b", []string{"a\v\f\x00\u0085\u2028b"}},

		{"P3 mark", "\xEF\xBB\xBFa\nb", []string{"a", "b"}},
		{"P3 mark", "\xEF\xBB\xBF", nil},
		{"P3 mark", "\xEF\xBB\xBF\na", []string{"", "a"}},
		{"P3 part of a mark", "\xEFa", []string{"a"}},
		{"P3 part of a mark", "\xEF\xBBa", []string{"a"}},
		{"P3 part of a mark", "\xEF", nil},
		{"P3 part of a mark", "\xEF\xEF\xBB\xBFa", []string{"\xEF\xBB\xBFa"}},
		{"P3 only at the start", "a\n\xEF\xBB\xBFb", []string{"a", "\xEF\xBB\xBFb"}},
		{"P3 only one", "\xEF\xBB\xBF\xEF\xBB\xBFa", []string{"\xEF\xBB\xBFa"}},
		{"P3 the end of a mark is none", "\xBB\xBFa", []string{"\xBB\xBFa"}},
	}
	for _, test := range tests {
		if got := allLines(test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s: the lines of %q are %q, want %q", test.rule, test.text, got, test.want)
		}
		for i, line := range test.want {
			if got := LineAt([]byte(test.text), i+1); got != line {
				t.Errorf("%s: line %d of %q is %q, want %q", test.rule, i+1, test.text, got, line)
			}
		}
		for _, none := range []int{-1, 0, len(test.want) + 1} {
			if got := LineAt([]byte(test.text), none); got != "" {
				t.Errorf("%s: line %d of %q is %q", test.rule, none, test.text, got)
			}
		}
	}
}

func allLines(text string) (lines []string) {
	source := NewLines(text)
	for {
		line, ok := source.Next()
		if !ok {
			return lines
		}
		if lines = append(lines, line); source.Number != len(lines) {
			return append(lines, fmt.Sprintf("number %d instead of %d", source.Number, len(lines)))
		}
	}
}

// P3, as one expression.
var lineEnd = regexp.MustCompile(`\r\n|\r|\n`)

// FuzzLines: for any octets, the lines are what the expression says.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "a\nb\rc\r\nd", "\r\r\n\n", "\xEF\xBBa", "a\r", "\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest := text
		for _, c := range []byte("\xEF\xBB\xBF") {
			if rest == "" || rest[0] != c {
				break
			}
			rest = rest[1:]
		}
		want := lineEnd.Split(rest, -1)
		if want[len(want)-1] == "" { // what is behind the last end is no line
			want = want[:len(want)-1]
		}
		if got := allLines(text); !slices.Equal(got, want) {
			t.Errorf("the lines of %q are %q, want %q", text, got, want)
		}
	})
}

// P4: the first 16,663 octets of a line count.
func TestLongLines(t *testing.T) {
	const most = 16_663
	if MaxLine != most {
		t.Errorf("P4: MaxLine is %d, want %d", MaxLine, most)
	}
	// rule returns a Disallow line of so many octets.
	rule := func(octets int) string {
		const key = "disallow: /"
		return key + strings.Repeat("a", octets-len(key))
	}
	whole := rule(most)[len("disallow: "):]
	tests := []struct {
		rule    string
		line    string
		pattern string
		long    bool
	}{
		{"P4 16,662", rule(most - 1), whole[:len(whole)-1], false},
		{"P4 16,663", rule(most), whole, false},
		{"P4 16,664", rule(most + 1), whole, true},
		{"P4 much more", rule(100_000), whole, true},
		{"P4 white space counts", rule(most-2) + "  ", whole[:len(whole)-2], false},
		{"P4 white space counts", rule(most-2) + "   x", whole[:len(whole)-2], true},
		{"P4 white space counts", " " + rule(most), whole[:len(whole)-1], true},
		{"P4 comments count", rule(most-2) + "#xy", whole[:len(whole)-2], true},
		{"P4 comments count", rule(100) + "#" + strings.Repeat("x", most), rule(100)[len("disallow: "):], true},
		{"P4 a comment behind is not seen", rule(most) + "#", whole, true},
	}
	for _, test := range tests {
		for _, end := range []string{"", "\n", "\r", "\r\n"} {
			f := parse("user-agent: a\n" + test.line + end + end + "allow: /b")
			if end == "" {
				f = parse("user-agent: a\n" + test.line)
			}
			if len(f.Groups) != 1 || len(f.Groups[0].Rules) == 0 || f.Groups[0].Rules[0].Pattern != test.pattern {
				t.Errorf("%s, end %q: %.200s", test.rule, end, outline(f))
				continue
			}
			var want []fault
			if test.long {
				want = []fault{{2, LineTooLong}}
			}
			if got := faultsOf(f); !slices.Equal(got, want) {
				t.Errorf("%s, end %q: the warnings are %v, want %v", test.rule, end, got, want)
			}
			if rules := f.Groups[0].Rules; end != "" && (len(rules) != 2 || rules[1].Pattern != "/b" || rules[1].Line != 4) {
				t.Errorf("%s, end %q: the line behind is lost", test.rule, end)
			}
		}
	}

	// The mark is not counted.
	key := "\xEF\xBB\xBFuser-agent: "
	name := strings.Repeat("a", most-len("user-agent: "))
	if f := parse(key + name); len(f.Warnings) != 0 || f.Groups[0].Agents[0].Value != name {
		t.Errorf("P4: the mark counts: %v", faultsOf(f))
	}
	if f := parse(key + name + "a"); len(f.Warnings) != 1 || f.Groups[0].Agents[0].Value != name {
		t.Errorf("P4: behind a mark, 16,664 octets are %v", faultsOf(f))
	}
}

// P2: the text is cut at the last whole line within the parsing limit.
func TestParsingLimit(t *testing.T) {
	const limit = 512 << 10
	if DefaultBytes != limit {
		t.Errorf("P2: the parsing limit is %d, want %d", DefaultBytes, limit)
	}
	// A file that is n octets long up to a last rule.
	const start, last = "user-agent: a\n", "disallow: /last"
	upTo := func(n int) string {
		comment := strings.Repeat(strings.Repeat("#", 99)+"\n", n/100+1)
		return start + comment[len(comment)-(n-len(start)):]
	}
	tests := []struct {
		rule string
		text string
		want string // of the last rule; "" for none
		cut  bool
	}{
		{"P2 at the limit", upTo(limit-len(last)) + last, "/last", false},
		{"P2 at the limit", upTo(limit-len(last)-1) + last + "\n", "/last", false},
		{"P2 one over", upTo(limit-len(last)+1) + last, "", true},
		{"P2 whole lines stay", upTo(limit-len(last)-1) + last + "\ndisallow: /", "/last", true},
		{"P2 whole lines stay", upTo(limit-len(last)-1) + last + "\r" + "disallow: /", "/last", true},
		{"P2 whole lines stay", upTo(limit-len(last)-2) + last + "\r\n" + "disallow: /", "/last", true},
		{"P2 whole lines stay", upTo(limit-len(last)-1) + last + "\r\n" + "disallow: /", "/last", true},
		{"P2 half a line goes", upTo(limit-len(last)) + last + "-page\n", "", true},
		{"P2 one endless line", "disallow: /" + strings.Repeat("a", limit), "", true},
	}
	for _, test := range tests {
		f := parse(test.text)
		if f.Truncated != test.cut {
			t.Errorf("%s: %d octets, cut: %t, want %t", test.rule, len(test.text), f.Truncated, test.cut)
		}
		got := ""
		if len(f.Groups) > 0 && len(f.Groups[0].Rules) > 0 {
			got = f.Groups[0].Rules[len(f.Groups[0].Rules)-1].Pattern
		}
		if got != test.want {
			t.Errorf("%s: %d octets, the last rule is %q, want %q", test.rule, len(test.text), got, test.want)
		}
	}
}

func TestCut(t *testing.T) {
	tests := []struct {
		text  string
		limit int
		want  string
		cut   bool
	}{
		{"", 0, "", false},
		{"a\nb\n", 4, "a\nb\n", false},
		{"a\nb\n", 5, "a\nb\n", false},
		{"a\nb\n", 3, "a\n", true},
		{"a\nb\n", 2, "a\n", true},
		{"a\nb\n", 1, "", true},
		{"a\rb\r", 3, "a\r", true},
		{"a\r\nb", 2, "a\r", true},
		{"a\n\n\nb", 4, "a\n\n\n", true},
		{"abc", 2, "", true},
	}
	for _, test := range tests {
		if got, cut := Cut([]byte(test.text), test.limit); string(got) != test.want || cut != test.cut {
			t.Errorf("P2: Cut(%q, %d) = %q, %t, want %q, %t", test.text, test.limit, got, cut, test.want, test.cut)
		}
	}
	for text, want := range map[string]string{"": "", "a": "", "a\n": "a\n", "a\nb": "a\n", "a\rb": "a\r", "\r\n": "\r\n"} {
		if got := WholeLines([]byte(text)); string(got) != want {
			t.Errorf("P2: WholeLines(%q) = %q, want %q", text, got, want)
		}
	}
}
