package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
)

// A judge answers about a URL.
type judge[V any] func(ctx context.Context, url string) (V, error)

// answer answers a question, be it one that cannot be asked.
func (j judge[V]) answer(ctx context.Context, q question) answer[V] {
	a := answer[V]{question: q, err: q.err}
	if q.err == nil {
		a.value, a.err = j(ctx, q.url)
	}
	return a
}

// answerAll answers a list of questions, so many at a time, and returns the exit
// code.
func answerAll[V any](ctx context.Context, std streams, list *list, parallel int, ask judge[V], out *printer[V]) int {
	reading, stop := context.WithCancel(ctx)
	defer stop() // when the outlet failed
	questions, ended := make(chan question), make(chan error, 1)
	go func() { // may outlive us in a Read that nothing interrupts: the process ends soon
		ended <- list.ask(reading, questions)
		close(questions)
	}()
	err := inOrder(ctx, questions, parallel, ask.answer, out)
	switch {
	case err != nil:
		return std.unwritten("the answers", err)
	case ctx.Err() != nil:
		return std.fail(ctx, ctx.Err())
	}
	if err := <-ended; err != nil {
		return std.fail(ctx, err)
	}
	return out.code()
}

// fail tells people why there is no answer to all that was asked, and returns the
// exit code.
func (s streams) fail(ctx context.Context, err error) int {
	if ctx.Err() != nil {
		err = errors.New("interrupted; run it again for what has no answer")
	}
	s.complain(err.Error())
	return exitError
}

// unwritten tells people that the output of a command did not get where it was to
// go, and returns the exit code. Whoever broke off a pipe, like head, has seen
// enough and needs no telling.
func (s streams) unwritten(what string, err error) int {
	if !errors.Is(err, syscall.EPIPE) && !errors.Is(err, io.ErrClosedPipe) {
		s.complain(fmt.Sprintf("%s could not be written: %v; make room, or write elsewhere", what, bare(err)))
	}
	return exitError
}
