package integration_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// A guarded is a master with a replica, and a Sentinel that watches over them.
type guarded struct {
	master, replica, sentinel *redisServer
}

const masterName = "policies"

func startGuarded(t *testing.T) *guarded {
	t.Helper()
	g := &guarded{master: startRedisTCP(t)}
	g.replica = startRedisTCP(t, "--replicaof", "127.0.0.1 "+strconv.Itoa(g.master.port), "--repl-diskless-sync-delay", "0")
	g.replica.wantReplica(t)

	g.sentinel = newRedisServer(t, []string{"--sentinel"})
	g.sentinel.config = filepath.Join(g.sentinel.dir, "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor %[1]s 127.0.0.1 %[2]d 1\nsentinel down-after-milliseconds %[1]s 2000\n"+
		"sentinel failover-timeout %[1]s 10000\n", masterName, g.master.port)
	if err := os.WriteFile(g.sentinel.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g.sentinel.startOnAPort(t)
	raw := g.raw(t)
	eventually(t, "the Sentinel knows master and replica", func() bool {
		replicas, err := raw.Replicas(t.Context(), masterName).Result()
		return err == nil && len(replicas) == 1 && replicas[0]["master-link-status"] == "ok"
	})
	return g
}

// raw is a client to the Sentinel itself.
func (g *guarded) raw(t *testing.T) *redis.SentinelClient {
	t.Helper()
	raw := redis.NewSentinelClient(&redis.Options{Addr: g.sentinel.hostPort()})
	t.Cleanup(func() { _ = raw.Close() })
	return raw
}

// SEMANTICS C6, C10: behind Sentinel a master dies, and its replica takes over.
// That costs each origin one request at most, and purges are heard again. The old
// master comes back as a replica, which changes nothing.
func TestSentinelFailsOver(t *testing.T) {
	t.Parallel()
	g := startGuarded(t)
	fleet := fleetWith(t, "redis+sentinel://"+g.sentinel.hostPort()+"/"+masterName, g.master.client(t))
	web, all := newWorld(t, 200)
	known, during, after, rest := all[:10], all[10:20], all[20:30], all[30:]
	spec := fleet.spec()
	spec.Proxy = web
	spec.Tuned = &tuning{NearAge: shortAge, RedisTimeout: patience}
	a, b := hire(t, spec), hire(t, spec)
	both := func(origins []*origin) []*tally {
		errands := []*errand{a.begin(round{URLs: urls(origins...), Askers: 5}), b.begin(round{URLs: urls(origins...), Askers: 5})}
		return []*tally{errands[0].tally(), errands[1].tally()}
	}
	eventually(t, "both workers hear purges", func() bool { return fleet.subscribers(t, fleet.deletes()) == 2 })
	wantSame(t, known, both(known)...)
	wantAsked(t, 1, 1, known...)
	if n, err := g.master.client(t).Wait(t.Context(), 1, patience).Result(); n != 1 || err != nil {
		t.Fatalf("WAIT: %d, %v", n, err)
	}

	g.master.kill(t)
	tallies := both(slices.Concat(known, during))
	wantRight(t, known, tallies...)
	wantRight(t, during, tallies...)
	wantBounded(t, tallies...)
	for _, w := range []*worker{a, b} {
		if so := w.facts(); so.Down == 0 {
			t.Errorf("the worker has not seen that the master is gone: %+v", so)
		}
	}
	sentinel := g.raw(t)
	eventually(t, "the replica has taken over", func() bool {
		master, err := sentinel.GetMasterAddrByName(t.Context(), masterName).Result()
		return err == nil && net.JoinHostPort(master[0], master[1]) == g.replica.hostPort() &&
			strings.Contains(g.replica.client(t).Info(t.Context(), "replication").Val(), "role:master")
	})
	fleet.raw = g.replica.client(t)
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	eventually(t, "the workers share what they learn again", func() bool {
		<-again.C
		for _, w := range []*worker{a, b} {
			o := rest[0]
			rest = rest[1:]
			wantRight(t, []*origin{o}, w.check(urls(o)...))
			if !fleet.knows(t, o) {
				return false
			}
		}
		return true
	})
	eventually(t, "both workers hear purges", func() bool { return fleet.subscribers(t, fleet.deletes()) == 2 })
	wantRight(t, known, both(known)...)
	wantAsked(t, 1, 2, known...)
	wantSame(t, after, both(after)...)
	wantAsked(t, 1, 1, after...)

	g.master.restart(t)
	g.master.wantReplica(t)
	wantSame(t, after, both(after)...)
	wantAsked(t, 1, 1, after...)
}
