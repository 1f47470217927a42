package redisstore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"go.uber.org/goleak"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
	"github.com/polite-crawler/polite/ports/porttest"
)

func TestMain(m *testing.M) {
	redis.SetLogger(&logging.VoidLogger{}) // it prints a line for every failed dial
	goleak.VerifyTestMain(m)
}

// serve starts a miniredis.
func serve(t porttest.T) *miniredis.Miniredis {
	t.Helper()
	m := miniredis.NewMiniRedis()
	if err := m.Start(); err != nil {
		t.Fatalf("miniredis: %v", err)
	}
	t.Cleanup(m.Close)
	return m
}

// patience is for clients whose Redis does answer: however busy this machine is,
// it is not this that is tried here.
const patience = "?dial_timeout=1m&read_timeout=1m"

// urlOf is where a miniredis is.
func urlOf(m *miniredis.Miniredis) string { return "redis://" + m.Addr() + patience }

// connect opens a Store on an address.
func connect(t porttest.T, url string, options Options) *Store {
	t.Helper()
	if options.Timeout == 0 {
		options.Timeout = time.Minute
	}
	store, err := Open(t.Context(), url, options)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func worker(store *Store) porttest.Worker {
	return porttest.Worker{Cache: store, Leaser: store, Watcher: store, Now: store.options.now}
}

func TestStoreKeepsTheContract(t *testing.T) {
	ahead := func(d time.Duration) Options {
		return Options{now: func() time.Time { return time.Now().Add(d) }}
	}
	for name, workers := range map[string][]Options{
		"one clock":           {{}, {}},
		"clocks two days off": {ahead(48 * time.Hour), {}, ahead(-48 * time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			porttest.StoreInFakeTime(t, func(t porttest.T) porttest.Fleet {
				m := miniredis.NewMiniRedis()
				t.Cleanup(m.Close)
				fleet := porttest.Fleet{Advance: func(d time.Duration) {
					time.Sleep(d)
					m.FastForward(d)
				}}
				for _, options := range workers {
					fleet.Workers = append(fleet.Workers, worker(newWireTo(t, m, options).store))
				}
				return fleet
			})
		})
	}
}

// The same through sockets, a Cluster's client, and what Open makes of an
// address.
func TestStoreKeepsTheContractInACluster(t *testing.T) {
	porttest.Store(t, func(t porttest.T) porttest.Fleet {
		m := serve(t)
		fleet := porttest.Fleet{Advance: m.FastForward}
		for range 2 {
			store := connect(t, urlOf(m)+"&cluster=true", Options{Prefix: "fleet"})
			fleet.Workers = append(fleet.Workers, worker(store))
		}
		return fleet
	})
}

// put stores a snapshot that must not conflict.
func put(t *testing.T, store *Store, s policy.Snapshot) policy.Rev {
	t.Helper()
	rev, err := store.Put(t.Context(), &s, time.Hour)
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	return rev
}

func get(t *testing.T, store *Store) *policy.Snapshot {
	t.Helper()
	s, err := store.Get(t.Context(), origin, policy.Hash{})
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	return s
}

// operations are all that a Store does with one command or pipeline each.
func operations(ctx context.Context, store *Store) map[string]error {
	s := succeeded([]byte(body))
	_, getErr := store.Get(ctx, origin, policy.Hash{})
	_, haveErr := store.Get(ctx, origin, policy.Hash{1})
	_, putErr := store.Put(ctx, &s, time.Hour)
	_, _, leaseErr := store.TryLease(ctx, origin, time.Minute)
	return map[string]error{
		"Get": getErr, "Get with a hash at hand": haveErr, "Put": putErr, "TryLease": leaseErr,
		"Delete": store.Delete(ctx, origin), "Wait": store.Wait(ctx, origin),
	}
}

// SEMANTICS C5: whatever Redis cannot do is unavailable, with its reason; and as
// Redis did answer, what it can do goes on.
func TestWhatRedisRefusesIsUnavailable(t *testing.T) {
	for _, reply := range []string{
		"LOADING Redis is loading the dataset in memory",
		"READONLY You can't write against a read only replica.",
		"OOM command not allowed when used memory > 'maxmemory'.",
		"CLUSTERDOWN The cluster is down",
		"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
		"NOAUTH Authentication required.",
		"NOPERM this user has no permissions to run this command",
		"ERR max number of clients reached",
		"ERR something that nobody thought of",
	} {
		t.Run(reply, func(t *testing.T) {
			m := serve(t)
			var opened bool
			store := connect(t, urlOf(m), Options{OnBreaker: func(string, string, string) { opened = true }})
			get(t, store) // has a connection
			m.SetError(reply)
			for range maxFailures {
				for name, err := range operations(t.Context(), store) {
					if !errors.Is(err, ports.ErrUnavailable) || !strings.Contains(err.Error(), reply) {
						t.Errorf("%s: %v, want ErrUnavailable and why", name, err)
					}
				}
			}
			m.SetError("")
			get(t, store)
			if opened {
				t.Errorf("the breaker opened, though Redis answered")
			}
		})
	}
}

// A read goes on where a write is refused.
func TestReadsGoOnWithoutWrites(t *testing.T) {
	m := serve(t)
	store := connect(t, urlOf(m), Options{})
	s := succeeded([]byte(body))
	put(t, store, s)
	refused := 0
	m.Server().SetPreHook(func(peer *server.Peer, command string, _ ...string) bool {
		switch command {
		case "EVAL", "EVALSHA", "SET":
			refused++
			peer.WriteError("OOM command not allowed when used memory > 'maxmemory'.")
			return true
		}
		return false
	})
	for range 3 * maxFailures {
		if _, err := store.Put(t.Context(), &s, time.Hour); !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("Put: %v, want ErrUnavailable", err)
		}
		if !get(t, store).Known() {
			t.Errorf("what was stored cannot be read while writes are refused")
		}
	}
	if refused == 0 {
		t.Errorf("nothing was refused: this test proves nothing")
	}
}

// The caller's context is the caller's reason, and not that Redis was down.
func TestTheCallersContextComesFirst(t *testing.T) {
	store := connect(t, "redis://"+mute(t), Options{Timeout: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	for name, err := range operations(ctx, store) {
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("%s: %v, want the context's error", name, err)
		}
	}
}

func TestClosedStore(t *testing.T) {
	m := serve(t)
	store := connect(t, urlOf(m), Options{})
	release, held, err := store.TryLease(t.Context(), origin, time.Hour)
	if err != nil || !held {
		t.Fatalf("TryLease: held %v, %v", held, err)
	}
	ended := make(chan error, 2)
	hears := make(chan struct{}, 1)
	go func() { ended <- store.Watch(t.Context(), func(site.Origin) { hears <- struct{}{} }) }()
	<-hears
	go func() {
		err := error(nil)
		for err == nil { // it may wake by itself
			err = store.Wait(t.Context(), origin)
		}
		ended <- err
	}()
	for range 2 {
		if err := store.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	for range 2 {
		if err := <-ended; !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("Wait or Watch ended with %v, want ErrUnavailable", err)
		}
	}
	release() // late, and harmless
	for name, err := range operations(t.Context(), store) {
		if !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("%s after Close: %v, want ErrUnavailable", name, err)
		}
	}
	if err := store.Watch(t.Context(), nil); !errors.Is(err, ports.ErrUnavailable) {
		t.Errorf("Watch after Close: %v, want ErrUnavailable", err)
	}
}

// Every key comes to an end, whatever wrote it.
func TestEveryKeyHasAnEnd(t *testing.T) {
	m := serve(t)
	store := connect(t, urlOf(m), Options{})
	rev := put(t, store, succeeded([]byte(body)))
	again := succeeded([]byte(body))
	again.Rev, again.Copy.Body = rev, nil
	put(t, store, again)
	if _, held, err := store.TryLease(t.Context(), origin, time.Minute); err != nil || !held {
		t.Fatalf("TryLease: held %v, %v", held, err)
	}
	if err := store.Delete(t.Context(), parseOrigin("https://deleted.example")); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	keys := m.Keys()
	if len(keys) != 3 {
		t.Errorf("keys are %q, want three", keys)
	}
	for _, key := range keys {
		if m.TTL(key) <= 0 {
			t.Errorf("%s has no end", key)
		}
	}
}

// A put whose answer was lost and that is sent again is stored once, and is no
// conflict with itself: a Cluster's client does that on its own.
func TestAPutSentAgainIsTheSame(t *testing.T) {
	m := serve(t)
	store := connect(t, urlOf(m), Options{})
	for range 2 {
		stored, err := store.scripts.put.Run(t.Context(), store.client, []string{store.keys.data(origin)},
			"", "the-same-value", "set", 1000, store.keys.events(origin)).Int()
		if err != nil || stored != 1 {
			t.Errorf("put: %d, %v, want 1", stored, err)
		}
	}
}

// A state that may not be read is no conflict, which would be tried again and again.
func TestWhatMayNotBeReadIsNoConflict(t *testing.T) {
	m := serve(t)
	store := connect(t, urlOf(m), Options{})
	first, another := succeeded([]byte(body)), succeeded([]byte("another"))
	put(t, store, first)
	refuse(m, "GETRANGE", "NOPERM this user has no permissions to run this command")
	rev, err := store.Put(t.Context(), &another, time.Hour)
	if !errors.Is(err, ports.ErrUnavailable) || !strings.Contains(err.Error(), "NOPERM") {
		t.Errorf("put: %q, %v; want ErrUnavailable and why", rev, err)
	}
}

// A write in the midst of a read must not give one state the other's age: here
// one comes right between value and PTTL.
func TestAWriteInTheMidstOfARead(t *testing.T) {
	for name, have := range map[string]policy.Hash{"of all": {}, "of the header": {1}} {
		t.Run(name, func(t *testing.T) {
			m := serve(t)
			now := wall
			store := connect(t, urlOf(m), Options{now: func() time.Time { return now }})
			next := succeeded([]byte(body))
			next.Rev = put(t, store, next)
			now = now.Add(30 * time.Minute)
			m.FastForward(30 * time.Minute)
			other := connect(t, urlOf(m), Options{now: func() time.Time { return wall.Add(100 * time.Hour) }})
			next.Outcome = policy.Unreachable
			next.FetchedAt = wall.Add(100 * time.Hour)
			races := 0
			m.Server().SetPreHook(func(_ *server.Peer, command string, _ ...string) bool {
				if command == "PTTL" && races == 0 {
					races++
					next.Rev = put(t, other, next)
				}
				return false
			})
			got, err := store.Get(t.Context(), origin, have)
			if races != 1 || err != nil {
				t.Fatalf("%d writes came in the midst of the read, want 1; %v", races, err)
			}
			if got.Outcome != policy.Unreachable || !got.FetchedAt.Equal(now) || string(got.Copy.Body) != body || got.Rev != next.Rev {
				t.Errorf("got %v of %v, want the state of after the write, with its age", got.Outcome, got.FetchedAt)
			}
		})
	}
}

// A key that ends in the midst of a read is gone, and has no age.
func TestAnEndInTheMidstOfARead(t *testing.T) {
	m := serve(t)
	store := connect(t, urlOf(m), Options{})
	put(t, store, succeeded([]byte(body)))
	ended := false
	m.Server().SetPreHook(func(_ *server.Peer, command string, _ ...string) bool {
		if command == "PTTL" && !ended {
			ended = true
			m.FastForward(2 * time.Hour)
		}
		return false
	})
	if got := get(t, store); got.Known() || got.Rev != "" || !ended {
		t.Errorf("got %+v (ended: %v), want nothing", got, ended)
	}
}

// What is at hand costs one short answer, be the header longer than usual or not.
func TestWhatIsAtHandIsNotReadAgain(t *testing.T) {
	m := serve(t)
	store := connect(t, urlOf(m), Options{})
	for name, etag := range map[string]string{"a usual header": "x", "a long header": strings.Repeat("x", 2000)} {
		s := succeeded(large)
		s.Copy.Validators.ETag = etag
		s.Rev = get(t, store).Rev
		put(t, store, s)
		got, err := store.Get(t.Context(), origin, s.Copy.Hash)
		if err != nil || got.Copy.Hash != s.Copy.Hash || got.Copy.Validators.ETag != etag {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
		if short := len(etag) < 100; short != (got.Copy.Body == nil) {
			t.Errorf("%s: there is a body: %v", name, got.Copy.Body != nil)
		}
	}
}

func TestCeil(t *testing.T) {
	for in, want := range map[time.Duration]time.Duration{
		-1: time.Millisecond, 0: time.Millisecond, 1: time.Millisecond, time.Millisecond: time.Millisecond,
		time.Millisecond + 1: 2 * time.Millisecond, time.Hour: time.Hour,
		1<<63 - 1: time.Duration(1<<63 - 1).Truncate(time.Millisecond),
	} {
		if got := ceil(in); got != want {
			t.Errorf("ceil(%d) is %v, want %v", in, got, want)
		}
	}
}
