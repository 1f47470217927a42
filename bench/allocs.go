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
	// A pass takes enough operations that what the runtime allocates after each
	// collection, for a sync.Pool and the like, does not count.
	times := max(1, 100/lane.Ops)
	pass := func() {
		for range times {
			lane.Run(0, lane.Ops)
		}
	}
	pass()
	least := Allocs{math.Inf(1), math.Inf(1)}
	for range 3 {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		pass()
		runtime.ReadMemStats(&after)
		n := float64(lane.Ops * times)
		least.Count = min(least.Count, float64(after.Mallocs-before.Mallocs)/n)
		least.Bytes = min(least.Bytes, float64(after.TotalAlloc-before.TotalAlloc)/n)
	}
	return least
}
