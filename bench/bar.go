package main

import (
	"fmt"
	"math"
)

// A Bar is what is to be reached.
type Bar struct {
	Name   string
	Figure float64 // NaN: not measured
	Goal   float64
	Most   bool // the figure may be at most the goal, else it is to be at least that
	Exact  bool // not a time: noise is no excuse
	Unit   string
	Note   string
}

// tolerance is at what part of it a bar of times counts as met, as machines are
// noisy.
const tolerance = 0.85

// part returns which part of the bar is reached; 1 and more is met.
func (b Bar) part() float64 {
	switch {
	case b.Most && b.Figure <= b.Goal || !b.Most && b.Figure >= b.Goal: // zero of zero, too
		return max(1, b.ratio())
	default:
		return b.ratio()
	}
}

func (b Bar) ratio() float64 {
	ratio := b.Figure / b.Goal
	if b.Most {
		ratio = b.Goal / b.Figure
	}
	if math.IsNaN(ratio) {
		return 0
	}
	return ratio
}

// verdict says whether the bar is met.
func (b Bar) verdict() string {
	switch part := b.part(); {
	case math.IsNaN(b.Figure):
		return "not measured"
	case part >= 1:
		return "met"
	case part >= tolerance && !b.Exact:
		return "met within 0.85"
	default:
		return fmt.Sprintf("MISSED: %.2g of it", part)
	}
}

// bars are the project's, from the issue about the engine's speed.
func (r *results) bars() []Bar {
	peer := r.peers[0]
	least := func(name string, figure, goal float64) Bar {
		return Bar{Name: name, Figure: figure, Goal: goal, Unit: "×"}
	}
	most := func(name string, figure, goal float64, unit, note string) Bar {
		return Bar{Name: name, Figure: figure, Goal: goal, Most: true, Exact: unit != "×", Unit: unit, Note: note}
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

	return []Bar{
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
