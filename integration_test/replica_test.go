package integration_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/adapters/redisstore"
	"github.com/polite-crawler/polite/domain/site"
)

// SEMANTICS C10: a purge waits until a replica has it, so that a failover right
// behind does not undo it; for a replica that does not answer it waits a moment;
// and where there is none, not at all.
func TestAPurgeWaitsForAReplica(t *testing.T) {
	t.Parallel()
	master := startRedisTCP(t)
	store := openStore(t, master.url(""))
	origin, err := site.ParseOrigin("https://example.com")
	if err != nil {
		t.Fatal(err)
	}
	const key = "polite:d:{https://example.com}"
	purge := func() {
		t.Helper()
		if err := store.Delete(t.Context(), origin); err != nil {
			t.Fatalf("Delete: %v", err)
		}
	}
	waits := func() int { return calls(t, master, "wait") }

	purge()
	if n := waits(); n != 0 {
		t.Errorf("without a replica there were %d WAITs", n)
	}
	replica := startRedisTCP(t, "--replicaof", "127.0.0.1", strconv.Itoa(master.port))
	eventually(t, "the replica follows", func() bool {
		return info(t, replica, "replication", "master_link_status") == "up" && info(t, master, "replication", "connected_slaves") == "1"
	})
	purge()
	here, there := value(t, master, key), value(t, replica, key)
	if waits() != 1 || here == "" || here != there {
		t.Errorf("%d WAITs; the master has %q, the replica %q", waits(), here, there)
	}

	// One that is stopped acknowledges nothing.
	freeze(t, replica.process)
	start := time.Now()
	purge()
	if took := time.Since(start); waits() != 2 || took < 100*time.Millisecond {
		t.Errorf("%d WAITs in %v: the replica was not waited for, this test proves nothing", waits(), took)
	}
}

// An ACL user with no more rights than package redisstore asks for can do all that
// a Store does; what it may not ask, it is not told.
func TestTheLeastRights(t *testing.T) {
	t.Parallel()
	server := startRedis(t, "--maxmemory-policy", "allkeys-lru")
	admin := redis.NewClient(&redis.Options{Network: "unix", Addr: server.socket()})
	t.Cleanup(func() { _ = admin.Close() })
	grant := func(user string, more ...string) string {
		t.Helper()
		rights := strings.Fields("on >secret resetkeys resetchannels ~polite:* &polite:* -@all " +
			"+get +getrange +pttl +set +eval +evalsha +del +publish +subscribe +unsubscribe +ping")
		if err := admin.ACLSetUser(t.Context(), user, append(rights, more...)...).Err(); err != nil {
			t.Fatalf("ACL SETUSER: %v", err)
		}
		return server.url(user + ":secret@")
	}
	origin, err := site.ParseOrigin("https://example.com")
	if err != nil {
		t.Fatal(err)
	}
	for user, row := range map[string]struct {
		more  []string
		tells bool
	}{
		"least":         {},
		"with-info":     {more: []string{"+info", "+wait"}, tells: true},
		"with-config":   {more: []string{"+config|get"}, tells: true},
		"with-anything": {more: []string{"+@all"}, tells: true},
	} {
		store := openStore(t, grant(user, row.more...))
		release, held, err := store.TryLease(t.Context(), origin, time.Minute)
		if err != nil || !held {
			t.Fatalf("%s: TryLease: held %v, %v", user, held, err)
		}
		if err := store.Wait(t.Context(), origin); err != nil {
			t.Errorf("%s: Wait: %v", user, err)
		}
		release()
		if err := store.Delete(t.Context(), origin); err != nil {
			t.Errorf("%s: Delete: %v", user, err)
		}
		switch found := store.Evictions(t.Context()); {
		case !row.tells && len(found) > 0:
			t.Errorf("%s: Evictions are %v, though neither CONFIG nor INFO is allowed", user, found)
		case row.tells && (len(found) != 1 || found[0].Policy != "allkeys-lru"):
			t.Errorf("%s: Evictions are %v, want allkeys-lru", user, found)
		}
	}
}

// SEMANTICS C5: policies that drop leases and deletes are told of, others not.
func TestEvictions(t *testing.T) {
	t.Parallel()
	for policy, tells := range map[string]bool{
		"allkeys-lru": true, "allkeys-lfu": true, "allkeys-random": true, "volatile-ttl": true,
		"noeviction": false, "volatile-lru": false, "volatile-lfu": false,
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, startRedis(t, "--maxmemory-policy", policy).url(""))
			if found := store.Evictions(t.Context()); len(found) > 0 != tells {
				t.Errorf("Evictions are %v", found)
			}
		})
	}
}

func openStore(t *testing.T, url string) *redisstore.Store {
	t.Helper()
	store, err := redisstore.Open(t.Context(), url, redisstore.Options{Timeout: time.Minute})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// info is one field of INFO.
func info(t *testing.T, server *redisServer, section, field string) string {
	t.Helper()
	var found string
	onServer(t, server, func(client *redis.Client) error {
		text, err := client.Info(t.Context(), section).Result()
		for line := range strings.Lines(text) {
			if value, is := strings.CutPrefix(strings.TrimSpace(line), field+":"); is {
				found = value
			}
		}
		return err
	})
	return found
}

// calls is how often a command was called.
func calls(t *testing.T, server *redisServer, command string) int {
	t.Helper()
	text, _, _ := strings.Cut(strings.TrimPrefix(info(t, server, "commandstats", "cmdstat_"+command), "calls="), ",")
	n, _ := strconv.Atoi(text) // "" if it never was
	return n
}

func value(t *testing.T, server *redisServer, key string) (text string) {
	t.Helper()
	onServer(t, server, func(client *redis.Client) (err error) {
		text, err = client.Get(t.Context(), key).Result()
		return err
	})
	return text
}

func onServer(t *testing.T, server *redisServer, what func(*redis.Client) error) {
	t.Helper()
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: server.socket()})
	defer client.Close()
	if err := what(client); err != nil {
		t.Fatalf("redis: %v", err)
	}
}
