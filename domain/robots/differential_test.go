package robots

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// drawn draws a Dialect and Limits from 64 bits: any switches, one of some lists,
// and limits that texts of a few lines reach.
func drawn(seed uint64) Options {
	dialect := [...]func() Dialect{Default, Google, RFC9309, Legacy}[seed&3]()
	for s := range switches {
		if (seed*0x9E3779B97F4A7C15)>>(2+s)&(seed>>(2+s))&1 == 0 {
			continue
		}
		if dialect.Has(s) {
			dialect = dialect.Without(s)
		} else {
			dialect = dialect.With(s)
		}
	}
	seed >>= 2 + switches
	for _, list := range [...]struct{ name, keys string }{
		{groupKeys, "foo+sitemap+host"}, {pathKeys, "foo+noindex+sitemap"}, {keyAliases, "ua:user-agent+block:disallow+user-agents:user-agent+map:sitemap"},
	} {
		if seed&3 == 3 {
			dialect.lists.set(list.name, list.keys)
		}
		seed >>= 2
	}
	var limits Limits
	for i, limit := range []*int{
		&limits.Bytes, &limits.Groups, &limits.GroupLines, &limits.Agents, &limits.KeyBytes, &limits.NameBytes, &limits.ValueBytes, &limits.Wildcards,
	} {
		if seed&3 == 3 {
			*limit = []int{1, 2, 3, 7, 12}[(i+int(seed>>16))%5]
			if limit == &limits.Bytes {
				*limit *= 17
			}
		}
		seed >>= 2
	}
	return Options{Dialect: dialect, Limits: limits}
}

// What the lines of a robots.txt are made of, and what could be taken for it.
var (
	someKeys = strings.Split("user-agent:|User-Agent: |user-agent|useragent:|user agent: |user-agents: |USER-AGENT:\t|ua: |user\ragent: |"+
		"allow:|Allow: |allow |allowed: |ALLOW:\v|disallow:|Disallow: |DISALLOW : |disalow: |dissallow:|disallow|block:|Disallow:  |"+
		"sitemap:|Sitemap: |sitemap\x1A|site-map: |sitemaps: |map:|crawl-delay: |crawl\rdelay: |request-rate: |visit-time: |host: |Host:|"+
		"clean-param: |noindex: |content-usage: |content-signal: |license: |foo: |x-foo:|content-usages: |a:|:|# |\xEF\xBB\xBF|\xEF|\xBB| |\t||", "|")
	someValues = strings.Split("|/|/a|*|$|/a*b$|/a b|a|b|c|FooBot|FooBot/1.0|*\tx|AI2Bot|\xC3\xA4|/!|/\"|/%2a*|**|/%2A*|/%zz|-|_|.|/\x00|\x00|"+
		"1|0.5|1/5|0900-1700|http://a|https://example.com/sitemap.xml|a.example|a&b /c|train-ai=n|search=yes, ai-train=no|use=reference|"+
		"/abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz|01234567|/123456789012345678901|/12345678901234567890123456789|allow: /", "|")
	someEnds  = strings.Split("\n|\n|\n|\n|\n|\r|\r\n|\n\n|\n\r| \n|\t\v\f\r\n|#\n| # x: y\r| #\r\n|\x00\n| a\n|, b=n\n|", "|")
	longParts = []string{strings.Repeat("/long", 3331), strings.Repeat("x", MaxLine-12), strings.Repeat(" ", MaxLine-6)}
)

// madeOf makes a text of lines, each of three octets; long ones are rare.
func madeOf(octets []byte) string {
	var b strings.Builder
	for i := 0; i+2 < len(octets); i += 3 {
		b.WriteString(someKeys[int(octets[i])%len(someKeys)])
		b.WriteString(someValues[int(octets[i+1])%len(someValues)])
		if octets[i+1] == 255 && i < 30 {
			b.WriteString(longParts[int(octets[i])%len(longParts)])
		}
		b.WriteString(someEnds[int(octets[i+2])%len(someEnds)])
	}
	return b.String()
}

// agreeOn holds Parse against the plain parser.
func agreeOn(t *testing.T, text string, options Options) {
	t.Helper()
	got, want := Parse([]byte(text), options), plainParse([]byte(text), options)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%.2000q by %s and %+v:\n%.1000s\n%.1000v\n%+v\nand plainly\n%.1000s\n%.1000v\n%+v", text, options.Dialect, options.Limits,
			outline(got), got.Warnings, got, outline(want), want.Warnings, want)
	}
}

// agreeByLines holds the way of a text that is too long for notes against Parse.
func agreeByLines(t *testing.T, text string, options Options) {
	t.Helper()
	p := newParser(options)
	kept, cut := Cut([]byte(text), p.limits.Bytes)
	p.file.Truncated = cut
	p.parseLines(p.skipMark(string(kept)))
	p.close()
	if want := Parse([]byte(text), options); !reflect.DeepEqual(&p.file, want) {
		t.Fatalf("%.2000q by %s and %+v:\n%+v\nand line by line\n%+v", text, options.Dialect, options.Limits, want, p.file)
	}
}

// Parse finds what the plain parser finds, in any Dialect and with any Limits.
func TestParseIsPlain(t *testing.T) {
	dice := rand.New(rand.NewPCG(9309, 3))
	rounds := 10000
	if testing.Short() {
		rounds = 1000
	}
	for range rounds {
		octets := make([]byte, 3*dice.IntN(20))
		for i := range octets {
			octets[i] = byte(dice.Uint32())
		}
		options := Options{}
		if dice.IntN(4) > 0 {
			options = drawn(dice.Uint64())
		}
		text := madeOf(octets)
		agreeOn(t, text, options)
		agreeByLines(t, text, options)
	}
}

// Every place that a line's end, a comment or white space can have in what is
// looked at as a whole: 8 and 32 octets.
func TestEveryPlace(t *testing.T) {
	for _, key := range []string{"disallow:", "Allow: ", "user-agent: ", "host: ", "x-foo-bar-baz:", "# ", ""} {
		for _, end := range []string{"\n", "\r", "\r\n", "#\n", " \n", "\t#\r", "!\n", "\x00\n", "\x80\n", "\xFF\r\n", ": \n", " a\n", "", "$"} {
			for n := range 80 {
				text := key + strings.Repeat("/", n) + end
				agreeOn(t, "user-agent: a\n"+text+"disallow: /", Options{})
				agreeOn(t, text, Options{})
				agreeOn(t, text, Options{Dialect: Google()})
			}
		}
	}
}

// How long a line may be, and what is next to it (P4).
func TestEveryLength(t *testing.T) {
	for n := MaxLine - 35; n < MaxLine+35; n++ {
		for _, key := range []string{"disallow:", " allow: ", "# ", "foo:"} {
			text := "user-agent: a\n" + key + strings.Repeat("/", n-len(key))
			agreeOn(t, text+"\nallow: /", Options{})
			agreeOn(t, text+" \r\nallow: /", Options{})
		}
	}
}

// A File has room for what it holds, and no more.
func TestMemoryIsExact(t *testing.T) {
	text := "sitemap: https://a/\nfoo: bar\nhello\n"
	for range 100 {
		text += "user-agent: a\nUser-agent: b\n\ncrawl-delay: 1\ndisallow: /a\n # x\nallow: /b \nhost: a\nnonsense\n"
	}
	for _, options := range []Options{{}, {Dialect: Google()}} {
		file := Parse([]byte(text), options)
		agreeOn(t, text, options)
		if cap(file.Groups) != 100 || cap(file.Records) != 102 || cap(file.Warnings) != 101 {
			t.Errorf("there is room for %d groups, %d records and %d warnings, want 100, 102 and 101",
				cap(file.Groups), cap(file.Records), cap(file.Warnings))
		}
		for i := 1; i < len(file.Groups); i++ {
			before, group := &file.Groups[i-1], &file.Groups[i]
			if &before.Rules[:cap(before.Rules)][cap(before.Rules)-1] == &group.Rules[0] || cap(group.Rules) != 2 || cap(group.Agents) != 2 || cap(group.Records) != 1 {
				t.Fatalf("group %d shares its memory, or has more than it needs", i)
			}
		}
	}
	allocs := testing.AllocsPerRun(20, func() { Parse([]byte(text), Options{}) })
	if most := 8.0; allocs > most+2 { // notes may be let go by the garbage collector
		t.Errorf("Parse takes %v allocations, want %v", allocs, most)
	}
}

// What is usual has no fault: every value of a few octets, and longer ones.
func TestUsualIsValid(t *testing.T) {
	kinds := []Kind{Sitemap, License, Host, CleanParam, ContentUsage, ContentSignal, CrawlDelay}
	usual := map[Kind]int{}
	check := func(value string) {
		for _, kind := range kinds {
			if value = strings.Trim(value, plainSpace); isUsual(kind, value) {
				usual[kind]++
				if fault := faultOf(kind, value); fault != NoFault {
					t.Fatalf("%q is a usual %s, and %s", value, kind, fault)
				}
			}
		}
	}
	every := func(prefix string, parts []string, most int) {
		var add func(value string, left int)
		add = func(value string, left int) {
			check(value)
			for _, part := range parts[:len(parts)*min(1, left)] {
				add(value+part, left-1)
			}
		}
		add(prefix, most)
	}
	every("", []string{"a", "Z", "0", "-", ".", "_", "&", "/", " ", "\t", "*", "=", ":", "\xC3"}, 4)
	for _, prefix := range []string{"http://", "https://", "http:/", "HTTP://", "ftp://"} {
		every(prefix, []string{"a", "-", ".", ":", "@", "/", "?", " ", "#", "\x80"}, 3)
	}
	every("", []string{"a", "ai-train", "train-ai", "ai-use", "ai-input", "=y", "=n", "=yes", "=no", ",", ", ", "/p ", "/p\t", "1"}, 5)
	every("", []string{"1", "99999999", ".", "-"}, 4)
	every(strings.Repeat("a", 250), []string{"a", "."}, 5)
	for _, kind := range kinds {
		if usual[kind] == 0 {
			t.Errorf("no %s is usual", kind)
		}
	}
}

// Any octets, and any lines.
func FuzzParseIsPlain(f *testing.F) {
	for _, seed := range []string{
		"", "User-agent: *\nDisallow: /\n", "\xEF\xBB\xBFuser-agent: a\r\nuser-agent: b\rcrawl-delay: 1\nallow: /x*y$ # z\n\ndisallow:\nsitemap: s\nfoo: bar\n",
		"useragent a\ndisalow /x y\n: z\n\x00\xFF\n*", "content-usage: /a train-ai=n, search=y\nclean-param: a&b /c\nhost: a.b\nlicense: https://a/",
		"disallow: /\n  /continued # x\n\tallow: /\n",
	} {
		f.Add([]byte(seed), false, uint64(0))
		f.Add([]byte(seed), false, uint64(0x1234567890ABCDEF))
		f.Add([]byte(seed), true, uint64(len(seed))*0x9E3779B97F4A7C15)
	}
	f.Fuzz(func(t *testing.T, octets []byte, made bool, seed uint64) {
		text := string(octets)
		if made {
			text = madeOf(octets[:min(len(octets), 300)])
		}
		agreeOn(t, text, Options{})
		agreeOn(t, text, drawn(seed))
	})
}
