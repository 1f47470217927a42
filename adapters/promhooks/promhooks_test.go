package promhooks_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/adapters/promhooks"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

func newMetrics(t *testing.T, options promhooks.Options) *promhooks.Metrics {
	t.Helper()
	metrics, err := promhooks.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return metrics
}

// scrape is what Prometheus gets to see.
func scrape(t *testing.T, metrics *promhooks.Metrics) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(metrics); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	defer server.Close()
	response, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("scrape: %d, %v", response.StatusCode, err)
	}
	return string(text)
}

func want(t *testing.T, scraped string, series ...string) {
	t.Helper()
	for _, line := range series {
		if !strings.Contains(scraped, "\n"+line+"\n") {
			name, _, _ := strings.Cut(line, " ")
			t.Errorf("there is no %q, but %q", line, regexp.MustCompile("(?m)^"+regexp.QuoteMeta(name)+".*$").FindString(scraped))
		}
	}
}

// web answers every request for a robots.txt.
type web struct{}

func (web) Fetch(_ context.Context, request policy.Request) (policy.Response, error) {
	if strings.Contains(request.URL, "broken") {
		return policy.Response{}, &policy.FetchError{Kind: policy.FailedConnect, Err: errors.New("refused")}
	}
	return policy.Response{Status: 200, Body: []byte("User-agent: *\nDisallow: /private\n")}, nil
}

// down is a Cache that is not there.
type down struct{ ports.Cache }

func (down) Get(context.Context, site.Origin, policy.Hash) (*policy.Snapshot, error) {
	return nil, ports.ErrUnavailable
}

// What a Gate does is what is scraped.
func TestAGateIsScraped(t *testing.T) {
	metrics := newMetrics(t, promhooks.Options{})
	store, err := memory.New(memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	agents, _ := agent.ParseTokens("ExampleBot")
	open := func(adapters app.Ports) *app.Gate {
		adapters.Fetcher = web{}
		gate, err := app.New(adapters, app.Options{Agents: agents, Hooks: metrics.Hooks()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = gate.Close() })
		return gate
	}
	first, second := open(app.Ports{Cache: store}), open(app.Ports{Cache: store})
	alone := open(app.Ports{Cache: down{store}})
	for _, question := range []struct {
		gate *app.Gate
		url  string
	}{
		{first, "https://example.com/private"}, {first, "https://example.com/"}, {first, "https://example.com/private"},
		{second, "https://example.com/"}, {first, "https://broken.example/"}, {alone, "https://example.com/"},
	} {
		_, _ = question.gate.Check(t.Context(), question.url)
	}
	want(t, scrape(t, metrics),
		`polite_near_hits_total 2`,
		`polite_look_duration_seconds_count{source="origin"} 2`,
		`polite_look_duration_seconds_count{source="shared"} 1`,
		`polite_look_duration_seconds_count{source="nowhere"} 1`,
		`polite_decisions_total{allowed="false",reason="rule",stale="false"} 2`,
		`polite_decisions_total{allowed="true",reason="no-rule",stale="false"} 2`,
		`polite_decisions_total{allowed="false",reason="unreachable",stale="false"} 1`,
		`polite_fetch_duration_seconds_count{outcome="successful"} 1`,
		`polite_fetch_duration_seconds_count{outcome="unreachable"} 1`,
		`polite_fetch_failures_total{failure="connect"} 1`,
		`polite_fetched_bytes_total 33`,
		`polite_shared_up 0`,
	)
}

// Every hook has a metric, each from the beginning but for those of nodes.
func TestEveryHookHasAMetric(t *testing.T) {
	metrics := newMetrics(t, promhooks.Options{Namespace: "crawler", Labels: prometheus.Labels{"fleet": "a"}})
	hooks := metrics.Hooks()
	for i, of := range reflect.ValueOf(hooks).Fields() {
		if of.IsNil() {
			t.Errorf("nobody is told by Hooks.%s", i.Name)
		}
	}
	before := scrape(t, metrics)
	want(t, before,
		`crawler_near_hits_total{fleet="a"} 0`, `crawler_conflicts_total{fleet="a"} 0`, `crawler_shared_up{fleet="a"} 1`,
		`crawler_look_duration_seconds_count{fleet="a",source="fallback"} 0`,
	)
	hooks.Decided(policy.Decision{Stale: true, Reason: policy.ReasonRule})
	hooks.Near(site.Origin{})
	hooks.Looked(app.Look{Source: app.FromFallback, Took: time.Second})
	hooks.Waited(app.Wait{Took: 2 * time.Second})
	hooks.Fetched(app.Fetch{Outcome: policy.NotFound, Took: time.Second, Bytes: 7})
	hooks.Conflicted(site.Origin{})
	hooks.LeaseLost(site.Origin{})
	hooks.Shared(ports.ErrUnavailable)
	hooks.Shared(nil)
	hooks.Hearing(true)
	hooks.Breaker(app.Breaker{Node: "a:6379", From: "closed", To: "open"})
	hooks.Breaker(app.Breaker{Node: "b:6379", From: "open", To: "half-open"})
	hooks.Undecodable(site.Origin{}, errors.New("x"))
	hooks.Purged(app.Purge{})
	want(t, scrape(t, metrics),
		`crawler_decisions_total{allowed="false",fleet="a",reason="rule",stale="true"} 1`,
		`crawler_near_hits_total{fleet="a"} 1`,
		`crawler_look_duration_seconds_sum{fleet="a",source="fallback"} 1`,
		`crawler_wait_duration_seconds_sum{fleet="a"} 2`,
		`crawler_fetch_duration_seconds_count{fleet="a",outcome="not-found"} 1`,
		`crawler_fetches_unstored_total{fleet="a"} 1`,
		`crawler_fetched_bytes_total{fleet="a"} 7`,
		`crawler_conflicts_total{fleet="a"} 1`,
		`crawler_leases_lost_total{fleet="a"} 1`,
		`crawler_shared_up{fleet="a"} 1`,
		`crawler_purges_heard{fleet="a"} 1`,
		`crawler_breaker_state{fleet="a",node="a:6379"} 2`,
		`crawler_breaker_state{fleet="a",node="b:6379"} 1`,
		`crawler_undecodable_total{fleet="a"} 1`,
		`crawler_purges_total{fleet="a"} 1`,
	)
}

// Whatever there is of nodes, outcomes and reasons, the series are bounded.
func TestSeriesAreBounded(t *testing.T) {
	metrics := newMetrics(t, promhooks.Options{})
	hooks := metrics.Hooks()
	for i := range 1000 {
		hooks.Breaker(app.Breaker{Node: fmt.Sprint(i), To: "open"})
		hooks.Decided(policy.Decision{Reason: policy.Reason(i)})
		hooks.Fetched(app.Fetch{Outcome: policy.Outcome(i), Failure: policy.Failure(i)})
		hooks.Looked(app.Look{Source: app.Source(i)})
	}
	text := scrape(t, metrics)
	want(t, text, `polite_breaker_state{node="other"} 2`)
	if n := strings.Count(text, "polite_breaker_state{"); n != 65 {
		t.Errorf("%d nodes have a series, want 64 and the others", n)
	}
	if n := strings.Count(text, "\npolite_"); n > 600 {
		t.Errorf("%d series in all", n)
	}
}

func TestNamesAreInOrder(t *testing.T) {
	problems, err := promlint.New(strings.NewReader(scrape(t, newMetrics(t, promhooks.Options{})))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

func TestBadOptions(t *testing.T) {
	for name, options := range map[string]promhooks.Options{
		"a label of the metrics' own": {Labels: prometheus.Labels{"reason": "x"}},
		"a label that is no UTF-8":    {Labels: prometheus.Labels{"x": "\xff"}},
	} {
		if _, err := promhooks.New(options); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// The hot path must not pay for being measured.
func TestCountingAllocatesNothing(t *testing.T) {
	hooks := newMetrics(t, promhooks.Options{}).Hooks()
	decision, origin := policy.Decision{Allowed: true, Reason: policy.ReasonNoRule}, site.Origin{}
	if n := testing.AllocsPerRun(1000, func() { hooks.Decided(decision); hooks.Near(origin) }); n != 0 {
		t.Errorf("a question that is counted costs %v allocations", n)
	}
}
