package policy

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// plainUses are the answers once more, as plainly as U1 to U3 are written: every
// record of the crawler's groups from its first line on and of the file is taken
// apart for each question, and the longest paths are found by going over them
// twice.
func plainUses(file *robots.File, name, path string, purpose Purpose) Permission {
	records := slices.Clone(file.Records)
	for _, ours := range []func(agent.Line) bool{
		func(l agent.Line) bool { return l.Name != "" && strings.EqualFold(l.Name, name) },
		func(l agent.Line) bool { return l.Specificity == agent.Wildcard },
	} {
		named := false
		for _, group := range file.Groups {
			first := len(group.Agents)
			for i := first - 1; i >= 0; i-- {
				if ours(group.Agents[i].Addressee) {
					first, named = i, true
				}
			}
			for _, r := range group.Records {
				if r.Agents > first {
					records = append(records, r)
				}
			}
		}
		if named {
			break
		}
	}
	words := map[robots.Kind]map[Purpose]string{
		robots.ContentUsage:  {TrainAI: "train-ai", AITrain: "train-ai", AIUse: "ai-use", AIInput: "ai-use"},
		robots.ContentSignal: {TrainAI: "ai-train", AITrain: "ai-train", AIUse: "ai-input", AIInput: "ai-input"},
	}
	refused, granted := false, false
	for kind, names := range words {
		word := names[purpose]
		if word == "" {
			word = string(purpose)
		}
		longest := -1
		for _, length := range []bool{true, false} { // first how long, then what
			for _, r := range records {
				rule, ok := r.UsageRule()
				matches, octets := plainMatch(rule.Path, path)
				switch allowed, said := rule.Of(word); {
				case r.Kind != kind || !ok || !matches:
				case length:
					longest = max(longest, octets)
				case octets == longest && said && allowed:
					granted = true
				case octets == longest && said:
					refused = true
				}
			}
		}
	}
	for _, r := range records {
		if pattern, ok := r.Pattern(); ok && (purpose == Search || purpose == Index) {
			matches, _ := plainMatch(pattern, path)
			refused = refused || matches
		}
	}
	switch {
	case refused:
		return No
	case granted:
		return Yes
	}
	return NotSaid
}

func plainMatch(text, path string) (matches bool, octets int) {
	if text == "" {
		return true, 0
	}
	first, octets := parsePattern(text, site.First)
	second, _ := parsePattern(text, site.Second)
	return first.match(string(site.AppendPath(nil, path, site.First))) ||
		strings.Contains(text, "?") && second.match(string(site.AppendPath(nil, path, site.Second))), octets
}

// checkUses holds the answers about paths against the plain ones, and whose they
// are against Decide.
func checkUses(t rapid.TB, body []byte, paths []string) {
	t.Helper()
	agents, err := agent.ParseTokens("FooBot")
	if err != nil {
		t.Fatal(err)
	}
	reading := Reading{Agents: agents}
	file := robots.Parse(body, robots.Options{})
	usage := UsageOf(file, reading)
	again := func(f *robots.File, reading Reading) *Usage {
		return UsageOf(robots.Parse(robots.Format(f), robots.Options{Limits: robots.Limits{Bytes: 1 << 20}}), reading)
	}
	same := map[string]*Usage{ // P13
		"formatted": again(file, reading),
		"filtered":  again(robots.Filter(file, agents, robots.FilterOptions{Fallback: true}), reading),
		"for all":   again(robots.Filter(file, agents, robots.FilterOptions{Fallback: true, As: "*"}), Reading{}),
	}
	consulted := map[Group]bool{{}: true}
	for _, group := range selectGroups(file, reading).groups {
		consulted[group] = true
	}
	for _, path := range paths {
		for _, purpose := range append(Purposes(), "x") {
			use := usage.Ask(path, purpose)
			if want := plainUses(file, "FooBot", path, purpose); use.Permission != want {
				t.Fatalf("%q, %s, %q: %v, want %v", body, purpose, path, use, want)
			}
			for what, usage := range same {
				if got := usage.Ask(path, purpose); got.Permission != use.Permission {
					t.Fatalf("%q, %s, %q: %v, and %s %v", body, purpose, path, use, what, got)
				}
			}
			if !consulted[use.Group] {
				t.Fatalf("%q, %s, %q: %v, but that group was not consulted", body, purpose, path, use)
			}
			if use.Record.Line > 0 && !strings.Contains(robots.LineAt(body, use.Record.Line), use.Record.Value) {
				t.Fatalf("%q, %s, %q: %v stands elsewhere", body, purpose, path, use)
			}
			if text := use.String(); strings.ContainsAny(text, "\n\r\x1b") {
				t.Fatalf("%q", text)
			}
		}
	}
}

func TestUsesAgreeWithThePlainOnes(t *testing.T) {
	line := rapid.SampledFrom([]string{
		"user-agent: *", "user-agent: FooBot", "user-agent: foobot/2", "user-agent: BarBot", "user-agent: FooBot", "allow: /", "disallow:",
		"content-usage: train-ai=n", "content-usage: train-ai=y", "content-usage: / train-ai=y, search=n", "content-usage: /a search=y",
		"content-usage: /a* train-ai=n", "content-usage: /*a train-ai=y", "content-usage: /%61 ai-use=n", "content-usage: /a?b=https: x=n",
		"content-usage: /a$ search=y", "content-usage: =", "content-usage: /a train-ai", "content-signal: ai-train=no", "content-signal: search=yes,x=yes",
		"content-signal: /a ai-input=no, ai-train=yes", "content-signal: /a* search=no", "noindex: /a", "noindex: *b", "noindex: a", "sitemap: /s",
	})
	path := rapid.SampledFrom([]string{"/", "/a", "/ab", "/%61", "/b", "/a?b=https%3A", "/a?b=https:", "/ba"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 1, 14).Draw(t, "lines"), "\n")
		checkUses(t, []byte(text), rapid.SliceOfN(path, 1, 4).Draw(t, "paths"))
	})
}

// FuzzUses: any file, any path.
func FuzzUses(f *testing.F) {
	f.Add([]byte("content-usage: train-ai=n\nuser-agent: foobot\ncontent-signal: /a*b$ search=no\nnoindex: /%61\n"), "/a")
	f.Add([]byte("user-agent: *\nuser-agent: foobot\ncontent-usage: /?x=: ai-use=y\ndisallow:\nuser-agent: *\ncontent-usage: x=n"), "/?x=%3A")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		if len(body) > 1<<13 || len(path) > 1<<9 {
			return // the plain way is slow
		}
		checkUses(t, body, []string{path, site.PathOf(path), "/", "/a"})
	})
}
