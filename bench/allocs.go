package main

import (
	"math"
	"runtime"

	"github.com/polite-crawler/polite/bench/race"
)

// Allocs is what an operation takes from the heap.
type Allocs struct{ Count, Bytes float64 }

// allocsOf returns what an operation of a lane allocates once what is built once
// has been built: the least of some passes, as the runtime itself allocates now
// and then.
func allocsOf(lane race.Lane) Allocs {
	lane.Run(0, lane.Ops)
	least := Allocs{math.Inf(1), math.Inf(1)}
	for range 3 {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lane.Run(0, lane.Ops)
		runtime.ReadMemStats(&after)
		n := float64(lane.Ops)
		least.Count = min(least.Count, float64(after.Mallocs-before.Mallocs)/n)
		least.Bytes = min(least.Bytes, float64(after.TotalAlloc-before.TotalAlloc)/n)
	}
	return least
}
