package integration_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/integration_test/proxy"
)

// A trouble is one that a Redis can have.
type trouble struct {
	name  string
	begin func(*testing.T, *scene) // and proves that it has begun
	end   func(*testing.T, *scene)
	reads bool // what is stored can be read all the same
	flaps bool // some of what is asked comes through
}

// A scene is a Redis, and the way to it.
type scene struct {
	server *redisServer
	way    *proxy.Proxy
	raw    *redis.Client // to the server itself
}

// SEMANTICS C5: whatever troubles Redis, right answers go on within bounds, or say
// that there are none; all is shared again by itself when it is over, also by a
// worker that began meanwhile; and the log has a line for each change.
//
// The time-outs are those that everybody gets: 300 ms for an answer. A hundred
// questions that each waited for one would take half a minute.
func TestTroubles(t *testing.T) {
	t.Parallel()
	fault := func(f proxy.Fault, cut bool) func(*testing.T, *scene) {
		return func(t *testing.T, s *scene) {
			t.Helper()
			set(t, s.way, f)
			if cut {
				s.way.Cut("")
			}
			client := redis.NewClient(&redis.Options{Addr: s.way.Addr(), MaxRetries: -1, DialerRetries: 1, DialTimeout: 200 * time.Millisecond, ReadTimeout: 200 * time.Millisecond})
			defer client.Close()
			if err := client.Ping(t.Context()).Err(); err == nil {
				t.Fatal("Redis can be reached: this test proves nothing")
			}
		}
	}
	heal := func(t *testing.T, s *scene) { t.Helper(); set(t, s.way, proxy.Fault{}) }
	refuses := func(command, word string, config ...any) func(*testing.T, *scene) {
		return func(t *testing.T, s *scene) {
			t.Helper()
			s.config(t, config...)
			if err := s.raw.Do(t.Context(), command, "key", "1").Err(); !redis.HasErrorPrefix(err, word) {
				t.Fatalf("%s ends with %v, want %s: this test proves nothing", command, err, word)
			}
		}
	}
	configure := func(config ...any) func(*testing.T, *scene) {
		return func(t *testing.T, s *scene) { t.Helper(); s.config(t, config...) }
	}
	for _, row := range []trouble{
		{name: "it refuses connections", begin: fault(proxy.Fault{Refuse: true}, false), end: heal},
		{name: "it is mute", begin: fault(proxy.Fault{Mute: true}, false), end: heal},
		{name: "it accepts no connection", begin: fault(proxy.Fault{Stall: true}, true), end: heal},
		{name: "it is slower than anybody waits", begin: fault(proxy.Fault{Latency: 2 * time.Second}, false), end: heal},
		{name: "its answers are lost", begin: fault(proxy.Fault{Deaf: true}, false), end: heal},
		{name: "it hangs up in the middle of a greeting", begin: fault(proxy.Fault{CutAfter: 10}, true), end: heal},
		{name: "it hangs up in the middle of an answer", begin: flap, end: heal, flaps: true},
		{
			name: "it stands still", end: func(_ *testing.T, s *scene) { s.server.thaw() },
			begin: func(t *testing.T, s *scene) { t.Helper(); s.server.freeze(t) },
		},
		{name: "it reads its data", begin: load, end: configure("key-load-delay", 0)},
		{
			name: "it has no memory left", reads: true,
			begin: refuses("set", "OOM", "maxmemory-policy", "noeviction", "maxmemory", 1), end: configure("maxmemory", 0),
		},
		{
			name: "it has become a replica", reads: true,
			begin: refuses("set", "READONLY", "replica-serve-stale-data", "yes", "replicaof", "127.0.0.1 1"), end: configure("replicaof", "no one"),
		},
		{
			name:  "it is a replica without its master",
			begin: refuses("hget", "MASTERDOWN", "replica-serve-stale-data", "no", "replicaof", "127.0.0.1 1"), end: configure("replicaof", "no one"),
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.play(t)
		})
	}
}

// play plays the trouble.
func (x trouble) play(t *testing.T) {
	server := startRedis(t)
	fleet := fleetOn(t, server.url(""))
	s := &scene{server: server, way: through(t, "unix", server.socket()), raw: server.client(t)}
	web, all := newWorld(t, 270)
	known, byLocal, byMany, byClosed := all[:10], all[10:110], all[110:160], all[160:260]
	last := all[260]
	spec := spec{Redis: "redis://" + s.way.Addr(), Prefix: fleet.prefix, Proxy: web}
	local, notes := openGate(t, spec)
	spec.Closed = true
	closed, _ := openGate(t, spec)
	knows := func(gate *polite.Gate, origins ...*origin) func() bool {
		return func() bool {
			for _, a := range (round{URLs: urls(origins...)}).run(t.Context(), gate).Answers {
				if a.Error != "" {
					return false
				}
			}
			return true
		}
	}
	for _, o := range known {
		eventually(t, "there is an answer in quiet times, and it is stored", func() bool {
			return knows(local, o)() && knows(closed, o)() && fleet.knows(t, o)
		})
	}

	x.begin(t, s)
	start := time.Now()
	within := func(what string, run func() *tally) *tally {
		t.Helper()
		began := time.Now()
		result := run()
		if took := time.Since(began); took > bounded {
			t.Errorf("%s took %v, want no more than %v", what, took, bounded)
		} else {
			t.Logf("%s took %v, the slowest %v", what, took, result.Slowest)
		}
		return result
	}
	wantRight(t, known, within("what is near", func() *tally { return round{URLs: urls(known...)}.run(t.Context(), local) }))
	wantRight(t, known, within("what is near, closed", func() *tally { return round{URLs: urls(known...)}.run(t.Context(), closed) }))
	wantRight(t, byLocal, within("100 unknown origins, one by one", func() *tally { return round{URLs: urls(byLocal...)}.run(t.Context(), local) }))
	wantRight(t, byMany, within("50 unknown origins, by 20 at once", func() *tally { return round{URLs: urls(byMany...), Askers: 20}.run(t.Context(), local) }))
	wantAsked(t, 1, 1, byLocal...)
	wantAsked(t, 1, 1, byMany...)
	refused := within("100 unknown origins, closed", func() *tally { return round{URLs: urls(byClosed...)}.run(t.Context(), closed) })
	if !x.flaps {
		for _, a := range refused.Answers {
			if !a.Unavailable || a.Allowed {
				t.Errorf("closed: the answer is %+v, want an error that wraps ErrUnavailable", a)
			}
		}
		wantAsked(t, 0, 0, byClosed...)
	}
	spec.Closed = false
	wantRight(t, known, within("what is stored, by a worker that begins now", func() *tally {
		late, _ := openGate(t, spec)
		return round{URLs: urls(known...)}.run(t.Context(), late)
	}))
	// A busy machine may have missed the time-outs in quiet times, too.
	switch again := sumAsked(known) - len(known); {
	case x.reads && again > len(known)/2:
		t.Errorf("%d of %d origins were asked again, though what is stored can be read", again, len(known))
	case !x.reads && !x.flaps && again < len(known):
		t.Errorf("%d of %d origins were asked again: Redis was not gone, this test proves nothing", again, len(known))
	}

	x.end(t, s)
	eventually(t, "closed answers again", knows(closed, byClosed...))
	eventually(t, "the log says that Redis is back, if it said that it was gone", func() bool {
		for _, gate := range []*polite.Gate{local, closed} {
			_ = gate.Purge(t.Context(), last.allowed()) // a write, and then a read
		}
		wantRight(t, []*origin{last}, round{URLs: urls(last)}.run(t.Context(), local))
		gone, back := changes(t, notes.now().Log)
		return gone == back
	})
	eventually(t, "what is learned is stored again", func() bool {
		wantRight(t, []*origin{last}, round{URLs: urls(last)}.run(t.Context(), local))
		return fleet.knows(t, last)
	})
	if gone, _ := changes(t, notes.now().Log); gone == 0 && !x.flaps {
		t.Errorf("the log does not say that Redis was gone: %s", notes.now().Log)
	}
	wantFewLines(t, notes.now().Log, time.Since(start))
}

// changes counts what the log says of the shared cache.
func changes(t *testing.T, log string) (gone, back int) {
	t.Helper()
	for what, n := range linesOf(t, log) {
		switch {
		case strings.HasPrefix(what, "the shared cache is unavailable"):
			gone += n
		case strings.HasPrefix(what, "the shared cache is back"):
			back += n
		}
	}
	return gone, back
}

// linesOf counts the lines of a log, by their message and what it is about.
func linesOf(t *testing.T, log string) map[string]int {
	t.Helper()
	counts := make(map[string]int)
	for line := range strings.Lines(log) {
		var event struct{ Message, Operation, Node, From, To string }
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("the log is no JSON: %v: %s", err, line)
		}
		counts[fmt.Sprintf("%s %s%s %s>%s", event.Message, event.Operation, event.Node, event.From, event.To)]++
	}
	return counts
}

// wantFewLines fails if a log has a line for each question, or each failure. What
// changes to and fro may say so once a second.
func wantFewLines(t *testing.T, log string, took time.Duration) {
	t.Helper()
	for what, n := range linesOf(t, log) {
		if most := 2 + int(took.Seconds()); n > most {
			t.Errorf("in %v there are %d lines that say %q, want no more than %d", took, n, what, most)
		}
	}
}

// config changes settings of the server, and what REPLICAOF does.
func (s *scene) config(t *testing.T, settings ...any) {
	t.Helper()
	for i := 0; i < len(settings); i += 2 {
		command := []any{"config", "set", settings[i], settings[i+1]}
		if settings[i] == "replicaof" {
			command = []any{"replicaof"}
			for part := range strings.FieldsSeq(settings[i+1].(string)) {
				command = append(command, part)
			}
		}
		if err := s.raw.Do(t.Context(), command...).Err(); err != nil {
			t.Fatalf("%v: %v", command, err)
		}
	}
}

// flap begins a fault in which connections are made, and end within an answer.
func flap(t *testing.T, s *scene) {
	t.Helper()
	set(t, s.way, proxy.Fault{CutAfter: 700})
	client := redis.NewClient(&redis.Options{Addr: s.way.Addr(), MaxRetries: -1, DialerRetries: 1, PoolSize: 1})
	defer client.Close()
	good, bad := 0, 0
	for range 300 {
		if err := client.Ping(t.Context()).Err(); err == nil {
			good++
		} else {
			bad++
		}
	}
	if good == 0 || bad == 0 {
		t.Fatalf("%d commands went well and %d did not: this test proves nothing", good, bad)
	}
}

// load has the server read its data, and take its time.
func load(t *testing.T, s *scene) {
	t.Helper()
	filler := strings.Repeat("-", 2048)
	some := s.raw.Pipeline()
	for i := range 8000 {
		some.Set(t.Context(), fmt.Sprintf("filler %d", i), filler, 0)
	}
	if _, err := some.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.config(t, "rdbcompression", "no")
	if err := s.raw.Save(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	s.server.kill(t)
	s.server.args = append(s.server.args, "--key-load-delay", "10000", "--loading-process-events-interval-bytes", "1024")
	s.server.restart(t)
	if err := s.raw.Get(t.Context(), "key").Err(); !redis.IsLoadingError(err) {
		t.Fatalf("a read ends with %v, want LOADING: this test proves nothing", err)
	}
}
