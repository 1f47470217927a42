package robots

import (
	"strings"
	"testing"
	"unicode"
)

// Every warning says what is wrong and what to do, and quotes nothing of the
// file, which may be hostile.
func TestWarningsExplainThemselves(t *testing.T) {
	seen := map[string]WarningKind{}
	for kind := range WarningKind(len(faults)) {
		text := Warning{Line: 7, Kind: kind, Text: "\x1B[31mhostile"}.String()
		if !strings.HasPrefix(text, "line 7: ") || kind.Remedy() == "" || !strings.Contains(text, kind.Remedy()) || strings.Contains(text, "hostile") {
			t.Errorf("warning %d is %q", kind, text)
		}
		for _, r := range text {
			if !unicode.IsPrint(r) {
				t.Errorf("warning %d holds %q", kind, r)
			}
		}
		if other, ok := seen[kind.String()]; ok {
			t.Errorf("warnings %d and %d say the same", kind, other)
		}
		seen[kind.String()] = kind
	}
	if unknown := WarningKind(200); unknown.String() == "" || unknown.Remedy() == "" {
		t.Error("an unknown kind says nothing")
	}
}

func TestVerb(t *testing.T) {
	for verb, want := range map[Verb]string{NoVerb: "", Allow: "allow", Disallow: "disallow"} {
		if verb.String() != want {
			t.Errorf("verb %d is %q, want %q", verb, verb, want)
		}
	}
}
