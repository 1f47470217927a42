// Command bench measures this library beside its peers, in one run.
//
//	go run . -corpus FOLDER -out ../docs/benchmarks.md
//
// It prints the project's bars, whether they are met, and every figure behind
// them as Markdown; -short is a quick look. The method is described in the
// report. Use -fixtures and -parts to look at one thing while it is being made
// faster.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/bench/race"
	"github.com/polite-crawler/polite/bench/report"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	out := flag.String("out", "", "also write the report into this document, in place of the one before")
	corpus := flag.String("corpus", os.Getenv("POLITE_CORPUS"), "folder with real files: files/HOST, urls/HOST; from here or from the repository's root (default $POLITE_CORPUS)")
	short := flag.Bool("short", false, "a quick look: 3 rounds of 5 ms")
	seed := flag.Uint64("seed", 9309, "of the fixtures")
	rounds := flag.Int("rounds", 9, "figures for each median")
	fixtures := flag.String("fixtures", "", "only these, separated by commas: "+strings.Join(names(), ", "))
	kinds := flag.String("hostile", "", "only these kinds of hostile files, separated by commas")
	parts := flag.String("parts", "", "only these, separated by commas: parse, check, both, hostile, memory, scaling, agreement")
	differences := flag.Bool("differences", false, "show each answer that a peer gives otherwise")
	flag.Parse()

	ours, err := newOurs()
	if err != nil {
		return err
	}
	b := &bench{
		ours: ours, peers: peers(), seed: *seed, parts: list(*parts), samples: 16, load: report.LoadAverage(), differences: *differences, progress: os.Stderr,
		options: race.Options{Rounds: *rounds, Slice: 50 * time.Millisecond},
	}
	if *short {
		b.options, b.samples = race.Options{Rounds: 3, Slice: 10 * time.Millisecond}, 4
	}
	if err := b.choose(list(*fixtures), list(*kinds), *corpus); err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)
	results, err := b.run()
	if err != nil {
		return err
	}
	var text strings.Builder
	report.WriteMachine(&text, b.load, fmt.Sprintf("%d figures each", b.options.Rounds),
		func(module string) bool { return !strings.HasPrefix(module, "golang.org/x/") })
	b.method(&text)
	results.report(&text)
	fmt.Print(text.String())
	if *out == "" {
		return nil
	}
	return report.Part{Name: "bench", Command: "make bench"}.WriteInto(*out, text.String())
}

// choose takes the fixtures that are asked for.
func (b *bench) choose(fixtures, kinds selection, corpus string) error {
	b.chosen = len(fixtures) > 0
	known := names()
	for _, name := range fixtures {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no fixture %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	for _, shape := range fixture.Shapes() {
		if fixtures.has(shape.Name) {
			b.shapes = append(b.shapes, shape)
		}
	}
	for _, kind := range fixture.Hostiles() {
		if kinds.has(kind.Name) {
			b.hostiles = append(b.hostiles, kind)
		}
	}
	if corpus == "" || !fixtures.has("corpus") {
		return nil
	}
	for _, folder := range []string{corpus, filepath.Join("..", corpus)} {
		if _, err := os.Stat(filepath.Join(folder, "files")); err == nil {
			b.corpus = folder
			return nil
		}
	}
	return fmt.Errorf("no folder %s/files, here or in the repository's root", corpus)
}

func names() (names []string) {
	for _, shape := range fixture.Shapes() {
		names = append(names, shape.Name)
	}
	return append(names, "corpus")
}

func list(text string) selection {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
