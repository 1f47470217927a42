package main

import (
	"bytes"

	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/bench/race"
)

// Hostility is what one kind of hostile file costs.
type Hostility struct {
	Kind   fixture.Hostile
	Cost   float64 // to compile 512 KiB and check one URL, in bare loops
	More   float64 // to check 63 more URLs, in bare loops
	Double float64 // the worst factor that a doubling of the file costs
	Took   race.Times
	Allocs Allocs // of a check
}

// Hostilities are the kinds, and the bare loop beside them.
type Hostilities struct {
	Bare  race.Times
	Kinds []Hostility
}

// hostile measures the hostile files: all kinds in one race with a bare loop over
// the lines of the large fixture, and each kind's sizes in a race of their own.
func (b *bench) hostile() Hostilities {
	var h Hostilities
	engine := b.ours.policy()
	const more = 63
	bare := bareLoop(b.large())
	for _, kind := range b.hostiles {
		b.log("  " + kind.Name)
		one := hostileLane(engine, kind, fixture.MaxHostile, 1)
		many := hostileLane(engine, kind, fixture.MaxHostile, 1+more)
		times := race.Run([]race.Lane{bare, one, many}, b.options)
		h.Bare = append(h.Bare, times[0]...)
		h.Kinds = append(h.Kinds, Hostility{
			Kind: kind, Took: times[1],
			Cost:   times[1].Over(times[0]),
			More:   max(0, times[2].Over(times[0])-times[1].Over(times[0])),
			Double: b.doubling(engine, kind),
			Allocs: allocsOf(checkLane(engine, kind)),
		})
	}
	return h
}

// doubling returns the worst factor that a doubling from 64 to 512 KiB costs.
func (b *bench) doubling(engine Engine, kind fixture.Hostile) (worst float64) {
	var lanes []race.Lane
	for size := fixture.MaxHostile / 8; size <= fixture.MaxHostile; size *= 2 {
		lanes = append(lanes, hostileLane(engine, kind, size, 1))
	}
	times := race.Run(lanes, b.options)
	for i := 1; i < len(times); i++ {
		worst = max(worst, times[i].Over(times[i-1]))
	}
	return worst
}

// hostileLane is a lane whose operation is to parse a file and ask it so often.
func hostileLane(engine Engine, kind fixture.Hostile, size, questions int) race.Lane {
	body := kind.Make(size)
	urls := make([]string, questions)
	for i := range urls {
		urls[i] = kind.URL
	}
	return race.Lane{Ops: 1, Run: func(int, int) { engine.Check(engine.Parse(body), urls) }}
}

func checkLane(engine Engine, kind fixture.Hostile) race.Lane {
	parsed, urls := engine.Parse(kind.Make(fixture.MaxHostile)), []string{kind.URL}
	return race.Lane{Ops: 1, Run: func(int, int) { engine.Check(parsed, urls) }}
}

// bareLoop is the least that reading a file's lines can cost.
func bareLoop(body []byte) race.Lane {
	lines := 0
	return race.Lane{Name: "bare loop", Ops: 1, Run: func(int, int) {
		for rest := body; ; lines++ {
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				return
			}
			rest = rest[end+1:]
		}
	}}
}
