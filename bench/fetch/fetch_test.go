package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

// The server is this program once more; in a test that is the test.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == serveFlag {
		main()
	}
	os.Exit(m.Run())
}

// What is measured is there, and what is left open is nothing.
func TestMeasure(t *testing.T) {
	p := plan{origins: 12, wide: 4, delay: time.Millisecond, rounds: 2, fetches: 30}
	crowd, err := measureCrowd(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range crowd {
		if len(r.took) != p.rounds || r.took.Median() < 3 || r.sockets < 1 || r.allocated <= 0 {
			t.Errorf("%s: %+v", r.name, r)
		}
	}
	long, err := measureLongRun(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if most, end := long[1].held.sockets, long[4].held.sockets-long[0].held.sockets; most < 1 || end != 0 {
		t.Errorf("%d sockets at most, %d in the end", most, end)
	}
	var text strings.Builder
	write(&text, p, crowd, crowd, long)
	for _, want := range []string{"### A crowd", "| polite ", "| net/http ", "| closed "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report has no %q:\n%s", want, &text)
		}
	}
}
