package redisstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
	"github.com/polite-crawler/polite/ports/porttest"
)

// A wire connects a Store to a miniredis without a socket, so that both can live
// in a bubble of fake time, and can be cut or made deaf.
type wire struct {
	m     *miniredis.Miniredis
	store *Store

	cut  atomic.Bool // nothing connects
	deaf atomic.Bool // what comes from Redis is lost

	mu    sync.Mutex
	pipes []net.Conn // Redis' ends of what is connected
}

func newWire(t porttest.T, options Options) *wire {
	t.Helper()
	m := miniredis.NewMiniRedis()
	t.Cleanup(m.Close)
	return newWireTo(t, m, options)
}

func newWireTo(t porttest.T, m *miniredis.Miniredis, options Options) *wire {
	t.Helper()
	w := &wire{m: m}
	a, err := parseAddress("redis://wire:6379")
	if err != nil {
		t.Fatalf("parseAddress: %v", err)
	}
	a.single.Dialer = w.dial
	// Whoever has to wait for a connection of go-redis' pool takes a timer that it
	// shares between clients, which a bubble must not see.
	a.single.PoolSize = 10_000
	client := a.client()
	w.store, err = New(client, options)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(func() {
		_ = w.store.Close()
		_ = client.Close()
		w.drop()
	})
	return w
}

func (w *wire) dial(context.Context, string, string) (net.Conn, error) {
	if w.cut.Load() {
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	}
	redisEnd, err := w.m.Dial()
	if err != nil {
		return nil, err
	}
	ours, between := net.Pipe()
	w.mu.Lock()
	w.pipes = append(w.pipes, redisEnd)
	w.mu.Unlock()
	go func() {
		_, _ = io.Copy(redisEnd, between)
		_ = redisEnd.Close()
	}()
	// Redis does not stop reading because nobody reads what it wrote: there is a
	// buffer, as there is in a socket.
	buffer := make(chan []byte, 10_000)
	go func() {
		defer close(buffer)
		for {
			octets := make([]byte, 4096)
			n, err := redisEnd.Read(octets)
			if err != nil {
				return
			}
			if !w.deaf.Load() {
				buffer <- octets[:n]
			}
		}
	}()
	go func() {
		defer func() { _ = between.Close() }()
		for octets := range buffer {
			if _, err := between.Write(octets); err != nil {
				_ = redisEnd.Close()
				for range buffer {
				}
				return
			}
		}
	}()
	return ours, nil
}

// drop breaks all connections.
func (w *wire) drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, pipe := range w.pipes {
		_ = pipe.Close()
	}
	w.pipes = nil
}

func (w *wire) set(cut, deaf bool) {
	w.cut.Store(cut)
	w.deaf.Store(deaf)
}

// watching is a Watch and what it said.
type watching struct {
	said  chan site.Origin
	ended chan error
	end   context.CancelFunc
}

func (w *wire) watch(t *testing.T) *watching {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	watching := &watching{said: make(chan site.Origin, 100), ended: make(chan error, 1), end: cancel}
	go func() {
		watching.ended <- w.store.Watch(ctx, func(origin site.Origin) { watching.said <- origin })
	}()
	return watching
}

// What Watch hears it says at once; when it cannot hear any more it ends, soon
// enough that nobody relies on it for long (SEMANTICS C4).
func TestWatchIsNeverDeafInSilence(t *testing.T) {
	for _, row := range []struct {
		name   string
		happen func(*wire)
		within time.Duration
	}{
		{"nothing happens", func(*wire) {}, 0},
		{"Redis goes away", func(w *wire) { w.set(true, false); w.drop() }, 100 * time.Millisecond},
		{"Redis goes away without a word", func(w *wire) { w.set(false, true) }, idle + answer},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(t, Options{})
				watching := w.watch(t)
				if first := <-watching.said; !first.IsZero() {
					t.Errorf("Watch said %s first, want that it hears", first)
				}
				if err := w.store.Delete(t.Context(), origin); err != nil {
					t.Fatalf("Delete: %v", err)
				}
				if said := <-watching.said; said != origin {
					t.Errorf("Watch said %s, want %s", said, origin)
				}
				time.Sleep(time.Minute) // Redis answers when it is asked whether it is there
				synctest.Wait()
				start := time.Now()
				row.happen(w)
				if row.within == 0 {
					time.Sleep(time.Hour)
					synctest.Wait()
					select {
					case err := <-watching.ended:
						t.Errorf("Watch ended: %v", err)
					default:
					}
					return
				}
				err := <-watching.ended
				if took := time.Since(start); !errors.Is(err, ports.ErrUnavailable) || took > row.within {
					t.Errorf("Watch ended after %v with %v, want ErrUnavailable within %v", took, err, row.within)
				}
				again := w.watch(t)
				if err := <-again.ended; !errors.Is(err, ports.ErrUnavailable) {
					t.Errorf("started again, Watch ended with %v, want ErrUnavailable", err)
				}
				select {
				case said := <-again.said:
					t.Errorf("a Watch that hears nothing said %q", said)
				default:
				}
			})
		})
	}
}

// A Watch that cannot connect ends as well, and if it is started again at once
// over and over, that costs a connection a second at most.
func TestWatchWithoutRedis(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{})
		w.set(true, false)
		start, tries := time.Now(), 0
		for time.Since(start) < time.Minute {
			if err := w.store.Watch(t.Context(), func(site.Origin) { t.Errorf("Watch hears something") }); !errors.Is(err, ports.ErrUnavailable) {
				t.Fatalf("Watch: %v, want ErrUnavailable", err)
			}
			tries++
		}
		if tries < 30 || tries > 130 {
			t.Errorf("Watch ended %d times in a minute, want once a second or so", tries)
		}
		w.set(false, false)
		watching := w.watch(t)
		if first := <-watching.said; !first.IsZero() {
			t.Errorf("Watch said %s first, want that it hears again", first)
		}
		second := w.watch(t)
		if first := <-second.said; !first.IsZero() {
			t.Errorf("a second Watch said %s first, want that it hears", first)
		}
		watching.end()
		if err := <-watching.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch ended with %v, want its context's error", err)
		}
		if err := w.store.Delete(t.Context(), origin); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		if said := <-second.said; said != origin {
			t.Errorf("the Watch that goes on said %s, want %s", said, origin)
		}
	})
}

// What is not an origin may be any origin.
func TestWatchAndStrangeMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{})
		watching := w.watch(t)
		<-watching.said
		for _, payload := range []string{"", "no origin", "https://"} {
			if n := w.m.Publish(w.store.keys.deletes(), payload); n != 1 {
				t.Fatalf("%d heard the message, want 1", n)
			}
			if said := <-watching.said; !said.IsZero() {
				t.Errorf("after the message %q Watch said %s, want the zero Origin", payload, said)
			}
		}
	})
}

// However many wait, for however many origins, they share one connection besides
// the pool's, and leave no subscription behind.
func TestWaitsShareAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{})
		const origins, each = 500, 4
		var mu sync.Mutex
		listeners := make(map[*server.Peer]int)
		get(t, w.store) // starts the server
		w.m.Server().SetPreHook(func(peer *server.Peer, command string, _ ...string) bool {
			if command == "SUBSCRIBE" {
				mu.Lock()
				defer mu.Unlock()
				listeners[peer]++
			}
			return false
		})
		var releases []func()
		var all sync.WaitGroup
		var woken atomic.Int32
		for i := range origins {
			o := parseOrigin(fmt.Sprintf("https://host%d.example", i))
			release, held, err := w.store.TryLease(t.Context(), o, time.Hour)
			if err != nil || !held {
				t.Fatalf("TryLease: held %v, %v", held, err)
			}
			releases = append(releases, release)
			for range each {
				all.Go(func() {
					start := time.Now()
					if err := w.store.Wait(t.Context(), o); err != nil {
						t.Errorf("Wait: %v", err)
					}
					if time.Since(start) < 500*time.Millisecond {
						woken.Add(1)
					}
				})
			}
		}
		synctest.Wait()
		if n := len(w.m.PubSubChannels("")); n != origins {
			t.Errorf("%d channels are subscribed, want %d", n, origins)
		}
		mu.Lock()
		if len(listeners) != 1 {
			t.Errorf("%d connections listen, want 1", len(listeners))
		}
		mu.Unlock()
		time.Sleep(100 * time.Millisecond)
		for _, release := range releases {
			release()
		}
		all.Wait()
		if n := woken.Load(); n != origins*each {
			t.Errorf("%d of %d were woken by the release", n, origins*each)
		}
		synctest.Wait()
		if channels := w.m.PubSubChannels(""); len(channels) > 0 {
			t.Errorf("%d channels are still subscribed", len(channels))
		}
	})
}

// A release that comes between the look at the lease and Wait is not slept over.
func TestWaitForALeaseThatIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{})
		start := time.Now()
		if err := w.store.Wait(t.Context(), origin); err != nil {
			t.Errorf("Wait: %v", err)
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("Wait for a free lease took %v", took)
		}
	})
}

// Those who wait for the same end do not all come back at the same moment.
func TestWaitsAreSpread(t *testing.T) {
	for _, row := range []struct {
		name           string
		ttl            time.Duration
		earliest, last time.Duration
	}{
		{"for a lease's end", 300 * time.Millisecond, 300 * time.Millisecond, 400 * time.Millisecond},
		{"for the second", time.Hour, 900 * time.Millisecond, time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWire(t, Options{})
				if _, held, err := w.store.TryLease(t.Context(), origin, row.ttl); err != nil || !held {
					t.Fatalf("TryLease: held %v, %v", held, err)
				}
				var mu sync.Mutex
				moments := make(map[time.Duration]int)
				var all sync.WaitGroup
				start := time.Now()
				for range 100 {
					all.Go(func() {
						if err := w.store.Wait(t.Context(), origin); err != nil {
							t.Errorf("Wait: %v", err)
						}
						took := time.Since(start)
						if took < row.earliest || took > row.last {
							t.Errorf("Wait took %v, want %v to %v", took, row.earliest, row.last)
						}
						mu.Lock()
						defer mu.Unlock()
						moments[took.Round(time.Millisecond)]++
					})
				}
				all.Wait()
				if len(moments) < 20 {
					t.Errorf("100 came back at %d moments, want them spread", len(moments))
				}
			})
		})
	}
}

// With nothing to be heard, Wait goes by the lease alone; with Redis gone, it says
// so and does not sleep.
func TestWaitWithoutMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire(t, Options{})
		for range 3 { // the pool has a connection, the listener gets none
			get(t, w.store)
		}
		if _, held, err := w.store.TryLease(t.Context(), origin, 400*time.Millisecond); err != nil || !held {
			t.Fatalf("TryLease: held %v, %v", held, err)
		}
		w.set(true, false)
		start := time.Now()
		if err := w.store.Wait(t.Context(), origin); err != nil {
			t.Errorf("Wait: %v", err)
		}
		if took := time.Since(start); took < 400*time.Millisecond || took > 700*time.Millisecond {
			t.Errorf("Wait took %v, want until the lease's end", took)
		}
		w.drop()
		for i := range maxFailures {
			start = time.Now()
			if err := w.store.Wait(t.Context(), origin); !errors.Is(err, ports.ErrUnavailable) {
				t.Errorf("Wait without Redis: %v, want ErrUnavailable", err)
			}
			if took := time.Since(start); took > hearing || i > 0 && took > hearing/10 {
				t.Errorf("Wait %d without Redis took %v", i, took)
			}
		}

		// Redis is back, and with it the order of things: a look at the lease
		// before its channel is heard could miss what comes in between.
		w.set(false, false)
		time.Sleep(2 * leaveAlone)
		<-w.watch(t).said
		other := parseOrigin("https://other.example")
		if _, held, err := w.store.TryLease(t.Context(), other, time.Hour); err != nil || !held {
			t.Fatalf("TryLease: held %v, %v", held, err)
		}
		var mu sync.Mutex
		var order []string
		w.m.Server().SetPreHook(func(_ *server.Peer, command string, _ ...string) bool {
			if command == "SUBSCRIBE" {
				time.Sleep(hearing / 4) // the look could come first
			}
			mu.Lock()
			defer mu.Unlock()
			if command == "SUBSCRIBE" || command == "PTTL" {
				order = append(order, command)
			}
			return false
		})
		if err := w.store.Wait(t.Context(), other); err != nil {
			t.Errorf("Wait: %v", err)
		}
		mu.Lock()
		defer mu.Unlock()
		if want := []string{"SUBSCRIBE", "PTTL"}; !slices.Equal(order, want) {
			t.Errorf("Wait sent %q, want %q", order, want)
		}
	})
}
