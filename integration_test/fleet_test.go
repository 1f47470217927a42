package integration_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
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
	raw    *redis.Client
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
	f := &fleet{redis: address, prefix: "test-" + rand.Text()[:10], raw: redis.NewClient(options)}
	t.Cleanup(func() { _ = f.raw.Close() })
	return f
}

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
	octets, err := f.raw.StrLen(t.Context(), f.data(t, o)).Result()
	if err != nil {
		t.Fatalf("STRLEN: %v", err)
	}
	const deleted = 11 // no more than a revision is left
	return octets > deleted
}

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
	rev, err := f.raw.HGet(t.Context(), f.data(t, o), "r").Result()
	f.must(t, err)
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

// subscribers is how many connections hear a channel: one for each process.
func (f *fleet) subscribers(t *testing.T, channel string) int64 {
	t.Helper()
	counts, err := f.raw.PubSubNumSub(t.Context(), channel).Result()
	if err != nil {
		t.Fatalf("PUBSUB NUMSUB: %v", err)
	}
	return counts[channel]
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
