package integration_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"
)

const remedy = `remedy: "make test" installs it, or install Redis 6.2 or later, or name one that is running: POLITE_REDIS=redis://localhost:6379`

// noRedis says why there is nothing to test against, or "".
func noRedis() string {
	if os.Getenv("POLITE_REDIS") != "" {
		return ""
	}
	if _, err := exec.LookPath(serverProgram()); err != nil {
		return "there is no " + serverProgram() + " in PATH, and POLITE_REDIS names none; " + remedy
	}
	return ""
}

// serverProgram is the server that tests start.
func serverProgram() string {
	if named := os.Getenv("POLITE_REDIS_SERVER"); named != "" {
		return named
	}
	return "redis-server"
}

// redisRequired reports whether it is a failure that there is no Redis.
func redisRequired() bool { return os.Getenv("POLITE_REQUIRE_REDIS") == "1" }

// needRedis skips a test that has no Redis, or fails it where one is required.
func needRedis(t *testing.T) {
	t.Helper()
	switch reason := noRedis(); {
	case reason == "":
	case redisRequired():
		t.Fatalf("POLITE_REQUIRE_REDIS=1, but %s", reason)
	default:
		t.Skip("SKIPPED:", reason) //nolint:forbidigo // TestMain has said so aloud, and where it matters it is a failure
	}
}

// A redisServer is a redis-server of a test's own.
type redisServer struct {
	dir     string
	port    int    // 0: it listens on a socket in dir
	tls     bool   // on its port
	config  string // a file, for what has to be one; ""
	args    []string
	process *exec.Cmd
	gone    chan struct{} // closed when the process has ended
}

// startRedis starts a server on a Unix socket, which nobody else can take while
// the server is down.
func startRedis(t *testing.T, args ...string) *redisServer {
	t.Helper()
	needRedis(t)
	needServer(t)
	s := newRedisServer(t, args)
	if err := s.start(t); err != nil {
		t.Fatal(err)
	}
	return s
}

// startRedisTCP starts a server on a TCP port of this machine.
func startRedisTCP(t *testing.T, args ...string) *redisServer {
	t.Helper()
	needRedis(t)
	needServer(t)
	s := newRedisServer(t, args)
	s.startOnAPort(t)
	return s
}

// startOnAPort starts the server on a port that is free.
func (s *redisServer) startOnAPort(t *testing.T) {
	t.Helper()
	for try := 1; ; try++ {
		s.port = freePort(t)
		err := s.start(t)
		if err == nil {
			return
		}
		if try == 5 { // somebody else took the port meanwhile, but not so often
			t.Fatal(err)
		}
	}
}

// needServer skips a test that wants a server of its own where there is only a
// Redis that belongs to somebody.
func needServer(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath(serverProgram()); err != nil {
		reason := "SKIPPED: this test needs a redis-server of its own, the one that POLITE_REDIS names is not ours to kill; " +
			"remedy: install redis-server"
		fmt.Fprintf(os.Stderr, "%s %s\n", t.Name(), reason)
		// No failure with POLITE_REQUIRE_REDIS either: who names a Redis has one,
		// and the other tests did run.
		t.Skip(reason) //nolint:forbidigo // said aloud above
	}
}

func newRedisServer(t *testing.T, args []string) *redisServer {
	t.Helper()
	// Not t.TempDir, whose long names are too long for a socket.
	dir, err := os.MkdirTemp("", "polite")
	if err != nil {
		t.Fatal(err)
	}
	s := &redisServer{dir: dir, args: args}
	t.Cleanup(func() {
		s.end()
		_ = os.RemoveAll(dir)
	})
	return s
}

// start returns when the server answers. With an error there is no server.
func (s *redisServer) start(t *testing.T) error {
	t.Helper()
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	var args []string
	if s.config != "" {
		args = append(args, s.config)
	}
	s.process = exec.Command(serverProgram(), append(append(append(args, s.ports()...),
		"--bind", "127.0.0.1", "--unixsocket", s.socket(),
		"--save", "", "--appendonly", "no", "--dir", s.dir, "--daemonize", "no",
	), s.args...)...)
	s.process.Stdout, s.process.Stderr = log, log
	s.process.SysProcAttr = dieWithParent()
	if err := s.process.Start(); err != nil {
		return err
	}
	s.gone = make(chan struct{})
	go func(process *exec.Cmd, gone chan<- struct{}) {
		_ = process.Wait()
		close(gone)
	}(s.process, s.gone)
	up := false
	eventually(t, "redis-server is up, or has given up", func() bool {
		up = s.ping() == nil
		return up || s.isGone()
	})
	if !up {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s did not start: %v (a Redis without TLS cannot be tested with it: take one that was built with it)\n%s",
			serverProgram(), s.process.ProcessState, text)
	}
	return nil
}

// kill kills the server with -9, and proves that it is gone.
func (s *redisServer) kill(t *testing.T) {
	t.Helper()
	killHard(t, s.process, s.gone)
	if err := s.ping(); err == nil {
		t.Fatal("redis-server was killed and still answers: this test proves nothing")
	}
}

// restart starts a killed server again, empty, at the same address.
func (s *redisServer) restart(t *testing.T) {
	t.Helper()
	if !s.isGone() {
		t.Fatal("redis-server is still running")
	}
	if err := s.start(t); err != nil {
		t.Fatal(err)
	}
}

// freeze stops the server until it is told to thaw: it is still there, and says
// nothing.
func (s *redisServer) freeze(t *testing.T) {
	t.Helper()
	freeze(t, s.process)
}

func (s *redisServer) thaw() { thaw(s.process) }

// url is the server's address, with credentials such as "user:password@".
func (s *redisServer) url(credentials string) string {
	if s.port == 0 {
		return "unix://" + credentials + s.socket()
	}
	return "redis://" + credentials + s.hostPort()
}

func (s *redisServer) socket() string   { return filepath.Join(s.dir, "s") }
func (s *redisServer) hostPort() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// ping asks the server over a connection of its own. That a password is wanted is
// an answer, too, and so is that it is busy with reading its data.
func (s *redisServer) ping() error {
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: s.socket(), MaxRetries: -1, DialerRetries: 1})
	defer client.Close()
	err := client.Ping(context.Background()).Err()
	if redis.IsAuthError(err) || redis.IsLoadingError(err) {
		return nil
	}
	return err
}

func (s *redisServer) isGone() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

func (s *redisServer) end() {
	if s.gone == nil {
		return
	}
	_ = s.process.Process.Kill()
	<-s.gone
}

// freePort is a port that nobody listens on, for the moment; nor on the one that a
// node of a Cluster then has for the others, 10,000 above. Both are below those
// that a system gives to whoever asks for any.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 10_000 + rand.IntN(12_000)
		if isFree(port) && isFree(port+10_000) {
			return port
		}
	}
	t.Fatal("there is no free port")
	return 0
}

func isFree(port int) bool {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	_ = listener.Close()
	return true
}
