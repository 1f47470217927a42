package integration_test

import (
	"testing"
	"time"
)

const (
	// patience is how long anything may take that has no time of its own to
	// keep: long enough for a machine that is doing other things as well.
	patience = 30 * time.Second
	// bounded is what "bounded latency" has to mean on such a machine. A client
	// without limits of its own would wait for minutes, or for ever.
	bounded = 10 * time.Second
)

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-limit.C:
			t.Fatalf("after %v it still does not hold that %s", patience, what)
		}
	}
}

// receive takes what must come.
func receive[T any](t *testing.T, what string, from <-chan T) (value T) {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case value = <-from:
	case <-limit.C:
		t.Fatalf("after %v there is still no %s", patience, what)
	}
	return value
}
