package redisstore

import (
	"context"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// An Eviction is a node of Redis that, when its memory is full, drops what should
// stay.
//
// A lease that is dropped costs a second request to an origin, a snapshot a new
// one, and with the memory of a Delete goes what keeps a Put from before it out:
// the fleet may then answer by a robots.txt that somebody purged (SEMANTICS C5,
// C10). With noeviction Redis refuses writes instead, and reads go on; with
// volatile-lru or volatile-lfu it drops what was long not asked for.
type Eviction struct {
	Node   string // its address
	Policy string // its maxmemory-policy: allkeys-…, or volatile-ttl, which drops leases and deletes first
}

// Evictions asks each node that takes writes for its maxmemory-policy, and
// returns those with one that drops what should stay. Nodes that do not answer,
// or do not let the user know, are left out: a managed Redis often forbids
// CONFIG, and an ACL may forbid INFO, too.
func (s *Store) Evictions(ctx context.Context) []Eviction {
	op, cancel, err := s.operation(ctx)
	if err != nil {
		return nil
	}
	defer cancel()
	var mutex sync.Mutex
	var found []Eviction
	ask := func(ctx context.Context, node *redis.Client) error {
		if policy := evictionPolicy(ctx, node); strings.HasPrefix(policy, "allkeys-") || policy == "volatile-ttl" {
			mutex.Lock()
			defer mutex.Unlock()
			found = append(found, Eviction{Node: node.Options().Addr, Policy: policy})
		}
		return nil
	}
	switch client := s.client.(type) {
	case *redis.ClusterClient:
		_ = client.ForEachMaster(op, ask)
	case *redis.Client:
		_ = ask(op, client)
	}
	return found
}

// evictionPolicy returns a node's maxmemory-policy, or "" if there is no knowing.
func evictionPolicy(ctx context.Context, node *redis.Client) string {
	const name = "maxmemory-policy"
	if policy := node.ConfigGet(ctx, name).Val()[name]; policy != "" {
		return policy
	}
	for line := range strings.Lines(node.Info(ctx, "memory").Val()) {
		if policy, is := strings.CutPrefix(strings.TrimSpace(line), "maxmemory_policy:"); is {
			return policy
		}
	}
	return ""
}
