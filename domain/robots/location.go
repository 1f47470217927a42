package robots

import (
	"net/url"
	"strings"
)

// URL returns where a Sitemap or a License is. A relative Sitemap is resolved
// against base, the URL of the robots.txt; without a base, and for a License in
// any case, the value must be absolute (P9, P10). It is not ok for records of
// other kinds, and for what is no URL of http or https.
func (r *Record) URL(base *url.URL) (location *url.URL, ok bool) {
	if r.Kind != Sitemap && r.Kind != License || r.Value == "" {
		return nil, false
	}
	location, err := url.Parse(r.Value)
	if err != nil {
		return nil, false
	}
	if r.Kind == Sitemap && base != nil {
		location = base.ResolveReference(location)
	}
	return location, isWeb(location.Scheme) && location.Hostname() != ""
}

// isAbsolute reports whether URL, without a base, is ok for a value.
func isAbsolute(value string) bool {
	location, err := url.Parse(value)
	return err == nil && isWeb(location.Scheme) && location.Hostname() != ""
}

func isWeb(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// schemeOf returns what stands for a scheme at the beginning of a URL, "" if it
// is relative (RFC 3986 §3.1).
func schemeOf(value string) string {
	for i := 0; i < len(value); i++ {
		switch c := lower(value[i]); {
		case 'a' <= c && c <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return value[:i]
		default:
			return ""
		}
	}
	return ""
}

// A Mirror is what a Host says: the address that a site wants to be known by.
type Mirror struct {
	Scheme string // "http" or "https", "" if it is not said
	Name   string // as written, without port
	Port   int    // 0 if it is not said
}

// ParseHost reads a Host value: the name of a host, perhaps with http:// or
// https:// before it, and a port or a slash behind it. It is not resolved, and
// nothing is known about whose it is.
func ParseHost(value string) (mirror Mirror, ok bool) {
	if scheme := schemeOf(value); isWeb(scheme) && strings.HasPrefix(value[len(scheme):], "://") {
		mirror.Scheme = strings.ToLower(scheme)
		value = strings.TrimSuffix(value[len(scheme)+len("://"):], "/")
	}
	mirror.Name = value
	if end := strings.IndexByte(value, ']'); end < 0 || value[0] != '[' {
		if name, port, found := strings.Cut(value, ":"); found {
			mirror.Name, mirror.Port = name, count(port)
			if mirror.Port == 0 || mirror.Port > 65535 {
				return Mirror{}, false
			}
		}
	} else if port, found := strings.CutPrefix(value[end+1:], ":"); found {
		mirror.Name, mirror.Port = value[:end+1], count(port)
		if mirror.Port == 0 || mirror.Port > 65535 {
			return Mirror{}, false
		}
	}
	if !isHostName(mirror.Name) {
		return Mirror{}, false
	}
	return mirror, true
}

// isHostName reports whether a text can be a host's name or address. It holds no
// more than what DNS and RFC 3986 have; octets beyond ASCII are for IDNA.
func isHostName(name string) bool {
	const longest = 253 // RFC 1035 §2.3.4
	if name == "" || len(name) > longest {
		return false
	}
	if strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]") {
		inner := name[1 : len(name)-1]
		return inner != "" && strings.Trim(inner, "0123456789abcdefABCDEF:.") == "" && strings.Contains(inner, ":")
	}
	for i := 0; i < len(name); i++ {
		c := lower(name[i])
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80:
		case c == '-' && i > 0:
		case c == '.' && i > 0 && name[i-1] != '.':
		default:
			return false
		}
	}
	return true
}

// A CleanRule is what a Clean-param says: which parameters of a query do not
// change the page, below which paths.
type CleanRule struct {
	Parameters []string // as written
	Path       string   // a pattern, like a rule's; "" for every path
}

// ParseCleanParam reads a Clean-param value: parameters separated by '&', and
// perhaps white space and a path.
func ParseCleanParam(value string) (rule CleanRule, ok bool) {
	names, path, found := cutSpace(value)
	if found && !isPattern(path) || strings.ContainsAny(path, " \t") {
		return CleanRule{}, false
	}
	for name := range strings.SplitSeq(names, "&") {
		if name == "" || strings.ContainsAny(name, "/=?") {
			return CleanRule{}, false
		}
		rule.Parameters = append(rule.Parameters, name)
	}
	rule.Path = path
	return rule, true
}

// isPattern reports whether a value starts like a rule's pattern (P8).
func isPattern(value string) bool { return value != "" && (value[0] == '/' || value[0] == '*') }
