package policy_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// between are the switches that Default and Google have differently, each with the
// rule that it is about.
var between = []struct {
	s    robots.Switch
	rule string
}{
	{robots.PrefixKeys, "P6"},
	{robots.AnyTwoWords, "P5"},
	{robots.NULEnds, "P5"},
	{robots.ParsingLimit, "P2"},
	{robots.OddNames, "A5"},
	{robots.PercentDecoding, "M2"},
	{robots.RobotsTxtAllowed, "M4"},
}

// The table of differences has every switch there is between the two.
func TestBetweenIsWhole(t *testing.T) {
	d := robots.Google()
	for _, row := range between {
		d = asInDefault(d, row.s)
	}
	if d != robots.Default() {
		t.Errorf("Google with all of them as in Default is %v", d)
	}
}

// TestDifferences counts how often Default and Google answer differently about
// real files, the folder that POLITE_CORPUS names, and which switch it is that
// makes the difference: the one that, turned in Google to what it is in Default,
// gives Default's answer. A difference that no switch explains is a fault.
func TestDifferences(t *testing.T) {
	folder := os.Getenv("POLITE_CORPUS")
	if folder == "" {
		t.Skip("SKIPPED: POLITE_CORPUS names no folder of files, so nothing is compared here (make differences)") //nolint:forbidigo // there is nothing to run on
	}
	entries, err := os.ReadDir(filepath.Join(folder, "files"))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 100 {
		t.Fatalf("only %d files in %s", len(entries), folder)
	}
	all := comparison{counts: map[string]*count{}}
	for _, entry := range entries {
		body, err := os.ReadFile(filepath.Join(folder, "files", entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		urls, _ := os.ReadFile(filepath.Join(folder, "urls", entry.Name())) // some have none
		all.file(t, entry.Name(), body, strings.Fields(string(urls)))
	}
	if all.questions < 100_000 || all.differ == 0 {
		t.Errorf("only %d questions, %d differences", all.questions, all.differ)
	}
	t.Log("\n" + all.table())
}

// A comparison is what Default and Google answer about files.
type comparison struct {
	files, questions, differ int
	filesThatDiffer          int
	counts                   map[string]*count // by switch and rule
}

// A count is of differences of one cause.
type count struct {
	questions, onlyDefault int // that differ, and of them those that only Default allows
	files                  map[string]bool
}

// file compares the answers about one file: for a crawler that it does not know,
// and those that it names, about the URLs of its site and some made of its rules.
func (c *comparison) file(t *testing.T, name string, body []byte, urls []string) {
	file := robots.Parse(body, robots.Options{})
	paths := pathsFor(file, urls)
	differs := false
	for _, token := range tokensIn(file) {
		reading := policy.Reading{Agents: agent.NewIdentity(token)}
		in := func(dialect robots.Dialect) *policy.Policy {
			reading := reading
			reading.Options.Dialect = dialect
			return policy.Offline(body, reading)
		}
		byDefault, google := in(robots.Default()), in(robots.Google())
		turned := map[robots.Switch]*policy.Policy{}
		for _, path := range paths {
			c.questions++
			want := byDefault.Decide(path, time.Time{}).Allowed
			if google.Decide(path, time.Time{}).Allowed == want {
				continue
			}
			c.differ++
			differs = true
			explained := false
			for _, row := range between {
				if turned[row.s] == nil {
					turned[row.s] = in(asInDefault(robots.Google(), row.s))
				}
				if turned[row.s].Decide(path, time.Time{}).Allowed == want {
					explained = true
					c.note(fmt.Sprintf("| %#q | %s |", row.s.String(), row.rule), name, want)
				}
			}
			if !explained && !c.together(in, path, want, name) {
				t.Errorf("%s: %s about %q: no switch explains why Default says %v", name, token, path, want)
			}
		}
	}
	c.files++
	if differs {
		c.filesThatDiffer++
	}
}

// together explains a difference by two switches that only together make it.
func (c *comparison) together(in func(robots.Dialect) *policy.Policy, path string, want bool, name string) bool {
	for i, a := range between {
		for _, b := range between[i+1:] {
			if in(asInDefault(asInDefault(robots.Google(), a.s), b.s)).Decide(path, time.Time{}).Allowed == want {
				c.note(fmt.Sprintf("| %#q with %#q | %s, %s |", a.s.String(), b.s.String(), a.rule, b.rule), name, want)
				return true
			}
		}
	}
	return false
}

func asInDefault(d robots.Dialect, s robots.Switch) robots.Dialect {
	if robots.Default().Has(s) {
		return d.With(s)
	}
	return d.Without(s)
}

func (c *comparison) note(cause, file string, allowedByDefault bool) {
	n := c.counts[cause]
	if n == nil {
		n = &count{files: map[string]bool{}}
		c.counts[cause] = n
	}
	n.questions++
	n.files[file] = true
	if allowedByDefault {
		n.onlyDefault++
	}
}

func (c *comparison) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files, %d questions, %d answered differently, about %d files\n\n", c.files, c.questions, c.differ, c.filesThatDiffer)
	b.WriteString("| switch | rule | questions | only Default allows | only Google allows | files |\n|---|---|---:|---:|---:|---:|\n")
	for _, row := range between {
		if cause := fmt.Sprintf("| %#q | %s |", row.s.String(), row.rule); c.counts[cause] == nil {
			c.counts[cause] = &count{}
		}
	}
	for _, cause := range slices.Sorted(maps.Keys(c.counts)) {
		n := c.counts[cause]
		fmt.Fprintf(&b, "%s %d | %d | %d | %d |\n", cause, n.questions, n.onlyDefault, n.questions-n.onlyDefault, len(n.files))
	}
	return b.String()
}

// tokensIn returns a crawler that no file names, and the first that this one does,
// by the whole first word of their lines.
func tokensIn(file *robots.File) (tokens []agent.Token) {
	const most = 8
	seen := map[string]bool{}
	take := func(name string) {
		token, err := agent.ParseToken(name)
		if err == nil && !seen[strings.ToLower(name)] && len(tokens) < most {
			seen[strings.ToLower(name)] = true
			tokens = append(tokens, token)
		}
	}
	take("NobodyKnowsMe")
	for _, group := range file.Groups {
		for _, line := range group.Agents {
			take(line.Addressee.Name)
			take(agent.ProductToken(line.Value)) // as Google cuts it
		}
	}
	return tokens
}

// pathsFor returns the paths of URLs, and for each pattern of a file some that it
// is about, written in several ways.
func pathsFor(file *robots.File, urls []string) []string {
	paths := []string{"/", site.RobotsPath, "/some/page"}
	for _, url := range urls {
		paths = append(paths, site.PathOf(url))
	}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if rule.Pattern == "" {
				continue
			}
			path := "/" + strings.TrimLeft(strings.TrimSuffix(rule.Pattern, "$"), "/")
			plain := strings.ReplaceAll(path, "*", "")
			paths = append(paths, plain, strings.ReplaceAll(path, "*", "x"), plain+"x", strings.TrimSuffix(plain, "/"),
				string(site.AppendPath(nil, plain, site.First)), strings.ToLower(plain))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
