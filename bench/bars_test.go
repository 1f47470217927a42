package main

import "testing"

func TestBarsOfNothingAreNotMeasured(t *testing.T) {
	r := &results{peers: []string{"peer"}}
	for _, b := range r.bars() {
		if got := b.Verdict(); got != "not measured" {
			t.Errorf("%s: %s", b.Name, got)
		}
	}
}
