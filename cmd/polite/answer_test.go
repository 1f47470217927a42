package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// What is printed of a hostile URL, rule or error is one line that a terminal
// can be trusted with, and in JSON still says the same.
func TestLinesAreHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(),
			rapid.StringOf(rapid.SampledFrom([]rune("ab\"\\\x00\x1b\r\n\x7f\u0085\u009b\u200e\u202e\u2028\ufeff\U000e0001\U0010ffff<&>"))),
		).Draw(t, "text")
		r := result{URL: text, Decision: polite.Decision{
			Reason: policy.ReasonRule,
			Rule:   robots.Rule{Verb: robots.Disallow, Line: 1, Pattern: text, Text: text},
			Group:  policy.Group{Agent: text, Line: 1},
		}}
		if rapid.Bool().Draw(t, "failed") {
			r.Err = errors.New(text)
		}
		for _, explain := range []bool{false, true} {
			plain := textLine(&r, explain)
			object, err := jsonLine(&r, explain)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range [][]byte{plain, object} {
				if body := strings.TrimSuffix(string(line), "\n"); strings.ContainsFunc(body, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Fatalf("%q would be printed", line)
				}
				if bytes.Count(line, []byte("\n")) != 1 {
					t.Fatalf("%q is not one line", line)
				}
			}
			var back struct {
				URL         string
				Rule        *struct{ Pattern, Text string }
				Error       *struct{ Message string }
				Explanation *string
			}
			if err := json.Unmarshal(object, &back); err != nil {
				t.Fatalf("%s: %v", object, err)
			}
			switch {
			case back.URL != text:
				t.Fatalf("the URL %q became %q", text, back.URL)
			case r.Err != nil && (back.Error == nil || back.Error.Message != text || back.Explanation != nil):
				t.Fatalf("the error %q became %s", text, object)
			case r.Err == nil && (back.Rule == nil || back.Rule.Pattern != text || (back.Explanation != nil) != explain):
				t.Fatalf("the rule %q became %s", text, object)
			case back.Explanation != nil && *back.Explanation != r.Decision.String():
				t.Fatalf("the explanation became %q, want %q", *back.Explanation, r.Decision.String())
			}
		}
	})
}

func TestPrinterCode(t *testing.T) {
	allowed := answer[polite.Decision]{value: polite.Decision{Allowed: true}}
	disallowed := answer[polite.Decision]{}
	failed := answer[polite.Decision]{err: errors.New("no")}
	for _, row := range []struct {
		name    string
		answers []answer[polite.Decision]
		want    int
	}{
		{"nothing", nil, exitAllowed},
		{"all allowed", []answer[polite.Decision]{allowed, allowed}, exitAllowed},
		{"some disallowed", []answer[polite.Decision]{allowed, disallowed, allowed}, exitDisallowed},
		{"an error wins", []answer[polite.Decision]{failed, disallowed, allowed}, exitError},
		{"an error alone", []answer[polite.Decision]{allowed, failed}, exitError},
	} {
		var out, stderr bytes.Buffer
		p := newDecisionPrinter(streams{out: &out, err: &stderr}, "text", false)
		for _, a := range row.answers {
			if err := p.give(a); err != nil {
				t.Fatal(err)
			}
		}
		if got := p.code(); got != row.want {
			t.Errorf("%s: exit code %d, want %d", row.name, got, row.want)
		}
	}
}
