package main

import (
	"fmt"
	"io"
)

// method says how the figures were taken, and by which command.
func (b *bench) method(w io.Writer) {
	fmt.Fprintf(w, "Made by `make bench` (in bench/: `go run . -out ../docs/benchmarks.md`), seed %d. ", b.seed)
	if b.corpus == "" {
		fmt.Fprint(w, "POLITE_CORPUS named no folder of real files,\nso that their rows are missing.\n\n")
	} else {
		fmt.Fprint(w, "The corpus is the folder that\nPOLITE_CORPUS names, with 50 URLs for each file: those listed for it, in canonical form, and as many as are missing made of its rules.\n\n")
	}
	fmt.Fprintf(w, `Machines differ, and a busy one is slow: trust the ratios. One process runs all contestants on one thread (GOMAXPROCS 1), in turns
of at most %v of processor time (getrusage; an operation that takes longer is a turn), until each has made at least one whole pass
over the fixture: that is a round. Before each turn the heap is collected on nobody's time; collections within a turn count. A figure
is the median of %d rounds, a ratio the median of the rounds' ratios; the spread is half the distance of the rounds' quartiles, ours
and the peer's.

The fixtures are made from the seed, with 1,000 URLs each: a third that rules match, a third that differ in one octet, a third from
elsewhere on the site; one in 25 is not in normal form.

`, b.options.Slice, b.options.Rounds)
	fmt.Fprint(w, "| fixture | what it is |\n|---|---|\n")
	for _, shape := range b.shapes {
		fmt.Fprintf(w, "| %s | %s |\n", shape.Name, shape.About)
	}
	fmt.Fprintln(w)
}
