package robots

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Each kind of warning, with a text that is worth it, how grave it is, and a
// remedy in words that the text then heeds.
func TestEveryWarning(t *testing.T) {
	long := strings.Repeat("x", MaxLine)
	tested := map[WarningKind]bool{}
	for _, row := range []struct {
		kind     WarningKind
		severity Severity
		text     string
		line     int
		heeded   string // the text that follows the remedy
		options  Options
	}{
		{LineTooLong, Grave, "user-agent: a\ndisallow: /" + long, 2, "user-agent: a\ndisallow: /x", Options{}},
		{MissingColon, Minor, "user-agent a", 1, "user-agent: a", Options{}},
		{MisspelledKey, Minor, "useragent: a", 1, "user-agent: a", Options{}},
		{NoField, Major, "hello world", 1, "# hello world", Options{}},
		{EmptyKey, Major, "\n: x", 2, "\nx: y", Options{}},
		{RuleOutsideGroup, Grave, "disallow: /", 1, "user-agent: a\ndisallow: /", Options{}},
		{NamelessAgent, Grave, "user-agent: /", 1, "user-agent: *", Options{}},
		{PatternWithoutSlash, Grave, "user-agent: a\ndisallow: x", 2, "user-agent: a\ndisallow: /x", Options{}},
		{RecordOutsideGroup, Major, "crawl-delay: 1", 1, "user-agent: a\ncrawl-delay: 1", Options{}},
		{InvalidDelay, Major, "user-agent: a\ncrawl-delay: fast", 2, "user-agent: a\ncrawl-delay: 0.5", Options{}},
		{SlashCompleted, Minor, "user-agent: a\ndisallow: x", 2, "user-agent: a\ndisallow: /x", Options{Dialect: Legacy()}},
		{InvalidRate, Major, "user-agent: a\nrequest-rate: 1", 2, "user-agent: a\nrequest-rate: 1/5m 0900-1700", Options{}},
		{InvalidTime, Major, "user-agent: a\nvisit-time: 9-17", 2, "user-agent: a\nvisit-time: 0900-1700", Options{}},
		{TooManyGroups, Grave, "user-agent: a\nallow: /\nuser-agent: b", 3, "user-agent: a\nuser-agent: b\nallow: /", Options{Limits: Limits{Groups: 1}}},
		{TooManyAgents, Grave, "user-agent: a\nuser-agent: b", 2, "user-agent: a", Options{Limits: Limits{Agents: 1}}},
		{SkippedGroup, Grave, "user-agent: long\nallow: /", 2, "user-agent: a\nallow: /", Options{Limits: Limits{ValueBytes: 1}}},
		{TooManyLines, Grave, "user-agent: a\ndisallow: /1\ndisallow: /2", 3, "user-agent: a\ndisallow: /", Options{Limits: Limits{GroupLines: 1}}},
		{KeyTooLong, Major, "key-that-is-long: 1", 1, "key: 1", Options{Limits: Limits{KeyBytes: 10}}},
		{NameTooLong, Major, "user-agent: FooBot/1", 1, "user-agent: FooBot", Options{Limits: Limits{NameBytes: 6}}},
		{ValueTooLong, Grave, "user-agent: a\ndisallow: /12", 2, "user-agent: a\ndisallow: /", Options{Limits: Limits{ValueBytes: 2}}},
		{TooManyWildcards, Grave, "user-agent: a\ndisallow: /*/*", 2, "user-agent: a\ndisallow: /*/", Options{Limits: Limits{Wildcards: 1}}},
		{RelativeSitemap, Minor, "sitemap: /s.xml", 1, "sitemap: https://example.com/s.xml", Options{}},
		{InvalidSitemap, Major, "sitemap:", 1, "sitemap: https://example.com/s.xml", Options{}},
		{InvalidHost, Major, "host: www.example.com/path", 1, "host: www.example.com", Options{}},
		{InvalidCleanParam, Major, "clean-param: ref session", 1, "clean-param: ref&session /path", Options{}},
		{InvalidNoindex, Grave, "user-agent: a\nnoindex: x", 2, "user-agent: a\nnoindex: /x", Options{}},
		{InvalidUsage, Grave, "user-agent: a\ncontent-usage: Train-AI=n", 2, "user-agent: a\ncontent-usage: train-ai=n, search=y", Options{}},
		{InvalidSignal, Grave, "user-agent: a\ncontent-signal: ai-train=n", 2, "user-agent: a\ncontent-signal: search=yes, ai-train=no", Options{}},
		{UnclearPreference, Grave, "user-agent: a\ncontent-usage: train-ai=no", 2, "user-agent: a\ncontent-usage: train-ai=n", Options{}},
		{ForeignPurpose, Grave, "user-agent: a\ncontent-usage: ai-train=n", 2, "user-agent: a\ncontent-usage: train-ai=n", Options{}},
		{InvalidLicense, Major, "license: /license.xml", 1, "license: https://example.com/license.xml", Options{}},
	} {
		got := Parse([]byte(row.text), row.options).Warnings
		at := slices.IndexFunc(got, func(w Warning) bool { return w.Kind == row.kind })
		if at < 0 || got[at].Line != row.line || got[at].Severity() != row.severity {
			t.Errorf("%s: the warnings are %.200v, want one about line %d, %s", row.kind.Name(), got, row.line, row.severity)
			continue
		}
		if w := got[at]; w.Text != strings.Split(row.text, "\n")[row.line-1][:len(w.Text)] {
			t.Errorf("%s: the text is %.100q", row.kind.Name(), w.Text)
		}
		if heeded := Parse([]byte(row.heeded), row.options).Warnings; len(heeded) != 0 {
			t.Errorf("%s: %q heeds the remedy %q, and there is %v", row.kind.Name(), row.heeded, row.kind.Remedy(), heeded)
		}
		tested[row.kind] = true
	}
	for kind := NoFault + 1; int(kind) < len(faults); kind++ {
		if !tested[kind] {
			t.Errorf("no text is worth the warning %s", kind.Name())
		}
	}
}

// Names, severities and words of all kinds are there and differ.
func TestWarningWords(t *testing.T) {
	names := map[string]bool{}
	for kind := range WarningKind(len(faults)) {
		name := kind.Name()
		if names[name] || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsLower(r) && r != '-' }) {
			t.Errorf("kind %d is called %q", kind, name)
		}
		names[name] = true
		if text, err := kind.MarshalText(); err != nil || string(text) != name {
			t.Errorf("kind %d is written %q (%v)", kind, text, err)
		}
		if kind.String() == "" || kind.Remedy() == "" {
			t.Errorf("kind %s says nothing", name)
		}
	}
	if WarningKind(200).Name() == "" || names[WarningKind(200).Name()] || WarningKind(200).Severity() != Minor {
		t.Error("an unknown kind has a known name")
	}
	for severity, want := range map[Severity]string{Minor: "minor", Major: "major", Grave: "grave", 99: "unknown"} {
		if text, err := severity.MarshalText(); severity.String() != want || string(text) != want || err != nil {
			t.Errorf("severity %d is %q, %q (%v)", severity, severity, text, err)
		}
	}
}
