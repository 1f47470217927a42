package robots_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
)

// A vector is a fact about Google's parser.
type vector struct {
	ID, Kind  string
	Robots    string
	RobotsB64 []byte `json:"robots_b64"`

	Line     int // line_metadata
	Tag      string
	Metadata map[string]bool
	Stat     string // parse_stats
	Value    any
	In, Out  string // escape
	Sitemaps []string
	Agent    string // valid_user_agent, extract_user_agent
	Valid    bool
}

func (v *vector) body() []byte {
	if v.RobotsB64 != nil {
		return v.RobotsB64
	}
	return []byte(v.Robots)
}

// What Google's parser is known to say about lines and names (P14, A1). The facts
// about access are package policy's.
func TestGoogleVectors(t *testing.T) {
	file, err := os.Open(filepath.Join(outside(t, "POLITE_VECTORS"), "google.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	check := map[string]func(*testing.T, *vector){
		"line_metadata": checkMetadata,
		"parse_stats":   checkStats,
		"escape": func(t *testing.T, v *vector) {
			if got := robots.EscapePattern(v.In); got != v.Out {
				t.Errorf("%q, want %q", got, v.Out)
			}
		},
		"sitemaps": func(t *testing.T, v *vector) {
			if got := reportOf(v.body()).sitemaps; !slices.Equal(got, v.Sitemaps) {
				t.Errorf("%q, want %q", got, v.Sitemaps)
			}
		},
		"extract_user_agent": func(t *testing.T, v *vector) {
			if got := agent.ProductToken(v.In); got != v.Out {
				t.Errorf("%q, want %q", got, v.Out)
			}
		},
		"valid_user_agent": func(t *testing.T, v *vector) {
			if got := v.Agent != "" && agent.ProductToken(v.Agent) == v.Agent; got != v.Valid {
				t.Errorf("%q: %v, want %v", v.Agent, got, v.Valid)
			}
		},
	}
	checked := map[string]int{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if do := check[v.Kind]; do != nil {
			checked[v.Kind]++
			t.Run(v.ID, func(t *testing.T) { do(t, &v) })
		} else if v.Kind != "access" && v.Kind != "path_params_query" { // package policy's
			t.Errorf("%s: nobody answers vectors of kind %q", v.ID, v.Kind)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("checked %v", checked)
	for _, kind := range []string{"line_metadata", "parse_stats", "escape", "sitemaps", "valid_user_agent"} {
		if checked[kind] == 0 {
			t.Errorf("there is no vector of kind %s", kind)
		}
	}
}

// A report is what Walk says of a text in Google's dialect.
type report struct {
	tags                             map[int]string
	metadata                         map[int]robots.Metadata
	sitemaps                         []string
	valid, unknown, last, lastOfKind int
}

func reportOf(body []byte) *report {
	r := &report{tags: map[int]string{}, metadata: map[int]robots.Metadata{}}
	valid := func(tag string) func(int, string) {
		return func(line int, value string) {
			r.tags[line], r.lastOfKind = tag, line
			r.valid++
			if tag == "sitemap" {
				r.sitemaps = append(r.sitemaps, value)
			}
		}
	}
	robots.Walk(body, robots.Options{Dialect: robots.Google()}, robots.Callbacks{
		UserAgent: valid("user-agent"), Allow: valid("allow"), Disallow: valid("disallow"), Sitemap: valid("sitemap"),
		Unknown: func(line int, _, _ string) {
			r.lastOfKind = line
			r.unknown++
		},
		Line: func(line int, m robots.Metadata) {
			r.metadata[line], r.last = m, line
			switch m.Key {
			case robots.KeyUnused:
				r.tags[line] = "unused"
			case robots.KeyUnknown, robots.NoKey:
				r.tags[line] = "unknown"
			}
		},
	})
	return r
}

func checkMetadata(t *testing.T, v *vector) {
	r := reportOf(v.body())
	m := r.metadata[v.Line]
	got := map[string]bool{
		"is_empty": m.Empty, "has_comment": m.Comment, "is_comment": m.CommentOnly, "has_directive": m.Directive,
		"is_missing_colon_separator": m.MissingColon, "is_acceptable_typo": m.Typo, "is_line_too_long": m.TooLong,
	}
	for name, want := range v.Metadata {
		if has, ok := got[name]; !ok || has != want {
			t.Errorf("line %d: %s is %v, want %v", v.Line, name, has, want)
		}
	}
	if r.tags[v.Line] != v.Tag {
		t.Errorf("line %d is %s, want %s", v.Line, r.tags[v.Line], v.Tag)
	}
}

func checkStats(t *testing.T, v *vector) {
	r := reportOf(v.body())
	got, ok := map[string]any{
		"valid_directives":                float64(r.valid),
		"unknown_directives":              float64(r.unknown),
		"last_directive_line":             float64(r.lastOfKind),
		"last_line_reported":              float64(r.last),
		"reported_lines_equals_last_line": len(r.metadata) == r.last,
	}[v.Stat]
	if !ok || got != v.Value {
		t.Errorf("%s is %v, want %v", v.Stat, got, v.Value)
	}
}
