package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// serveFlag makes a process of this program the server.
const serveFlag = "-serve"

// robots is a robots.txt of a usual size.
var robots = "User-agent: *\nDisallow: /private/\n" + strings.Repeat("Disallow: /some/path/that/nobody/asks/for*?query\nAllow: /some/other/path/\n", 28)

// serve answers every request after a delay, at all addresses of this machine,
// until standard input ends. It prints its port.
func serve(delay time.Duration) error {
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(delay)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("ETag", `"v1"`)
		_, _ = io.WriteString(w, robots)
	})}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	fmt.Println(port)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// A web is the server, as so many origins as are asked for.
type web struct {
	port string
	stop func()
}

// startWeb starts the server as a process, so that what it costs is not counted.
func startWeb(delay time.Duration) (*web, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	process := exec.Command(self, serveFlag, delay.String())
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	w := &web{stop: func() {
		_ = stdin.Close()
		_ = process.Wait()
	}}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		w.stop()
		return nil, fmt.Errorf("the server does not start: %w", err)
	}
	w.port = strings.TrimSpace(line)
	conn, err := net.DialTimeout("tcp", net.JoinHostPort("127.1.0.1", w.port), time.Second)
	if err != nil {
		w.stop()
		return nil, fmt.Errorf("127.1.0.1 is not this machine, so that there are no origins to ask; this needs Linux: %w", err)
	}
	return w, conn.Close()
}

// origin returns the address of the nth origin.
func (w *web) origin(n int) string {
	n++ // not 127.1.0.0
	return fmt.Sprintf("http://127.%d.%d.%d:%s", 1+n>>16, n>>8&0xFF, n&0xFF, w.port)
}
