package race

import (
	"math"
	"testing"
	"time"
)

// scripted is a clock that only the lanes move, and what they did.
type scripted struct {
	now     time.Duration
	turns   []string
	longest time.Duration // turn
	began   time.Duration
	current string
}

func (s *scripted) options(o Options) Options {
	o.Clock = func() time.Duration { return s.now }
	o.Before = func() {
		s.now += time.Hour // on nobody's time
		s.began, s.current = s.now, ""
	}
	return o
}

// lane makes a lane whose operations take what cost says.
func (s *scripted) lane(t *testing.T, name string, ops int, cost func(op int) time.Duration) Lane {
	next := 0
	return Lane{Name: name, Ops: ops, Run: func(from, to int) {
		if from != next%ops || to <= from || to > ops {
			t.Fatalf("lane %s: Run(%d, %d) of %d operations after %d", name, from, to, ops, next)
		}
		if s.current != name {
			s.current = name
			s.turns = append(s.turns, name)
		}
		for op := from; op < to; op++ {
			s.now += cost(op)
		}
		next = to
		s.longest = max(s.longest, s.now-s.began)
	}}
}

func always(cost time.Duration) func(int) time.Duration {
	return func(int) time.Duration { return cost }
}

func TestRunMeasuresWholePasses(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name string
		ops  int
		cost func(int) time.Duration
		want float64 // ns, exactly: a part of a pass would show, as operations differ
	}{
		{"fast", 1000, func(op int) time.Duration { return time.Duration(op%7) * time.Microsecond }, 2997},
		{"fits a turn", 100, func(op int) time.Duration { return time.Duration(op) * 6 * time.Microsecond }, 49.5 * 6000},
		{"needs two turns", 60, func(op int) time.Duration { return time.Duration(op%2) * 2 * ms }, 1e6},
		{"needs many turns", 1000, func(op int) time.Duration { return time.Duration(op%3) * ms }, 999e6 / 1000},
		{"one operation is longer than a turn", 3, func(op int) time.Duration { return time.Duration(op) * 100 * ms }, 100e6},
		{"one operation", 1, always(5 * time.Microsecond), 5000},
	}
	s := &scripted{}
	var lanes []Lane
	for _, tt := range tests {
		lanes = append(lanes, s.lane(t, tt.name, tt.ops, tt.cost))
	}
	times := Run(lanes, s.options(Options{Rounds: 4}))
	for i, tt := range tests {
		if len(times[i]) != 4 {
			t.Errorf("%s: %d figures, want 4", tt.name, len(times[i]))
		}
		for _, got := range times[i] {
			if math.Abs(got-tt.want) > 1e-9*tt.want {
				t.Errorf("%s: %v ns an operation, want %v", tt.name, got, tt.want)
			}
		}
	}
}

func TestRunTakesTurns(t *testing.T) {
	s := &scripted{}
	lanes := []Lane{
		s.lane(t, "fast", 10, always(time.Microsecond)),
		s.lane(t, "slow", 1000, always(time.Millisecond)),
	}
	Run(lanes, s.options(Options{Rounds: 3, Slice: 20 * time.Millisecond}))
	alone := 0
	for i := 3; i < len(s.turns); i++ { // the first two are the warm-up
		if s.turns[i] == s.turns[i-1] {
			alone++
		}
	}
	if len(s.turns) < 3*2*50 {
		t.Errorf("%d turns: the slow lane needs 50 a round, and the fast one is to go along", len(s.turns))
	}
	if alone > 2*3 {
		t.Errorf("%d turns followed one of the same lane", alone)
	}
}

func TestTurnsAreBounded(t *testing.T) {
	s := &scripted{}
	r := &runner{Lane: s.lane(t, "slow", 1000, always(time.Millisecond)), Options: s.options(Options{}).orDefault()}
	r.warmUp()
	r.restart()
	s.longest = 0
	for range 40 {
		r.turn(false)
	}
	if s.longest < 50*time.Millisecond || s.longest > 51*time.Millisecond {
		t.Errorf("the longest turn took %v, want 50 ms and no more than an operation above", s.longest)
	}
}

func TestEverybodyIsFirstSometimes(t *testing.T) {
	s := &scripted{}
	var lanes []Lane
	for _, name := range []string{"a", "b", "c"} {
		lanes = append(lanes, s.lane(t, name, 1, always(time.Second)))
	}
	Run(lanes, s.options(Options{Rounds: 3}))
	first := map[string]bool{}
	for round := 1; round < 4; round++ { // after the warm-up
		first[s.turns[3*round]] = true
	}
	if len(first) != 3 {
		t.Errorf("turns %v: first were only %v", s.turns, first)
	}
}

func TestCPUAdvances(t *testing.T) {
	start := CPU()
	for sum := 0; CPU() == start; sum++ { // for ever, if it stands still
	}
}
