package race

import (
	"math"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		times Times
		want  float64
	}{
		{Times{3}, 3},
		{Times{5, 1, 3}, 3},
		{Times{4, 1, 3, 100}, 3.5},
	} {
		if got := tt.times.Median(); got != tt.want {
			t.Errorf("%v.Median() = %v, want %v", tt.times, got, tt.want)
		}
	}
	if got := (Times{}).Median(); !math.IsNaN(got) {
		t.Errorf("median of none = %v", got)
	}
}

func TestMedianLeavesTheOrder(t *testing.T) {
	times := Times{3, 1, 2}
	times.Median()
	if times[0] != 3 || times[1] != 1 || times[2] != 2 {
		t.Errorf("times are %v after Median: Over compares round by round", times)
	}
}

func TestOverComparesRoundByRound(t *testing.T) {
	// The machine was twice as slow in the second round and thrice in the third:
	// the ratio of the medians would be 400/150.
	slow, fast := Times{200, 400, 600}, Times{100, 200, 150}
	if got := slow.Over(fast); got != 2 {
		t.Errorf("Over = %v, want 2", got)
	}
	if got := slow.Over(nil); !math.IsNaN(got) {
		t.Errorf("over nothing = %v", got)
	}
}

func TestSpread(t *testing.T) {
	if got := (Times{90, 100, 100, 110, 500}).Spread(); got != 0.1 {
		t.Errorf("Spread = %v, want 0.1", got)
	}
}
