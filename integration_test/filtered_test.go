package integration_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/site"
)

// SEMANTICS C8, C9: a fleet whose Redis keeps what concerns its agents decides, and
// explains, as by the whole file; for another agent the file is fetched once more.
// And what only the store knows reaches the Hooks.
func TestAFilteredFleet(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = io.WriteString(w, "User-agent: OtherBot\nDisallow: /other\n\nUser-agent: ThirdBot\nDisallow: /third\n\nUser-agent: FleetBot\nDisallow: /ours # why\n")
	}))
	t.Cleanup(origin.Close)
	server := startRedis(t)
	var undecodable, heard atomic.Int64
	open := func(hears chan<- bool) *polite.Gate {
		gate, done, err := polite.New(t.Context(), polite.Config{
			UserAgent: "FleetBot/1.0", Redis: server.url(""), Prefix: "fleet",
			Store: polite.Store{Filtered: true, Agents: []string{"ThirdBot"}},
			Hooks: polite.Hooks{
				Undecodable: func(site.Origin, error) { undecodable.Add(1) },
				Purged:      func(p polite.Purge) { heard.Store(int64(p.Heard)) },
				Hearing:     func(is bool) { hears <- is },
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(done)
		return gate
	}
	check := func(gate *polite.Gate, agent, path string, allowed bool, line int) polite.Decision {
		t.Helper()
		if agent != "" {
			other, err := gate.As(agent)
			if err != nil {
				t.Fatal(err)
			}
			gate = other
		}
		decision, err := gate.Check(t.Context(), origin.URL+path)
		if err != nil || decision.Allowed != allowed || decision.Rule.Line != line {
			t.Errorf("%s as %q: %v (line %d), %v", path, agent, decision, decision.Rule.Line, err)
		}
		return decision
	}
	wantFetches := func(want int64) {
		t.Helper()
		if got := asked.Load(); got != want {
			t.Errorf("robots.txt was fetched %d times, want %d", got, want)
		}
	}

	hears := make(chan bool, 16)
	first, second := open(hears), open(hears)
	for range 2 {
		if !<-hears {
			t.Fatal("purges are not being heard")
		}
	}
	hash := check(first, "", "/ours", false, 8).Hash
	if got := check(second, "", "/ours", false, 8).Hash; got != hash {
		t.Errorf("the hashes differ: %v and %v", got, hash)
	}
	explanation, err := second.Explain(t.Context(), origin.URL+"/ours")
	if err != nil || explanation.Line != "Disallow: /ours # why" {
		t.Errorf("explained by %q, %v", explanation.Line, err)
	}
	check(second, "ThirdBot", "/third", false, 5)
	wantFetches(1)
	check(second, "OtherBot", "/other", false, 2)
	check(second, "OtherBot", "/ours", true, 0)
	wantFetches(2)

	var keys []string
	onServer(t, server, func(client *redis.Client) (err error) {
		keys, err = client.Keys(t.Context(), "fleet-*:d:*").Result()
		if err == nil && len(keys) == 1 {
			err = client.SetRange(t.Context(), keys[0], 20, "garbage").Err()
		}
		return err
	})
	if len(keys) != 1 || strings.Contains(value(t, server, keys[0]), "OtherBot") {
		t.Fatalf("keys are %q", keys)
	}
	check(open(hears), "", "/ours", false, 8)
	wantFetches(3)
	if undecodable.Load() == 0 {
		t.Errorf("nobody was told of the value that could not be read")
	}
	<-hears
	if err := first.Purge(t.Context(), origin.URL); err != nil {
		t.Fatal(err)
	}
	if got := heard.Load(); got != 2 {
		t.Errorf("%d others heard of the purge, want 2", got)
	}
	check(second, "", "/ours", false, 8)
}
