package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
)

// M2, M3: whether a pattern matches a path. Each row is tried as a Disallow, as
// an Allow, and among many rules, where other ways of looking them up begin.
func TestPatternMatchesPath(t *testing.T) {
	tests := []struct {
		rule          string
		pattern, path string
		want          bool
	}{
		{"M3 a prefix", "/", "/", true},
		{"M3 a prefix", "/", "/a", true},
		{"M3 a prefix", "/a", "/a", true},
		{"M3 a prefix", "/a", "/ab/c?d", true},
		{"M3 a prefix", "/a/", "/a", false},
		{"M3 a prefix", "/ab", "/a", false},
		{"M3 a prefix", "/b", "/a/b", false},
		{"M3 a prefix", "/12345678", "/12345678", true},
		{"M3 a prefix", "/12345678", "/1234567", false},
		{"M3 a prefix", "/123456789", "/12345678x", false},
		{"M3 case counts", "/A", "/a", false},
		{"M3 case counts", "/a", "/A", false},

		{"M3 *", "*", "/", true},
		{"M3 *", "/*", "/", true},
		{"M3 *", "/a*", "/a", true},
		{"M3 *", "/a*", "/abc", true},
		{"M3 *", "/a*c", "/ac", true},
		{"M3 *", "/a*c", "/abbc", true},
		{"M3 *", "/a*c", "/abb", false},
		{"M3 *", "/a*c", "/a?b=/c#", true},
		{"M3 *", "*.php", "/a/b.php", true},
		{"M3 *", "*.php", "/a/b.phtml", false},
		{"M3 *", "*/b", "/b", true},
		{"M3 *", "/*/b", "/b", false},
		{"M3 *", "/*/b", "//b", true},
		{"M3 *", "/**b", "/b", true},
		{"M3 *", "/***b***c", "/xbxcx", true},
		{"M3 *", "/a*b*c", "/abbc", true},
		{"M3 *", "/a*b*c", "/acb", false},
		{"M3 *", "/a*aa*a", "/aaa", false},
		{"M3 *", "/a*aa*a", "/aaaa", true},
		{"M3 *", "/*aab", "/aaab", true},
		{"M3 *", "/*abab*b", "/abaabab", false},
		{"M3 *", "/*abab*b", "/abaababb", true},

		{"M3 $", "/$", "/", true},
		{"M3 $", "/$", "/a", false},
		{"M3 $", "/$", "/?", false},
		{"M3 $", "/a$", "/a", true},
		{"M3 $", "/a$", "/ab", false},
		{"M3 $", "/a$", "/a?b", false},
		{"M3 $", "/admin/$", "/admin/", true},
		{"M3 $", "/admin/$", "/admin", false},
		{"M3 $", "/admin/$", "/admin/a", false},
		{"M3 $", "/*$", "/", true},
		{"M3 $", "/*$", "/a", true},
		{"M3 $", "*$", "/a", true},
		{"M3 $", "/*.php$", "/a.php", true},
		{"M3 $", "/*.php$", "/a.php5", false},
		{"M3 $", "/*.php$", "/a.php?b", false},
		{"M3 $", "/*.php$", "/a.phpx.php", true},
		{"M3 $", "/a*b$", "/abab", true},
		{"M3 $", "/a*b$", "/aba", false},
		{"M3 $", "/ab*ab$", "/ab", false},
		{"M3 $", "/ab*b$", "/ab", false},
		{"M3 $", "/ab*$", "/ab", true},
		{"M3 $", "/12345678$", "/12345678", true},
		{"M3 $", "/12345678$", "/123456789", false},
		{"M3 $", "/1234567890$", "/1234567890", true},
		{"M3 $", "/1234567890$", "/12345678901", false},
		{"M3 $ elsewhere is itself", "/a$b", "/a$b", true},
		{"M3 $ elsewhere is itself", "/a$b", "/a%24b", true},
		{"M3 $ elsewhere is itself", "/a$b", "/a", false},
		{"M3 $ elsewhere is itself", "/a$*", "/a$b", true},
		{"M3 $ elsewhere is itself", "/a$*", "/a", false},
		{"M3 $ elsewhere is itself", "/a$$", "/a$", true},
		{"M3 $ elsewhere is itself", "/a$$", "/a$$", false},
		{"M3 $ elsewhere is itself", "/a$$", "/a", false},
		{"M3 $ in a URL", "/a", "/a$", true},
		{"M3 $ in a URL", "/a$", "/a$", false},

		{"M3 %2A", "/a%2Ab", "/a*b", true},
		{"M3 %2A", "/a%2ab", "/a%2Ab", true},
		{"M3 %2A", "/a%2Ab", "/axb", false},
		{"M3 %2A", "/a%2A*b", "/a*xb", true},
		{"M3 %2A", "/a%2A*b", "/axb", false},
		{"M3 * in a URL", "/a*b", "/a*b", true},
		{"M3 * in a URL", "/a*b", "/a%2Ab", true},
		{"M3 * in a URL", "/axb", "/a*b", false},
		{"M3 %24", "/a%24", "/a$", true},
		{"M3 %24", "/a%24", "/a%24b", true},
		{"M3 %24", "/a%24", "/a", false},
		{"M3 %24", "/a%24$", "/a$", true},
		{"M3 %24", "/a%24$", "/a$b", false},

		{"M2 unreserved", "/%7Ejoe", "/~joe/", true},
		{"M2 unreserved", "/~joe", "/%7ejoe/", true},
		{"M2 unreserved", "/%41", "/a", false},
		{"M2 unreserved", "/index%2Ehtml", "/index.html", true},
		{"M2 upper case", "/%c3%bc", "/%C3%BC", true},
		{"M2 upper case", "/%C3%BC", "/%c3%bc", true},
		{"M2 over 0x7F", "/ü", "/%c3%bc", true},
		{"M2 over 0x7F", "/%C3%BC", "/ü", true},
		{"M2 over 0x7F", "/\xFF", "/%FF", true},
		{"M2 over 0x7F", "/*ü$", "/xy%C3%BC", true},
		{"M2 cannot stand in a URI", "/a b", "/a%20b", true},
		{"M2 cannot stand in a URI", "/a%20b", "/a b", true},
		{"M2 cannot stand in a URI", "/<>\"\\^`{|}", "/%3C%3E%22%5C%5E%60%7B%7C%7D", true},
		{"M2 cannot stand in a URI", "/%3c%3e%22%5c%5e%60%7b%7c%7d", "/<>\"\\^`{|}", true},
		{"M2 cannot stand in a URI", "/\x01\x7F", "/%01%7F", true},
		{"M2 %2F is not /", "/a%2Fb", "/a/b", false},
		{"M2 %2F is not /", "/a/b", "/a%2Fb", false},
		{"M2 %2F is not /", "/a%2fb", "/a%2Fb", true},
		{"M2 other reserved ones neither", "/a%3Fb", "/a?b", false},
		{"M2 other reserved ones neither", "/a?b", "/a%3Fb", false},
		{"M2 other reserved ones neither", "/a%3Bb", "/a;b", false},
		{"M2 other reserved ones neither", "/a%26b", "/a&b", false},
		{"M2 %23", "/a%23b", "/a%23b", true},
		{"M2 %25 is decoded once", "/%2541", "/A", false},
		{"M2 %25 is decoded once", "/%2541", "/%2541", true},
		{"M2 broken escapes stay", "/a%", "/a%", true},
		{"M2 broken escapes stay", "/a%zz", "/a%zz", true},
		{"M2 broken escapes stay", "/a%zz", "/a%ZZ", false},
		{"M2 broken escapes stay", "/a%4", "/a%4", true},
		{"M2 broken escapes stay", "/100%$", "/100%25", false},
		{"M2 equal octets match", "/%%34%31", "/%%34%31", true},
		{"M2 equal octets match", "/%%32A", "/%%32A", true},
		{"M2 equal octets match", "/%%324", "/%%324", true},
		{"M2 equal octets match", "/%2%41", "/%2%41", true},
		{"M2 equal octets match", "/%%2A", "/%%2A", true},
		{"M2 dot segments", "/a/b", "/a/c/../b", false},
		{"M2 dot segments", "/a/../b", "/a/../b", true},
		{"M2 double slashes", "/a/b", "/a//b", false},
		{"M2 double slashes", "//a", "//a", true},
		{"M1 the query is not re-ordered", "/?a=1&b=2", "/?b=2&a=1", false},
		{"M1 a trailing ? stays", "/a?", "/a", false},
		{"M1 a trailing ? stays", "/a?", "/a?", true},
		{"M1 a trailing ? stays", "/a?$", "/a?", true},
		{"M1 a trailing ? stays", "/a$", "/a?", false},

		{"M2 second reading", "/a?u=https://b", "/a?u=https%3A%2F%2Fb", true},
		{"M2 second reading", "/a?u=https%3A%2F%2Fb", "/a?u=https://b", true},
		{"M2 second reading", "/a?u=https%3A//b", "/a?u=https:%2F%2fb", true},
		{"M2 second reading", "/a?u=b%40c", "/a?u=b@c", true},
		{"M2 second reading", "/a?u=b?c", "/a?u=b%3fc", true},
		{"M2 second reading", "/a?*/b$", "/a?x%2Fb", true},
		{"M2 second reading", "/a?*%2Fb$", "/a?x/b", true},
		{"M2 second reading", "*?u=/", "/a?u=%2F", true},
		{"M2 second reading", "/*?*=https:", "/a?b=https%3A//c", true},
		{"M2 second reading of the query only", "/a%2Fb?u=/", "/a/b?u=/", false},
		{"M2 second reading of the query only", "/a/b?u=/", "/a%2Fb?u=%2F", false},
		{"M2 second reading of the query only", "/a%3Fb=/", "/a%3Fb=%2F", false},
		{"M2 second reading of four characters only", "/a?u=;", "/a?u=%3B", false},
		{"M2 second reading of four characters only", "/a?u=%26", "/a?u=&", false},
		{"M2 second reading of patterns with ? only", "/*=https:", "/a?b=https%3A", false},
		{"M2 second reading of patterns with ? only", "/*%2F", "/a?b/c", false},
		{"M2 first reading, too", "/a?u=%2F", "/a?u=%2F", true},
		{"M2 first reading, too", "/a?u=/", "/a?u=/", true},
	}
	var many strings.Builder
	for _, c := range "abcdefghijklmnopqrstuvwxyz" {
		many.WriteString("Disallow: /-" + string(c) + "\nAllow: /-" + string(c) + "*-$\nAllow: /-" + string(c) + "?%2F\n")
	}
	for _, test := range tests {
		for _, files := range []struct{ rules, deciding string }{
			{"", "Disallow: " + test.pattern},
			{"", "Allow: " + test.pattern},
			{many.String(), "Disallow: " + test.pattern},
		} {
			p := policy.Offline([]byte("User-agent: *\n"+files.rules+files.deciding+"\n"), crawler(t, "foobot"))
			for range 20 { // an index may be built after some use
				d := p.Decide(test.path, time.Time{})
				if got := d.Reason == policy.ReasonRule; got != test.want {
					t.Errorf("%s: %q matches %q: %t, want %t", test.rule, test.pattern, test.path, got, test.want)
					break
				} else if got && (d.Rule.Pattern != test.pattern || d.Rule.Text != files.deciding) {
					t.Errorf("%s: the rule is %+v, want it as written: %q", test.rule, d.Rule, files.deciding)
					break
				}
			}
		}
	}
}

// M4: the longest pattern wins, in octets of its normal form; allow wins a tie.
func TestPrecedence(t *testing.T) {
	tests := []struct {
		rule  string
		rules string // each with its verb's first letter, in the order of the file
		path  string
		want  int // the line that decides, the first rule's is 2; 0: none
	}{
		{"M4 no match is allowed", "D/b", "/a", 0},
		{"M4 the longest", "D/ A/a", "/a", 3},
		{"M4 the longest", "A/ D/a", "/a", 3},
		{"M4 the longest", "D/a A/", "/a", 2},
		{"M4 the longest", "A/a D/ab A/abc D/abcd", "/abcx", 4},
		{"M4 the longest", "A/a D/ab A/abc D/abcd", "/abcd", 5},
		{"M4 the longest, not of the match", "D/*c A/ab", "/abcccccc", 2 + 1},
		{"M4 the longest that matches", "D/a A/abc", "/ab", 2},
		{"M4 allow wins a tie", "D/a A/a", "/a", 3},
		{"M4 allow wins a tie", "A/a D/a", "/a", 2},
		{"M4 allow wins a tie", "D/a* A/ab", "/ab", 3},
		{"M4 allow wins a tie", "D/ab A/a*", "/ab", 3},
		{"M4 allow wins a tie", "D/a$ A/*a", "/a", 3},
		{"M4 the first of equals", "D/a D/a", "/a", 2},
		{"M4 the first of equals", "D/*a D/b", "/ba", 2 + 0},
		{"M4 * and $ count one", "A/ab D/a*$", "/ab", 3},
		{"M4 * and $ count one", "A/abc D/a*$", "/abc", 2},
		{"M4 * and $ count one", "A/abcd D/a*$", "/abcd", 2},
		{"M4 * and $ count one", "D/a$ A/", "/a", 2},
		{"M4 each *", "A/ab D/**b", "/ab", 3},
		{"M4 %2A counts three", "A/a*bc D/a%2Ab", "/a*bcd", 3},
		{"M4 %2A counts three", "D/a*bc A/a%2ab", "/a%2Abcd", 3},
		{"M4 %2A counts three", "D/*bcde A/a%2Ab", "/a*bcde", 3},
		{"M4 %24 counts three", "A/a*bc D/a%24b", "/a$bcd", 3},
		{"M4 $ elsewhere counts one", "A/a*bc D/a$b", "/a$bcd", 2},
		{"M4 of the normal form: unreserved", "D/%61%62 A/ab*d", "/abcd", 3},
		{"M4 of the normal form: unreserved", "A/%61%62 D/ab", "/ab", 2},
		{"M4 of the normal form: over 0x7F", "A/*345678 Dツ", "/ツ345678", 2},
		{"M4 of the normal form: over 0x7F", "A/*345678 D/ツ", "/ツ345678", 3},
		{"M4 of the normal form: over 0x7F", "A/*4567890 D/ツ", "/ツ34567890", 3},
		{"M4 of the normal form: over 0x7F", "A/*34567890 D/ツ", "/ツ34567890", 2},
		{"M4 of the normal form: case of escapes", "D/%c3%bc A/%C3%BC", "/ü", 3},
		{"M4 of the normal form: broken escapes", "A/*zz D/%zz", "/%zz", 2},
		{"M4 of the normal form: broken escapes", "A/*z D/%zz", "/%zz", 3},
		{"M4 of the normal form: {}", "A/*bcdef D/{b", "/{bcdef", 2},
		{"M4 of the normal form: {}", "A/*bc D/{b", "/{bc", 3},
		{"M4 of the first reading", "A/?a=*b D/?a=%2Fb", "/?a=/b", 3},
		{"M4 of the first reading", "A/?a=%2F D/?a=/b", "/?a=/b", 2},
		{"M4 of the first reading", "A/?a=* D/?a=/", "/?a=%2F", 2},
		{"M4 both readings compete", "D/?a=/bc A/?a=%2Fb", "/?a=%2Fbc", 3},
		{"M4 both readings compete", "D/?a=/b A/?a=*", "/?a=%2Fb", 2},
		{"P8 empty ones match nothing", "D/ A", "/a", 2},
		{"P8 empty ones match nothing", "D", "/a", 0},
		{"P8 nor do those without a slash", "Da A/ D?a", "/a", 3},
		{"P8 nor do those without a slash", "D$ D%2Fa", "/a", 0},
	}
	for _, test := range tests {
		robotsTxt := "User-agent: foobot\n"
		for rule := range strings.FieldsSeq(test.rules) {
			robotsTxt += map[byte]string{'A': "Allow: ", 'D': "Disallow: "}[rule[0]] + rule[1:] + "\n"
		}
		d := decide(t, robotsTxt, "foobot", test.path)
		want := true
		if test.want > 0 {
			want = strings.Fields(test.rules)[test.want-2][0] == 'A'
		}
		if d.Allowed != want || d.Rule.Line != test.want {
			t.Errorf("%s: %s, %s: allowed %t by line %d, want %t by line %d", test.rule, test.rules, test.path, d.Allowed, d.Rule.Line, want, test.want)
		}
		// The same through Rules, and with the rules in groups of their own.
		if allowed, rule := policy.RulesOf([]byte(robotsTxt), crawler(t, "foobot")).Match(test.path); allowed != want || rule != d.Rule {
			t.Errorf("%s: Rules.Match(%s) is %t, %+v", test.rule, test.path, allowed, rule)
		}
		apart := strings.ReplaceAll(robotsTxt, "\nAllow", "\nUser-agent: foobot\nAllow")
		apart = strings.ReplaceAll(apart, "\nDisallow", "\nUser-agent: foobot\nDisallow")
		if got := decide(t, apart, "foobot", test.path); got.Allowed != want || got.Rule.Text != d.Rule.Text {
			t.Errorf("%s: in groups of their own, %s, %s: %s", test.rule, test.rules, test.path, got)
		}
	}
}

// M4: robots.txt itself is always allowed, however its path is written.
func TestRobotsTxtItself(t *testing.T) {
	const robotsTxt = "User-agent: *\nDisallow: /\nDisallow: /robots.txt\nUser-agent: *\nDisallow: /robots.txt$"
	for path, want := range map[string]bool{
		"/robots.txt":                        true,
		"/%72obots.txt":                      true,
		"/robots%2Etxt":                      true,
		"/robots%2etxt":                      true,
		"/%72%6F%62%6f%74%73%2E%74%78%74":    true,
		"/robots.txt?":                       false, // another URI
		"/robots.txt?a":                      false,
		"/robots.txt;a":                      false,
		"/robots.txta":                       false,
		"/robots.txt/":                       false,
		"/robots.tx":                         false,
		"/ROBOTS.TXT":                        false,
		"/%52obots.txt":                      false,
		"/a/robots.txt":                      false,
		"//robots.txt":                       false,
		"/%2Frobots.txt":                     false,
		"/robots.txt%00":                     false,
		"/%2572obots.txt":                    false,
		"/%72%6F%62%6f%74%73%2E%74%78%74%74": false,
	} {
		d := decide(t, robotsTxt, "foobot", path)
		if d.Allowed != want {
			t.Errorf("M4: %s: %s", path, d)
		}
		if want && (d.Reason != policy.ReasonRobotsTxt || d.Rule.Line != 0 || d.Group.Line != 1) {
			t.Errorf("M7: %s: reason %s, rule %+v, group %+v; want no rule, and the first group that was consulted", path, d.Reason, d.Rule, d.Group)
		}
	}
}

// M6: an Allow of a directory's index.html also allows the directory.
func TestIndexHTML(t *testing.T) {
	tests := []struct {
		rule  string
		rules string
		path  string
		want  int
	}{
		{"M6", "D/ A/a/index.html", "/a/", 3},
		{"M6", "D/ A/a/index.html", "/a/index.html", 3},
		{"M6", "D/ A/a/index.htm", "/a/", 3},
		{"M6", "D/ A/index.html", "/", 3},
		{"M6 and anything", "D/ A/a/index.html?b=c", "/a/", 3},
		{"M6 and anything", "D/ A/a/index.htmx", "/a/", 3},
		{"M6 and anything", "D/ A/a/index.html$", "/a/", 3},
		{"M6 and anything", "D/ A/a/index.htm*", "/a/", 3},
		{"M6 that directory exactly", "D/ A/a/index.html", "/a", 2},
		{"M6 that directory exactly", "D/ A/a/index.html", "/a/b", 2},
		{"M6 that directory exactly", "D/ A/a/index.html", "/a/?b", 2},
		{"M6 that directory exactly", "D/ A/a/index.html", "/", 2},
		{"M6 the last slash", "D/ A/index.html/a", "/", 2},
		{"M6 the last slash", "D/ A/a/index.html?b=/c", "/a/", 2},
		{"M6 as written", "D/ A/a/Index.html", "/a/", 2},
		{"M6 as written", "D/ A/a/index.ht", "/a/", 2},
		{"M6 as written", "D/ A/a/xindex.html", "/a/", 2},
		{"M6 as written", "D/ A*index.html", "/", 2},
		{"M6 with a wildcard", "D/ A/*/index.html", "/a/b/", 3},
		{"M6 with a wildcard", "D/ A*/index.html", "/a/b/", 3},
		{"M6 in normal form", "D/ A/ü/index.html", "/%c3%bc/", 3},
		{"M6 only an Allow", "A/ D/a/index.html", "/a/", 2},
		{"M6 with its own length", "D/a/ A/a/index.html", "/a/", 3},
		{"M6 with its own length", "D/a/* A/a/index.html", "/a/", 3},
		{"M6 with its own length", "D/a/** A/a/index.html", "/a/", 2},
		{"M6 with its own length", "D/a/**$ A/a/index.html", "/a/", 2},
	}
	for _, test := range tests {
		robotsTxt := "User-agent: foobot\n"
		for rule := range strings.FieldsSeq(test.rules) {
			robotsTxt += map[byte]string{'A': "Allow: ", 'D': "Disallow: "}[rule[0]] + rule[1:] + "\n"
		}
		d := decide(t, robotsTxt, "foobot", test.path)
		if d.Rule.Line != test.want {
			t.Errorf("%s: %s, %s: %s, want line %d", test.rule, test.rules, test.path, d, test.want)
		}
		if written := strings.Fields(test.rules)[max(d.Rule.Line-2, 0)][1:]; d.Rule.Pattern != written {
			t.Errorf("M7: the pattern is %q, want it as written: %q", d.Rule.Pattern, written)
		}
	}
}
