package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
)

// An extreme writes what a writer does not reach: lines about as long as counts,
// indented ones, files of lone CRs, groups that name a crawler's tokens from the
// worst to the best, and texts that end anywhere.
type extreme struct {
	writer
	names []string
}

// pad is white space, or what else a line may begin with, up to past what counts.
func (x extreme) pad() string {
	switch x.IntN(12) {
	case 0:
		return strings.Repeat(" ", robots.MaxLine-40+x.IntN(50))
	case 1:
		return strings.Repeat(" ", x.IntN(40))
	case 2:
		return strings.Repeat(x.of("\t", " \t", "\v", "        \f"), x.IntN(20))
	case 3:
		return x.of("\x00", "\xEF\xBB\xBF", "\x1a", "\xA0")
	}
	return ""
}

// fill is a stretch of a value, up to past what counts.
func (x extreme) fill() string {
	switch x.IntN(14) {
	case 0:
		return strings.Repeat(x.of("a", "a*", "%41", "ü", "\x00", "\t", " ", "?", "#", "%2A"), (robots.MaxLine-40+x.IntN(50))/(1+x.IntN(3)))
	case 1:
		return strings.Repeat("a", x.IntN(40)) + x.of("\t", " ", "\x01", "\x7F", "!", "\"", "#", "$", "*", "?", "%", "\xFF") + strings.Repeat("b", x.IntN(20))
	}
	return ""
}

func (x extreme) name() string { return x.of(x.names...) }

func (x extreme) line() string {
	colon := x.of(":", ": ", ": ", ":  ", " :", " ", ":\t")
	switch x.IntN(10) {
	case 0, 1, 2:
		return x.pad() + x.of("User-agent", "user-agent", "useragent") + colon + x.pad() +
			x.of("*", "*", "* "+x.fill(), x.name(), x.name(), strings.ToUpper(x.name())+"/1 "+x.fill(), "Stranger", "")
	case 3:
		return x.pad() + "Crawl-delay" + colon + x.pad() + x.of("1", "2.5", "30", "x", "0")
	case 4, 5:
		return x.pad() + x.of("Sitemap", "sitemap", "site-map", "Sitemap\x1a", "Sitemap\xBA") + colon +
			x.of("", "/", "https://x.example/", "https://x.example/"+strings.Repeat("y", 225+x.IntN(30))) + x.fill() + x.of("", "1", "12", "!", "\x80")
	case 6:
		return x.writer.line()
	default:
		return x.pad() + x.of("Disallow", "Allow", "disallow", "Dissallow", "disall\x0fw", "user\ragent", "Disallow\x1a") + colon +
			x.of("", x.pad()) + x.pattern() + x.fill() + x.of("", "", "", "$", "*", "*$", "**", "/$", "index.html")
	}
}

func (x extreme) file() string {
	var b strings.Builder
	b.WriteString(x.of("", "", "\xEF", "\xEF\xBB", "\xEF\xBB\xBF", "\xEF\xBB\xBF\xEF\xBB\xBF"))
	ends := [][]string{{"\n"}, {"\r"}, {"\r\n"}, {"\n", "\r", "\r\n", "\n\r", "\r\r\n", "\n\n\n", " \n", "\t\r"}}[x.IntN(4)]
	for range x.IntN(30) {
		b.WriteString(x.line())
		b.WriteString(x.of(ends...))
	}
	if body := b.String(); x.IntN(3) == 0 {
		return body[:len(body)-x.IntN(min(len(body), 30)+1)]
	}
	return b.String()
}

// However long, indented, torn or full of names files are, the fast way agrees with
// the plain one (P3, P4, P7, P9, A3, A6).
func TestFastAgreesWithPlainOnExtremes(t *testing.T) {
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf("%cbot%d", 'a'+i%7, i)
	}
	readings := []struct {
		names   []string
		reading Reading
	}{
		{[]string{"FooBot"}, readingOf(t, "FooBot")},
		{[]string{"FooBot", "BarBot", "Ü", "9Bot"}, readingOf(t, "9Bot", "Ü", "BarBot", "FooBot")},
		{many, readingOf(t, many...)},
		{[]string{"x"}, Reading{}},
		{[]string{"", "Foo Bar", "%"}, Reading{Agents: agent.AsPassed("Foo", "", "Foo Bar")}},
	}
	for seed := range uint64(1500) {
		x := extreme{writer: writer{rand.New(rand.NewPCG(seed, 4))}}
		row := readings[x.IntN(len(readings))]
		x.names = row.names
		compare(t, []byte(x.file()), row.reading, x.paths(6))
	}
}

// P4: a key counts if all of it is within what counts of its line, whosever group
// that line would end or belong to.
func TestKeysAtTheEndOfALongLine(t *testing.T) {
	foobot := readingOf(t, "FooBot", "BarBot")
	for _, line := range []string{
		"User-agent: Stranger", "User-agent: FooBot", "User-agent:*", "Disallow: /x", "Allow:/x/index.html", "Disallow:", "Sitemap: /s", "Crawl-delay: 2",
	} {
		for indent := robots.MaxLine - 24; indent < robots.MaxLine+2; indent++ {
			for _, above := range []string{"User-agent: FooBot", "User-agent: BarBot", "User-agent: Stranger", "User-agent: *", ""} {
				for _, rule := range []string{"\nDisallow: /a", ""} {
					body := above + rule + "\n" + strings.Repeat(" ", indent) + line + "\nDisallow: /b\nUser-agent: FooBot\nAllow: /x\n"
					compare(t, []byte(body), foobot, []string{"/a", "/b", "/x/"})
				}
			}
		}
	}
}

// A text may end behind any octet of any line (P3).
func TestTextsThatEndAnywhere(t *testing.T) {
	whole := "\xEF\xBB\xBFUser-agent: FooBot\r\nUser-agent: *\r\nCrawl-delay: 12\rDisallow: /a*$\r\nDisallow: /*\rAllow: *\r" +
		"Allow: /$\nDisallow: /**\n        \t Allow: /index.html # x\r\n\r\nSitemap: https://x.example/1\nSitemap: https://x.example/12\n\nUser-agent: BarBot\nDisallow:\n"
	for _, reading := range []Reading{{}, readingOf(t, "FooBot"), readingOf(t, "BarBot")} {
		for end := range len(whole) + 1 {
			compare(t, []byte(whole[:end]), reading, []string{"/", "/a", "/ab", "/index.html"})
		}
	}
}

// What a scan keeps for the next file is bounded, and holds nothing of the last.
func TestScansKeepLittle(t *testing.T) {
	rules, sitemaps := "Disallow: /\n", "Sitemap: https://x.example/"+strings.Repeat("y", 300)+"\n"
	for _, body := range []string{
		"User-agent: FooBot\nCrawl-delay: 3\nDisallow: /ü\nDisallow: /%2A\n" + rules + sitemaps,
		"User-agent: FooBot\n" + strings.Repeat(rules, 1<<18),
		"User-agent: FooBot\nDisallow: /" + strings.Repeat("Disallow: /"+strings.Repeat("ü", 4000)+"\n", 100),
		strings.Repeat("Sitemap: /a\nSitemap: "+strings.Repeat("y", 2000)+"\n", 1000),
	} {
		s := newScan(body, readingOf(t, "FooBot").Agents)
		s.run()
		s.finish(new(Rules))
		s.done()
		kept := scans.Get().(*scan) // the same, most of the time
		if cap(kept.rules) > keptRules || cap(kept.sitemaps)+cap(kept.literals) > keptOctets {
			t.Errorf("a scan keeps room for %d rules, %d octets of sitemaps and %d of literals", cap(kept.rules), cap(kept.sitemaps), cap(kept.literals))
		}
		if kept.text != "" || kept.odd != nil || len(kept.rules)+len(kept.groups)+len(kept.runs)+len(kept.sitemaps) > 0 || kept.delay != (Delay{}) ||
			slices.ContainsFunc(kept.counts, func(n int32) bool { return n != 0 }) {
			t.Errorf("a scan keeps something of the file %.60q", body)
		}
	}
}
