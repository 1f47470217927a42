package app_test

import (
	"testing"

	"github.com/polite-crawler/polite/app"
)

// What could not be seen is quoted, too: an empty text, and one of spaces alone.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"": `""`, " ": `" "`, "a b": "a b", "ツ": "ツ",
		"\x1b[31m": `"\x1b[31m"`, "\u202e": `"\u202e"`, "\u009b": `"\u009b"`, "\ufffd": `"\ufffd"`, "\xff": `"\xff"`,
	} {
		if got := app.Printable(text); got != want {
			t.Errorf("Printable(%q) is %s, want %s", text, got, want)
		}
	}
}
