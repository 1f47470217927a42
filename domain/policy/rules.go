package policy

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// Rules are the rules of one robots.txt that concern one crawler, in the order
// in which they are tried: the first that matches decides (RFC 9309 §2.2.2:
// the most octets, allow before disallow). They are immutable and safe for
// concurrent use, and keep nothing of the file but what they need.
type Rules struct {
	tries  []try
	groups []Group // consulted, the first first
	delay  Delay
	maps   []string
	blank  bool // the file says nothing at all
	cut    bool // the file went on past the parsing limit
	query  bool // some pattern needs the second reading
	size   int
}

// A try is one comparison of a path.
type try struct {
	first  pattern
	second *pattern // of a pattern with a '?', else nil
	length int
	group  int // in groups
	rule   robots.Rule
}

// NewRules selects the rules of a file that concern a crawler (A3, A6).
func NewRules(file *robots.File, reading Reading) *Rules {
	chosen := selectGroups(file, reading.Agents)
	r := &Rules{
		delay: chosen.delay,
		blank: len(file.Groups) == 0 && len(file.Records) == 0,
		cut:   file.Truncated,
	}
	var own cloner
	for _, member := range chosen.members {
		r.groups = append(r.groups, Group{
			Agent:       own.clone(member.line.Value),
			Line:        member.line.Line,
			Specificity: member.specificity,
		})
		for _, rule := range member.group.Rules {
			r.add(rule, len(r.groups)-1, &own)
		}
	}
	for record := range file.Sitemaps() {
		r.maps = append(r.maps, own.clone(record.Value))
	}
	slices.SortStableFunc(r.tries, func(a, b try) int {
		if a.length != b.length {
			return b.length - a.length
		}
		return int(a.rule.Verb) - int(b.rule.Verb) // Allow comes before Disallow
	})
	r.size = r.weigh(own.bytes)
	return r
}

// add prepares a rule for its tries. An empty pattern matches nothing, nor does
// one that starts with neither '/' nor '*' (P8).
func (r *Rules) add(rule robots.Rule, group int, own *cloner) {
	if rule.Pattern == "" || rule.Pattern[0] != '/' && rule.Pattern[0] != '*' {
		return
	}
	// The pattern is part of the line: one copy holds both.
	text := own.clone(rule.Text)
	if at := strings.LastIndex(text, rule.Pattern); at >= 0 {
		rule.Pattern = text[at : at+len(rule.Pattern)]
	} else {
		rule.Pattern = own.clone(rule.Pattern)
	}
	rule.Text = text
	r.addTry(rule.Pattern, rule, group)
	if directory, ok := indexDirectory(rule); ok {
		r.addTry(directory+"$", rule, group)
	}
}

func (r *Rules) addTry(text string, rule robots.Rule, group int) {
	t := try{rule: rule, group: group}
	t.first, t.length = parsePattern(text, site.First)
	if strings.Contains(text, "?") {
		second, _ := parsePattern(text, site.Second)
		t.second = &second
		r.query = true
	}
	r.tries = append(r.tries, t)
}

// indexDirectory returns the directory that an Allow of its index.html also
// allows, as the exact rule "…/$" (M6).
func indexDirectory(rule robots.Rule) (directory string, ok bool) {
	slash := strings.LastIndexByte(rule.Pattern, '/')
	if rule.Verb != robots.Allow || slash < 0 || !strings.HasPrefix(rule.Pattern[slash+1:], "index.htm") {
		return "", false
	}
	return rule.Pattern[:slash+1], true
}

// Match decides about a path, parameters and query as they stand in a URL: what
// the most specific matching rule says, allowed if none matches (M4). It does
// not allocate for paths of up to 2 KiB (M5).
func (r *Rules) Match(path string) (allowed bool, rule robots.Rule) {
	if t := r.find(path); t != nil {
		return t.rule.Verb == robots.Allow, t.rule
	}
	return true, robots.Rule{}
}

// find returns the try that decides about a path, or nil.
func (r *Rules) find(path string) *try {
	if site.Abnormal(path) < len(path) {
		return r.findAbnormal(path)
	}
	// The second reading of a path without escapes is the path itself.
	return r.findIn(path, path)
}

// longPath is up to which length a path is brought to normal form on the stack,
// where it can become three times as long.
const longPath = 2 << 10

// findAbnormal is find for a path that must be brought to normal form first.
func (r *Rules) findAbnormal(path string) *try {
	var one, two [3 * longPath]byte
	first := asString(site.AppendPath(one[:0], path, site.First))
	if !r.query || strings.IndexByte(path, '?') < 0 {
		return r.findIn(first, first)
	}
	return r.findIn(first, asString(site.AppendPath(two[:0], path, site.Second)))
}

// findIn tries the rules on both readings of a path. A pattern that holds a '?'
// and does not match in the first is tried in the second (M2).
func (r *Rules) findIn(first, second string) *try {
	for i := range r.tries {
		t := &r.tries[i]
		if t.first.match(first) || t.second != nil && t.second.match(second) {
			return t
		}
	}
	return nil
}

// asString reads bytes as a string without copying them: they must not change
// while it is in use.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// weigh returns how many bytes the rules retain.
func (r *Rules) weigh(strings int) int {
	size := int(unsafe.Sizeof(*r)) + strings +
		cap(r.groups)*int(unsafe.Sizeof(Group{})) + cap(r.maps)*int(unsafe.Sizeof("")) + cap(r.tries)*int(unsafe.Sizeof(try{}))
	for i := range r.tries {
		size += r.tries[i].first.weigh() + r.tries[i].second.weigh()
	}
	return size
}

func (p *pattern) weigh() int {
	if p == nil {
		return 0
	}
	size := int(unsafe.Sizeof(*p)) + len(p.head)
	for _, tail := range p.tails {
		size += int(unsafe.Sizeof(tail)) + len(tail)
	}
	return size
}

// cloner copies strings out of a file's text, so that the text can go, and
// counts them.
type cloner struct{ bytes int }

func (c *cloner) clone(s string) string {
	c.bytes += len(s)
	return strings.Clone(s)
}
