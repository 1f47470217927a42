// Command store measures what sharing costs: the room that an origin takes in
// Redis, and the time of a shared hit beside a bare GET.
//
//	go run ./store -corpus FOLDER -out ../docs/benchmarks.md
//
// It starts a redis-server of its own, and prints its report as Markdown.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/polite-crawler/polite/bench/report"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench/store:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	out := flag.String("out", "", "also write the report into this document, in place of the one before")
	folder := flag.String("corpus", os.Getenv("POLITE_CORPUS"), "folder with real files: files/HOST; from here or from the repository's root (default $POLITE_CORPUS)")
	rounds := flag.Int("rounds", 20_000, "operations of each kind")
	seed := flag.Uint64("seed", 9309, "of the fixture")
	flag.Parse()

	load := report.LoadAverage()
	s, err := startServer(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	h, err := measureHits(ctx, s, *rounds, *seed)
	if err != nil {
		return err
	}
	var text strings.Builder
	report.WriteMachine(&text, load, fmt.Sprintf("%d operations of each kind", *rounds), func(module string) bool {
		return strings.Contains(module, "redis/") || strings.Contains(module, "klauspost/")
	})
	fmt.Fprintf(&text, "redis-server %s, on the loopback interface.\n\n", s.field(ctx, "server", "redis_version"))
	if files, err := open(*folder); err != nil {
		return err
	} else if len(files) > 0 {
		rooms, err := measureRooms(ctx, files)
		if err != nil {
			return err
		}
		writeRooms(&text, rooms, files)
	}
	h.write(&text)
	fmt.Print(text.String())
	if *out == "" {
		return nil
	}
	return report.Part{Name: "store", Command: "make bench-store"}.WriteInto(*out, text.String())
}

// open reads the corpus, if there is one.
func open(folder string) ([]file, error) {
	if folder == "" {
		return nil, nil
	}
	if _, err := os.Stat(folder); err != nil && !filepath.IsAbs(folder) {
		folder = filepath.Join("..", folder)
	}
	return corpus(folder)
}

func writeRooms(w io.Writer, rooms []room, files []file) {
	var bodies []int
	for _, f := range files {
		bodies = append(bodies, len(f.body))
	}
	fmt.Fprintf(w, `### Octets of an origin in Redis

%d real files, of %s octets in the mean, %s in the median. Memory is MEMORY USAGE, with the key; all of it is what used_memory grew by, with
what Redis needs to find a key and its end. Filtered is for a crawler that hardly any file names: what is left are the groups of '*' and
the records of the whole file.

`, len(files), report.Number(mean(bodies)), report.Number(quantile(bodies, 0.5)))
	t := report.Table{{"kept", "value, mean", "memory, mean", "median", "p90", "all of it, mean"}}
	for _, r := range rooms {
		t.Row(r.name, report.Number(mean(r.octets)), report.Number(mean(r.each)), report.Number(quantile(r.each, 0.5)),
			report.Number(quantile(r.each, 0.9)), report.Number(r.overall))
	}
	t.Write(w)
}

// most is how many times the time of a GET a shared hit may take.
const most = 1.3

func (h *hits) write(w io.Writer) {
	fmt.Fprintf(w, `### A shared hit

The near cache is off, one goroutine asks: read, decode, compile and decide, for a robots.txt of %s octets that is stored in %s. One
operation of each kind in turn, so that whatever else the machine does hits all of them. A GET is of the same robots.txt as it is, by a
client of go-redis with the settings of the store's own.

`, report.Number(float64(h.body)), report.Number(float64(h.stored)))
	get := h.contestants[0]
	t := report.Table{{"operation", "p50, µs", "p99, µs", "beside a GET", "allocations", "octets allocated"}}
	us := func(d time.Duration) string { return report.Number(float64(d.Nanoseconds()) / 1000) }
	for _, c := range h.contestants {
		t.Row(c.name, us(c.at(0.5)), us(c.at(0.99)), report.Number(ratio(c, get))+"×", report.Number(c.allocs), report.Number(c.octets))
	}
	t.Write(w)
	report.WriteBars(w, []report.Bar{{
		Name: "A shared hit beside a GET of the same body, p50", Figure: ratio(h.contestants[len(h.contestants)-1], get), Goal: most, Most: true, Unit: "×",
		Note: "its compiling alone is " + report.Number(ratio(h.contestants[len(h.contestants)-2], get)) + "× of it",
	}})
}

func ratio(c, of *contestant) float64 { return float64(c.at(0.5)) / float64(of.at(0.5)) }
