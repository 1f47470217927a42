package robots_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/robots"
)

const everyRecord = `Content-Usage: search=y
Crawl-delay: 9
User-agent: a
Crawl-delay: 1.5
Request-rate: 1/5m 0900-1700
User-agent: b
Visit-time: 0600-0845
Noindex: /n
Sitemap: /s.xml
Disallow: /x
Content-Usage: /p train-ai=n
Content-Signal: ai-train=no, use=reference
X-Owner: me
User-agent: c
Content-Signal: search=yes
Host: www.example.com
Clean-param: ref&session /q
License: https://example.com/license.xml
`

// P9: every record with whom it concerns, in the order of the file.
func TestStatements(t *testing.T) {
	file := robots.Parse([]byte(everyRecord), robots.Options{})
	var got []string
	for s := range file.Statements() {
		var whose []string
		for _, a := range s.Agents {
			whose = append(whose, a.Value)
		}
		scope := strings.Join(whose, "+")
		switch {
		case s.ForNobody():
			scope = "nobody"
		case s.Group == nil:
			scope = "file"
		}
		got = append(got, fmt.Sprintf("%d %s %s", s.Line, s.Kind, scope))
	}
	want := []string{
		"1 content-usage file", "2 crawl-delay nobody", "4 crawl-delay a", "5 request-rate a", "7 visit-time a+b", "8 noindex a+b",
		"9 sitemap file", "11 content-usage a+b", "12 content-signal a+b", "13 other file", "15 content-signal c", "16 host file",
		"17 clean-param file", "18 license file",
	}
	if !slices.Equal(got, want) {
		t.Errorf("P9: the statements are\n%q, want\n%q", got, want)
	}
	// Any of them can be the last that is looked at.
	for n := range want {
		count := 0
		for range file.Statements() {
			if count++; count > n {
				break
			}
		}
		if count != n+1 {
			t.Errorf("stopped after %d statements, want %d", count, n+1)
		}
	}
	var some []int
	for s := range file.Statements(robots.Sitemap, robots.ContentSignal) {
		some = append(some, s.Line)
	}
	if !slices.Equal(some, []int{9, 12, 15}) {
		t.Errorf("the Sitemaps and Content-Signals stand in lines %v", some)
	}
}

// P10: each record as a typed value, and as that of its own kind only.
func TestTypedRecords(t *testing.T) {
	base, _ := url.Parse("https://example.com/robots.txt")
	file := robots.Parse([]byte(everyRecord), robots.Options{})
	got := map[int]string{}
	for s := range file.Statements() {
		r := &s.Record
		note := func(value any, ok bool) {
			if ok {
				got[r.Line] += fmt.Sprintf("%v;", value)
			}
		}
		delay, ok := r.Delay()
		note(delay, ok)
		rate, ok := r.Rate()
		note(rate, ok)
		window, ok := r.Window()
		note(window, ok)
		mirror, ok := r.Mirror()
		note(mirror, ok)
		clean, ok := r.CleanRule()
		note(clean, ok)
		pattern, ok := r.Pattern()
		note(pattern, ok)
		rule, ok := r.UsageRule()
		note(rule, ok)
		location, ok := r.URL(base)
		note(location, ok)
	}
	want := map[int]string{
		1: "{ [{search true}] };", 2: "9s;", 4: "1.5s;", 5: "{1 5m0s {9h0m0s 17h0m0s}};", 7: "{6h0m0s 8h45m0s};", 8: "/n;",
		9: "https://example.com/s.xml;", 11: "{/p [{train-ai false}] };", 12: "{ [{ai-train false}] reference};",
		15: "{ [{search true}] };", 16: "{ www.example.com 0};", 17: "{[ref session] /q};", 18: "https://example.com/license.xml;",
	}
	for line := range 20 {
		if got[line] != want[line] {
			t.Errorf("P10: line %d is %q, want %q", line, got[line], want[line])
		}
	}
}

// P9, P10: where a Sitemap or a License is.
func TestURL(t *testing.T) {
	base, _ := url.Parse("https://example.com/robots.txt")
	for _, row := range []struct {
		rule  string
		kind  robots.Kind
		value string
		base  *url.URL
		want  string
	}{
		{"P9", robots.Sitemap, "https://a.example/s", nil, "https://a.example/s"},
		{"P9", robots.Sitemap, "HTTP://a.example/s", base, "http://a.example/s"},
		{"P9 relative", robots.Sitemap, "/s", base, "https://example.com/s"},
		{"P9 relative", robots.Sitemap, "s", base, "https://example.com/s"},
		{"P9 relative", robots.Sitemap, "//b.example/s", base, "https://b.example/s"},
		{"P9 relative", robots.Sitemap, "?s", base, "https://example.com/robots.txt?s"},
		{"P9 relative to nothing", robots.Sitemap, "/s", nil, ""},
		{"P9 relative to nothing", robots.Sitemap, "//b.example/s", nil, ""},
		{"P9 empty", robots.Sitemap, "", base, ""},
		{"P9 another scheme", robots.Sitemap, "ftp://a.example/s", base, ""},
		{"P9 no URL", robots.Sitemap, "https://[", base, ""},
		{"P10", robots.License, "https://a.example/l", base, "https://a.example/l"},
		{"P10 absolute", robots.License, "/l", base, ""},
		{"P10 another kind", robots.Host, "https://a.example", base, ""},
	} {
		record := robots.Record{Kind: row.kind, Value: row.value}
		location, ok := record.URL(row.base)
		if ok != (row.want != "") || ok && location.String() != row.want {
			t.Errorf("%s: %q is at %v (%v), want %q", row.rule, row.value, location, ok, row.want)
		}
	}
}

// P9, P10: which values are warned about.
func TestInvalidRecords(t *testing.T) {
	for _, row := range []struct {
		text string
		want robots.WarningKind
	}{
		{"sitemap: https://a.example/s", 0},
		{"sitemap: HTTPS://user@a.example:8080?s", 0},
		{"sitemap: https://a.example/with space", 0},
		{"sitemap: /s", robots.RelativeSitemap},
		{"sitemap: //a.example/s", robots.RelativeSitemap},
		{"sitemap: www.example.com/s", robots.RelativeSitemap},
		{"sitemap: 1https://a", robots.InvalidSitemap},
		{"sitemap:", robots.InvalidSitemap},
		{"sitemap: ftp://a.example/s", robots.InvalidSitemap},
		{"sitemap: https:/s", robots.InvalidSitemap},
		{"sitemap: https:///s", robots.InvalidSitemap},
		{"sitemap: https://@/s", robots.InvalidSitemap},
		{"sitemap: https://:80/s", robots.InvalidSitemap},
		{"sitemap: https://a b/s", robots.InvalidSitemap},
		{"sitemap: https://a/%zz", robots.InvalidSitemap},
		{"sitemap: https://a:b/", robots.InvalidSitemap},
		{"sitemap: https://a/\x1b", robots.InvalidSitemap},
		{"sitemap: /%zz", robots.InvalidSitemap},
		{"sitemap: ht!tp://[", robots.InvalidSitemap},
		{"license: https://\x1b", robots.InvalidLicense},
		{"license: https://a.example/l", 0},
		{"license: //a.example/l", robots.InvalidLicense},
		{"license: MIT", robots.InvalidLicense},
		{"host: example.com", 0},
		{"host: https://пример.рф:8443/", 0},
		{"host: [2001:db8::1]:8080", 0},
		{"host: 192.0.2.1", 0},
		{"host:", robots.InvalidHost},
		{"host: a..b", robots.InvalidHost},
		{"host: -a", robots.InvalidHost},
		{"host: a b", robots.InvalidHost},
		{"host: a:0", robots.InvalidHost},
		{"host: a:65536", robots.InvalidHost},
		{"host: [::1", robots.InvalidHost},
		{"host: [1]", robots.InvalidHost},
		{"host: ftp://a", robots.InvalidHost},
		{"host: a/b", robots.InvalidHost},
		{"host: " + strings.Repeat("a", 254), robots.InvalidHost},
		{"clean-param: a", 0},
		{"clean-param: a&b /c*d$", 0},
		{"clean-param: a *.php", 0},
		{"clean-param:", robots.InvalidCleanParam},
		{"clean-param: /c", robots.InvalidCleanParam},
		{"clean-param: a&&b", robots.InvalidCleanParam},
		{"clean-param: a b", robots.InvalidCleanParam},
		{"clean-param: a /b c", robots.InvalidCleanParam},
		{"noindex: /a", 0},
		{"noindex: *a", 0},
		{"noindex:", 0},
		{"noindex: a", robots.InvalidNoindex},
	} {
		checkKinds(t, "P10", row.text, row.want)
	}
}

// FuzzRecords: whatever a record says, what is warned about is what is not
// understood, and nothing is understood twice.
func FuzzRecords(f *testing.F) {
	for _, line := range strings.Split(everyRecord, "\n") {
		f.Add(line)
	}
	f.Add("host: https://[::1]:80/")
	f.Add("visit-time: 2400-0000")
	base, _ := url.Parse("https://example.com/robots.txt")
	f.Fuzz(func(t *testing.T, line string) {
		line = strings.NewReplacer("\n", "", "\r", "").Replace(line)
		file := robots.Parse([]byte("user-agent: a\n"+line), robots.Options{})
		for s := range file.Statements() {
			understood := 0
			count := func(ok bool) {
				if ok {
					understood++
				}
			}
			delay, ok := s.Delay()
			count(ok)
			if delay < 0 || delay > robots.MaxDelay {
				t.Fatalf("%q: %v", line, delay)
			}
			rate, ok := s.Rate()
			count(ok)
			if ok && (rate.Requests <= 0 || rate.Per < time.Second) {
				t.Fatalf("%q: %+v", line, rate)
			}
			_, ok = s.Window()
			count(ok)
			mirror, ok := s.Mirror()
			count(ok)
			if ok && (mirror.Name == "" || mirror.Port < 0 || mirror.Port > 65535 || strings.ContainsAny(mirror.Name, "/@ ")) {
				t.Fatalf("%q: %+v", line, mirror)
			}
			_, ok = s.CleanRule()
			count(ok)
			_, ok = s.Pattern()
			count(ok)
			_, ok = s.UsageRule()
			count(ok)
			location, ok := s.URL(base)
			count(ok)
			if ok && (location.Host == "" || location.Scheme != "http" && location.Scheme != "https") {
				t.Fatalf("%q: %v", line, location)
			}
			if fault := faultIn(file); (s.Kind == robots.License || s.Kind == robots.Sitemap) && ok != (fault != robots.InvalidLicense && fault != robots.InvalidSitemap) {
				t.Fatalf("%q: understood %v, warned about with %v", line, ok, fault)
			}
			if understood > 1 {
				t.Fatalf("%q is understood as %d kinds", line, understood)
			}
		}
	})
}

// faultIn returns what the first warning is about.
func faultIn(file *robots.File) robots.WarningKind {
	if len(file.Warnings) == 0 {
		return robots.NoFault
	}
	return file.Warnings[0].Kind
}
