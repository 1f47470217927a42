package restyfetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/polite-crawler/polite/domain/policy"
)

func coded(t testing.TB, coding, text string, options ...zstd.EOption) string {
	t.Helper()
	var out bytes.Buffer
	var writer io.WriteCloser
	var err error
	switch coding {
	case "gzip":
		writer = gzip.NewWriter(&out)
	case "zlib":
		writer = zlib.NewWriter(&out)
	case "deflate":
		writer, err = flate.NewWriter(&out, flate.BestCompression)
	case "zstd":
		writer, err = zstd.NewWriter(&out, append(options, zstd.WithEncoderConcurrency(1))...)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(writer, text); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// SEMANTICS F11, "corrupt or unknown content coding". The package undoes more
// than its port has to.
func TestCodings(t *testing.T) {
	plain := strings.Repeat("User-agent: *\nDisallow: /\n", 9)
	zipped := coded(t, "gzip", plain)
	for _, row := range []struct {
		name, header, body string
		kind               policy.Failure
	}{
		{name: "gzip", header: "gzip", body: zipped},
		{name: "x-gzip", header: "x-gzip", body: zipped},
		{name: "deflate in its format", header: "deflate", body: coded(t, "zlib", plain)},
		{name: "deflate without", header: "deflate", body: coded(t, "deflate", plain)},
		{name: "zstd", header: "zstd", body: coded(t, "zstd", plain)},
		{name: "identity", header: "Identity", body: plain},
		{name: "no name", header: " , ", body: plain},
		{name: "gzip and identity", header: "identity, gzip", body: zipped},
		{name: "in capitals", header: "X-GZIP", body: zipped},
		{name: "deflate, then gzip", header: "deflate, gzip", body: coded(t, "gzip", coded(t, "zlib", plain))},
		{name: "gzip, then zstd", header: "gzip,zstd", body: coded(t, "zstd", zipped)},
		{name: "gzip, then gzip", header: "gzip, gzip", body: coded(t, "gzip", zipped)},
		{name: "three", header: "gzip, gzip, gzip", body: coded(t, "gzip", coded(t, "gzip", zipped)), kind: policy.FailedCoding},
		{name: "twice, said once", header: "gzip", body: coded(t, "gzip", zipped), kind: policy.FailedCoding},
		{name: "twice, said once as x-gzip", header: "x-gzip", body: coded(t, "gzip", zipped), kind: policy.FailedCoding},
		{name: "br", header: "br", body: "\x0b\x02\x80abc\x03", kind: policy.FailedCoding},
		{name: "one of two unknown", header: "br, gzip", body: zipped, kind: policy.FailedCoding},
		{name: "very long", header: strings.Repeat("x", 20_000), body: plain, kind: policy.FailedCoding},
		{name: "gzip that is none", header: "x-gzip", body: plain, kind: policy.FailedCoding},
		{name: "gzip that ends", header: "x-gzip", body: zipped[:len(zipped)-9], kind: policy.FailedCoding},
		{name: "gzip with more after it", header: "gzip", body: zipped + "and the rest", kind: policy.FailedCoding},
		{name: "deflate that is none", header: "deflate", body: plain, kind: policy.FailedCoding},
		{name: "deflate that ends", header: "deflate", body: coded(t, "zlib", plain)[:20], kind: policy.FailedCoding},
		{name: "zstd that is none", header: "zstd", body: plain, kind: policy.FailedCoding},
		{name: "zstd that ends", header: "zstd", body: coded(t, "zstd", plain)[:20], kind: policy.FailedCoding},
		{name: "zstd with a window of 128 MiB", header: "zstd", kind: policy.FailedCoding,
			body: coded(t, "zstd", strings.Repeat(plain, 1000), zstd.WithWindowSize(128<<20), zstd.WithSingleSegment(false))},
		{name: "short, as gzip", header: "gzip", body: "\x1f\x8b", kind: policy.FailedBody},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := serve(t, "", text(row.body, "Content-Encoding", row.header, "Content-Type", "text/plain"))
			response, err := made(t, Options{}).Fetch(t.Context(), policy.Request{URL: server.URL})
			if row.kind != policy.NoFailure {
				expect(t, err, row.kind, false, 200)
			} else if err != nil || string(response.Body) != plain {
				t.Errorf("body %.60q, %v", response.Body, err)
			}
		})
	}
}

// A broken connection is not taken for a broken coding (F11 both, but it is the
// first thing that whoever looks into it wants to know).
func TestBrokenUnderCoding(t *testing.T) {
	for _, coding := range []string{"x-gzip", "deflate", "zstd"} {
		body := coded(t, map[string]string{"x-gzip": "gzip", "deflate": "zlib", "zstd": "zstd"}[coding], strings.Repeat("User-agent: *\n", 99))
		for _, sent := range []string{"", body[:3], body[:20]} {
			url := says(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: 999\r\n\r\n%s", coding, sent))(t)
			_, err := made(t, Options{}).Fetch(t.Context(), policy.Request{URL: url})
			expect(t, err, policy.FailedBody, false, 200)
		}
	}
}

// What a bomb costs, in all that is allocated on the way: a few times the limit,
// as the buffer grows, and for zstd the window that its header asks for.
func TestBombMemory(t *testing.T) {
	const size = 24 << 20
	mebibyte := strings.Repeat("\x00", 1<<20)
	for _, row := range []struct {
		header, bomb string
		most         uint64
	}{
		{"gzip", strings.Repeat(coded(t, "gzip", mebibyte), 24), 4 << 20}, // members (RFC 1952 §2.2)
		{"x-gzip", strings.Repeat(coded(t, "gzip", mebibyte), 24), 4 << 20},
		{"zstd", coded(t, "zstd", strings.Repeat(mebibyte, 24), zstd.WithWindowSize(maxWindow)), 4<<20 + maxWindow + maxWindow/2},
	} {
		server := serve(t, "", text(row.bomb, "Content-Encoding", row.header))
		fetcher := made(t, Options{})
		get(t, fetcher, server.URL) // what is allocated once is not the bomb's
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		response := get(t, fetcher, server.URL)
		runtime.ReadMemStats(&after)
		if len(response.Body) != 512<<10 || !response.Truncated {
			t.Errorf("%s: a body of %d octets, truncated %t", row.header, len(response.Body), response.Truncated)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > row.most {
			t.Errorf("%s: %d octets for a bomb of %d, want at most %d", row.header, got, size, row.most)
		}
	}
}

// SEMANTICS F, charset: "the configured default".
func TestCharsetOption(t *testing.T) {
	server := serve(t, "", text("Disallow: /\xEF\xF0\xE8\xE2\xE5\xF2", "Content-Type", "text/plain"))
	for _, row := range []struct{ option, body, charset string }{
		{"", "Disallow: /\xEF\xF0\xE8\xE2\xE5\xF2", "utf-8"},
		{"windows-1251", "Disallow: /привет", "windows-1251"},
		{"binary", "Disallow: /\xEF\xF0\xE8\xE2\xE5\xF2", "binary"},
	} {
		response := get(t, made(t, Options{Charset: row.option}), server.URL)
		if string(response.Body) != row.body || response.Charset != row.charset {
			t.Errorf("Charset %q: %q in %q, want %q in %q", row.option, response.Body, response.Charset, row.body, row.charset)
		}
	}
}

// RFC 9309 §2.5: at least 500 KiB, and P2's 512 KiB by default.
func TestDefaultLimit(t *testing.T) {
	fetcher := made(t, Options{})
	for size, truncated := range map[int]bool{512 << 10: false, 512<<10 + 1: true} {
		response := get(t, fetcher, serve(t, "", text(strings.Repeat("#", size))).URL)
		if len(response.Body) != 512<<10 || response.Truncated != truncated {
			t.Errorf("%d octets: a body of %d, truncated %t", size, len(response.Body), response.Truncated)
		}
	}
}

// What has no end is left, and what is not read costs the connection; what is
// read to its end keeps it.
func TestConnections(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		body   int // -1: without end
		keeps  bool
	}{
		{"200, read", 200, 100, true},
		{"200, empty", 200, 0, true},
		{"200, over the limit", 200, 3 << 20, false},
		{"200, without end", 200, -1, false},
		{"204", 204, 0, true},
		{"304", 304, 0, true},
		{"302, empty", 302, 0, true},
		{"302, not read", 302, 1 << 20, false},
		{"404, without end", 404, -1, false},
		{"503, without end", 503, -1, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			left := make(chan string, 2)
			server := serve(t, "", func(w http.ResponseWriter, r *http.Request) {
				defer func() { left <- r.RemoteAddr }()
				w.WriteHeader(row.status)
				for n := 0; n < row.body || row.body < 0; n += 100 {
					if _, err := io.WriteString(w, strings.Repeat("#", 100)); err != nil {
						return
					}
				}
			})
			fetcher := made(t, Options{})
			get(t, fetcher, server.URL)
			first := <-left // the server has got rid of us
			get(t, fetcher, server.URL)
			if kept := <-left == first; kept != row.keeps {
				t.Errorf("connection kept: %t, want %t", kept, row.keeps)
			}
		})
	}
}
