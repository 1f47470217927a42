package main

import (
	"context"
	"sync"
)

// An outlet takes answers, in order.
type outlet[A any] interface {
	give(answer A) error
	// rest is called whenever there is nothing to give for now: what was given
	// is to be seen.
	rest() error
}

// ahead is how many answers may wait for an earlier one, besides those under way,
// so that one slow origin does not hold up all others.
const ahead = 512

// inOrder answers questions, up to parallel at a time, and gives the answers in
// the order of the questions, each as soon as those before it are given. What it
// holds is bounded, however many questions come.
//
// When ctx is done it takes no more questions; those under way are still given.
// It returns the outlet's error, after which nothing more is asked or given.
func inOrder[Q, A any](
	ctx context.Context, questions <-chan Q, parallel int, answer func(context.Context, Q) A, out outlet[A],
) error {
	var asking sync.WaitGroup
	defer asking.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	pending := make(chan chan A, ahead+parallel)
	asking.Go(func() {
		defer close(pending)
		underWay := make(chan struct{}, parallel)
		for {
			question, ok := next(ctx, questions)
			if !ok {
				return
			}
			slot := make(chan A, 1)
			select {
			case pending <- slot:
			case <-ctx.Done():
				return
			}
			underWay <- struct{}{}
			asking.Go(func() {
				slot <- answer(ctx, question)
				<-underWay
			})
		}
	})
	for {
		slot, ok, err := await(pending, out.rest)
		if err != nil {
			return err
		}
		if !ok {
			return out.rest()
		}
		given, _, err := await(slot, out.rest)
		if err != nil {
			return err
		}
		if err := out.give(given); err != nil {
			return err
		}
	}
}

// next receives unless ctx is done.
func next[T any](ctx context.Context, from <-chan T) (value T, ok bool) {
	if ctx.Err() != nil { // select would choose by lot
		return value, false
	}
	select {
	case value, ok = <-from:
		return value, ok
	case <-ctx.Done():
		return value, false
	}
}

// await receives, calling idle first if that has to wait.
func await[T any](from <-chan T, idle func() error) (value T, ok bool, err error) {
	select {
	case value, ok = <-from:
		return value, ok, nil
	default:
	}
	if err := idle(); err != nil {
		return value, false, err
	}
	value, ok = <-from
	return value, ok, nil
}
