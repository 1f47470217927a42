package site

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unsafe"
)

var longLabel = strings.Repeat("a", 63)

// A host of 253 octets, the most that there can be.
var longHost = strings.Repeat(longLabel+".", 3) + longLabel[:61]

// F, "Key": scheme, host (lower case, A-label, no trailing dot) and effective
// port. M1: the path is taken as it is written.
var goodURLs = []struct {
	rule   string
	raw    string
	origin string
	path   string
}{
	{"canonical", "https://example.com/", "https://example.com", "/"},
	{"canonical", "http://example.com/a/b;p?q=1", "http://example.com", "/a/b;p?q=1"},
	{"canonical", "http://localhost/", "http://localhost", "/"},
	{"M1 no path is /", "https://example.com", "https://example.com", "/"},
	{"M1 no path is /", "https://example.com?q", "https://example.com", "/?q"},
	{"M1 a trailing ? stays", "https://example.com/a?", "https://example.com", "/a?"},
	{"M1 a trailing ? stays", "https://example.com?", "https://example.com", "/?"},
	{"M1 the fragment is dropped", "https://example.com#a/b", "https://example.com", "/"},
	{"M1 the fragment is dropped", "https://example.com/a#b?c", "https://example.com", "/a"},
	{"M1 the fragment is dropped", "https://example.com?a#b", "https://example.com", "/?a"},
	{"M1 raw", "https://example.com/%zz%", "https://example.com", "/%zz%"},
	{"M1 raw", "https://example.com//a/../b", "https://example.com", "//a/../b"},
	{"M1 raw", "https://example.com/ツ <\"\x01\xFF\\", "https://example.com", "/ツ <\"\x01\xFF\\"},
	{"M1 raw", "https://example.com/a@b:c", "https://example.com", "/a@b:c"},
	{"M1 raw", "https://example.com?a@b:c", "https://example.com", "/?a@b:c"},
	{"M1 raw", "https://example.com/to?u=http://other.example/", "https://example.com", "/to?u=http://other.example/"},

	{"lower case", "HTTPS://example.com/A", "https://example.com", "/A"},
	{"lower case", "https://EXAMPLE.Com/A?B", "https://example.com", "/A?B"},
	{"lower case", "https://R3---SN-A.Example.com/", "https://r3---sn-a.example.com", "/"},

	{"default port", "https://example.com:443/a", "https://example.com", "/a"},
	{"default port", "http://example.com:80/a", "http://example.com", "/a"},
	{"default port", "http://example.com:0080/a", "http://example.com", "/a"},
	{"no port", "https://example.com:/a", "https://example.com", "/a"},
	{"other port", "https://example.com:80/a", "https://example.com:80", "/a"},
	{"other port", "http://example.com:443", "http://example.com:443", "/"},
	{"other port", "https://example.com:08443?q", "https://example.com:8443", "/?q"},
	{"other port", "https://example.com:65535/", "https://example.com:65535", "/"},
	{"other port", "https://example.com:1/", "https://example.com:1", "/"},

	{"userinfo", "https://user@example.com/", "https://example.com", "/"},
	{"userinfo", "https://user:secret@example.com:443/a@b", "https://example.com", "/a@b"},
	{"userinfo", "https://@example.com/", "https://example.com", "/"},
	{"userinfo", "https://other.example:80@example.com/", "https://example.com", "/"},
	{"userinfo", "https://a@b@example.com/", "https://example.com", "/"},

	{"trailing dot", "https://example.com./a", "https://example.com", "/a"},
	{"trailing dot", "https://example.com.:8443/a", "https://example.com:8443", "/a"},
	{"trailing dot", "https://example.com.?q", "https://example.com", "/?q"},
	{"trailing dot", "https://example.com.", "https://example.com", "/"},
	{"trailing dot", "https://localhost./", "https://localhost", "/"},

	{"A-label", "https://bücher.example/", "https://xn--bcher-kva.example", "/"},
	{"A-label", "https://BÜCHER.example/", "https://xn--bcher-kva.example", "/"},
	{"A-label", "https://bu\u0308cher.example/", "https://xn--bcher-kva.example", "/"},
	{"A-label", "https://xn--bcher-kva.example/", "https://xn--bcher-kva.example", "/"},
	{"A-label", "https://XN--BCHER-KVA.example/", "https://xn--bcher-kva.example", "/"},
	{"A-label", "https://faß.example/", "https://xn--fa-hia.example", "/"}, // not "fass": non-transitional
	{"A-label", "https://日本語.example:8443/", "https://xn--wgv71a119e.example:8443", "/"},
	{"A-label", "https://日本語。example。/", "https://xn--wgv71a119e.example", "/"},
	{"A-label", "https://ｅｘａｍｐｌｅ.com/", "https://example.com", "/"},
	{"A-label", "https://a_b.bücher.example/", "https://a_b.xn--bcher-kva.example", "/"},

	{"escapes in a host", "https://ex%61mple.com/", "https://example.com", "/"},
	{"escapes in a host", "https://EX%41MPLE%2Ecom/", "https://example.com", "/"},
	{"escapes in a host", "https://b%C3%BCcher.example/", "https://xn--bcher-kva.example", "/"},

	{"odd but real", "https://my_host.example.com/", "https://my_host.example.com", "/"},
	{"odd but real", "https://_dmarc.example.com/", "https://_dmarc.example.com", "/"},
	{"odd but real", "https://r3---sn-a.example.com/", "https://r3---sn-a.example.com", "/"},
	{"odd but real", "https://r3---sn-a.example.com:443/", "https://r3---sn-a.example.com", "/"},
	{"odd but real", "https://-a-.example.com/", "https://-a-.example.com", "/"},
	{"odd but real", "https://user@-a-.example.com/", "https://-a-.example.com", "/"},
	{"odd but real", "https://1.example.com/", "https://1.example.com", "/"},
	{"odd but real", "https://" + longLabel + ".example/", "https://" + longLabel + ".example", "/"},
	{"odd but real", "https://" + longHost + "/", "https://" + longHost, "/"},
	{"odd but real", "https://" + longHost + "./", "https://" + longHost, "/"},

	{"IPv4", "http://192.0.2.1/a", "http://192.0.2.1", "/a"},
	{"IPv4", "http://192.0.2.1:8080/a", "http://192.0.2.1:8080", "/a"},
	{"IPv4", "http://192.0.2.1./a", "http://192.0.2.1", "/a"},
	{"IPv6", "http://[::1]/a", "http://[::1]", "/a"},
	{"IPv6", "http://[::1]", "http://[::1]", "/"},
	{"IPv6", "http://[2001:DB8:0:0:0:0:0:1]:8080/", "http://[2001:db8::1]:8080", "/"},
	{"IPv6", "https://user@[2001:db8::1]:443?q", "https://[2001:db8::1]", "/?q"},
	{"IPv6", "https://[::1]:/", "https://[::1]", "/"},
}

func TestParse(t *testing.T) {
	for _, test := range goodURLs {
		u, err := Parse(test.raw)
		if err != nil {
			t.Errorf("%s: %v", test.rule, err)
			continue
		}
		if u.Origin.String() != test.origin || u.Path != test.path {
			t.Errorf("%s: Parse(%q) = %q, %q, want %q, %q", test.rule, test.raw, u.Origin, u.Path, test.origin, test.path)
		}
		if again, err := Parse(u.String()); err != nil || again != u {
			t.Errorf("%s: Parse(%q), its own result, = %q, %v", test.rule, u.String(), again, err)
		}
		if origin, err := ParseOrigin(test.raw); err != nil || origin != u.Origin {
			t.Errorf("%s: ParseOrigin(%q) = %q, %v, want %q", test.rule, test.raw, origin, err, test.origin)
		}
	}
}

// What names no origin is refused with a problem and a remedy, safely printed.
var badURLs = []struct {
	raw     string
	problem string
}{
	{"", "it is empty"},
	{"example.com", "it has no scheme"},
	{"example.com/a", "it has no scheme"},
	{"example.com:80/a", "it has no scheme"},
	{"example.com/a?u=http://other.example/", "it has no scheme"},
	{"//example.com/a", "it has no scheme"},
	{"/a", "it has no scheme"},
	{"https:/example.com/", "it has no scheme"},
	{"https:example.com", "it has no scheme"},
	{" https://example.com/", "it has no scheme"},
	{"https\n://example.com/", "it has no scheme"},
	{"javascript:alert(1)", "it has no scheme"},
	{"://example.com/", "it has no scheme"},
	{"1http://example.com/", "it has no scheme"},
	{"ftp://example.com/", `scheme "ftp"`},
	{"FTP://example.com/", `scheme "ftp"`},
	{"httpss://example.com/", `scheme "httpss"`},
	{strings.Repeat("x", 1<<16) + "://example.com/", "scheme"},

	{"https://", "it has no host"},
	{"https:///a", "it has no host"},
	{"https://?q", "it has no host"},
	{"https://#a", "it has no host"},
	{"https://:443/", "it has no host"},
	{"https://user@/", "it has no host"},
	{"https://user:secret@:443/", "it has no host"},

	{"https://exa mple.com/", "host"},
	{"https://example.com\t/", "host"},
	{"https://exa\x00mple.com/", "host"},
	{"https://exa\nmple.com/", "host"},
	{"https://exa%20mple.com/", "host"},
	{"https://exa%2Fmple.com/", "host"},
	{"https://exa%40mple.com/", "host"},
	{"https://exa／mple.com/", "host"}, // is mapped to a slash
	{"https://*.example.com/", "host"},
	{"https://<example>.com/", "host"},
	{"https://example.com,other.example/", "host"},
	{"https://example.com;v=1/", "host"},
	{"https://%zz.example/", "percent-escape"},
	{"https://example.com%/", "percent-escape"},
	{"https://%ff.example/", "host"},
	{"https://\xff.example/", "host"},
	{"https://b\xC3.example/", "host"},
	{"https://\uFFFD.example/", "host"},
	{"https://xn--a.example/", "host"},
	{"https://xn--.example/", "host"},
	{"https://a\u200Db.example/", "host"},
	{"https://./", "host"},
	{"https://.example.com/", "host"},
	{"https://example..com/", "host"},
	{"https://example.com../", "host"},
	{"https://a" + longLabel + ".example/", "host"},
	{"https://A" + longLabel + ".example/", "host"},
	{"https://" + longHost + "a/", "host"},
	{"https://" + longHost + "a.:8443/", "host"},
	{"https://A" + longHost[1:] + "a/", "host"},
	{"https://" + strings.Repeat("ü", 63) + ".example/", "host"},

	{"https://[::1/", "IPv6"},
	{"https://[]/", "IPv6"},
	{"https://[/", "IPv6"},
	{"https://[::1]x/", "IPv6"},
	{"https://[::1]]/", "IPv6"},
	{"https://[192.0.2.1]/", "IPv6"},
	{"https://[fe80::1%25eth0]/", "IPv6"},
	{"https://[example.com]/", "IPv6"},
	{"https://::1/", "host"},
	{"https://2001:db8::1:8080/", "host"},

	{"https://example.com:0/", "port"},
	{"https://example.com:65536/", "port"},
	{"https://example.com:99999999999999999999/", "port"},
	{"https://example.com:-1/", "port"},
	{"https://example.com:+443/", "port"},
	{"https://example.com:0x1BB/", "port"},
	{"https://example.com:4_43/", "port"},
	{"https://example.com: 443/", "port"},
	{"https://example.com:http/", "port"},
	{"https://example.com:４４３/", "port"},

	// To a browser this is example.com with the path /@other.example/.
	{`https://example.com\@other.example/`, "backslash"},
	{`https://example.com\a`, "backslash"},
	{`https:\\example.com\a`, "scheme"},
}

func TestParseRefuses(t *testing.T) {
	for _, test := range badURLs {
		u, err := Parse(test.raw)
		var refused *ParseError
		if !errors.As(err, &refused) {
			t.Errorf("Parse(%q) = %q, %v, want a *ParseError", test.raw, u, err)
			continue
		}
		if u != (URL{}) {
			t.Errorf("Parse(%q) = %q besides its error", test.raw, u)
		}
		if !strings.Contains(refused.Problem, test.problem) {
			t.Errorf("Parse(%q): the problem is %q, want something with %q", test.raw, refused.Problem, test.problem)
		}
		if refused.Input != test.raw || refused.Remedy == "" {
			t.Errorf("Parse(%q): the error is %#v", test.raw, refused)
		}
		checkMessage(t, err)
	}
}

// checkMessage: an error with hostile input in it is short and prints as it is.
func checkMessage(t *testing.T, err error) {
	t.Helper()
	message := err.Error()
	if len(message) > 2000 {
		t.Errorf("the message has %d octets: %.100q…", len(message), message)
	}
	for _, r := range message {
		if !unicode.IsPrint(r) {
			t.Errorf("the message %q holds %q", message, r)
		}
	}
}

// canonicalOrigin, the way without an allocation, must accept nothing that
// parseSlow would refuse or write otherwise: one origin would have two keys.
func TestParseSlowAgrees(t *testing.T) {
	fast := 0
	for _, test := range goodURLs {
		checkSlowAgrees(t, test.raw)
		if canonicalOrigin(test.raw) > 0 {
			fast++
		}
	}
	for _, test := range badURLs {
		checkSlowAgrees(t, test.raw)
		if end := canonicalOrigin(test.raw); end > 0 {
			t.Errorf("canonicalOrigin accepts %q", test.raw[:end])
		}
	}
	if fast < 10 {
		t.Errorf("canonicalOrigin took %d of %d URLs: this test compares too little", fast, len(goodURLs))
	}
	// Every short host over the octets that matter.
	const octets = "aA1-_.xn%:@[]ü\x00 "
	for _, a := range octets {
		for _, b := range octets {
			for _, c := range octets {
				for _, d := range octets {
					checkSlowAgrees(t, fmt.Sprintf("https://%c%c%c%c", a, b, c, d))
				}
			}
		}
	}
}

func checkSlowAgrees(t *testing.T, raw string) {
	t.Helper()
	u, err := Parse(raw)
	slow, slowErr := parseSlow(raw)
	if u != slow || (err == nil) != (slowErr == nil) {
		t.Errorf("Parse(%q) = %q, %v, but parseSlow gives %q, %v", raw, u, err, slow, slowErr)
	}
}

// A canonical URL is cut, not copied: neither Parse nor the Origin allocates.
func TestParseAllocatesNothing(t *testing.T) {
	for _, raw := range []string{
		"https://example.com/", "https://example.com", "http://www.my_shop-1.example/a/%zz?q=ü#top", "https://" + longHost + "/a",
	} {
		var u URL
		if n := testing.AllocsPerRun(100, func() { u, _ = Parse(raw) }); n != 0 {
			t.Errorf("Parse(%q) allocates %v times", raw, n)
		}
		if unsafe.StringData(u.Origin.String()) != unsafe.StringData(raw) {
			t.Errorf("the Origin of %q is a copy", raw)
		}
	}
}

// A link may hold anything, and making an A-label takes time that grows with the
// square of its length: of these hosts, each of a megabyte, some would take an hour.
func TestHostileHosts(t *testing.T) {
	ideographs := make([]rune, 1<<20/3)
	for i := range ideographs {
		ideographs[i] = rune(0x4E00 + i*7919%20000)
	}
	for name, host := range map[string]string{
		"one label":           string(ideographs),
		"escaped":             url.PathEscape(string(ideographs)),
		"many labels":         strings.Repeat("a.", 1<<19) + "ü",
		"punycode":            "xn--" + strings.Repeat("9a", 1<<19),
		"combining marks":     "a" + strings.Repeat("\u0301\u0316", 1<<18),
		"nothing that counts": "a" + strings.Repeat("\u00AD", 1<<19),
		"letters":             strings.Repeat("a", 1<<20),
		"capitals":            strings.Repeat("A", 1<<20),
		"dots":                strings.Repeat(".", 1<<20),
		"hyphens":             strings.Repeat("a-", 1<<19),
		"userinfo":            strings.Repeat("a@", 1<<19),
		"colons":              "a" + strings.Repeat(":", 1<<20),
		"brackets":            strings.Repeat("[", 1<<20),
		"an IPv6 address":     "[" + strings.Repeat("0:", 1<<19) + "1]",
		"a port":              "example.com:" + strings.Repeat("0", 1<<20) + "x",
	} {
		_, err := Parse("https://" + host + "/")
		if err == nil {
			t.Errorf("%s: it is accepted", name)
			continue
		}
		checkMessage(t, err)
	}
}

// For any text: the fast path agrees with the slow one, a result is canonical
// (parsing it again changes nothing), and net/url, which a Fetcher connects by,
// finds the same host in it.
func FuzzParse(f *testing.F) {
	for _, test := range goodURLs {
		f.Add(test.raw)
	}
	for _, test := range badURLs {
		if len(test.raw) < 300 {
			f.Add(test.raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw string) {
		checkSlowAgrees(t, raw)
		u, err := Parse(raw)
		if err != nil {
			checkMessage(t, err)
			return
		}
		if again, err := Parse(u.String()); err != nil || again != u {
			t.Errorf("Parse(%q) = %q, and that again is %q, %v", raw, u, again, err)
		}
		if again, err := parseSlow(u.String()); err != nil || again != u {
			t.Errorf("Parse(%q) = %q, and parseSlow makes that %q, %v", raw, u, again, err)
		}
		if u.Path == "" || u.Path[0] != '/' || strings.Contains(u.Path, "#") {
			t.Errorf("Parse(%q): the path is %q", raw, u.Path)
		}
		standard, err := url.Parse(u.Origin.RobotsURL())
		if err != nil {
			t.Fatalf("Parse(%q): net/url refuses %q: %v", raw, u.Origin.RobotsURL(), err)
		}
		if standard.Scheme != u.Origin.Scheme() || "["+standard.Hostname()+"]" != u.Origin.Host() && standard.Hostname() != u.Origin.Host() ||
			standard.User != nil || standard.Path != RobotsPath {
			t.Errorf("Parse(%q) = %q, but net/url reads that as %#v", raw, u, standard)
		}
	})
}
