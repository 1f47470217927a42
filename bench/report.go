package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/bench/race"
)

// report writes everything that was measured as Markdown.
func (r *results) report(w io.Writer) {
	measured := func(of func(*Speed) map[string]race.Times) bool {
		return slices.ContainsFunc(r.speeds, func(s Speed) bool { return of(&s) != nil })
	}
	for _, part := range []struct {
		there bool
		write func(io.Writer)
	}{
		{true, r.reportBars},
		{measured(parses), r.reportParse},
		{measured(checks), r.reportCheck},
		{measured(boths), r.reportBoth},
		{len(r.hostile.Kinds) > 0, r.reportHostile},
		{len(r.memories) > 0, r.reportMemory},
		{len(r.scaling) > 0, r.reportScaling},
		{len(r.agreements) > 0, r.reportAgreement},
	} {
		if part.there {
			part.write(w)
		}
	}
}

func heading(w io.Writer, title, about string) { fmt.Fprintf(w, "### %s\n\n%s\n\n", title, about) }

func (r *results) reportBars(w io.Writer) {
	heading(w, "Bars", "A bar of times counts as met at 0.85 of it, as machines are noisy; allocations and bytes are exact.")
	t := table{{"what", "figure", "bar", words + "verdict", words + "note"}}
	for _, b := range r.bars() {
		goal := "at least "
		if b.Most {
			goal = "at most "
		}
		t.row(b.Name, quantity(b.Figure, b.Unit), goal+quantity(b.Goal, b.Unit), b.verdict(), b.Note)
	}
	t.write(w)
}

func quantity(f float64, unit string) string {
	switch {
	case math.IsNaN(f):
		return "–"
	case unit == "×":
		return times(f)
	}
	return number(f) + " " + unit
}

func (r *results) reportParse(w io.Writer) {
	heading(w, "Parse a file", "In ns, medians; in brackets how many times as long as polite, which compiles the file for one crawler, "+
		"straight from bytes, with line numbers, Crawl-delay and Sitemaps. The whole File has every group, record and warning.")
	head := []string{"fixture", "bytes", "rules for us", "polite", "allocations", "B", "whole File", "allocations"}
	for _, peer := range r.peers {
		head = append(head, peer, "allocations", "spread")
	}
	t := table{head}
	for _, s := range r.speeds {
		ours, file := s.Parse[byPath], s.Parse[wholeFile]
		row := []string{
			s.Fixture.Name, number(float64(s.Fixture.Bytes())), number(float64(s.Rules)),
			number(ours.Median()), number(s.ParseAllocs[byPath].Count), number(s.ParseAllocs[byPath].Bytes),
			number(file.Median()) + " (" + times(file.Over(ours)) + ")", number(s.ParseAllocs[wholeFile].Count),
		}
		for _, peer := range r.peers {
			theirs := s.Parse[peer]
			row = append(row, number(theirs.Median())+" ("+times(theirs.Over(ours))+")", number(s.ParseAllocs[peer].Count),
				spread(ours.Spread(), theirs.Spread()))
		}
		t.row(row...)
	}
	t.write(w)
}

func (r *results) reportCheck(w io.Writer) {
	heading(w, "Check a URL", "In ns, medians. polite is Rules.Match of a path; with a URL it is site.Parse and Policy.Decide, "+
		"with the deciding rule in the answer. The peers are given the path, cut out beforehand. In brackets how many times as long as polite, URL.")
	head := []string{"fixture", "polite", byURL, "allocations"}
	for _, peer := range r.peers {
		head = append(head, peer, "spread")
	}
	t := table{head}
	for _, s := range r.speeds {
		path, url := s.Check[byPath], s.Check[byURL]
		row := []string{s.Fixture.Name, number(path.Median()), number(url.Median()), number(s.CheckAllocs[byURL].Count)}
		for _, peer := range r.peers {
			theirs := s.Check[peer]
			row = append(row, number(theirs.Median())+" ("+times(theirs.Over(url))+")", spread(url.Spread(), theirs.Spread()))
		}
		t.row(row...)
	}
	t.write(w)
}

func (r *results) reportBoth(w io.Writer) {
	heading(w, "Parse a file and check one URL", "In ns, medians: a Policy compiled from a snapshot, a URL parsed, Policy.Decide; "+
		"of the peers the same for a path. In brackets how many times as long as polite.")
	t := table{append([]string{"fixture", "polite"}, r.peers...)}
	for _, s := range r.speeds {
		ours := s.Both[byURL]
		row := []string{s.Fixture.Name, number(ours.Median())}
		for _, peer := range r.peers {
			row = append(row, number(s.Both[peer].Median())+" ("+times(s.Both[peer].Over(ours))+")")
		}
		t.row(row...)
	}
	t.write(w)
}

func spread(ours, theirs float64) string {
	return fmt.Sprintf("±%.0f %%, ±%.0f %%", 50*ours, 50*theirs)
}

func (r *results) reportHostile(w io.Writer) {
	heading(w, "Hostile files", fmt.Sprintf("Files of %d KiB and a URL of 2,000 bytes, in bare loops over bytes.IndexByte('\\n') on the large fixture "+
		"(one is %s ns): to compile and check once; what 63 more checks cost; and the worst factor of a doubling from %d to %d KiB.",
		fixture.MaxHostile>>10, number(r.hostile.Bare.Median()), fixture.MaxHostile>>13, fixture.MaxHostile>>10))
	t := table{{"kind", "compile and check", "ns", "63 more", "doubling", "allocations a check", words + "what it is"}}
	for _, h := range r.hostile.Kinds {
		t.row(h.Kind.Name, times(h.Cost), number(h.Took.Median()), times(h.More), times(h.Double), number(h.Allocs.Count), h.Kind.About)
	}
	t.write(w)
}

func (r *results) reportMemory(w io.Writer) {
	heading(w, "Memory", "Bytes retained of a file, asked everything once so that an index counts. Allowed are 512 B, 32 B a rule and the rules' lines. "+
		"Of the peers only what answers is kept, without sitemaps.")
	head := []string{"fixture", "rules for us", "polite", "allowed", "part", "Size says", "sitemaps", "bodies kept"}
	t := table{append(head, r.peers...)}
	for i := range r.memories {
		m := &r.memories[i]
		row := []string{m.Fixture.Name, number(float64(m.Rules)), number(m.Retained[byURL]), number(m.Allowed),
			fmt.Sprintf("%.2f", m.part()), number(m.Says), number(m.Sitemaps), number(float64(len(m.Held)))}
		for _, peer := range r.peers {
			row = append(row, number(m.Retained[peer])+" ("+times(m.Retained[peer]/m.Retained[byURL])+")")
		}
		t.row(row...)
	}
	t.write(w)
}

func (r *results) reportScaling(w io.Writer) {
	heading(w, "Cores", "Decisions from full URLs on one Policy of the common fixture, by the clock on the wall: only a quiet machine shows the curve. "+
		"Processor time of a decision that grows with the cores would mean that they wait for each other.")
	t := table{{"cores", "decisions a second", "of one core's", "processor time"}}
	for _, s := range r.scaling {
		t.row(number(float64(s.Cores)), number(s.Rate.Median()), times(s.Rate.Over(r.scaling[0].Rate)), number(s.Cost.Median())+" ns")
	}
	t.write(w)
}

func (r *results) reportAgreement(w io.Writer) {
	heading(w, "Do they agree?", "Answers that differ, so that nobody compares speed at wrong ones. "+
		"The last column counts questions that Rules.Match and Policy.Decide answer differently: it has to be 0. "+
		"Why they differ: temoto cuts a pattern at white space, weighs a wildcard pattern by the length of its regular expression, "+
		"lets the first of equal rules win, and anchors no wildcard pattern at the start. `go run . -parts agreement -differences` lists them.")
	t := table{{"fixture", words + "peer", "questions", "we allow", "only we", "only they", "files refused", "we and we"}}
	for _, a := range r.agreements {
		t.row(a.Fixture.Name, a.Peer, number(float64(a.Questions)), number(float64(a.Allowed)), number(float64(a.OnlyWe)),
			number(float64(a.OnlyThey)), number(float64(a.Refused)), number(float64(a.Itself)))
	}
	t.write(w)
}
