package site

import "strings"

// PathOf returns what robots.txt rules are matched against: path, parameters
// and query of any URL, or of a path alone; always starting with '/'. Scheme,
// authority and fragment are dropped, the query is never re-ordered, a trailing
// '?' stays (SEMANTICS M1; the reading of Google's GetPathParamsQuery, so that
// "//host/p", "host/p", "?q" and "" have an answer too).
func PathOf(raw string) string {
	start := 0
	if strings.HasPrefix(raw, "//") {
		start = 2
	}
	// "://" is a scheme's end only if no path, query or parameter came before.
	early := indexFrom(raw, "/?;", start)
	if scheme := strings.Index(raw[start:], "://"); scheme >= 0 && start+scheme <= early {
		start += scheme + len("://")
	}
	path := indexFrom(raw, "/?;", start)
	hash := strings.IndexByte(raw, '#')
	if hash < 0 {
		hash = len(raw)
	}
	if path >= hash {
		return "/"
	}
	if raw[path] != '/' {
		return "/" + raw[path:hash]
	}
	return raw[path:hash]
}

// indexFrom is strings.IndexAny from a position on, the length for none.
func indexFrom(s, chars string, from int) int {
	if i := strings.IndexAny(s[from:], chars); i >= 0 {
		return from + i
	}
	return len(s)
}
