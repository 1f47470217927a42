package report

import (
	"fmt"
	"io"
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

// Missed reports whether the bar was measured and is not met.
func (b Bar) Missed() bool {
	part := b.part()
	return !math.IsNaN(b.Figure) && part < 1 && (part < tolerance || b.Exact)
}

// Verdict says whether the bar is met.
func (b Bar) Verdict() string {
	switch part := b.part(); {
	case math.IsNaN(b.Figure):
		return "not measured"
	case b.Missed():
		return fmt.Sprintf("MISSED: %.2g of it", part)
	case part < 1:
		return "met within 0.85"
	}
	return "met"
}

// WriteBars writes a table of bars and verdicts.
func WriteBars(w io.Writer, bars []Bar) {
	t := Table{{"what", "figure", "bar", Words + "verdict", Words + "note"}}
	for _, b := range bars {
		goal := "at least "
		if b.Most {
			goal = "at most "
		}
		t.Row(b.Name, Quantity(b.Figure, b.Unit), goal+Quantity(b.Goal, b.Unit), b.Verdict(), b.Note)
	}
	t.Write(w)
}
