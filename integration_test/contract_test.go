package integration_test

import (
	"testing"

	"github.com/polite-crawler/polite/adapters/redisstore"
	"github.com/polite-crawler/polite/ports/porttest"
)

// The store keeps the contract of its ports on a real server, and on a Cluster of
// three, as on the double that its own tests use: scripts, slots, expiry and
// subscriptions are Redis' own here.
//
// Nothing else in this package runs at the same time, as some checks are about
// how long something takes.
func TestRedisKeepsTheContract(t *testing.T) {
	for place, begin := range map[string]func(*testing.T) *fleet{
		"one Redis": newFleet,
		"a Cluster": func(t *testing.T) *fleet { t.Helper(); return startCluster(t, 3, 0, patience).fleet(t) },
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			fleet := begin(t)
			for name, checks := range map[string][]porttest.Check[porttest.Open]{
				"Cache": porttest.CacheChecks(), "Leaser": porttest.LeaserChecks(), "Watcher": porttest.WatcherChecks(),
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					on := fleet.spec()
					on.Prefix += "-" + name // which clear finds as well
					keepsTheContract(t, on, checks)
				})
			}
		})
	}
}

func keepsTheContract(t *testing.T, on spec, checks []porttest.Check[porttest.Open]) {
	t.Helper()
	porttest.Run(t, checks, func(t porttest.T) (stores porttest.Fleet) {
		on.Prefix += "x" // nothing in common with the check before
		for range 2 {
			store, err := redisstore.Open(t.Context(), on.Redis, redisstore.Options{Prefix: on.Prefix, Timeout: patience})
			if err != nil {
				t.Fatalf("Open: %v", err)
			}
			t.Cleanup(func() { _ = store.Close() })
			stores.Workers = append(stores.Workers, porttest.Worker{Cache: store, Leaser: store, Watcher: store})
		}
		return stores
	})
}
