package redisstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/ports"
	"github.com/polite-crawler/polite/ports/porttest"
)

// mute starts a server that takes connections and says nothing.
func mute(t porttest.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	var taken sync.WaitGroup
	taken.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			taken.Go(func() {
				_, _ = io.Copy(io.Discard, connection)
				_ = connection.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		taken.Wait()
	})
	return listener.Addr().String()
}

// states collects what OnBreaker is told.
type states struct {
	mu   sync.Mutex
	told []string
}

func (s *states) tell(_, from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, from+"->"+to)
}

func (s *states) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told)
}

// script is a node: what its next commands end with, and how long they take.
type script struct {
	ends  []error
	takes time.Duration
	calls int
}

func (s *script) process(ctx context.Context, _ redis.Cmder) error {
	s.calls++
	if s.takes > 0 { // a channel timer that is over at once can crash the race detector in a bubble (Go 1.26.8)
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
			return fmt.Errorf("read: %w", ctx.Err())
		}
	}
	if len(s.ends) == 0 {
		return nil
	}
	end := s.ends[0]
	s.ends = s.ends[1:]
	return end
}

var errNet = &net.OpError{Op: "read", Err: errors.New("connection reset")}

func TestBreaker(t *testing.T) {
	fail := func(n int) []error { return slices.Repeat([]error{errNet}, n) }
	loading := redisError(t, "LOADING Redis is loading the dataset in memory")
	for _, row := range []struct {
		name string
		ends []error // of the first commands
		want []string
	}{
		{"nothing happens", nil, nil},
		{"fewer failures than it takes", fail(maxFailures - 1), nil},
		{"a success between failures", slices.Concat(fail(maxFailures-1), []error{nil}, fail(maxFailures-1)), nil},
		{"what Redis refuses is an answer", slices.Repeat([]error{loading}, 3*maxFailures), nil},
		{"nil is an answer", slices.Repeat([]error{redis.Nil}, 3*maxFailures), nil},
		{"as many failures as it takes", fail(maxFailures), []string{"closed->open"}},
		{"this process has no sockets left", slices.Repeat([]error{&net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}}, 3*maxFailures), nil},
		{"this process closed the client", slices.Repeat([]error{redis.ErrClosed}, 3*maxFailures), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			var told states
			b := newBreaker("node", told.tell, func() {})
			node := &script{ends: row.ends}
			run := b.ProcessHook(node.process)
			for i, want := range row.ends {
				if err := run(t.Context(), redis.NewCmd(t.Context(), "get")); !errors.Is(err, want) {
					t.Errorf("command %d: %v, want %v", i, err, want)
				}
			}
			if got := told.all(); !slices.Equal(got, row.want) {
				t.Errorf("the breaker went %v, want %v", got, row.want)
			}
		})
	}
}

// redisError is a reply as go-redis returns it.
func redisError(t *testing.T, text string) error {
	t.Helper()
	m := serve(t)
	m.SetError(text)
	client := redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1})
	defer func() { _ = client.Close() }()
	err := client.Get(t.Context(), "key").Err()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Fatalf("Get: %v, want %q", err, text)
	}
	return err
}

// SEMANTICS C5: a node that does not answer is left alone for a second, then one
// command is let through, and it alone; recovery needs nobody.
func TestBreakerRecoversByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told states
		opened := 0
		b := newBreaker("node", told.tell, func() { opened++ })
		node := &script{ends: slices.Repeat([]error{errNet}, maxFailures+1)}
		run := func() error {
			return b.ProcessHook(node.process)(t.Context(), redis.NewCmd(t.Context(), "get"))
		}
		for range maxFailures {
			if err := run(); !errors.Is(err, errNet) {
				t.Fatalf("%v, want the node's failure", err)
			}
		}
		for range 100 {
			if err := run(); err == nil || errors.Is(err, errNet) || node.calls != maxFailures {
				t.Fatalf("an open breaker let a command through: %v", err)
			}
		}
		time.Sleep(leaveAlone + time.Millisecond)
		if err := run(); !errors.Is(err, errNet) { // still down
			t.Errorf("%v, want the node's failure", err)
		}
		if err := run(); err == nil || node.calls != maxFailures+1 {
			t.Errorf("an open breaker let a command through: %v", err)
		}
		time.Sleep(leaveAlone + time.Millisecond)
		node.takes = time.Minute // the one that is let through
		probe := make(chan error, 1)
		go func() { probe <- run() }()
		synctest.Wait()
		if err := run(); err == nil || node.calls != maxFailures+2 {
			t.Errorf("two commands were let through at once: %v", err)
		}
		if err := <-probe; err != nil {
			t.Errorf("the command that was let through: %v", err)
		}
		if err := run(); err != nil {
			t.Errorf("the node is back: %v", err)
		}
		want := []string{
			"closed->open", "open->half-open", "half-open->open", "open->half-open", "half-open->closed",
		}
		if got := told.all(); !slices.Equal(got, want) || opened != 2 {
			t.Errorf("the breaker went %v and opened %d times, want %v", got, opened, want)
		}
	})
}

// What passes by the circuit changes nothing (SEMANTICS C5): commands that overlap
// in every way go as if each went through it, and it changes as often.
func TestBreakerPassedByOrNot(t *testing.T) {
	const span = 20 * time.Second
	var passed atomic.Int64
	opened := 0
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 9309))
			var passing, plain states
			quick, slow := newBreaker("node", passing.tell, func() {}), newBreaker("node", plain.tell, func() {})
			bad := random.Float64() // how often commands fail while the node is unwell
			unwell := time.Duration(random.Int64N(int64(span)))
			instants := make(map[time.Duration]bool) // no two at once: either order would be right
			instant := func(from, most time.Duration) time.Duration {
				for {
					at := from + time.Microsecond*time.Duration(1+random.Int64N(most.Microseconds()))
					if !instants[at] {
						instants[at] = true
						return at
					}
				}
			}
			var commands sync.WaitGroup
			for range 100 {
				start := instant(0, span)
				end := instant(start, []time.Duration{time.Millisecond, 100 * time.Millisecond, 3 * time.Second}[random.IntN(3)])
				var outcome error
				if (end-unwell).Abs() < span/4 && random.Float64() < bad {
					outcome = []error{errNet, errNet, errNet, redis.ErrClosed, redis.Nil}[random.IntN(5)]
				}
				run := func(context.Context, redis.Cmder) error {
					time.Sleep(end - start)
					return outcome
				}
				commands.Go(func() {
					time.Sleep(start)
					if _, _, may := quick.passage(t.Context()); may {
						passed.Add(1)
					}
					ended := make(chan error, 1)
					go func() { ended <- quick.ProcessHook(run)(t.Context(), redis.NewCmd(t.Context(), "get")) }()
					want := slow.guard(t.Context(), func(ctx context.Context) error { return run(ctx, nil) }, redis.NewCmd(t.Context(), "get"))
					if got := <-ended; fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("seed %d: a command from %v to %v: %v, and through the circuit %v", seed, start, end, got, want)
					}
				})
			}
			commands.Wait()
			// The end of a command makes an open circuit look at the clock, and what
			// passed by does not: the next command does.
			time.Sleep(leaveAlone + time.Millisecond)
			for _, b := range []*breaker{quick, slow} {
				if err := b.ProcessHook((&script{}).process)(t.Context(), redis.NewCmd(t.Context(), "get")); err != nil {
					t.Errorf("seed %d: the node is back: %v", seed, err)
				}
			}
			if got, want := passing.all(), plain.all(); !slices.Equal(got, want) {
				t.Errorf("seed %d: the breaker went %v, and the circuit %v", seed, got, want)
			}
			opened += len(plain.all())
		})
	}
	if passed.Load() == 0 || opened == 0 {
		t.Errorf("%d commands passed by, and circuits changed %d times", passed.Load(), opened)
	}
}

// The same with all at once, for the race detector: whoever comes last, failures
// in a row are counted from the last success on.
func TestBreakerCountsUnderLoad(t *testing.T) {
	var told states
	b := newBreaker("node", told.tell, func() {})
	end := func(err error) {
		run := b.ProcessHook(func(context.Context, redis.Cmder) error { return err })
		if got := run(t.Context(), redis.NewCmd(t.Context(), "get")); !errors.Is(got, err) {
			t.Errorf("%v, want %v", got, err)
		}
	}
	for range 1000 {
		var commands sync.WaitGroup
		for i := range 2 * maxFailures {
			commands.Go(func() {
				if i < maxFailures-1 {
					end(errNet)
				} else {
					end(nil)
				}
			})
		}
		commands.Wait()
		end(nil)
		if counts := b.circuit.Counts(); !b.well.Load() || counts.ConsecutiveFailures > 0 {
			t.Fatalf("after a success the breaker counts %d failures, and is well: %v", counts.ConsecutiveFailures, b.well.Load())
		}
	}
	if got := told.all(); len(got) > 0 {
		t.Errorf("the breaker went %v by fewer failures than it takes", got)
	}
}

// A command that makes a connection greets Redis through the same hooks.
func TestBreakerLetsAGreetingThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBreaker("node", nil, func() {})
		down, greeted := true, 0
		greet := b.ProcessPipelineHook(func(context.Context, []redis.Cmder) error {
			greeted++
			return nil
		})
		run := b.ProcessHook(func(ctx context.Context, _ redis.Cmder) error {
			if down {
				return errNet
			}
			return greet(ctx, []redis.Cmder{redis.NewCmd(ctx, "hello")})
		})
		for range maxFailures {
			_ = run(t.Context(), redis.NewCmd(t.Context(), "get"))
		}
		down = false
		time.Sleep(leaveAlone + time.Millisecond)
		if err := run(t.Context(), redis.NewCmd(t.Context(), "get")); err != nil || greeted != 1 {
			t.Errorf("the command that was let through: %v, with %d greetings", err, greeted)
		}
	})
}

// A caller in a hurry says nothing about the node, one who waited does.
func TestBreakerAndContexts(t *testing.T) {
	for _, row := range []struct {
		name  string
		waits time.Duration
		late  bool // the read ends before the context has noticed
		opens bool
	}{
		{"a caller in a hurry", fairTry / 2, false, false},
		{"a caller in a hurry, whose read ends first", fairTry / 2, true, false},
		{"a caller who gave it time", 2 * fairTry, false, true},
		{"a caller who gave it time, whose read ends first", 2 * fairTry, true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told states
				b := newBreaker("node", told.tell, func() {})
				node := &script{takes: time.Hour}
				for range maxFailures {
					ctx, cancel := context.WithTimeout(t.Context(), row.waits)
					if row.late {
						deadline, _ := ctx.Deadline()
						ctx, node = limit{t.Context(), deadline}, &script{takes: row.waits, ends: []error{context.DeadlineExceeded}}
					}
					err := b.ProcessHook(node.process)(ctx, redis.NewCmd(ctx, "get"))
					cancel()
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("%v, want the context's error", err)
					}
				}
				if opened := len(told.all()) > 0; opened != row.opens {
					t.Errorf("the breaker opened: %v, want %v", opened, row.opens)
				}
			})
		})
	}
}

// In a pipeline every command has to learn that none was sent.
func TestBreakerAndPipelines(t *testing.T) {
	b := newBreaker("node", nil, func() {})
	sent := 0
	run := b.ProcessPipelineHook(func(context.Context, []redis.Cmder) error {
		sent++
		return errNet
	})
	cmds := []redis.Cmder{redis.NewCmd(t.Context(), "get"), redis.NewCmd(t.Context(), "pttl")}
	for range maxFailures + 1 {
		if err := run(t.Context(), cmds); err == nil {
			t.Errorf("a pipeline that failed has no error")
		}
	}
	if sent != maxFailures {
		t.Errorf("%d pipelines were sent, want %d", sent, maxFailures)
	}
	for _, cmd := range cmds {
		if cmd.Err() == nil {
			t.Errorf("%s has no error, and was not sent", cmd.Name())
		}
	}
}

// SEMANTICS C5 with real connections: Redis hangs up, and is back.
func TestStoreWhoseRedisHangsUp(t *testing.T) {
	for name, parameters := range map[string]string{"one Redis": "", "a Cluster": "&cluster=true"} {
		t.Run(name, func(t *testing.T) {
			m := serve(t)
			var told states
			store := connect(t, urlOf(m)+parameters, Options{OnBreaker: told.tell})
			put(t, store, succeeded([]byte(body)))
			m.Server().SetPreHook(func(peer *server.Peer, _ string, _ ...string) bool {
				peer.Close()
				return true
			})
			for len(told.all()) == 0 {
				for name, err := range operations(t.Context(), store) {
					if !errors.Is(err, ports.ErrUnavailable) {
						t.Fatalf("%s: %v, want ErrUnavailable", name, err)
					}
				}
			}
			m.Server().SetPreHook(nil)
			limit := time.After(time.Minute)
			for back := false; !back; {
				select {
				case <-limit:
					t.Fatalf("Redis is back, and the Store is not: %v", told.all())
				case <-time.After(50 * time.Millisecond):
				}
				got, err := store.Get(t.Context(), origin, policy.Hash{})
				back = err == nil && got.Known()
			}
			all := told.all()
			if last := all[len(all)-1]; last != "half-open->closed" {
				t.Errorf("the breaker went %v, want it closed at the end", all)
			}
		})
	}
}

// The same to the millisecond: what an outage costs callers, and how soon they
// are back.
func TestAnOutageCostsLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{})
		put(t, w.store, succeeded([]byte(body)))
		w.set(false, true) // mute: the dearest way to be gone
		start := time.Now()
		for range 1000 {
			if _, err := w.store.Get(t.Context(), origin, policy.Hash{}); !errors.Is(err, ports.ErrUnavailable) {
				t.Fatalf("Get: %v, want ErrUnavailable", err)
			}
		}
		if took := time.Since(start); took < ioTimeout || took > time.Second {
			t.Errorf("1000 reads of a mute Redis took %v, want the time of a few", took)
		}
		w.set(false, false)
		w.drop()
		time.Sleep(leaveAlone + time.Millisecond)
		if !get(t, w.store).Known() {
			t.Errorf("what was stored is gone after the outage")
		}
	})
}

func TestStoreWhoseRedisIsMute(t *testing.T) {
	var told states
	store := connect(t, "redis://"+mute(t)+"?read_timeout=20ms", Options{OnBreaker: told.tell})
	for len(told.all()) == 0 {
		if _, err := store.Get(t.Context(), origin, policy.Hash{}); !errors.Is(err, ports.ErrUnavailable) {
			t.Fatalf("Get: %v, want ErrUnavailable", err)
		}
	}
	if err := store.Ping(t.Context()); !errors.Is(err, ports.ErrUnavailable) {
		t.Errorf("Ping: %v, want ErrUnavailable", err)
	}
}
