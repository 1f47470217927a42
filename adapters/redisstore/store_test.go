package redisstore

import (
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"go.uber.org/goleak"

	"github.com/polite-crawler/polite/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect opens a Store on a miniredis.
func connect(t porttest.T, server *miniredis.Miniredis, options Options) *Store {
	t.Helper()
	store, err := Open(t.Context(), "redis://"+server.Addr(), options)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// serve starts a miniredis.
func serve(t porttest.T) *miniredis.Miniredis {
	t.Helper()
	server := miniredis.NewMiniRedis()
	if err := server.Start(); err != nil {
		t.Fatalf("miniredis: %v", err)
	}
	t.Cleanup(server.Close)
	return server
}

func worker(store *Store) porttest.Worker {
	return porttest.Worker{Cache: store, Leaser: store, Watcher: store, Now: store.options.now}
}

func TestStoreKeepsTheContract(t *testing.T) {
	porttest.Store(t, func(t porttest.T) porttest.Fleet {
		server := serve(t)
		return porttest.Fleet{
			Workers: []porttest.Worker{worker(connect(t, server, Options{})), worker(connect(t, server, Options{}))},
			Advance: server.FastForward,
		}
	})
}

// The same among workers two of which are two days off.
func TestStoreKeepsTheContractWhenClocksDisagree(t *testing.T) {
	off := func(d time.Duration) Options {
		return Options{now: func() time.Time { return time.Now().Add(d) }}
	}
	porttest.Store(t, func(t porttest.T) porttest.Fleet {
		server := serve(t)
		return porttest.Fleet{
			Workers: []porttest.Worker{
				worker(connect(t, server, off(48*time.Hour))),
				worker(connect(t, server, off(0))),
				worker(connect(t, server, off(-48*time.Hour))),
			},
			Advance: server.FastForward,
		}
	})
}

