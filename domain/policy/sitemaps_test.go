package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/robots"
)

// However much sitemaps have in common with the one before, they come back as
// written, each as often as it is named.
func TestSitemapsComeBackAsWritten(t *testing.T) {
	long := "https://www.example.com/" + strings.Repeat("x", 400)
	tests := [][]string{
		{"https://www.example.com/sitemap.xml"},
		{"/a", "/a", "/a"},
		{"/sitemaps/", "/sitemaps", "/sitemaps/1"},
		{"https://a/1", "https://b/1", "http://b/1", "x"},
		{"0123456789", "0123456789a", "0123456789b"}, // ten octets in common, as many as a line end's code
		{long[:254], long[:255], long[:256], long[:257], long, long + "y", long[:300] + "z"},
		{"/\xFF\x00\x01", "/\xFF\x00\x02"},
		{"", "/a"},
	}
	for _, want := range tests {
		var body strings.Builder
		body.WriteString("User-agent: *\nDisallow: /private\n")
		for _, location := range want {
			body.WriteString("Sitemap: " + location + "\n")
		}
		want = slices.DeleteFunc(slices.Clone(want), func(location string) bool { return location == "" })
		reading := readingOf(t, "foobot")
		for way, rules := range map[string]*Rules{
			"from bytes": RulesOf([]byte(body.String()), reading),
			"from File":  NewRules(robots.Parse([]byte(body.String()), robots.Options{}), reading),
		} {
			if got := rules.sitemaps(); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", way, got, want)
			}
			if allowed, _ := rules.Match("/private"); allowed {
				t.Errorf("%s: %q: a sitemap has taken a rule's place", way, want)
			}
		}
	}
}
