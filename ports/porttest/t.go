// Package porttest proves adapters: for each port of package ports a suite of
// checks that every implementation must pass, and broken doubles that the
// checks must catch.
//
// It follows the comments of package ports and SEMANTICS C and F. Whoever writes an
// adapter calls Fetcher, Store, Cache, Leaser or Watcher from a test of its own;
// nothing but tests imports this package.
package porttest

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
)

// T is what a check needs of *testing.T. That checks can also be run against a
// record instead of a test is what lets "the suite catches this double" be a
// test of its own.
type T interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any) // only from the goroutine that runs the check
	Failed() bool
	Cleanup(func())
	Context() context.Context // done when the check ends, before cleanups run
}

var _ T = (*testing.T)(nil)

// A Check is one promise of a port, tried on what Open makes: most often a
// constructor, so that every check starts from nothing.
type Check[Open any] struct {
	Name string // the promise in a few words
	Rule string // where it stands: "ports.Cache.Put", "SEMANTICS C7"
	Run  func(t T, open Open)
}

// Run runs each check as a subtest.
func Run[Open any](t *testing.T, checks []Check[Open], open Open) {
	t.Helper()
	for _, check := range checks {
		t.Run(check.Name, func(t *testing.T) { check.Run(t, open) })
	}
}

// RunInFakeTime runs each check as a subtest in a bubble of testing/synctest:
// time passes at once, and a goroutine left behind fails the check. It is for
// what does its work in this process, without a socket.
func RunInFakeTime[Open any](t *testing.T, checks []Check[Open], open Open) {
	t.Helper()
	for _, check := range checks {
		t.Run(check.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { check.Run(t, open) })
		})
	}
}

// Try runs one check against a record and returns what it found wrong; empty
// means that the check passed.
func Try[Open any](ctx context.Context, check Check[Open], open Open) (faults []string) {
	ctx, cancel := context.WithCancel(ctx)
	r := &record{ctx: ctx}
	done := make(chan struct{})
	// Fatalf ends the goroutine it is called from, hence one for the check alone.
	go func() {
		defer close(done)
		defer r.cleanUp()
		defer cancel()
		check.Run(r, open)
	}()
	<-done
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.faults
}

// record is a T that writes down instead of failing a test.
type record struct {
	ctx      context.Context
	mu       sync.Mutex
	faults   []string
	cleanups []func()
}

var _ T = (*record)(nil)

func (r *record) Helper()                  {}
func (r *record) Logf(string, ...any)      {}
func (r *record) Context() context.Context { return r.ctx }

func (r *record) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

func (r *record) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *record) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.faults) > 0
}

func (r *record) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

// cleanUp runs the cleanups last to first, as package testing does.
func (r *record) cleanUp() {
	for {
		r.mu.Lock()
		last := len(r.cleanups) - 1
		if last < 0 {
			r.mu.Unlock()
			return
		}
		f := r.cleanups[last]
		r.cleanups = r.cleanups[:last]
		r.mu.Unlock()
		f()
	}
}
