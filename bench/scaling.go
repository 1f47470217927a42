package main

import (
	"runtime"
	"sync"
	"time"

	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/bench/race"
)

// Scaling is how many decisions cores make together on one Policy.
type Scaling struct {
	Cores int
	Rate  race.Times // decisions a second, by the clock on the wall
	Cost  race.Times // processor time of a decision: more with more cores means that they wait for each other
}

// scaling asks one Policy from as many goroutines as there are cores, then from
// fewer, in turns. Unlike the races it needs a quiet machine.
func (b *bench) scaling(f *fixture.Fixture) []Scaling {
	engine := b.ours.policy()
	parsed, urls := engine.Parse(f.Files[0].Body), f.Files[0].URLs
	engine.Check(parsed, urls)
	start := time.Now()
	engine.Check(parsed, urls)
	passes := max(1, int(b.options.Slice/max(1, time.Since(start))))

	curve := make([]Scaling, 0, 8)
	for cores := 1; cores < runtime.NumCPU(); cores *= 2 {
		curve = append(curve, Scaling{Cores: cores})
	}
	curve = append(curve, Scaling{Cores: runtime.NumCPU()})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for range max(b.options.Rounds, 3) {
		for i := range curve {
			s := &curve[i]
			runtime.GOMAXPROCS(s.Cores)
			runtime.GC()
			wall, cpu := together(s.Cores, func() {
				for range passes {
					engine.Check(parsed, urls)
				}
			})
			decisions := float64(s.Cores * passes * len(urls))
			s.Rate = append(s.Rate, decisions/wall.Seconds())
			s.Cost = append(s.Cost, float64(cpu)/decisions)
		}
	}
	return curve
}

// together does the same in n goroutines and returns what it took.
func together(n int, work func()) (wall, cpu time.Duration) {
	var group sync.WaitGroup
	cpu = race.CPU()
	start := time.Now()
	for range n {
		group.Go(work)
	}
	group.Wait()
	return time.Since(start), race.CPU() - cpu
}
