// Package race times programs beside each other on a machine that is never quiet.
//
// The contestants take turns in slices of a few milliseconds, so that whatever
// slows the machine slows all of them, and a round counts whole passes of each:
// ratios within a round can be trusted where times cannot. Use it to compare
// things that may differ a thousandfold.
package race

import (
	"runtime"
	"time"
)

// A Lane is one contestant's work: so many operations make a pass, and Run does
// those from one number to before another. What they do may differ, so that only
// whole passes are compared.
type Lane struct {
	Name string
	Ops  int
	Run  func(from, to int)
}

// Options say how a race is run. The zero value of each field is its default.
type Options struct {
	Rounds int           // how many figures each lane gets; 9
	Slice  time.Duration // no turn is longer, but for one operation that is; 50 ms
	Least  time.Duration // a turn ends with the first pass after it; half of Slice
	// Clock is what is measured; CPU.
	Clock func() time.Duration
	// Before is done before each turn, on nobody's time; a garbage collection, so
	// that nobody pays for another's garbage.
	Before func()
}

func (o Options) orDefault() Options {
	if o.Rounds <= 0 {
		o.Rounds = 9
	}
	if o.Slice <= 0 {
		o.Slice = 50 * time.Millisecond
	}
	if o.Least <= 0 {
		o.Least = o.Slice / 2
	}
	if o.Clock == nil {
		o.Clock = CPU
	}
	if o.Before == nil {
		o.Before = runtime.GC
	}
	return o
}

// Run races the lanes and returns what each took, in their order.
func Run(lanes []Lane, options Options) []Times {
	o := options.orDefault()
	runners := make([]*runner, len(lanes))
	times := make([]Times, len(lanes))
	for i, lane := range lanes {
		runners[i] = &runner{Lane: lane, Options: o}
		runners[i].warmUp()
	}
	for round := range o.Rounds {
		for _, r := range runners {
			r.restart()
		}
		for !over(runners) {
			everybodyPassed := passed(runners)
			for i := range runners {
				r := runners[(round+i)%len(runners)] // nobody is always first
				if r.at > 0 || !everybodyPassed {
					r.turn(everybodyPassed)
				}
			}
		}
		for i, r := range runners {
			times[i] = append(times[i], float64(r.spent)/float64(r.passes*r.Ops))
		}
	}
	return times
}

// passed reports whether every runner has made a whole pass: until then even the
// fast ones go on taking turns, to be measured at the same time as the slow.
func passed(runners []*runner) bool {
	for _, r := range runners {
		if r.passes == 0 {
			return false
		}
	}
	return true
}

// over reports whether a round is: there is at least a pass of everybody, and
// nobody is within one.
func over(runners []*runner) bool {
	for _, r := range runners {
		if r.at > 0 {
			return false
		}
	}
	return passed(runners)
}
