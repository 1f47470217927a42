// Command fetch measures how this library fetches: from many origins at once,
// beside a bare net/http client that does the same in the same run, and what is
// left open after many.
//
//	go run ./fetch -out ../docs/benchmarks.md
//
// The origins are addresses of 127.0.0.0/8, all of which are this machine on
// Linux, and a server in a process of its own that answers for all of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/polite-crawler/polite/bench/report"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == serveFlag {
		delay, err := time.ParseDuration(os.Args[2])
		if err == nil {
			err = serve(delay)
		}
		exit(err)
	}
	exit(run(context.Background()))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "fetch:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A plan is how much is done.
type plan struct {
	origins, wide int           // for the crowd
	delay         time.Duration // of each answer there
	rounds        int
	fetches       int // for the long run
}

func run(ctx context.Context) error {
	out := flag.String("out", "", "also write the report into this document, in place of the one before")
	var p plan
	flag.IntVar(&p.origins, "origins", 1000, "how many origins the crowd is")
	flag.IntVar(&p.wide, "wide", 100, "how many of them are asked at once")
	flag.DurationVar(&p.delay, "delay", 100*time.Millisecond, "how long each of their answers takes")
	flag.IntVar(&p.rounds, "rounds", 9, "figures for each median")
	flag.IntVar(&p.fetches, "fetches", 10_000, "how long the long run is, in origins")
	flag.Parse()

	load := report.LoadAverage()
	crowd, err := measureCrowd(ctx, p)
	if err != nil {
		return err
	}
	hasty := p
	hasty.delay = 0
	atOnce, err := measureCrowd(ctx, hasty)
	if err != nil {
		return err
	}
	long, err := measureLongRun(ctx, p)
	if err != nil {
		return err
	}
	var text strings.Builder
	report.WriteMachine(&text, load, fmt.Sprintf("%d rounds", p.rounds), func(path string) bool { return path == "github.com/go-resty/resty/v2" })
	write(&text, p, crowd, atOnce, long)
	fmt.Print(text.String())
	if *out == "" {
		return nil
	}
	return report.Part{Name: "fetch", Command: "make bench-fetch"}.WriteInto(*out, text.String())
}
