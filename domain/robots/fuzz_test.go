package robots

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// FuzzParse: any octets parse, the same way each time, into what is written in
// them; line numbers are right and ascend, warnings are at most one a line (P1).
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"",
		"User-agent: *\nDisallow: /\n",
		"\xEF\xBB\xBFuser-agent: a\r\nuser-agent: b\rcrawl-delay: 1\nallow: /x*y$ # z\n\ndisallow:\nsitemap: s\nfoo: bar\n",
		"useragent a\ndisalow /x y\n: z\n\x00\xFF\n*",
		"disallow: /\ncrawl-delay: x\nuser-agent:\ndisallow: x",
		"<!doctype html>\n<p>a: b\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := string(text)
		file := Parse(text, Options{})
		if string(text) != before {
			t.Fatal("Parse changed its input")
		}
		if again := Parse(text, Options{}); !reflect.DeepEqual(file, again) {
			t.Fatalf("Parse(%q) gives %s, and then %s", text, outline(file), outline(again))
		}
		checkFile(t, before, file)

		// How lines end is no matter.
		crlf := strings.ReplaceAll(strings.ReplaceAll(before, "\r\n", "\n"), "\r", "\n")
		if got := parse(strings.ReplaceAll(crlf, "\n", "\r\n")); len(before) < DefaultBytes/2 && !reflect.DeepEqual(got, file) {
			t.Errorf("Parse(%q) gives %s, and with CRLF %s", text, outline(file), outline(got))
		}
		// Nor is what is behind: groups that are there stay.
		if len(file.Groups) > 0 && len(before) < DefaultBytes/2 {
			more := parse(before + "\nuser-agent: zz\ndisallow: /zz\n")
			if len(more.Groups) < len(file.Groups) || !reflect.DeepEqual(more.Groups[:len(file.Groups)-1], file.Groups[:len(file.Groups)-1]) {
				t.Errorf("%q gives %s, and with a group more %s", text, outline(file), outline(more))
			}
		}
	})
}

// checkFile holds a File against the text that it was parsed from.
func checkFile(t *testing.T, text string, file *File) {
	t.Helper()
	lines := allLines(text)
	stands := func(number int, parts ...string) {
		t.Helper()
		if number < 1 || number > len(lines) {
			t.Fatalf("%q has no line %d", text, number)
		}
		for _, part := range parts {
			if !strings.Contains(lines[number-1], part) {
				t.Errorf("%q is not in line %d of %q", part, number, text)
			}
		}
	}
	var used []int // lines of groups, rules and records, each once
	previous := 0
	for _, group := range file.Groups {
		if len(group.Agents) == 0 {
			t.Errorf("%q: a group of nobody", text)
		}
		var here []int
		for _, a := range group.Agents {
			stands(a.Line, a.Value, a.Addressee.Name)
			here = append(here, a.Line)
		}
		for _, rule := range group.Rules {
			stands(rule.Line, rule.Text, rule.Pattern)
			if !strings.HasSuffix(rule.Text, rule.Pattern) || rule.Verb != Allow && rule.Verb != Disallow {
				t.Errorf("%q: the rule is %+v", text, rule)
			}
			if rule.Line < group.Agents[len(group.Agents)-1].Line {
				t.Errorf("%q: line %d is a rule above its user-agent lines", text, rule.Line)
			}
			here = append(here, rule.Line)
		}
		if !slices.IsSorted(here) {
			t.Errorf("%q: the lines of a group are %v", text, here)
		}
		records := 0
		for _, record := range group.Records {
			stands(record.Line, record.Key, record.Value)
			above := 0
			for _, a := range group.Agents {
				if a.Line < record.Line {
					above++
				}
			}
			if record.Agents != above || above == 0 || !record.Kind.ofGroup() || record.Line < records {
				t.Errorf("%q: the record %+v has %d user-agent lines above it", text, record, above)
			}
			records = record.Line
			here = append(here, record.Line)
		}
		if first := slices.Min(here); first <= previous {
			t.Errorf("%q: line %d belongs to two groups", text, first)
		}
		previous = slices.Max(here)
		used = append(used, here...)
	}
	above := 0
	for _, record := range file.Records {
		stands(record.Line, record.Key, record.Value)
		if record.Agents != 0 || record.Line <= above {
			t.Errorf("%q: the record of the file is %+v", text, record)
		}
		above = record.Line
		used = append(used, record.Line)
	}
	slices.Sort(used)
	if len(slices.Compact(slices.Clone(used))) != len(used) {
		t.Errorf("%q: a line counts twice: %v", text, used)
	}
	above = 0
	for _, warning := range file.Warnings {
		stands(warning.Line, warning.Text)
		if warning.Line <= above || warning.Kind == NoFault {
			t.Errorf("%q: the warnings are %v", text, faultsOf(file))
		}
		above = warning.Line
	}
	// No line is lost in silence but blank ones, comments and warned ones.
	for i, line := range lines {
		number := i + 1
		_, isUsed := slices.BinarySearch(used, number)
		warned := slices.ContainsFunc(file.Warnings, func(w Warning) bool { return w.Line == number })
		content, _, _ := strings.Cut(line, "#")
		if !isUsed && !warned && !file.Truncated && strings.Trim(content, " \t\v\f") != "" {
			t.Errorf("P1: line %d of %q is lost in silence", number, text)
		}
	}
}

// P1: time and memory are linear, whatever the text holds. Each of these texts
// is of the size of the parsing limit and made of what a careless loop would
// look at again and again; were any of them quadratic, it would take minutes.
func TestHostileTextsAreLinear(t *testing.T) {
	for _, test := range []struct{ name, piece, end string }{
		{"CR", "\r", ""},
		{"CR, and an LF far behind", "\r", "\n"},
		{"LF", "\n", ""},
		{"CRLF", "\r\n", ""},
		{"LFCR", "\n\r", ""},
		{"lines that end in CR", "a\r", ""},
		{"lines that end in CR, and an LF far behind", "a\r", "\n"},
		{"no end at all", "a", ""},
		{"colons", ":", ""},
		{"colon lines", ":\n", ""},
		{"comments", "#", ""},
		{"spaces", " ", ""},
		{"space lines", " \r", ""},
		{"words", "a ", ""},
		{"NUL", "\x00", ""},
		{"marks", "\xEF\xBB\xBF", ""},
		{"invalid UTF-8", "\xC3", ""},
		{"user-agent lines", "user-agent: a\n", ""},
		{"empty user-agent lines", "user-agent:\n", ""},
		{"groups", "user-agent: a\ndisallow:\n", ""},
		{"rules", "disallow: /\n", ""},
		{"wildcards", "disallow: /*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*$\n", ""},
		{"delays", "crawl-delay: 1\n", ""},
		{"sitemaps", "sitemap: a\n", ""},
		{"two words", "a b\r", ""},
	} {
		text := "user-agent: a\n" + strings.Repeat(test.piece, (DefaultBytes-20)/len(test.piece)) + test.end
		file := parse(text)
		if file.Truncated {
			t.Fatalf("%s: the text is over the limit", test.name)
		}
		// Memory: a few words for each of its lines, and the text itself.
		size := cap(file.Groups) + cap(file.Records) + cap(file.Warnings)
		for _, group := range file.Groups {
			size += cap(group.Agents) + cap(group.Rules) + cap(group.Records)
		}
		if lines := len(allLines(text)); size > 4*lines+1000 {
			t.Errorf("P1: %s: %d entries for %d lines", test.name, size, lines)
		}
		HasDirective([]byte(text))
	}
}
