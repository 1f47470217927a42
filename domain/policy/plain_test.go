package policy

import (
	"slices"
	"strings"

	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// plainRules are Rules by the plain algorithm, the oracle that the fast one is
// held against: the file is parsed whole, its groups are selected, each pattern
// is taken apart in both readings, the rules are sorted, and the first that
// matches decides.
type plainRules struct {
	selection
	tries []try
}

// A try is one comparison of a path.
type try struct {
	first, second pattern
	query         bool // there is a second reading
	length        int
	found         found
}

func newPlainRules(body []byte, reading Reading) *plainRules {
	r := &plainRules{selection: *selectGroups(robots.Parse(body, robots.Options{}), reading)}
	for _, f := range r.rules {
		r.add(f, f.pattern)
		if directory, ok := indexDirectory(f.pattern); ok && f.allow {
			r.add(f, directory+"$")
		}
	}
	slices.SortStableFunc(r.tries, func(a, b try) int {
		switch {
		case a.length != b.length:
			return b.length - a.length
		case a.found.allow != b.found.allow && a.found.allow:
			return -1
		case a.found.allow != b.found.allow:
			return 1
		}
		return 0
	})
	return r
}

func (r *plainRules) add(f found, text string) {
	t := try{found: f, query: strings.Contains(text, "?")}
	t.first, t.length = parsePattern(text, site.First)
	t.second, _ = parsePattern(text, site.Second)
	r.tries = append(r.tries, t)
}

// match returns the rule that decides about a path as it stands in a URL.
func (r *plainRules) match(path string) (found, bool) {
	first := string(site.AppendPath(nil, path, site.First))
	second := string(site.AppendPath(nil, path, site.Second))
	for _, t := range r.tries {
		if t.first.match(first) || t.query && t.second.match(second) {
			return t.found, true
		}
	}
	return found{}, false
}
