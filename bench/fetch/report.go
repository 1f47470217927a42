package main

import (
	"fmt"
	"io"

	"github.com/polite-crawler/polite/bench/report"
)

// write writes everything that was measured as Markdown.
func write(w io.Writer, p plan, crowd, atOnce []turnout, long []moment) {
	ours, bare := crowd[0], crowd[1]
	before, after, idle, closed := long[0].held, long[2].held, long[3].held, long[4].held
	fmt.Fprintf(w, "Made by `make bench-fetch` (in bench/: `go run ./fetch -out ../docs/benchmarks.md`). The server is a process of its own on the same\n"+
		"machine; every origin is an address of 127.0.0.0/8, and asked for the first time. The contestants take turns, each with a client that is new\n"+
		"in each round; a figure is the median of %d rounds, a ratio the median of the rounds' ratios.\n\n", p.rounds)
	report.Heading(w, "Bars of fetching", "A bar of times counts as met at 0.85 of it; counts are exact.")
	report.WriteBars(w, []report.Bar{
		{Name: "A crowd of origins beside net/http", Figure: ours.took.Over(bare.took), Goal: 1.3, Most: true, Unit: "×"},
		{Name: "Sockets open right after the long run", Figure: float64(after.sockets - before.sockets), Goal: 256, Most: true, Exact: true, Unit: "sockets"},
		{Name: "Sockets open when the idle time is over", Figure: float64(idle.sockets - before.sockets), Goal: 0, Most: true, Exact: true, Unit: "sockets"},
		{Name: "Goroutines left then", Figure: float64(idle.goroutines - before.goroutines), Goal: 0, Most: true, Exact: true, Unit: "goroutines"},
		{Name: "Sockets open once it is closed", Figure: float64(closed.sockets - before.sockets), Goal: 0, Most: true, Exact: true, Unit: "sockets"},
	})
	report.Heading(w, "A crowd", fmt.Sprintf("%d origins, %d at once, each answer after %s. polite answers a question about a page of each, which takes "+
		"the file, its rules and a place to keep them; net/http fetches the file.", p.origins, p.wide, p.delay))
	writeCrowd(w, crowd)
	fmt.Fprintf(w, "The same without the delay: what is left is processor time, and the server takes some of it.\n\n")
	writeCrowd(w, atOnce)
	writeLongRun(w, p, long)
}

func writeCrowd(w io.Writer, crowd []turnout) {
	bare := crowd[1]
	t := report.Table{{"", "ms", "beside net/http", "spread", "KiB allocated an origin", "KiB held an origin", "sockets at most", "sockets after"}}
	for _, r := range crowd {
		t.Row(r.name, report.Number(r.took.Median()), report.Times(r.took.Over(bare.took)), fmt.Sprintf("%.1f %%", 100*r.took.Spread()),
			report.Number(r.allocated), report.Number(r.heap), report.Number(float64(r.sockets)), report.Number(float64(r.after)))
	}
	t.Write(w)
}

func writeLongRun(w io.Writer, p plan, long []moment) {
	report.Heading(w, "A long run", fmt.Sprintf("%s fetches by restyfetch, each from another origin, %d at once, idle connections kept for a second. "+
		"What this process holds; the heap after a collection.", report.Number(float64(p.fetches)), p.wide))
	m := report.Table{{"", "sockets", "goroutines", "heap, KiB", "resident, MiB"}}
	for _, moment := range long {
		if moment.held.goroutines == 0 {
			m.Row(moment.when, report.Number(float64(moment.held.sockets)), "", "", "")
			continue
		}
		m.Row(moment.when, report.Number(float64(moment.held.sockets)), report.Number(float64(moment.held.goroutines)),
			report.Number(float64(moment.held.heap)/1024), report.Number(float64(moment.held.resident)/(1<<20)))
	}
	m.Write(w)
}
