package integration_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// private is the path that a robots.txt of these tests disallows.
const private = "/private"

// robotsTxt disallows a path.
func robotsTxt(path string) string { return "User-agent: *\nDisallow: " + path + "\n" }

// play starts a server for one row, and returns its URL.
func play(t *testing.T, handler http.HandlerFunc) (url string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // some rows are what it complains about
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// serves answers with a text and header fields: name, value, name, value.
func serves(text string, fields ...string) http.HandlerFunc {
	return answers(http.StatusOK, text, fields...)
}

// says answers with a status and header fields.
func says(status int, fields ...string) http.HandlerFunc { return answers(status, "", fields...) }

func answers(status int, text string, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for i := 0; i+1 < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// leads redirects so many times before it serves a text.
func leads(times int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		hop, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/hop/"))
		if hop == times {
			serves(text)(w, r)
			return
		}
		says(http.StatusFound, "Location", "/hop/"+strconv.Itoa(hop+1))(w, r)
	}
}

// sends writes octets as they are, and closes the connection; abruptly resets it.
func sends(octets string) http.HandlerFunc { return raw(octets, false) }

func raw(octets string, abruptly bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, octets)
		if tcp, ok := conn.(*net.TCPConn); ok && abruptly {
			_ = tcp.SetLinger(0)
		}
	}
}

// header is the start of an answer by hand.
const header = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

// drips sends an octet now and then, for ever.
func drips(w http.ResponseWriter, r *http.Request) {
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for {
		if _, err := io.WriteString(w, "#"); err != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-ticks.C:
		case <-r.Context().Done():
			return
		}
	}
}

// hangs never answers.
func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func gzipped(text string) string {
	return coded(text, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

func zlibbed(text string) string {
	return coded(text, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
}

func coded(text string, coder func(io.Writer) io.WriteCloser) string {
	var out bytes.Buffer
	w := coder(&out)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
}

// nobody is the URL of a port where nobody listens, nor will while the test runs:
// it is the caller's end of a connection. One that was merely free would soon be
// some other test's.
func nobody(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	caller, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = caller.Close()
		_ = listener.Close()
	})
	return "http://" + caller.LocalAddr().String()
}
