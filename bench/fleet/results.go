package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/polite-crawler/polite/bench/report"
)

// results are what was measured; what was not is nil.
type results struct {
	sizes
	seed         uint64
	hot          *Hot
	cold, killed *Count
	delays       []Delay
	rates        *Rates
	costs        *Costs
}

// bars are the project's, from the issue about sharing.
func (r *results) bars() []report.Bar {
	most := func(name string, figure, goal float64, unit, note string) report.Bar {
		return report.Bar{Name: name, Figure: figure, Goal: goal, Most: true, Exact: unit != "×", Unit: unit, Note: note}
	}
	const none = "not measured"
	origins := float64(r.origins)
	cold := most("Cold: requests at the origins", math.NaN(), origins, "requests", none)
	outages := most("Cold, killed: outages that workers saw", math.NaN(), 0, "outages", none)
	if c := r.cold; c != nil {
		cold.Figure, cold.Note = float64(c.Requests), fmt.Sprintf("at most %d at one origin", c.Most)
		outages.Figure, outages.Note = float64(c.Outages), "there was none"
	}
	killed := most("One process killed: requests", math.NaN(), origins, "requests", none)
	leases := report.Bar{Name: "One process killed: leases it held", Figure: math.NaN(), Goal: 1, Exact: true, Unit: "leases", Note: none}
	if c := r.killed; c != nil {
		killed.Figure, killed.Goal = float64(c.Requests), origins+float64(c.Leases)
		killed.Note = fmt.Sprintf("%d and a lease each; at most %d at one origin", r.origins, c.Most)
		leases.Figure, leases.Note = float64(c.Leases), fmt.Sprintf("counted by SCAN in run %d, %v into it", c.Attempt, c.Killed.Round(time.Millisecond))
		outages.Figure = max(float64(c.Outages), outages.Figure)
		if math.IsNaN(outages.Figure) {
			outages.Figure = float64(c.Outages)
		}
		outages.Note = "there was none"
	}
	hot := most("Hot Check beside Policy.Decide", math.NaN(), 4, "×", none)
	allocations := most("Hot Check: allocations", math.NaN(), 0, "allocations", none)
	if h := r.hot; h != nil {
		hot.Figure, hot.Note = h.Check.Over(h.Decide), fmt.Sprintf("median %s ns, over %s origins", report.Number(h.Check.Median()), report.Number(float64(h.Origins)))
		allocations.Figure, allocations.Note = h.Allocs, ""
	}
	return []report.Bar{cold, killed, leases, outages, hot, allocations}
}

// missed is an error that names the bars that were missed.
func (r *results) missed() error {
	var names []string
	for _, bar := range r.bars() {
		if bar.Missed() {
			names = append(names, bar.Name)
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("missed: %s", strings.Join(names, "; "))
}

// report writes everything that was measured as Markdown.
func (r *results) report(w io.Writer) {
	fmt.Fprintf(w, "Made by `make bench-fleet` (in bench/: `go run ./fleet -out ../docs/benchmarks.md`), seed %d: a redis-server of its own without\n"+
		"persistence, origins, workers and proxy, all on one machine. What goes by the clock on the wall wants a quiet one: trust the ratios and the counts.\n\n", r.seed)
	report.Heading(w, "Bars of a fleet", "A bar of times counts as met at 0.85 of it, as machines are noisy; what is counted is exact.")
	report.WriteBars(w, r.bars())
	for _, part := range []struct {
		there bool
		write func(io.Writer)
	}{
		{r.cold != nil || r.killed != nil, r.reportCounts},
		{r.hot != nil, r.reportHot},
		{r.delays != nil, r.reportDelays},
		{r.rates != nil, r.reportRates},
		{r.costs != nil, r.reportCosts},
	} {
		if part.there {
			part.write(w)
		}
	}
}

func (r *results) reportCounts(w io.Writer) {
	report.Heading(w, "Requests of a fleet", fmt.Sprintf("%d processes × %d goroutines ask about %d origins that nobody knows, two URLs each, all at once; an origin takes %v to answer. "+
		"A run counts only if all answers about an origin are the same, to the hash and the time of the fetch, by a rule, one allowed and one not. "+
		"In the second one a process is stopped in the middle (SIGSTOP), its leases in Redis are counted, and it is killed (-9); "+
		"the others wait for those leases to run out, after %v. Time-outs of Redis are raised to %s, as what a busy machine does is no outage.",
		r.processes, r.askers, r.origins, dawdle, fetchBudget+5*time.Second, patience))
	t := report.Table{{"run", "requests", "leases lost", "checks answered", "took", "slowest check"}}
	for _, run := range []struct {
		name string
		*Count
	}{{"cold", r.cold}, {"one process killed", r.killed}} {
		if c := run.Count; c != nil {
			t.Row(run.name, report.Number(float64(c.Requests)), report.Number(float64(c.Leases)), report.Number(float64(c.Checks)),
				span(c.Took), span(c.Slowest))
		}
	}
	t.Write(w)
}

func (r *results) reportHot(w io.Writer) {
	h := r.hot
	report.Heading(w, "A hot Check", fmt.Sprintf("%s URLs of %s origins, each with the common fixture's robots.txt, in random order, so that hardly anything is in the processor's nearest caches; "+
		"in turns, in processor time, on one thread, ±: half the distance of the rounds' quartiles. "+
		"Policy.Decide answers the same questions from as many policies, its path cut out and its policy found beforehand: what a Check adds is site.Parse, the near cache and the clock. "+
		"The last row asks one and the same policy, which no crawl does.",
		report.Number(float64(h.Questions)), report.Number(float64(h.Origins))))
	t := report.Table{{"what", "ns", "±", "Check takes", "allocations"}}
	t.Row("Gate.Check", report.Number(h.Check.Median()), part(h.Check.Spread()), "1×", report.Number(h.Allocs))
	t.Row("Policy.Decide", report.Number(h.Decide.Median()), part(h.Decide.Spread()), report.Times(h.Check.Over(h.Decide)), "0")
	t.Row("Policy.Decide, one policy", report.Number(h.One.Median()), part(h.One.Spread()), report.Times(h.Check.Over(h.One)), "0")
	t.Write(w)
}

func (r *results) reportDelays(w io.Writer) {
	report.Heading(w, "Redis far away", "What a lone Check takes by where its answer comes from, with Redis behind a proxy that makes each way there and back longer by the latency; "+
		"ping is one such way as measured. Shared is with nothing near: read, decoded and compiled. Cold is look, lease, look again, fetch (from this machine), put; the lease is given back behind.")
	t := report.Table{{"latency", "ping", "near p50", "p99", "shared p50", "p99", "cold p50", "p99"}}
	for _, d := range r.delays {
		t.Row(d.Latency.String(), span(d.Ping.at(0.5)), span(d.Near.at(0.5)), span(d.Near.at(0.99)),
			span(d.Shared.at(0.5)), span(d.Shared.at(0.99)), span(d.Cold.at(0.5)), span(d.Cold.at(0.99)))
	}
	t.Write(w)
	d := r.delays[0]
	fmt.Fprintf(w, "Samples a row: near %s, shared %s, cold %s.\n\n",
		report.Number(float64(len(d.Near))), report.Number(float64(len(d.Shared))), report.Number(float64(len(d.Cold))))
}

func (r *results) reportRates(w io.Writer) {
	report.Heading(w, "Checks a second", fmt.Sprintf("Of one process. Near: a goroutine for each core, over %s origins. Shared and cold: %d goroutines, with nothing near, or with %d origins that were purged; "+
		"Redis, and the origins, share the machine's cores.", report.Number(float64(r.hotOrigins)), r.rates.Goroutines, r.origins))
	t := report.Table{{"answer", "checks a second"}}
	t.Row("near", report.Number(r.rates.Near))
	t.Row("shared", report.Number(r.rates.Shared))
	t.Row("cold", report.Number(r.rates.Cold))
	t.Write(w)
}

func (r *results) reportCosts(w io.Writer) {
	c := r.costs
	report.Heading(w, "What it costs Redis", fmt.Sprintf("By Redis' own count (INFO), over %s origins with the common fixture's robots.txt of %s octets: the network, and the server's processor time "+
		"with one client, which is the dearest way. docs/scale.md multiplies these.", report.Number(float64(c.Origins)), report.Number(float64(c.Body))))
	t := report.Table{{"operation", "octets in", "octets out", "processor time"}}
	for _, o := range c.Operations {
		t.Row(o.Name, report.Number(o.In), report.Number(o.Out), span(o.CPU))
	}
	t.Write(w)
	t = report.Table{{"memory (used_memory), each", "octets"}}
	t.Row("an origin, its key and its place in the tables", report.Number(c.Memory))
	t.Row("an origin that was purged, for 10 minutes", report.Number(c.Tombstone))
	t.Row("a connection that was just used", report.Number(c.Connection))
	t.Row("a connection that is idle for "+calm.String(), report.Number(c.Idle))
	t.Row("a new connection that hears purges", report.Number(c.Listener))
	t.Write(w)
}

// span writes a duration with three digits that mean something.
func span(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= unit.size {
			return report.Number(float64(d)/float64(unit.size)) + " " + unit.name
		}
	}
	return report.Number(float64(d)) + " ns"
}

// part writes half of a part as a percentage.
func part(f float64) string { return fmt.Sprintf("%.0f %%", 50*f) }
