package main

import (
	"math"

	"github.com/polite-crawler/polite/bench/report"
)

// bars are the project's, from the issue about the engine's speed.
func (r *results) bars() []report.Bar {
	peer := r.peers[0]
	least := func(name string, figure, goal float64) report.Bar {
		return report.Bar{Name: name, Figure: figure, Goal: goal, Unit: "×"}
	}
	most := func(name string, figure, goal float64, unit, note string) report.Bar {
		return report.Bar{Name: name, Figure: figure, Goal: goal, Most: true, Exact: unit != "×", Unit: unit, Note: note}
	}
	decide := func(fixture string) float64 { return r.over(fixture, checks, peer, byURL) }
	compile := func(fixture string) float64 { return r.over(fixture, parses, peer, byPath) }

	allocs, inFixture := r.worst(func(s *Speed) float64 { return allocCount(s.CheckAllocs, byURL) })
	if hostile, in := r.worstKind(func(h *Hostility) float64 { return h.Allocs.Count }); !(hostile <= allocs) {
		allocs, inFixture = hostile, in
	}
	if allocs == 0 {
		inFixture = ""
	}
	file, slowFile := r.worst(func(s *Speed) float64 { return s.Parse[wholeFile].Over(s.Parse[byPath]) })
	memory, largest := r.worstMemory()
	cost, costliest := r.worstKind(func(h *Hostility) float64 { return h.Cost })
	double, steepest := r.worstKind(func(h *Hostility) float64 { return h.Double })
	bodies, whose := r.heldBodies()
	whole := least("Whole File beside Compile, speed", 1/file, 1.0/3)
	whole.Note = noted("slowest: ", slowFile)

	return []report.Bar{
		most("Decide a URL: allocations", allocs, 0, "allocations", noted("most: ", inFixture)),
		least("Decide a URL beside "+peer+": common", decide("common"), 80),
		least("Decide a URL beside "+peer+": rules", decide("rules"), 200),
		least("Decide a URL beside "+peer+": wildcards", decide("wildcards"), 1000),
		least("Decide a URL beside "+peer+": real files", decide("corpus"), 25),
		least("Rules.Match a path beside "+peer+": tiny", r.over("tiny", checks, peer, byPath), 0.8),
		least("Compile beside "+peer+": common", compile("common"), 50),
		least("Compile beside "+peer+": real files", compile("corpus"), 32),
		least("Compile beside "+peer+": large", compile("large"), 100),
		least("Compile beside "+peer+": groups", compile("groups"), 45),
		most("Compile: allocations, common", r.figure("common", func(s *Speed) float64 { return allocCount(s.ParseAllocs, byPath) }),
			4, "allocations", ""),
		whole,
		most("Memory: retained, of what is allowed", memory, 1, "of it", noted("most: ", largest)),
		most("Memory: retained, of what is allowed: real files", r.memoryPart("corpus"), 1, "of it", "mean"),
		most("Memory: bodies kept alive", bodies, 0, "files", noted("one: ", whose)),
		most("Hostile: compile and check, in bare loops", cost, 130, "×", noted("worst: ", costliest)),
		most("Hostile: a doubling", double, 2.5, "×", noted("worst: ", steepest)),
	}
}

// noted is a note about something, if there is anything.
func noted(what, name string) string {
	if name == "" {
		return ""
	}
	return what + name
}

func allocCount(allocs map[string]Allocs, engine string) float64 {
	if a, ok := allocs[engine]; ok {
		return a.Count
	}
	return math.NaN()
}
