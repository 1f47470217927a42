package race

import (
	"math"
	"slices"
)

// Times are what an operation took in each round, in nanoseconds.
type Times []float64

// Median returns the middle one, or the mean of the two in the middle; NaN of
// none.
func (t Times) Median() float64 {
	if len(t) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(t))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// Spread returns how far the middle half of the times is apart, as a part of the
// median: how quiet the machine was.
func (t Times) Spread() float64 {
	if len(t) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(t))
	return (sorted[len(sorted)*3/4] - sorted[len(sorted)/4]) / t.Median()
}

// Over returns how many times as long t took as other: the median of the rounds'
// ratios, as a round's figures were taken at the same time.
func (t Times) Over(other Times) float64 {
	ratios := make(Times, min(len(t), len(other)))
	for i := range ratios {
		ratios[i] = t[i] / other[i]
	}
	return ratios.Median()
}
