package porttest

import (
	"slices"
	"testing"
)

func TestTryTellsPassingFromFailing(t *testing.T) {
	var ended []string
	check := func(run func(T)) Check[string] {
		return Check[string]{Name: "check", Run: func(t T, open string) {
			t.Cleanup(func() {
				ended = append(ended, "first")
				if t.Context().Err() == nil {
					ended = append(ended, "before its context was done")
				}
			})
			t.Cleanup(func() { ended = append(ended, "second") })
			run(t)
		}}
	}
	for _, row := range []struct {
		name   string
		check  Check[string]
		faults []string
	}{
		{"a check that finds nothing", check(func(T) {}), nil},
		{"a check that finds two faults", check(func(t T) { t.Errorf("a %d", 1); t.Errorf("b") }), []string{"a 1", "b"}},
		{"a check that cannot go on", check(func(t T) { t.Fatalf("c"); t.Errorf("never said") }), []string{"c"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			ended = nil
			if faults := Try(t.Context(), row.check, ""); !slices.Equal(faults, row.faults) {
				t.Errorf("Try found %q, want %q", faults, row.faults)
			}
			if want := []string{"second", "first"}; !slices.Equal(ended, want) {
				t.Errorf("cleanups ran as %q, want %q", ended, want)
			}
		})
	}
}
