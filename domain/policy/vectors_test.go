package policy_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// vector is a fact that the test suite of Google's parser asserts.
type vector struct {
	ID      string  `json:"id"`
	Kind    string  `json:"kind"`
	Robots  string  `json:"robots"`
	Base64  *string `json:"robots_b64"`
	Agent   string  `json:"agent"`
	URL     string  `json:"url"`
	Allowed bool    `json:"allowed"`
	Path    string  `json:"path"` // of path_params_query
	Tier    string  `json:"tier"`
}

// POLITE_VECTORS names a folder with google.jsonl: what Google's own suite
// asserts. The Google dialect answers all of it, Default what RFC 9309 says too.
func TestVectors(t *testing.T) {
	folder := os.Getenv("POLITE_VECTORS")
	if folder == "" {
		t.Skip("SKIPPED: POLITE_VECTORS names no folder of vectors, so nothing is tested here (make conformance)") //nolint:forbidigo // there is nothing to run on
	}
	file, err := os.Open(filepath.Join(folder, "google.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	dialects := map[string]robots.Dialect{"google": robots.Google(), "default": robots.Default()}
	asked := map[string]int{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if v.Kind == "path_params_query" { // M1
			asked["paths"]++
			if got := site.PathOf(v.URL); got != v.Path {
				t.Errorf("%s: the path of %q is %q, want %q", v.ID, v.URL, got, v.Path)
			}
		}
		if v.Kind != "access" {
			continue
		}
		if v.Base64 != nil {
			body, err := base64.StdEncoding.DecodeString(*v.Base64)
			if err != nil {
				t.Fatal(err)
			}
			v.Robots = string(body)
		}
		for name, dialect := range dialects {
			if name == "default" && v.Tier != "rfc" {
				continue
			}
			identity := agent.AsPassed(v.Agent) // A5, Google
			if name == "default" {
				var err error
				if identity, err = agent.ParseTokens(v.Agent); err != nil {
					t.Errorf("%s: %v", v.ID, err)
					continue
				}
			}
			asked[name]++
			reading := policy.Reading{Agents: identity, Options: robots.Options{Dialect: dialect}}
			decision := policy.Offline([]byte(v.Robots), reading).Decide(site.PathOf(v.URL), time.Time{})
			if decision.Allowed != v.Allowed {
				t.Errorf("%s, %s: %q may fetch %q: %v, want %v\n%q", name, v.ID, v.Agent, v.URL, decision, v.Allowed, v.Robots)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if asked["google"] == 0 || asked["default"] == 0 || asked["paths"] == 0 {
		t.Errorf("questions asked: %v", asked)
	}
	t.Logf("questions asked: %v", asked)
}
