package robots_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/polite-crawler/polite/domain/robots"
)

// ruleText writes a UsageRule on one line.
func ruleText(rule robots.UsageRule) string {
	parts := []string{rule.Path}
	for _, p := range rule.Preferences {
		sign := "-"
		if p.Allowed {
			sign = "+"
		}
		parts = append(parts, sign+p.Purpose)
	}
	if rule.Reuse != "" {
		parts = append(parts, "use="+rule.Reuse)
	}
	return strings.Join(parts, " ")
}

// kindsOf returns the kinds of a text's warnings.
func kindsOf(text string) (kinds []robots.WarningKind) {
	for _, w := range robots.Parse([]byte(text), robots.Options{}).Warnings {
		kinds = append(kinds, w.Kind)
	}
	return kinds
}

// P10: a Content-Usage is read as draft-ietf-aipref-attach-05 §3.2 and
// draft-ietf-aipref-vocab-08 §6 have it.
func TestContentUsage(t *testing.T) {
	for _, row := range []struct {
		rule, value, want string // want is "" if it is not ok
		fault             robots.WarningKind
	}{
		{"vocab 6", "train-ai=n", " -train-ai", 0},
		{"vocab 6", "train-ai=y, search=n", " +train-ai -search", 0},
		{"vocab 6, without a space", "train-ai=y,search=n", " +train-ai -search", 0},
		{"attach 3.2, a path", "/ai-ok/ train-ai=y", "/ai-ok/ +train-ai", 0},
		{"attach 3.2, HT", "/a*b$\ttrain-ai=y", "/a*b$ +train-ai", 0},
		{"attach 3.2, more space", "/a \t  train-ai=y", "/a +train-ai", 0},
		{"attach 3.2, a path starts with a slash", "*.pdf train-ai=n", "", robots.InvalidUsage},
		{"attach 3.2, no preferences", "/a", "", robots.InvalidUsage},
		{"attach 3.2, nothing", "", "", robots.InvalidUsage},
		{"vocab 6, case counts", "Train-ai=n", "", robots.InvalidUsage},
		{"RFC 9651, no space around '='", "train-ai = n", "", robots.InvalidUsage},
		{"RFC 9651, a comma at the end", "train-ai=n,", "", robots.InvalidUsage},
		{"RFC 9651, all or nothing", "train-ai=n, (", "", robots.InvalidUsage},
		{"RFC 9651, separators", "train-ai=n; search=n", " -train-ai", 0},
		{"vocab 6, neither y nor n", "train-ai=no", "", robots.UnclearPreference},
		{"vocab 6, case of the token", "train-ai=N", "", robots.UnclearPreference},
		{"vocab 6, no token", `train-ai="n", search=n`, " -search", robots.UnclearPreference},
		{"vocab 6, true", "train-ai, search=y", " +search", robots.UnclearPreference},
		{"vocab 6, a list", "train-ai=(n), search=y", " +search", robots.UnclearPreference},
		{"vocab 6, other labels", "x-y.z*_1=n", " -x-y.z*_1", 0},
		{"vocab 6, the last of one label", "train-ai=n, search=y, train-ai=y", " +train-ai +search", 0},
		{"vocab 6, the last of one label", "train-ai=y, train-ai", "", robots.UnclearPreference},
		{"vocab 6, parameters mean nothing", `train-ai=n;why="so";x=?0`, " -train-ai", 0},
		{"P10, the other vocabulary", "ai-train=n, search=n", " -search", robots.ForeignPurpose},
		{"P10, the other vocabulary", "ai-input=y", "", robots.ForeignPurpose},
	} {
		rule, ok := robots.ParseContentUsage(row.value)
		if ok != (row.want != "") || ok && ruleText(rule) != row.want {
			t.Errorf("%s: %q is %q (%v), want %q", row.rule, row.value, ruleText(rule), ok, row.want)
		}
		checkKinds(t, row.rule, "user-agent: a\ncontent-usage: "+row.value, row.fault)
	}
}

// P10: a Content-Signal is what contentsignals.org says, and a little more.
func TestContentSignal(t *testing.T) {
	for _, row := range []struct {
		rule, value, want string
		fault             robots.WarningKind
	}{
		{"signals", "search=yes, ai-train=no", " +search -ai-train", 0},
		{"signals", "search=yes,ai-input=no,ai-train=no", " +search -ai-input -ai-train", 0},
		{"case", "Search=YES , AI-Train = No", " +search -ai-train", 0},
		{"a path", "/blog/ ai-train=no", "/blog/ -ai-train", 0},
		{"use", "search=yes, use=reference", " +search use=reference", 0},
		{"use, the stricter of two", "use=full, use=immediate", " use=immediate", 0},
		{"other names", "x=no", " -x", 0},
		{"of two no counts", "search=yes, search=no", " -search", 0},
		{"of two no counts", "search=no, search=yes", " -search", 0},
		{"what makes no sense is ignored", "search=n, ai-train=no", " -ai-train", robots.InvalidSignal},
		{"what makes no sense is ignored", "search, ai-train=no,", " -ai-train", robots.InvalidSignal},
		{"what makes no sense is ignored", "a b=no, =no, use=always", "", robots.InvalidSignal},
		{"separators", "search=yes; ai-train=no", "", robots.InvalidSignal},
		{"names", "x_1.y-*=no", " -x_1.y-*", 0},
		{"names", "\x1b[31m=no, ü=no, 1=no, -a=no, search=no", " -search", robots.InvalidSignal},
		{"nothing", "", "", robots.InvalidSignal},
		{"nothing", "/a", "", robots.InvalidSignal},
		{"the other vocabulary", "train-ai=no, search=no", " -search", robots.ForeignPurpose},
		{"the other vocabulary", "ai-use=yes", "", robots.ForeignPurpose},
	} {
		rule, ok := robots.ParseContentSignal(row.value)
		if ok != (row.want != "") || ok && ruleText(rule) != row.want {
			t.Errorf("%s: %q is %q (%v), want %q", row.rule, row.value, ruleText(rule), ok, row.want)
		}
		checkKinds(t, row.rule, "user-agent: a\ncontent-signal: "+row.value, row.fault)
	}
}

func checkKinds(t *testing.T, rule, text string, want robots.WarningKind) {
	t.Helper()
	kinds := kindsOf(text)
	if want == robots.NoFault && len(kinds) != 0 || want != robots.NoFault && (len(kinds) != 1 || kinds[0] != want) {
		t.Errorf("%s: %q is warned about with %v, want %v", rule, text, kinds, want)
	}
}

func TestUsageRuleOf(t *testing.T) {
	rule, _ := robots.ParseContentUsage("train-ai=n, search=y")
	for purpose, want := range map[string][2]bool{"train-ai": {false, true}, "search": {true, true}, "ai-use": {}, "": {}} {
		if allowed, said := rule.Of(purpose); [2]bool{allowed, said} != want {
			t.Errorf("%s: %v, %v", purpose, allowed, said)
		}
	}
}

// FuzzUsage: any value is read, within its own length, and what is read can be
// written and read again.
func FuzzUsage(f *testing.F) {
	for _, seed := range []string{
		"train-ai=n, search=y", "/a train-ai=n;x=\"y\"", "a=(b \"c\" :aGk=: 1.5 -2 @3 ?1);d", "search=yes, use=full", "/ =no,=yes", "a=%\"%c3%bc\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if strings.ContainsAny(value, "\r\n#") || len(value) > robots.MaxLine {
			return
		}
		for key, parse := range map[string]func(string) (robots.UsageRule, bool){
			"content-usage": robots.ParseContentUsage, "content-signal": robots.ParseContentSignal,
		} {
			value := strings.Trim(value, " \t\v\f")
			rule, ok := parse(value)
			if !ok {
				if kinds := kindsOf("user-agent: a\n" + key + ": " + value); len(kinds) != 1 {
					t.Fatalf("%s %q says nothing, and the warnings are %v", key, value, kinds)
				}
				continue
			}
			if rule.Path != "" && (rule.Path[0] != '/' || !strings.HasPrefix(value, rule.Path)) {
				t.Fatalf("%s %q has the path %q", key, value, rule.Path)
			}
			if strings.Contains(rule.Path, " ") {
				t.Fatalf("%s %q has the path %q", key, value, rule.Path)
			}
			seen := map[string]bool{}
			for _, p := range rule.Preferences {
				if strings.Trim(p.Purpose, "abcdefghijklmnopqrstuvwxyz0123456789_-.*") != "" {
					t.Fatalf("%s %q names %q", key, value, p.Purpose)
				}
				if seen[p.Purpose] || !strings.Contains(strings.ToLower(value), p.Purpose) {
					t.Fatalf("%s %q says something of %q", key, value, p.Purpose)
				}
				seen[p.Purpose] = true
			}
			if again, ok := parse(written(key, rule)); !ok || !cmp.Equal(again, rule) {
				t.Fatalf("%s %q is %+v, and that written as %q is %+v (%v)", key, value, rule, written(key, rule), again, ok)
			}
		}
	})
}

// written writes a rule again.
func written(key string, rule robots.UsageRule) string {
	yes, no := "y", "n"
	if key == "content-signal" {
		yes, no = "yes", "no"
	}
	var parts []string
	for _, p := range rule.Preferences {
		answer := no
		if p.Allowed {
			answer = yes
		}
		parts = append(parts, p.Purpose+"="+answer)
	}
	if rule.Reuse != "" {
		parts = append(parts, "use="+rule.Reuse)
	}
	return strings.TrimPrefix(rule.Path+" "+strings.Join(parts, ", "), " ")
}
