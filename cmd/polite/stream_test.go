package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

// A shelf is an outlet that remembers.
type shelf struct {
	given  []int
	rested int   // how many were given when rest was last called
	full   int   // fail once so many are given; 0: never
	stuck  error // fail when there is nothing to give
}

var errFull = errors.New("the shelf is full")

func (s *shelf) give(answer int) error {
	if s.full > 0 && len(s.given) == s.full {
		return errFull
	}
	s.given = append(s.given, answer)
	return nil
}

func (s *shelf) rest() error {
	s.rested = len(s.given)
	return s.stuck
}

// count sends 0, 1, 2… until n are sent, or until ctx is done.
func count(ctx context.Context, n int) <-chan int {
	questions := make(chan int)
	go func() {
		defer close(questions)
		for i := range n {
			select {
			case questions <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	return questions
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// pause waits in fake time. It makes no timer for no time: a channel timer that
// is over at once can crash the race detector in a synctest bubble (Go 1.26.8).
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func TestInOrder(t *testing.T) {
	const questions = 10_000
	for _, parallel := range []int{1, 2, 32, 1024} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			underWay, most, overtaken, last := 0, 0, 0, 0
			out := &shelf{}
			err := inOrder(t.Context(), count(t.Context(), questions), parallel, func(ctx context.Context, q int) int {
				mu.Lock()
				underWay++
				most = max(most, underWay)
				mu.Unlock()
				pause(ctx, time.Duration(q*7919%97)*time.Millisecond) // later ones end earlier
				mu.Lock()
				defer mu.Unlock()
				underWay--
				if q < last {
					overtaken++
				}
				last = q
				return q
			}, out)
			if err != nil || !slices.Equal(out.given, upTo(questions)) {
				t.Errorf("parallel %d: %d answers, %v; want all, in order", parallel, len(out.given), err)
			}
			if out.rested != questions {
				t.Errorf("parallel %d: %d answers were shown at the end, want all", parallel, out.rested)
			}
			if most != parallel {
				t.Errorf("parallel %d: at most %d were under way", parallel, most)
			}
			if parallel > 1 && overtaken == 0 {
				t.Errorf("parallel %d: no question overtook another: the test shows nothing", parallel)
			}
		})
	}
}

// Without fake time, so that the race detector sees real concurrency.
func TestInOrderLeavesNothing(t *testing.T) {
	defer goleak.VerifyNone(t)
	out := &shelf{}
	err := inOrder(t.Context(), count(t.Context(), 10_000), 8, func(_ context.Context, q int) int { return q }, out)
	if err != nil || !slices.Equal(out.given, upTo(10_000)) {
		t.Errorf("%d answers, %v; want all, in order", len(out.given), err)
	}
}

func TestInOrderGivesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		questions := make(chan int)
		out := &shelf{}
		ended := make(chan error)
		go func() {
			ended <- inOrder(t.Context(), questions, 4, func(_ context.Context, q int) int { return q }, out)
		}()
		for i := range 3 {
			questions <- i
			synctest.Wait() // whoever asks waits for the answer before the next question
			if len(out.given) != i+1 || out.rested != i+1 {
				t.Fatalf("after question %d: %d answers given, %d shown", i, len(out.given), out.rested)
			}
		}
		close(questions)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestInOrderIsBounded(t *testing.T) {
	const parallel = 4
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		free := make(chan struct{})
		var asked atomic.Int64
		out := &shelf{}
		ended := make(chan error)
		go func() {
			ended <- inOrder(ctx, count(ctx, 1<<30), parallel, func(ctx context.Context, q int) int {
				asked.Add(1)
				if q == 0 {
					<-free
				}
				return q
			}, out)
		}()
		synctest.Wait()
		if n := asked.Load(); n <= parallel || n > ahead+parallel+1 {
			t.Errorf("behind one slow question %d were asked, want more than %d and at most %d", n, parallel, ahead+parallel+1)
		}
		if len(out.given) != 0 {
			t.Errorf("%d answers were given before the first", len(out.given))
		}
		cancel()
		close(free)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestInOrderWhenDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		questions := make(chan int) // never closed: who asks may be stuck in a Read
		out := &shelf{}
		ended := make(chan error)
		go func() {
			ended <- inOrder(ctx, questions, 4, func(ctx context.Context, q int) int {
				<-ctx.Done()
				return q
			}, out)
		}()
		for i := range 3 {
			questions <- i
		}
		synctest.Wait()
		if len(out.given) != 0 {
			t.Fatalf("%d answers before any was known", len(out.given))
		}
		cancel()
		if err := <-ended; err != nil || !slices.Equal(out.given, upTo(3)) || out.rested != 3 {
			t.Errorf("given %v, %d shown, %v; want what was under way", out.given, out.rested, err)
		}
	})
}

func TestInOrderBeforeTheStart(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	questions := make(chan int, 1)
	questions <- 0
	out := &shelf{}
	err := inOrder(ctx, questions, 4, func(context.Context, int) int {
		t.Error("a question was asked although the context was done")
		return 0
	}, out)
	if err != nil || len(out.given) != 0 {
		t.Errorf("given %v, %v", out.given, err)
	}
}

func TestInOrderWhenTheOutletFails(t *testing.T) {
	for _, out := range []*shelf{{full: 4}, {stuck: errFull}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			started := make(chan struct{})
			var cancelled atomic.Int64
			err := inOrder(ctx, count(ctx, 1<<30), 4, func(ctx context.Context, q int) int {
				switch {
				case out.full == 0: // nothing is to be given before the shelf is stuck
					<-ctx.Done()
				case q == 4: // what the full shelf refuses, while others are under way
					<-started
				case q == 5:
					close(started)
					fallthrough
				case q > 5:
					<-ctx.Done() // or else wait for ever
					cancelled.Add(1)
				}
				return q
			}, out)
			if !errors.Is(err, errFull) || !slices.Equal(out.given, upTo(out.full)) {
				t.Errorf("given %v, %v; want the outlet's error", out.given, err)
			}
			if out.full > 0 && cancelled.Load() == 0 {
				t.Error("no question was under way when the outlet failed: the test shows nothing")
			}
		})
	}
}
