package restyfetch

import (
	"strings"
	"testing"
)

// One exchange with a server on this machine: what the adapter costs, without
// the network.
func BenchmarkFetch(b *testing.B) {
	body := strings.Repeat("User-agent: *\nDisallow: /path/of/some/length\n", 50)
	for _, row := range []struct {
		name  string
		close string
	}{{"kept connection", ""}, {"new connection", "close"}} {
		b.Run(row.name, func(b *testing.B) {
			server := serve(b, "", text(body, "Connection", row.close, "Content-Type", "text/plain; charset=utf-8"))
			fetcher := made(b, Options{})
			b.ReportAllocs()
			for b.Loop() {
				get(b, fetcher, server.URL)
			}
		})
	}
}
