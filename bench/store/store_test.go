package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/site"
)

// The program runs, small: what it measures is what it says.
func TestMeasures(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Fatalf("%v; tools/need redis-server installs it", err)
	}
	origin, err := site.ParseOrigin("https://example.com")
	if err != nil {
		t.Fatal(err)
	}
	body := bytes.Repeat([]byte("User-agent: Other\nDisallow: /o\n\n"), 100)
	body = append(body, "User-agent: *\nDisallow: /private\n"...)
	rooms, err := measureRooms(t.Context(), []file{{origin, body}})
	if err != nil {
		t.Fatal(err)
	}
	whole, compressed, hash, filtered := rooms[0], rooms[1], rooms[2], rooms[3]
	if whole.octets[0] < len(body) || compressed.octets[0]*4 > len(body) || filtered.octets[0] > compressed.octets[0] {
		t.Errorf("of %d octets there are %d, compressed %d, filtered %d", len(body), whole.octets[0], compressed.octets[0], filtered.octets[0])
	}
	if hash.each[0] <= compressed.each[0] || whole.each[0] < whole.octets[0] {
		t.Errorf("a string takes %d, a hash %d", compressed.each[0], hash.each[0])
	}

	s, err := startServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	h, err := measureHits(t.Context(), s, 10, 9309)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	h.write(&text)
	if !strings.Contains(text.String(), "| Gate.Check, a shared hit ") || strings.Contains(text.String(), "NaN") {
		t.Errorf("the report is\n%s", text.String())
	}
}
