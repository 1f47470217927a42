// Package promhooks makes Prometheus metrics of what a Gate does and its store
// sees (SEMANTICS C5). Crawlers that are scraped use it; nothing else of Polite
// depends on Prometheus.
//
//	metrics, err := promhooks.New(promhooks.Options{})
//	prometheus.MustRegister(metrics)
//	gate, done, err := polite.New(ctx, polite.Config{…, Hooks: metrics.Hooks()})
//
// The metrics, with the namespace "polite_" in front of each. All but the gauges are
// counters of this process since it began; times are in seconds.
//
//	near_hits_total                              questions answered by what is near
//	look_duration_seconds{source}                histogram: looks behind the near cache; a shared hit is
//	                                             source="shared", a miss "origin", on its own "fallback",
//	                                             an error "nowhere"
//	decisions_total{allowed,stale,reason}        decisions by Check; stale="true": a last good copy stood in
//	fetch_duration_seconds{outcome}              histogram: attempts to fetch a robots.txt, redirects included
//	fetch_failures_total{failure}                those without a whole answer, by what went wrong
//	fetches_unstored_total                       those whose result stayed in this worker
//	fetched_bytes_total                          of their bodies, decoded
//	wait_duration_seconds                        histogram: waits for another worker that holds a lease
//	conflicts_total                              results that the store refused: another state was stored meanwhile
//	leases_lost_total                            leases that ran out before the request was made
//	undecodable_total                            stored values that could not be read and were replaced
//	purges_total                                 purges by this worker that the store took
//	shared_up                                    gauge: 1, or 0 while the shared cache is unavailable
//	purges_heard                                 gauge: 1 while purges by other workers are being heard, else 0
//	breaker_state{node}                          gauge: 0 closed, 1 half-open, 2 open
//
// Labels take the values that package policy knows, a few dozen, and never a text
// from the network: no origin is a label. Of nodes there are as many as Redis has;
// from the 64th on they share node="other". All series but those of nodes are there
// from the beginning, at zero.
package promhooks

import (
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

var _ prometheus.Collector = (*Metrics)(nil)

// Options set up Metrics. The zero value of each field is its default.
type Options struct {
	Namespace string            // before each name, with a "_" between; "polite"
	Labels    prometheus.Labels // on each series, such as the fleet; none
}

// Metrics collect what their Hooks are told. They are safe for concurrent use; a
// counter of a decision takes no lock and no allocation.
type Metrics struct {
	all []prometheus.Collector

	nearHits  prometheus.Counter
	looks     []prometheus.Observer // by app.Source
	decisions [2][2][]prometheus.Counter
	fetches   []prometheus.Observer // by policy.Outcome
	failures  []prometheus.Counter  // by policy.Failure
	unstored  prometheus.Counter
	bytes     prometheus.Counter
	waits     prometheus.Observer
	conflicts prometheus.Counter
	lost      prometheus.Counter
	broken    prometheus.Counter
	purges    prometheus.Counter
	up        prometheus.Gauge
	hears     prometheus.Gauge
	breakers  *prometheus.GaugeVec

	mutex sync.Mutex
	nodes map[string]struct{}
}

// maxNodes bounds the series of nodes.
const maxNodes = 64

// New makes Metrics. It fails on a namespace or label that Prometheus does not
// take.
func New(options Options) (metrics *Metrics, err error) {
	if options.Namespace == "" {
		options.Namespace = "polite"
	}
	// A look takes from tens of microseconds on; a fetch, and a wait for one, from
	// milliseconds to its time limit.
	lookBuckets, fetchBuckets := prometheus.ExponentialBuckets(25e-6, 4, 12), prometheus.ExponentialBuckets(1e-3, 2.5, 13)
	f := &factory{options: options, metrics: &Metrics{nodes: make(map[string]struct{})}}
	m := f.metrics
	m.nearHits = f.counter("near_hits_total", "Questions answered by what is near.")
	m.looks = f.histograms("look_duration_seconds", "Looks behind the near cache, by where the answer came from.", "source", lookBuckets, names(app.FromNowhere))
	m.decideds(f)
	m.fetches = f.histograms("fetch_duration_seconds", "Attempts to fetch a robots.txt, redirects included.", "outcome", fetchBuckets, names(policy.Unknown))
	m.failures = f.counters("fetch_failures_total", "Attempts to fetch a robots.txt that brought no whole answer.", "failure", names(policy.NoFailure))
	m.unstored = f.counter("fetches_unstored_total", "Attempts to fetch a robots.txt whose result stayed in this worker.")
	m.bytes = f.counter("fetched_bytes_total", "Decoded octets of the robots.txt bodies that were fetched.")
	m.waits = f.histogram("wait_duration_seconds", "Waits for another worker that holds a lease.", fetchBuckets)
	m.conflicts = f.counter("conflicts_total", "Results that the store refused, as another state was stored meanwhile.")
	m.lost = f.counter("leases_lost_total", "Leases that ran out before the request was made.")
	m.broken = f.counter("undecodable_total", "Stored values that could not be read and were replaced.")
	m.purges = f.counter("purges_total", "Purges by this worker that the store took.")
	m.up = f.gauge("shared_up", "1, or 0 while the shared cache is unavailable.")
	m.up.Set(1)
	m.hears = f.gauge("purges_heard", "1 while purges by other workers are being heard, else 0.")
	m.breakers = f.gauges("breaker_state", "The circuit breaker of a node of the store: 0 closed, 1 half-open, 2 open.", "node")
	return m, f.check()
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, c := range m.all {
		c.Describe(to)
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	for _, c := range m.all {
		c.Collect(to)
	}
}

// Hooks returns what a Gate is to be given. Several Gates may share them.
func (m *Metrics) Hooks() app.Hooks {
	return app.Hooks{
		Decided:     m.decided,
		Near:        func(site.Origin) { m.nearHits.Inc() },
		Looked:      func(l app.Look) { at(m.looks, l.Source).Observe(l.Took.Seconds()) },
		Waited:      func(w app.Wait) { m.waits.Observe(w.Took.Seconds()) },
		Fetched:     m.fetched,
		Conflicted:  func(site.Origin) { m.conflicts.Inc() },
		LeaseLost:   func(site.Origin) { m.lost.Inc() },
		Shared:      func(err error) { m.up.Set(float64(bit(err == nil))) },
		Hearing:     func(is bool) { m.hears.Set(float64(bit(is))) },
		Breaker:     m.breaker,
		Undecodable: func(site.Origin, error) { m.broken.Inc() },
		Purged:      func(app.Purge) { m.purges.Inc() },
	}
}

func (m *Metrics) decided(d policy.Decision) {
	at(m.decisions[bit(d.Allowed)][bit(d.Stale)], d.Reason).Inc()
}

func (m *Metrics) fetched(f app.Fetch) {
	at(m.fetches, f.Outcome).Observe(f.Took.Seconds())
	if f.Failure != policy.NoFailure {
		at(m.failures, f.Failure).Inc()
	}
	if !f.Stored {
		m.unstored.Inc()
	}
	m.bytes.Add(float64(f.Bytes))
}

func (m *Metrics) breaker(b app.Breaker) {
	state := map[string]float64{"closed": 0, "half-open": 1, "open": 2}[b.To]
	m.breakers.WithLabelValues(m.node(b.Node)).Set(state)
}

// node is the label of a node.
func (m *Metrics) node(name string) string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if _, known := m.nodes[name]; !known {
		if len(m.nodes) == maxNodes {
			return "other"
		}
		m.nodes[name] = struct{}{}
	}
	return name
}

// decideds makes the counters of decisions.
func (m *Metrics) decideds(f *factory) {
	vector := prometheus.NewCounterVec(prometheus.CounterOpts(f.opts("decisions_total", "Decisions by Check.")), []string{"allowed", "stale", "reason"})
	f.add(vector)
	for allowed, yes := range []string{"false", "true"} {
		for stale, is := range []string{"false", "true"} {
			for _, reason := range names(policy.ReasonNone) {
				m.decisions[allowed][stale] = append(m.decisions[allowed][stale], vector.WithLabelValues(yes, is, reason))
			}
		}
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// at returns the series of a value. One that was added to package policy later
// than this was linked counts as the first, "none" or "unknown".
func at[S any, V ~uint8](series []S, value V) S {
	if int(value) < len(series) {
		return series[value]
	}
	return series[0]
}

// names are those of an enumeration, from its first value on.
func names[V interface {
	~uint8
	String() string
}](first V) (all []string) {
	for value := first; !strings.HasPrefix(value.String(), "unknown-"); value++ {
		all = append(all, value.String())
	}
	return all
}
