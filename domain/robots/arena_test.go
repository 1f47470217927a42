package robots

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Stretches hold what was put into them, new items are zero, and what is appended to
// a stretch is in no other, whatever was expected and however chunks are filled.
func TestArena(t *testing.T) {
	type item [100]int // of which a chunk has 30
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var a arena[item]
		if seed%3 > 0 {
			a.expect(r.IntN(400))
		}
		var taken, want [][]item
		var open []item
		fill := func(items []item) {
			for i := range items {
				if items[i] != (item{}) {
					t.Fatalf("seed %d: a new item holds %v", seed, items[i][0])
				}
				items[i][0] = r.IntN(1000)
				open = append(open, items[i])
			}
		}
		for range r.IntN(300) {
			switch r.IntN(4) {
			case 0:
				taken, want, open = append(taken, a.take()), append(want, open), nil
			case 1:
				fill(a.more(r.IntN(1 + r.IntN(60))))
			default:
				one := a.add()
				fill([]item{*one})
				*one = open[len(open)-1]
			}
			if a.length() != len(open) {
				t.Fatalf("seed %d: the open stretch has %d items, not %d", seed, a.length(), len(open))
			}
		}
		for i := range taken {
			_ = append(taken[i], item{-1})
			if (taken[i] == nil) != (want[i] == nil) {
				t.Fatalf("seed %d: an empty stretch is not nil", seed)
			}
		}
		for i := range taken {
			if !slices.Equal(taken[i], want[i]) {
				t.Fatalf("seed %d: stretch %d is not what was put into it", seed, i)
			}
		}
	}
}
