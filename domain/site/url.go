package site

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// RobotsPath is the path of every robots.txt (RFC 9309 §2.3).
const RobotsPath = "/robots.txt"

// A URL is what a question is about: the origin whose robots.txt applies, and
// the path, parameters and query, as written, that its rules are matched
// against. Path always starts with '/'; fragment and userinfo are gone.
type URL struct {
	Origin Origin
	Path   string
}

// String puts the URL together again.
func (u URL) String() string { return u.Origin.text + u.Path }

// Parse reads an absolute http or https URL. It is lenient about the path, which
// may hold any octets ("%zz" included: matching takes paths raw), and strict
// about what names the origin. The error is a *ParseError.
//
// A URL that is canonical already is parsed without an allocation.
func Parse(raw string) (URL, error) {
	if end := canonicalOrigin(raw); end > 0 {
		if path, ok := originForm(raw, end); ok {
			return URL{Origin{raw[:end]}, path}, nil
		}
	}
	return parseSlow(raw)
}

// A ParseError says why a text names no origin that can be crawled.
type ParseError struct {
	Input   string // as given; hostile text: quote it before printing
	Problem string // what is wrong with it
	Remedy  string // what to write instead
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("URL %s: %s; %s", quoteShort(e.Input), e.Problem, e.Remedy)
}

// canonicalOrigin returns the length of the canonical origin that raw starts
// with, or 0 if raw has to be looked at more closely. It must never accept what
// parseSlow would write otherwise, as one origin would then have two keys.
func canonicalOrigin(raw string) int {
	var start int
	switch {
	case strings.HasPrefix(raw, "https://"):
		start = len("https://")
	case strings.HasPrefix(raw, "http://"):
		start = len("http://")
	default:
		return 0
	}
	if end := usualHost(raw, start); end > 0 {
		return end
	}
	return canonicalHostEnd(raw, start)
}

// canonicalHostEnd is canonicalOrigin for the host from start on.
func canonicalHostEnd(raw string, start int) int {
	label, letters := start, false
	for i := start; ; i++ {
		part := ends
		if i < len(raw) {
			part = hostPart[raw[i]]
		}
		switch part {
		case letter:
			letters = true
		case other:
		case hyphen: // of two, the label may be an invalid "xn--"
			if i+1 < len(raw) && raw[i+1] == '-' {
				return 0
			}
		case dot, ends:
			// No label is empty, so no dot is the first or the last.
			if n := i - label; n == 0 || n > maxLabel {
				return 0
			}
			if part == dot {
				label = i + 1
				continue
			}
			// Numbers may be addresses. They end with a digit, be it a hexadecimal one.
			if !letters || i-start > maxHost || '0' <= raw[label] && raw[label] <= '9' && raw[i-1] <= 'f' {
				return 0
			}
			return i
		default:
			return 0 // port, userinfo, upper case, IDN, IPv6, nonsense
		}
	}
}

// What an octet is to canonicalOrigin.
const (
	_ uint8 = iota // for the slow path
	letter
	other
	hyphen
	dot
	ends
)

var hostPart = func() (table [256]uint8) {
	for c := range table {
		switch {
		case 'a' <= c && c <= 'z':
			table[c] = letter
		case '0' <= c && c <= '9', c == '_':
			table[c] = other
		}
	}
	table['-'], table['.'] = hyphen, dot
	table['/'], table['?'], table['#'] = ends, ends, ends
	return table
}()

// DNS limits (RFC 1035 §2.3.4).
const (
	maxHost  = 253
	maxLabel = 63
)

// parseSlow reads what Parse could not take as it stands.
func parseSlow(raw string) (URL, error) {
	fail := func(problem, remedy string) (URL, error) {
		return URL{}, &ParseError{Input: raw, Problem: problem, Remedy: remedy}
	}
	const form = "write it as https://host/path"
	scheme, rest, found := strings.Cut(raw, "://")
	if !found || !isScheme(scheme) {
		if raw == "" {
			return fail("it is empty", form)
		}
		return fail("it has no scheme", form)
	}
	scheme = strings.ToLower(scheme)
	if scheme != "http" && scheme != "https" {
		return fail("scheme "+quoteShort(scheme)+" has no robots.txt", "use an http or https URL")
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority := rest[:end]
	// Before userinfo is dropped: many take it for a slash, to whom
	// "https://a.example\@b.example" is a page of a.example.
	if strings.ContainsRune(authority, '\\') {
		return fail("there is a backslash before the path", "use forward slashes")
	}
	authority = authority[strings.LastIndexByte(authority, '@')+1:] // userinfo is dropped
	name, port := authority, ""
	if colon := strings.LastIndexByte(authority, ':'); colon > strings.LastIndexByte(authority, ']') {
		name, port = authority[:colon], authority[colon+1:]
	}
	host, problem := canonicalHost(name)
	if problem != "" {
		return fail(problem, "name a host, like example.com")
	}
	canonical := scheme + "://" + host
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || port[0] == '+' {
			return fail("port "+quoteShort(port)+" is not a number from 1 to 65535", "correct the port or leave it out")
		}
		if p := strconv.FormatUint(n, 10); p != defaultPort(scheme) {
			canonical += ":" + p
		}
	}
	path, ok := originForm(rest, end)
	if !ok {
		path = "/" + path
	}
	return URL{Origin{canonical}, path}, nil
}

// originForm returns what is behind raw's origin, which ends there, without the
// fragment, and reports whether that is a path that starts with a slash; an empty
// one is "/".
func originForm(raw string, end int) (string, bool) {
	// In all of it, as none is within an origin: a search of few octets is slower.
	until := strings.IndexByte(raw, '#')
	if until < 0 {
		until = len(raw)
	}
	if until == end {
		return "/", true
	}
	return raw[end:until], raw[end] == '/'
}

func isScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if !('a' <= c && c <= 'z' || i > 0 && ('0' <= s[i] && s[i] <= '9' || s[i] == '+' || s[i] == '-' || s[i] == '.')) {
			return false
		}
	}
	return s != ""
}

// lookup maps a name to the A-label form that is looked up in DNS (UTS 46,
// non-transitional). Names with underscores, or with hyphens where IDNA wants
// none ("r3---sn-a.example", "-a.example"), exist and are kept.
var lookup = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false))

// canonicalHost returns the canonical form of a host, or what is wrong with it.
func canonicalHost(host string) (canonical, problem string) {
	if host == "" {
		return "", "it has no host"
	}
	if host[0] == '[' {
		addr, err := netip.ParseAddr(strings.TrimSuffix(host[1:], "]"))
		if err != nil || !addr.Is6() || host[len(host)-1] != ']' || addr.Zone() != "" {
			return "", quoteShort(host) + " is not an IPv6 address"
		}
		return "[" + addr.String() + "]", ""
	}
	host, ok := unescapeHost(host)
	if !ok {
		return "", "its host has a broken percent-escape"
	}
	if !utf8.ValidString(host) { // IDNA would make an A-label of U+FFFD
		return "", "its host is not valid UTF-8"
	}
	if len(host) > 4*maxHost { // four octets a character at most; A-labels are not made in linear time
		return "", "its host is longer than 253 octets"
	}
	host, err := lookup.ToASCII(host)
	if err != nil {
		return "", "its host is not a valid domain name"
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "" || len(host) > maxHost {
		return "", "its host is empty or longer than 253 octets"
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > maxLabel {
			return "", "its host has an empty label or one over 63 octets"
		}
	}
	for i := 0; i < len(host); i++ {
		switch c := host[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		default:
			return "", "its host holds " + strconv.QuoteRune(rune(c)) + ", which no host name can"
		}
	}
	return host, ""
}

// unescapeHost decodes percent-escapes, which RFC 3986 §3.2.2 allows in names.
func unescapeHost(host string) (string, bool) {
	if !strings.Contains(host, "%") {
		return host, true
	}
	decoded := make([]byte, 0, len(host))
	for i := 0; i < len(host); i++ {
		if host[i] != '%' {
			decoded = append(decoded, host[i])
			continue
		}
		octet, ok := escapeAt(host, i)
		if !ok {
			return "", false
		}
		decoded = append(decoded, octet)
		i += 2
	}
	return string(decoded), true
}

// quoteShort quotes hostile text for an error message and bounds it.
func quoteShort(s string) string {
	const limit = 200
	if len(s) > limit {
		return strconv.Quote(s[:limit]) + "…"
	}
	return strconv.Quote(s)
}
