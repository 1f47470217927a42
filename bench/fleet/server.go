package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// A server is a redis-server of this run's own, empty and without persistence.
type server struct {
	raw     *redis.Client // to look behind the workers' backs
	port    int
	dir     string
	process *exec.Cmd
	gone    chan struct{} // closed when the process has ended
}

// startRedis starts a server on a TCP port of this machine.
func startRedis(ctx context.Context) (*server, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, errors.New("there is no redis-server in PATH; install Redis 6.2 or later")
	}
	for try := 1; ; try++ {
		s, err := tryRedis(ctx, path)
		if err == nil || try == 5 || ctx.Err() != nil { // somebody else may take the port meanwhile, but not so often
			return s, err
		}
	}
}

func tryRedis(ctx context.Context, path string) (s *server, err error) {
	dir, err := os.MkdirTemp("", "polite-fleet")
	if err != nil {
		return nil, err
	}
	s = &server{dir: dir, gone: make(chan struct{})}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	if s.port, err = freePort(ctx); err != nil {
		return nil, err
	}
	logPath := filepath.Join(dir, "log")
	log, err := os.Create(logPath)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	process := exec.Command(path, "--port", strconv.Itoa(s.port), "--bind", "127.0.0.1",
		"--save", "", "--appendonly", "no", "--dir", dir, "--daemonize", "no")
	process.Stdout, process.Stderr = log, log
	process.SysProcAttr = dieWithParent()
	if err := process.Start(); err != nil {
		return nil, err
	}
	s.process = process
	go func() {
		_ = process.Wait()
		close(s.gone)
	}()
	s.raw = redis.NewClient(&redis.Options{Addr: s.address(), MaxRetries: -1, DialerRetries: 1, ReadTimeout: 10 * time.Second})
	up := time.NewTicker(10 * time.Millisecond)
	defer up.Stop()
	for s.raw.Ping(ctx).Err() != nil {
		select {
		case <-up.C:
		case <-s.gone:
			text, _ := os.ReadFile(logPath)
			return s, fmt.Errorf("redis-server did not start: %v\n%s", process.ProcessState, text)
		case <-ctx.Done():
			return s, ctx.Err()
		}
	}
	return s, nil
}

func (s *server) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// stop ends the server and removes what it left.
func (s *server) stop() {
	if s.raw != nil {
		_ = s.raw.Close()
	}
	if s.process != nil {
		_ = s.process.Process.Kill()
		<-s.gone
	}
	_ = os.RemoveAll(s.dir)
}

// info is a figure that the server gives about itself.
func (s *server) info(ctx context.Context, section, field string) (float64, error) {
	text, err := s.raw.Info(ctx, section).Result()
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(strings.TrimSpace(line), field+":"); found {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("INFO %s has no %s", section, field)
}

// freePort is a port that nobody listens on, for the moment.
func freePort(ctx context.Context) (int, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
