package integration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// A cluster is a Redis Cluster of a test's own: masters that share the slots
// between them, and replicas of the first.
type cluster struct {
	masters, replicas []*redisServer
	last              *redis.Client // to the last of the masters, which no test kills
}

// slots is how many a Cluster has.
const slots = 16384

// startCluster starts one. A node that does not answer for the time-out counts as
// gone; the slots of the others are served all the same.
func startCluster(t *testing.T, masters, replicas int, timeout time.Duration) *cluster {
	t.Helper()
	needRedis(t)
	needServer(t)
	c := &cluster{}
	for i := range masters + replicas {
		node := newRedisServer(t, []string{
			"--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
			"--cluster-node-timeout", fmt.Sprint(timeout.Milliseconds()), "--cluster-require-full-coverage", "no",
			"--repl-diskless-sync-delay", "0",
		})
		node.startOnAPort(t)
		if i < masters {
			c.masters = append(c.masters, node)
		} else {
			c.replicas = append(c.replicas, node)
		}
	}
	c.join(t)
	c.last = c.masters[masters-1].client(t)
	return c
}

// join makes the nodes one Cluster.
func (c *cluster) join(t *testing.T) {
	t.Helper()
	first := c.masters[0]
	for i, node := range c.masters {
		raw := node.client(t)
		from, till := i*slots/len(c.masters), (i+1)*slots/len(c.masters)-1
		if err := raw.ClusterAddSlotsRange(t.Context(), from, till).Err(); err != nil {
			t.Fatalf("CLUSTER ADDSLOTS: %v", err)
		}
	}
	all := slices.Concat(c.masters[1:], c.replicas)
	for _, node := range all {
		if err := node.client(t).ClusterMeet(t.Context(), "127.0.0.1", fmt.Sprint(first.port)).Err(); err != nil {
			t.Fatalf("CLUSTER MEET: %v", err)
		}
	}
	leader := first.client(t).ClusterMyID(t.Context()).Val()
	for _, node := range c.replicas {
		raw := node.client(t)
		eventually(t, "the replica knows its master", func() bool {
			return raw.ClusterReplicate(t.Context(), leader).Err() == nil
		})
	}
	for _, node := range append(all, first) {
		raw := node.client(t)
		eventually(t, "the node knows the whole Cluster", func() bool {
			info := raw.ClusterInfo(t.Context()).Val()
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_slots_ok:16384") &&
				strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d\r", len(all)+1)) &&
				strings.Count(raw.ClusterNodes(t.Context()).Val(), " connected") == len(all)+1
		})
	}
	for _, node := range c.replicas {
		node.wantReplica(t)
	}
}

// fleet makes a fleet on the Cluster.
func (c *cluster) fleet(t *testing.T) *fleet {
	t.Helper()
	return fleetWith(t, "redis://"+strings.Join(c.addresses(), ","), redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: c.addresses(), DialTimeout: time.Second,
	}))
}

func (c *cluster) addresses() (all []string) {
	for _, node := range c.masters {
		all = append(all, node.hostPort())
	}
	return all
}

// home returns which of the masters that the Cluster began with has a key.
func (c *cluster) home(t *testing.T, key string) int {
	t.Helper()
	slot, err := c.last.ClusterKeySlot(t.Context(), key).Result()
	if err != nil {
		t.Fatalf("CLUSTER KEYSLOT: %v", err)
	}
	return int(slot) * len(c.masters) / slots
}

// client is one to this server alone.
func (s *redisServer) client(t *testing.T) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: s.socket(), MaxRetries: -1, DialerRetries: 1})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// wantReplica waits until the server is a replica and has all that its master has.
func (s *redisServer) wantReplica(t *testing.T) {
	t.Helper()
	raw := s.client(t)
	eventually(t, "the replica follows its master", func() bool {
		return strings.Contains(raw.Info(t.Context(), "replication").Val(), "master_link_status:up")
	})
}

// SEMANTICS C6, C10: in a Cluster a master with a replica dies, and the replica
// takes over: that costs each origin one request at most. Then one without a
// replica dies: what it had, each worker learns for itself, and the others'
// origins go on to be fetched once, and purged, as if nothing were.
func TestClusterLosesNodes(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 3, 1, 2*time.Second)
	fleet := c.fleet(t)
	// The node that dies for good has the channel of deletes among its slots.
	const heir, doomed, other = 0, 1, 2
	for c.home(t, fleet.deletes()) != doomed {
		fleet.prefix = newPrefix()
	}
	web, all := newWorld(t, 600)
	spec := fleet.spec()
	spec.Proxy = web
	// What a busy machine does is no outage; a node that is gone refuses at once.
	spec.Tuned = &tuning{NearAge: shortAge, RedisTimeout: patience}
	a, b := hire(t, spec), hire(t, spec)
	eventually(t, "both workers hear purges", func() bool { return fleet.subscribers(t, fleet.deletes()) == 2 })

	homes := make(map[int][]*origin)
	for _, o := range all {
		home := c.home(t, fleet.data(t, o))
		homes[home] = append(homes[home], o)
	}
	take := func(home, n int) (some []*origin) {
		if len(homes[home]) < n {
			t.Fatalf("there are not %d more origins for node %d", n, home)
		}
		some, homes[home] = homes[home][:n], homes[home][n:]
		return some
	}
	both := func(origins []*origin) []*tally {
		errands := []*errand{a.begin(round{URLs: urls(origins...), Askers: 5}), b.begin(round{URLs: urls(origins...), Askers: 5})}
		return []*tally{errands[0].tally(), errands[1].tally()}
	}
	known := take(heir, 10)
	wantSame(t, known, both(known)...)
	wantAsked(t, 1, 1, known...)
	if n, err := c.masters[heir].client(t).Wait(t.Context(), 1, patience).Result(); n != 1 || err != nil {
		t.Fatalf("WAIT: %d, %v", n, err)
	}

	c.masters[heir].kill(t)
	wantRight(t, known, both(known)...)
	eventually(t, "the replica has taken over", func() bool {
		return strings.Contains(c.replicas[0].client(t).Info(t.Context(), "replication").Val(), "role:master")
	})
	c.settle(t, fleet, a, b, func() *origin { return take(heir, 1)[0] })
	wantRight(t, known, both(known)...)
	wantAsked(t, 1, 2, known...)
	fresh := take(heir, 5)
	wantSame(t, fresh, both(fresh)...)
	wantAsked(t, 1, 1, fresh...)

	c.masters[doomed].kill(t)
	eventually(t, "both workers hear purges, though the channel's node is gone", func() bool {
		return fleet.subscribers(t, fleet.deletes()) == 2
	})
	dead := take(doomed, 10)
	wantRight(t, dead, both(dead)...)
	wantAsked(t, 2, 2, dead...) // by each for itself
	alive := append(take(other, 10), take(heir, 10)...)
	mixed := append(take(doomed, 10), alive...)
	tallies := both(mixed)
	wantRight(t, mixed, tallies...)
	wantBounded(t, tallies...)
	wantSame(t, alive, tallies...)
	wantAsked(t, 1, 1, alive...)

	c.masters[doomed].restart(t)
	c.settle(t, fleet, a, b, func() *origin { return take(doomed, 1)[0] })
	fresh = take(doomed, 5)
	wantSame(t, fresh, both(fresh)...)
	wantAsked(t, 1, 1, fresh...)
}

// settle waits until workers share a node again: with an origin that is new, each
// time.
func (c *cluster) settle(t *testing.T, fleet *fleet, a, b *worker, next func() *origin) {
	t.Helper()
	again := time.NewTicker(500 * time.Millisecond)
	defer again.Stop()
	eventually(t, "the workers share what they learn again", func() bool {
		<-again.C
		for _, w := range []*worker{a, b} {
			o := next()
			wantRight(t, []*origin{o}, w.check(urls(o)...))
			if is, err := fleet.tryKnows(t, o); !is || err != nil {
				fleet.raw.(*redis.ClusterClient).ReloadState(t.Context()) // by itself it would take a minute
				return false
			}
		}
		return true
	})
}
