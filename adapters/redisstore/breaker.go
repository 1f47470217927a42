package redisstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/sony/gobreaker/v2"
)

// A breaker leaves a node alone that does not answer: after a few failures in a
// row commands fail at once, and once a second one is let through to see whether
// the node is back (SEMANTICS C5).
//
// It is a hook of the node's client, as go-redis' own limiter is missing from
// Cluster and Sentinel. What Redis answers, an error too, is a success: the node
// is there, and a write refused must not keep it from being read.
//
// While the last that was heard of a node is good, the circuit is closed and has
// no failure to count: another success would change nothing in it. Then commands
// pass by its lock and its clock, which take a fiftieth of a read's time.
type breaker struct {
	node    string
	circuit *gobreaker.CircuitBreaker[struct{}]
	well    atomic.Bool   // the last verdict was good; written within the circuit's lock
	changes atomic.Uint64 // of the circuit's state
	made    time.Time     // what passes by is timed from here: one clock is read, and not two
}

var _ redis.Hook = (*breaker)(nil)

const (
	// maxFailures in a row open the breaker: with the read timeout of Open a mute
	// node costs a lone caller less than a second.
	maxFailures = 3
	// leaveAlone is how long the node is left alone.
	leaveAlone = time.Second
	// fairTry is how long a node must have had to answer before the end of a
	// caller's context counts against it.
	fairTry = 100 * time.Millisecond
)

// addBreakers gives each node of a client one.
func addBreakers(client redis.UniversalClient, address string, tell func(node, from, to string)) {
	if many, is := client.(interface{ OnNewNode(func(*redis.Client)) }); is {
		reload := func() {}
		if cluster, is := client.(*redis.ClusterClient); is {
			// A node that is gone may have a successor.
			reload = func() { cluster.ReloadState(context.Background()) }
		}
		many.OnNewNode(func(node *redis.Client) { node.AddHook(newBreaker(node.Options().Addr, tell, reload)) })
		return
	}
	client.AddHook(newBreaker(address, tell, func() {}))
}

func newBreaker(node string, tell func(node, from, to string), opened func()) *breaker {
	b := &breaker{node: node, made: time.Now()}
	b.well.Store(true)
	b.circuit = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name:        node,
		Timeout:     leaveAlone,
		ReadyToTrip: func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= maxFailures },
		IsExcluded:  func(err error) bool { return errors.Is(err, errNoVerdict) },
		IsSuccessful: func(err error) bool { // asked of what counts, no more
			b.well.Store(err == nil)
			return err == nil
		},
		OnStateChange: func(node string, from, to gobreaker.State) {
			b.changes.Add(1)
			if to == gobreaker.StateOpen {
				opened()
			}
			if tell != nil {
				tell(node, from.String(), to.String())
			}
		},
	})
	return b
}

// DialHook lets connections be: they are made on behalf of commands.
func (b *breaker) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook guards one command.
func (b *breaker) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if p, own, may := b.passage(ctx); may {
			return p.end(next(own, cmd))
		}
		return b.guard(ctx, func(ctx context.Context) error { return next(ctx, cmd) }, cmd)
	}
}

// ProcessPipelineHook guards a pipeline as one command.
func (b *breaker) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if p, own, may := b.passage(ctx); may {
			return p.end(next(own, cmds))
		}
		return b.guard(ctx, func(ctx context.Context) error { return next(ctx, cmds) }, cmds...)
	}
}

func (b *breaker) guard(ctx context.Context, run func(context.Context) error, cmds ...redis.Cmder) (err error) {
	// A command that needs a new connection greets Redis through the same hooks.
	// The greeting is part of it: as a second command it would be refused where one
	// is let through, and the node would never be found to be back.
	if ctx.Value(b) != nil {
		return run(ctx)
	}
	_, refused := b.circuit.Execute(func() (struct{}, error) {
		start := time.Now()
		err = run(context.WithValue(ctx, b, true))
		if err == nil {
			return struct{}{}, nil
		}
		return struct{}{}, verdict(ctx, err, time.Since(start))
	})
	if errors.Is(refused, gobreaker.ErrOpenState) || errors.Is(refused, gobreaker.ErrTooManyRequests) {
		err = fmt.Errorf("node %s does not answer and is left alone for the moment", b.node)
		for _, cmd := range cmds {
			cmd.SetErr(err)
		}
	}
	return err
}

// A passage is a command that passes by the circuit.
type passage struct {
	*breaker
	ctx    context.Context // the caller's
	start  time.Duration
	change uint64
}

// passage reports whether a command may pass by the circuit, and with what context
// of its own. A greeting may not: guard knows it for one.
func (b *breaker) passage(ctx context.Context) (p passage, own context.Context, may bool) {
	change := b.changes.Load()
	if !b.well.Load() || ctx.Value(b) != nil {
		return passage{}, ctx, false
	}
	return passage{b, ctx, time.Since(b.made), change}, context.WithValue(ctx, b, true), true
}

// end tells the circuit how a command ended, if that is news: a failure, or a
// success after one that came meanwhile. As for every command, what began before
// the circuit changed says nothing about the state that it is in now.
func (p passage) end(err error) error {
	if err == nil && p.well.Load() || p.changes.Load() != p.change {
		return err
	}
	_, _ = p.circuit.Execute(func() (struct{}, error) {
		if err == nil {
			return struct{}{}, nil
		}
		return struct{}{}, verdict(p.ctx, err, time.Since(p.made)-p.start)
	})
	return err
}

// errNoVerdict marks what says nothing about the node.
var errNoVerdict = errors.New("no verdict")

// verdict is what an error says about the node; nil speaks for it.
func verdict(ctx context.Context, err error, took time.Duration) error {
	var reply redis.Error
	switch {
	case errors.As(err, &reply):
		return nil
	case errors.Is(err, redis.ErrClosed), isOurs(err):
		return errNoVerdict // by this process
	case isOver(ctx) && took < fairTry:
		return errNoVerdict // the caller was in a hurry, or left
	}
	return err
}

// isOver reports whether a context has ended. A read that ends at its deadline may
// come back before the context has noticed.
func isOver(ctx context.Context) bool {
	deadline, has := ctx.Deadline()
	return ctx.Err() != nil || has && !time.Now().Before(deadline)
}

// isOurs reports whether there was no socket or memory to be had (SEMANTICS F14).
// That takes no time, so nobody has to be spared it; what connections there are go
// on to work, and leases to be given back.
func isOurs(err error) bool {
	for _, number := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRNOTAVAIL} {
		if errors.Is(err, number) {
			return true
		}
	}
	return false
}
