package integration_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/domain/site"
)

// A fleet is what workers share who have the same Redis and the same prefix, with
// a raw client to look behind their backs.
type fleet struct {
	redis  string // its address
	prefix string
	raw    redis.UniversalClient
}

// newFleet makes one that has nothing in common with any other test's: on the
// Redis that POLITE_REDIS names, or on a server of its own.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	needRedis(t)
	named := os.Getenv("POLITE_REDIS")
	if named == "" {
		return fleetOn(t, startRedis(t).url(""))
	}
	f := fleetOn(t, named)
	if err := f.raw.Ping(t.Context()).Err(); err != nil {
		t.Fatalf("the Redis that POLITE_REDIS names does not answer: %v", err)
	}
	t.Cleanup(func() { f.clear(t) })
	return f
}

// fleetOn makes a fleet on the Redis at an address.
func fleetOn(t *testing.T, address string) *fleet {
	t.Helper()
	options, err := redis.ParseURL(address)
	if err != nil {
		t.Fatal("the address is not that of one Redis, redis://user:password@host:port/db") // err may hold the password
	}
	options.MaxRetries, options.DialerRetries = -1, 1
	return fleetWith(t, address, redis.NewClient(options))
}

// fleetWith makes a fleet on the Redis at an address, with a client for it.
func fleetWith(t *testing.T, address string, raw redis.UniversalClient) *fleet {
	t.Helper()
	t.Cleanup(func() { _ = raw.Close() })
	return &fleet{redis: address, prefix: newPrefix(), raw: raw}
}

func newPrefix() string { return "test-" + rand.Text()[:10] }

// spec is what a worker of the fleet is told. Its Redis may take as long as a busy
// machine takes: tests that count requests to the last one must not see an
// outage where there is none.
func (f *fleet) spec() spec {
	between := "?"
	if strings.Contains(f.redis, "?") {
		between = "&"
	}
	patient := f.redis + between + "dial_timeout=10s&read_timeout=10s&write_timeout=10s"
	return spec{Redis: patient, Prefix: f.prefix}
}

// The names of keys and channels, as package redisstore has them.

func (f *fleet) data(t *testing.T, o *origin) string   { return f.about(t, "d", o) }
func (f *fleet) lease(t *testing.T, o *origin) string  { return f.about(t, "l", o) }
func (f *fleet) events(t *testing.T, o *origin) string { return f.about(t, "e", o) }
func (f *fleet) deletes() string                       { return f.prefix + ":deletes" }

func (f *fleet) about(t *testing.T, what string, o *origin) string {
	t.Helper()
	parsed, err := site.ParseOrigin(o.url)
	if err != nil {
		t.Fatal(err)
	}
	return f.prefix + ":" + what + ":{" + parsed.String() + "}"
}

// knows reports whether there is a snapshot of an origin.
func (f *fleet) knows(t *testing.T, o *origin) bool {
	t.Helper()
	is, err := f.tryKnows(t, o)
	if err != nil {
		t.Fatalf("STRLEN: %v", err)
	}
	return is
}

// tryKnows is knows where Redis may not answer.
func (f *fleet) tryKnows(t *testing.T, o *origin) (bool, error) {
	t.Helper()
	octets, err := f.raw.StrLen(t.Context(), f.data(t, o)).Result()
	return octets > revision, err
}

// revision is how long one is: values begin with it, and of what is deleted
// nothing else is left.
const revision = 11

// age lets time pass for what is stored about an origin: in Redis, times count
// from the put, which was as long ago as the key's life has become shorter.
func (f *fleet) age(t *testing.T, o *origin, by time.Duration) {
	t.Helper()
	key := f.data(t, o)
	left := f.raw.PTTL(t.Context(), key).Val()
	if left <= by {
		t.Fatalf("what is stored about %s has %v to live, and cannot become older by %v", o.url, left, by)
	}
	f.must(t, f.raw.PExpire(t.Context(), key, left-by).Err())
}

// rev is the revision of what is stored about an origin.
func (f *fleet) rev(t *testing.T, o *origin) string {
	t.Helper()
	rev, err := f.raw.GetRange(t.Context(), f.data(t, o), 0, revision-1).Result()
	f.must(t, err)
	if len(rev) != revision {
		t.Fatalf("what is stored about %s has no revision: %q", o.url, rev)
	}
	return rev
}

// wantHolder fails unless the worker holds the lease of an origin.
func (f *fleet) wantHolder(t *testing.T, w *worker, o *origin) {
	t.Helper()
	token, err := f.raw.Get(t.Context(), f.lease(t, o)).Result()
	if want := fmt.Sprintf("%d-", w.pid()); err != nil || !strings.HasPrefix(token, want) {
		t.Fatalf("the lease is held by %q (%v), want %s…: this test proves nothing", token, err, want)
	}
}

// endLease has a lease run out at once.
func (f *fleet) endLease(t *testing.T, o *origin) {
	t.Helper()
	f.must(t, f.raw.PExpire(t.Context(), f.lease(t, o), time.Millisecond).Err())
}

// subscribers is how many connections hear a channel: one for each process, at
// whatever node.
func (f *fleet) subscribers(t *testing.T, channel string) int64 {
	t.Helper()
	var sum atomic.Int64
	count := func(ctx context.Context, node *redis.Client) error {
		counts, err := node.PubSubNumSub(ctx, channel).Result()
		sum.Add(counts[channel])
		return err
	}
	if many, is := f.raw.(*redis.ClusterClient); is {
		// A node that is gone has none.
		_ = many.ForEachShard(t.Context(), func(ctx context.Context, node *redis.Client) error {
			_ = count(ctx, node)
			return nil
		})
	} else if err := count(t.Context(), f.raw.(*redis.Client)); err != nil {
		t.Fatalf("PUBSUB NUMSUB: %v", err)
	}
	return sum.Load()
}

// waitForWaiters waits until so many connections wait for what somebody learns
// about an origin.
func (f *fleet) waitForWaiters(t *testing.T, n int64, o *origin) {
	t.Helper()
	eventually(t, "others wait for who asks "+o.url, func() bool { return f.subscribers(t, f.events(t, o)) >= n })
}

// clear removes what a test has left in somebody's Redis.
func (f *fleet) clear(t *testing.T) {
	ctx := context.Background() // the test's own is over
	keys := f.raw.Scan(ctx, 0, f.prefix+"*", 1000).Iterator()
	for keys.Next(ctx) {
		f.raw.Del(ctx, keys.Val())
	}
	if err := keys.Err(); err != nil {
		t.Errorf("what is left under %s in Redis cannot be removed: %v", f.prefix, err)
	}
}
