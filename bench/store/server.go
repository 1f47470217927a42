package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// A server is a redis-server of this program's own, as it comes: it listens on
// the loopback interface and writes nothing to disk.
type server struct {
	address string
	client  *redis.Client
	stop    func()
}

func startServer(ctx context.Context) (*server, error) {
	folder, err := os.MkdirTemp("", "polite-bench")
	if err != nil {
		return nil, err
	}
	// Somebody may take the port before Redis does; it then ends, and says so.
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	command := exec.Command("redis-server", "--port", strconv.Itoa(port), "--bind", "127.0.0.1",
		"--save", "", "--appendonly", "no", "--dir", folder, "--daemonize", "no")
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("%w; install redis-server, as `make test` does", err)
	}
	s := &server{address: "127.0.0.1:" + strconv.Itoa(port), stop: func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		_ = os.RemoveAll(folder)
	}}
	ready := false
	lines := bufio.NewScanner(out)
	for !ready && lines.Scan() {
		ready = strings.Contains(strings.ToLower(lines.Text()), "ready to accept connections")
	}
	if !ready {
		s.stop()
		return nil, errors.New("redis-server ended before it was ready")
	}
	go func() {
		for lines.Scan() { // or it would be held up
		}
	}()
	// As redisstore.Open makes its own, but for the time it waits.
	s.client = redis.NewClient(&redis.Options{
		Addr: s.address, MaxRetries: -1, PipelinePoolSize: -1, ContextTimeoutEnabled: true, ReadTimeout: 10 * time.Second,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	return s, nil
}

// url is the server as the library takes it.
func (s *server) url() string { return "redis://" + s.address }

func (s *server) close() {
	_ = s.client.Close()
	s.stop()
}

// field is one of INFO.
func (s *server) field(ctx context.Context, section, name string) string {
	text := s.client.Info(ctx, section).Val()
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(strings.TrimSpace(line), name+":"); found {
			return value
		}
	}
	return ""
}
