package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/policy"
)

// Whatever the network said, what is shown of it is fit for a terminal, a line a
// fact, and in JSON one line that still says the same.
func TestInspectShowsNothingHarmful(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(),
			rapid.StringOfN(rapid.SampledFrom([]rune("ab\"\\\x00\x1b\r\n\x7f\u0085\u009b\u200e\u202e\u2028\ufeff\U000e0001\U0010ffff<&>")), 0, 300, -1),
		)
		seen := polite.Inspection{
			URL: text.Draw(t, "url"),
			Hops: []polite.Hop{
				{URL: text.Draw(t, "hop"), Status: 302, Location: text.Draw(t, "location")},
				{URL: text.Draw(t, "last"), Err: &policy.FetchError{Kind: policy.FailedProtocol, Err: errors.New(text.Draw(t, "error"))}},
			},
			Snapshot: policy.Snapshot{
				Outcome: policy.Successful, FinalURL: text.Draw(t, "final"),
				Copy: policy.Copy{
					Hash: policy.HashOf(nil), Charset: text.Draw(t, "charset"),
					Validators: policy.Validators{ETag: text.Draw(t, "etag"), LastModified: text.Draw(t, "modified")},
				},
			},
		}
		plain := string(inspected(&seen, false, time.Now()))
		const facts = 14 // with the heading and the blank line at the end
		if n := strings.Count(plain, "\n"); n != facts {
			t.Fatalf("%d lines, want %d: %s", n, facts, plain)
		}
		for line := range strings.Lines(plain) {
			if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("%q would be shown", line)
			}
		}
		painted := string(inspected(&seen, true, time.Now()))
		for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"} {
			painted = strings.ReplaceAll(painted, code, "")
		}
		if painted != plain {
			t.Fatalf("%q became %q in colour", plain, painted)
		}

		var line bytes.Buffer
		p := (&inspect{Format: "json"}).printer(streams{out: &line}, false)
		if err := errors.Join(p.give(answer[polite.Inspection]{value: seen}), p.rest()); err != nil {
			t.Fatal(err)
		}
		if shown := strings.TrimSuffix(line.String(), "\n"); strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("%q would be printed", shown)
		}
		var back struct {
			URL, FinalURL string
			Hops          []struct{ Location string }
			Copy          struct{ ETag string }
		}
		if err := json.Unmarshal(line.Bytes(), &back); err != nil {
			t.Fatalf("%s: %v", line.Bytes(), err)
		}
		if back.URL != seen.URL || back.Hops[0].Location != seen.Hops[0].Location || back.Copy.ETag != seen.Snapshot.Copy.Validators.ETag {
			t.Fatalf("%+v became %+v", seen, back)
		}
	})
}

// A text that goes on for long is shown in part.
func TestInspectIsBrief(t *testing.T) {
	seen := polite.Inspection{Hops: []polite.Hop{{URL: strings.Repeat("a", 8000), Location: strings.Repeat("b", 8000)}}}
	if shown := inspected(&seen, false, time.Now()); len(shown) > 2000 || !bytes.Contains(shown, []byte("bbb\"…")) {
		t.Errorf("%d octets are shown: %.2000s", len(shown), shown)
	}
}

func TestWhenAndDuration(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, row := range []struct {
		in   time.Duration
		want string
	}{
		{0, "2026-01-02T03:04:05Z (now)"},
		{400 * time.Millisecond, "2026-01-02T03:04:05Z (now)"},
		{59 * time.Second, "2026-01-02T03:05:04Z (in 59s)"},
		{-90 * time.Second, "2026-01-02T03:02:35Z (1m30s ago)"},
		{23*time.Hour + 4*time.Minute + 31*time.Second, "2026-01-03T02:08:36Z (in 23h5m)"},
	} {
		if got := when(now.Add(row.in), now); got != row.want {
			t.Errorf("%v: %s, want %s", row.in, got, row.want)
		}
	}
	if got := when(time.Time{}, now); got != "unknown" {
		t.Errorf("no time is %s", got)
	}
	for in, want := range map[time.Duration]string{
		1234 * time.Nanosecond: "1µs", 12345 * time.Microsecond: "12ms", 1250 * time.Millisecond: "1.3s", 30 * time.Second: "30s",
	} {
		if got := duration(in); got != want {
			t.Errorf("%v is %s, want %s", in, got, want)
		}
	}
}
