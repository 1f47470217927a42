package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/bench/race"
	"github.com/polite-crawler/polite/bench/report"
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

func (r *results) reportBars(w io.Writer) {
	report.Heading(w, "Bars", "A bar of times counts as met at 0.85 of it, as machines are noisy; allocations and bytes are exact.")
	report.WriteBars(w, r.bars())
}

func (r *results) reportParse(w io.Writer) {
	report.Heading(w, "Parse a file", "In ns, medians; in brackets how many times as long as polite, which compiles the file for one crawler, "+
		"straight from bytes, with line numbers, Crawl-delay and Sitemaps. The whole File has every group, record and warning.")
	head := []string{"fixture", "bytes", "rules for us", "polite", "allocations", "B", "whole File", "allocations"}
	for _, peer := range r.peers {
		head = append(head, peer, "allocations", "spread")
	}
	t := report.Table{head}
	for _, s := range r.speeds {
		ours, file := s.Parse[byPath], s.Parse[wholeFile]
		row := []string{
			s.Fixture.Name, report.Number(float64(s.Fixture.Bytes())), report.Number(float64(s.Rules)),
			report.Number(ours.Median()), report.Number(s.ParseAllocs[byPath].Count), report.Number(s.ParseAllocs[byPath].Bytes),
			report.Number(file.Median()) + " (" + report.Times(file.Over(ours)) + ")", report.Number(s.ParseAllocs[wholeFile].Count),
		}
		for _, peer := range r.peers {
			theirs := s.Parse[peer]
			row = append(row, report.Number(theirs.Median())+" ("+report.Times(theirs.Over(ours))+")", report.Number(s.ParseAllocs[peer].Count),
				spread(ours.Spread(), theirs.Spread()))
		}
		t.Row(row...)
	}
	t.Write(w)
}

func (r *results) reportCheck(w io.Writer) {
	report.Heading(w, "Check a URL", "In ns, medians. polite is Rules.Match of a path; with a URL it is site.Parse and Policy.Decide, "+
		"with the deciding rule in the answer. The peers are given the path, cut out beforehand. In brackets how many times as long as polite, URL.")
	head := []string{"fixture", "polite", byURL, "allocations"}
	for _, peer := range r.peers {
		head = append(head, peer, "spread")
	}
	t := report.Table{head}
	for _, s := range r.speeds {
		path, url := s.Check[byPath], s.Check[byURL]
		row := []string{s.Fixture.Name, report.Number(path.Median()), report.Number(url.Median()), report.Number(s.CheckAllocs[byURL].Count)}
		for _, peer := range r.peers {
			theirs := s.Check[peer]
			row = append(row, report.Number(theirs.Median())+" ("+report.Times(theirs.Over(url))+")", spread(url.Spread(), theirs.Spread()))
		}
		t.Row(row...)
	}
	t.Write(w)
}

func (r *results) reportBoth(w io.Writer) {
	report.Heading(w, "Parse a file and check one URL", "In ns, medians: a Policy compiled from a snapshot, a URL parsed, Policy.Decide; "+
		"of the peers the same for a path. In brackets how many times as long as polite.")
	t := report.Table{append([]string{"fixture", "polite"}, r.peers...)}
	for _, s := range r.speeds {
		ours := s.Both[byURL]
		row := []string{s.Fixture.Name, report.Number(ours.Median())}
		for _, peer := range r.peers {
			row = append(row, report.Number(s.Both[peer].Median())+" ("+report.Times(s.Both[peer].Over(ours))+")")
		}
		t.Row(row...)
	}
	t.Write(w)
}

func spread(ours, theirs float64) string {
	return fmt.Sprintf("±%.0f %%, ±%.0f %%", 50*ours, 50*theirs)
}

func (r *results) reportHostile(w io.Writer) {
	report.Heading(w, "Hostile files", fmt.Sprintf("Files of %d KiB and a URL of 2,000 bytes, in bare loops over bytes.IndexByte('\\n') on the large fixture "+
		"(one is %s ns): to compile and check once; what 63 more checks cost; and the worst factor of a doubling from %d to %d KiB.",
		fixture.MaxHostile>>10, report.Number(r.hostile.Bare.Median()), fixture.MaxHostile>>13, fixture.MaxHostile>>10))
	t := report.Table{{"kind", "compile and check", "ns", "63 more", "doubling", "allocations a check", report.Words + "what it is"}}
	for _, h := range r.hostile.Kinds {
		t.Row(h.Kind.Name, report.Times(h.Cost), report.Number(h.Took.Median()), report.Times(h.More), report.Times(h.Double), report.Number(h.Allocs.Count), h.Kind.About)
	}
	t.Write(w)
}

func (r *results) reportMemory(w io.Writer) {
	report.Heading(w, "Memory", "Bytes retained of a file, asked everything once so that an index counts. Allowed are 512 B, 32 B a rule and the rules' lines. "+
		"Of the peers only what answers is kept, without sitemaps.")
	head := []string{"fixture", "rules for us", "polite", "allowed", "part", "Size says", "sitemaps", "bodies kept"}
	t := report.Table{append(head, r.peers...)}
	for i := range r.memories {
		m := &r.memories[i]
		row := []string{m.Fixture.Name, report.Number(float64(m.Rules)), report.Number(m.Retained[byURL]), report.Number(m.Allowed),
			fmt.Sprintf("%.2f", m.part()), report.Number(m.Says), report.Number(m.Sitemaps), report.Number(float64(len(m.Held)))}
		for _, peer := range r.peers {
			row = append(row, report.Number(m.Retained[peer])+" ("+report.Times(m.Retained[peer]/m.Retained[byURL])+")")
		}
		t.Row(row...)
	}
	t.Write(w)
}

func (r *results) reportScaling(w io.Writer) {
	report.Heading(w, "Cores", "Decisions from full URLs on one Policy of the common fixture, by the clock on the wall: only a quiet machine shows the curve. "+
		"Processor time of a decision that grows with the cores would mean that they wait for each other.")
	t := report.Table{{"cores", "decisions a second", "of one core's", "processor time"}}
	for _, s := range r.scaling {
		t.Row(report.Number(float64(s.Cores)), report.Number(s.Rate.Median()), report.Times(s.Rate.Over(r.scaling[0].Rate)), report.Number(s.Cost.Median())+" ns")
	}
	t.Write(w)
}

func (r *results) reportAgreement(w io.Writer) {
	report.Heading(w, "Do they agree?", "Answers that differ, so that nobody compares speed at wrong ones. "+
		"The last column counts questions that Rules.Match and Policy.Decide answer differently: it has to be 0. "+
		"Why they differ: temoto cuts a pattern at white space, weighs a wildcard pattern by the length of its regular expression, "+
		"lets the first of equal rules win, and anchors no wildcard pattern at the start. `go run . -parts agreement -differences` lists them.")
	t := report.Table{{"fixture", report.Words + "peer", "questions", "we allow", "only we", "only they", "files refused", "we and we"}}
	for _, a := range r.agreements {
		t.Row(a.Fixture.Name, a.Peer, report.Number(float64(a.Questions)), report.Number(float64(a.Allowed)), report.Number(float64(a.OnlyWe)),
			report.Number(float64(a.OnlyThey)), report.Number(float64(a.Refused)), report.Number(float64(a.Itself)))
	}
	t.Write(w)
}
