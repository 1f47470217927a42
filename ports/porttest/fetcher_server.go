package porttest

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"
)

// A fetcherServer is an HTTP server on loopback that remembers what it was asked.
type fetcherServer struct {
	*httptest.Server
	mu   sync.Mutex
	seen []fetcherSeen
}

// A fetcherSeen is one request as it arrived.
type fetcherSeen struct {
	path   string
	header http.Header
	from   string // the other end of the connection
}

// serve starts a server.
func serve(t T, handler http.HandlerFunc) *fetcherServer {
	t.Helper()
	server := &fetcherServer{}
	server.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.mu.Lock()
		server.seen = append(server.seen, fetcherSeen{path: r.URL.Path, header: r.Header.Clone(), from: r.RemoteAddr})
		server.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

// requests returns what the server was asked so far.
func (s *fetcherServer) requests() []fetcherSeen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]fetcherSeen(nil), s.seen...)
}

// answers sends a text with header fields given as name, value, name, value.
func answers(body string, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(fields); i += 2 {
			w.Header().Add(fields[i], fields[i+1])
		}
		_, _ = io.WriteString(w, body)
	}
}

// sends writes octets as they are, in place of an HTTP answer, and closes.
func sends(octets string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if conn := hijacked(w); conn != nil {
			_, _ = io.WriteString(conn, octets)
			_ = conn.Close()
		}
	}
}

// resets breaks the connection off after octets.
func resets(octets string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if conn := hijacked(w); conn != nil {
			_, _ = io.WriteString(conn, octets)
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			_ = conn.Close()
		}
	}
}

func hijacked(w http.ResponseWriter) net.Conn {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return nil
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return nil
	}
	return conn
}

// hangs never answers.
func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// drips sends its body an octet now and then, for ever.
func drips(w http.ResponseWriter, r *http.Request) {
	ticks := time.NewTicker(fetcherShort / 20)
	defer ticks.Stop()
	flush := http.NewResponseController(w)
	for {
		if _, err := io.WriteString(w, "#"); err != nil || flush.Flush() != nil {
			return
		}
		select {
		case <-ticks.C:
		case <-r.Context().Done():
			return
		}
	}
}

// dripsHeader does the same with the header of its answer.
func dripsHeader(w http.ResponseWriter, _ *http.Request) {
	conn := hijacked(w)
	if conn == nil {
		return
	}
	defer conn.Close()
	ticks := time.NewTicker(fetcherShort / 20)
	defer ticks.Stop()
	for sent := "HTTP/1.1 200 OK\r\nX: "; ; sent = "#" {
		if _, err := io.WriteString(conn, sent); err != nil {
			return
		}
		<-ticks.C
	}
}

// floods sends its body as fast as it can, for ever.
func floods(w http.ResponseWriter, _ *http.Request) {
	chunk := bytes.Repeat([]byte("# endless\n"), 1000)
	for {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func gzipped(text string) string {
	return coded(text, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

func zlibbed(text string) string {
	return coded(text, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
}

func deflated(text string) string {
	return coded(text, func(w io.Writer) io.WriteCloser {
		writer, _ := flate.NewWriter(w, flate.DefaultCompression) // the level is a valid one
		return writer
	})
}

func coded(text string, coder func(io.Writer) io.WriteCloser) string {
	var out bytes.Buffer
	writer := coder(&out)
	_, _ = io.WriteString(writer, text)
	_ = writer.Close()
	return out.String()
}

// withLength is a whole answer, written by hand, that promises length octets.
func withLength(length int, body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + strconv.Itoa(length) + "\r\n\r\n" + body
}

// inChunks is the start of an answer in chunks, and those chunks as given.
func inChunks(chunks string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
}
