// Package integration_test proves what takes real servers and real processes:
// that the workers of a fleet share one policy through Redis, and what becomes
// of their answers when a server or a worker dies (SEMANTICS C).
//
// It is for whoever changes package app or an adapter. Its tests start a
// redis-server each, from PATH, and workers that are this test binary once more
// (so that they are raced, too). Three variables of the environment matter:
//
//   - POLITE_REDIS=redis://… names a Redis that is running. Tests that only need
//     a place to share use it, under a prefix of their own. Those that kill their
//     server still start one, and are skipped if there is no redis-server.
//   - POLITE_REDIS_SERVER names the program that is started instead of
//     redis-server, such as valkey-server.
//   - POLITE_REQUIRE_REDIS=1 makes it a failure that there is no Redis at all.
package integration_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"go.uber.org/goleak"
)

// unlessItDials passes over what go-redis does a second longer at most than its
// client is open: it sleeps between attempts to reach a Redis that is gone.
var unlessItDials = goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial")

func TestMain(m *testing.M) {
	redis.SetLogger(&logging.VoidLogger{}) // it prints a line for every failed dial
	if os.Getenv(workerRole) != "" {
		os.Exit(work(os.Stdin, os.Stdout, os.Stderr))
	}
	if reason := noRedis(); reason != "" && !redisRequired() {
		fmt.Fprintln(os.Stderr, "integration tests SKIPPED:", reason)
		// "go test ./..." drops what a passing package prints. This line it looks
		// for, and says "[no tests to run]" behind the package's name.
		fmt.Fprintln(os.Stderr, "testing: warning: no tests to run")
	}
	goleak.VerifyTestMain(m, unlessItDials, goleak.Cleanup(func(code int) {
		removeCommand()
		os.Exit(code)
	}))
}
