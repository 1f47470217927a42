// Command fleet measures what it is to share one policy: many processes, one
// Redis, and what each answer costs by where it comes from.
//
//	go run ./fleet -out ../docs/benchmarks.md
//	go run ./fleet -simulate -out ../docs/scale.md
//
// It starts what it needs, a redis-server from PATH, origins and workers, which
// are this program once more, and ends all of it. It prints the project's bars
// about reach (SEMANTICS C) and fails if one is missed. -short is a quick look,
// -parts measures some of it.
//
// With -simulate it plays a day of a small fleet and holds what it counts beside
// the formulas of docs/scale.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/polite-crawler/polite/bench/race"
	"github.com/polite-crawler/polite/bench/report"
)

func main() {
	redis.SetLogger(&logging.VoidLogger{}) // it prints a line for every failed dial
	var err error
	if len(os.Args) == 2 && os.Args[1] == workerArgument {
		err = work(os.Stdin, os.Stdout)
	} else {
		// An interrupt ends the run in order: nothing that was started is left.
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = run(ctx, os.Args[1:], os.Stdout, os.Stderr)
		stop()
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "fleet: interrupted")
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("fleet", flag.ContinueOnError)
	document := flags.String("out", "", "also write what is printed into this document, in place of what was there before")
	parts := flags.String("parts", "", "only these, separated by commas: "+strings.Join(partNames, ", "))
	short := flags.Bool("short", false, "a quick look: smaller, and for less time")
	seed := flags.Uint64("seed", 9309, "of the fixture, of orders and choices")
	simulated := flags.Bool("simulate", false, "play a day of a small fleet instead, and hold the formulas of docs/scale.md beside it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no flag; -h lists them", flags.Arg(0))
	}
	part := report.Part{Name: "fleet", Command: "make bench-fleet"}
	if *simulated {
		part = report.Part{Name: "scale", Command: "make bench-scale"}
	}
	if *document != "" {
		if err := part.Find(*document); err != nil {
			return err
		}
	}
	if *simulated {
		if *parts != "" {
			return errors.New("-simulate has no parts; leave out -parts")
		}
		text, err := simulate(ctx, *seed, *short)
		if err != nil {
			return err
		}
		return publish(out, text, part, *document)
	}

	b := newBench(*seed, *short, progress)
	if err := b.choose(*parts); err != nil {
		return err
	}
	load := report.LoadAverage()
	start := time.Now()
	results, err := b.run(ctx)
	if err != nil {
		return err
	}
	var text strings.Builder
	report.WriteMachine(&text, load, fmt.Sprintf("the run took %v", time.Since(start).Round(time.Second)),
		func(module string) bool { return module == "github.com/redis/go-redis/v9" })
	results.report(&text)
	if err := publish(out, text.String(), part, *document); err != nil {
		return err
	}
	return results.missed()
}

// publish prints a text and writes it into a document, if one is named.
func publish(out io.Writer, text string, part report.Part, document string) error {
	fmt.Fprint(out, text)
	if document == "" {
		return nil
	}
	return part.WriteInto(document, text)
}

// A bench is a run: what is measured, and how large.
type bench struct {
	seed     uint64
	parts    []string // none: all
	progress io.Writer
	sizes
}

// sizes are how large a run is.
type sizes struct {
	processes, askers, origins int // of the runs that count requests

	hotOrigins int
	race       race.Options

	nearAsks     int           // for each latency
	sharedRounds int           // over the origins, for each latency
	rate         time.Duration // of measuring a rate
	known        int           // origins in Redis whose cost is measured
}

// newBench makes a run of the sizes that the project's bars name, or of smaller
// ones.
func newBench(seed uint64, short bool, progress io.Writer) *bench {
	b := &bench{seed: seed, progress: progress, sizes: sizes{
		processes: 8, askers: 40, origins: 200,
		hotOrigins: 10_000, race: race.Options{Rounds: 9, Slice: 100 * time.Millisecond},
		nearAsks: 50_000, sharedRounds: 5, rate: 3 * time.Second, known: 10_000,
	}}
	if short {
		b.sizes = sizes{
			processes: 4, askers: 10, origins: 50,
			hotOrigins: 1000, race: race.Options{Rounds: 3, Slice: 20 * time.Millisecond},
			nearAsks: 5_000, sharedRounds: 2, rate: 300 * time.Millisecond, known: 2_000,
		}
	}
	return b
}

// The parts of a run.
const (
	partCold    = "cold"
	partKilled  = "killed"
	partHot     = "hot"
	partLatency = "latency"
	partRates   = "rates"
	partCosts   = "costs"
)

var partNames = []string{partCold, partKilled, partHot, partLatency, partRates, partCosts}
