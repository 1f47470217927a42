package integration_test

import (
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
)

// Every row of SEMANTICS F that a server can play, to every profile, by the
// command: inspect says what came of it, and check decides by it.
func TestRows(t *testing.T) {
	t.Parallel()
	needRedis(t) // or "no tests to run" would not be true
	polite, table := buildCommand(t), rows(t)
	var origins []string
	for i := range table {
		row := &table[i]
		if row.path == "" {
			row.path = private
		}
		row.requests, row.most = max(row.requests, 1), max(row.most, row.least)
		origin := nobody(t)
		if row.play != nil {
			origin = play(t, row.play)
		}
		origins = append(origins, origin)
	}
	for _, profile := range profiles {
		t.Run(profile, func(t *testing.T) {
			var asked []string
			for i, row := range table {
				asked = append(asked, origins[i]+"/open", origins[i]+row.path)
			}
			list := filepath.Join(t.TempDir(), "urls.txt")
			if err := os.WriteFile(list, []byte(strings.Join(asked, "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			got := polite.run(t.Context(), "check", "--profile", profile, "--format", "json", "--file", list)
			decisions := lines[decided](t, got, 1)
			// One page of each is enough here: of a second one nothing would be
			// fetched any more.
			var pages []string
			for i := range table {
				pages = append(pages, origins[i]+table[i].path)
			}
			if err := os.WriteFile(list, []byte(strings.Join(pages, "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			got = polite.run(t.Context(), "inspect", "--profile", profile, "--format", "json", "--file", list)
			inspections := lines[inspected](t, got, 1)
			if len(decisions) != len(asked) || len(inspections) != len(pages) {
				t.Fatalf("%d decisions and %d inspections, want %d and %d", len(decisions), len(inspections), len(asked), len(pages))
			}
			for i, row := range table {
				t.Run(row.rule+" "+row.name, func(t *testing.T) {
					row.wantDecisions(t, profile, decisions[2*i], decisions[2*i+1])
					row.wantDecisions(t, profile, decisions[2*i], inspections[i].Decision)
					row.wantInspection(t, profile, &inspections[i])
				})
			}
		})
	}
}

// decided is what counts here in a decision.
type decided struct {
	URL     string
	Allowed bool
	Reason  string
	Access  string
	Limited bool
	Stale   bool
}

// inspected is what counts here in an inspection.
type inspected struct {
	URL, Origin, Access, Outcome, Account string
	Status                                int
	Failure, Stop                         string
	Redirects                             int
	Hops                                  []struct {
		Status int
		Took   float64
		Error  *struct{ Kind string }
	}
	FetchedAt  time.Time `json:"fetched_at"`
	FreshUntil time.Time `json:"fresh_until"`
	NextTryAt  time.Time `json:"next_try_at"`
	Copy       *struct {
		Size      int
		Truncated bool
		Charset   string
	}
	Decision    decided
	Explanation string
}

// lines reads a command's JSON.
func lines[T any](t *testing.T, got *ended, code int) (all []T) {
	t.Helper()
	if got.code != code || got.errors != "" {
		t.Fatalf("exit code %d, want %d and no errors: %s", got.code, code, got)
	}
	for line := range strings.Lines(got.output) {
		var value T
		if err := json.Unmarshal([]byte(line), &value); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, value)
	}
	return all
}

// wantDecisions fails unless the decisions about both pages are the row's.
func (r *row) wantDecisions(t *testing.T, profile string, open, private decided) {
	t.Helper()
	want := [2]decided{{Allowed: true}, {}}
	access, reasons := r.meaning.access, r.meaning.reasons
	if r.meaning.strict != "" && profile == "strict" {
		access, reasons = r.meaning.strict, [2]string{r.meaning.strict, r.meaning.strict}
	}
	for i, got := range []decided{open, private} {
		if r.meaning.open != nil {
			want[i].Allowed = r.meaning.open[profile]
		}
		want[i].URL, want[i].Access, want[i].Reason, want[i].Limited = got.URL, access, reasons[i], r.cut
		if got != want[i] {
			t.Errorf("%s: %+v, want %+v", r.rule, got, want[i])
		}
	}
}

// wantInspection fails unless what is known is the row's.
func (r *row) wantInspection(t *testing.T, profile string, got *inspected) {
	t.Helper()
	if got.Status != r.status || got.Failure != r.failure || got.Stop != r.stop {
		t.Errorf("status %d, failure %q, stop %q; want %d, %q, %q", got.Status, got.Failure, got.Stop, r.status, r.failure, r.stop)
	}
	if len(got.Hops) != r.requests || got.Redirects != r.requests-1 {
		t.Fatalf("%d requests, %d redirects; want %d requests", len(got.Hops), got.Redirects, r.requests)
	}
	last := got.Hops[len(got.Hops)-1]
	if last.Status != r.status || (last.Error == nil) != (r.failure == "") || last.Error != nil && last.Error.Kind != r.failure {
		t.Errorf("the last request is %+v", last)
	}
	for i, hop := range got.Hops {
		if hop.Took <= 0 || i < len(got.Hops)-1 && hop.Status/100 != 3 {
			t.Errorf("request %d is %+v", i+1, hop)
		}
	}
	if holds := got.FreshUntil.Sub(got.FetchedAt); holds < r.least || holds > r.most {
		t.Errorf("it holds for %v, want %v to %v", holds, r.least, r.most)
	}
	if got.NextTryAt.After(got.FreshUntil) || !got.NextTryAt.After(got.FetchedAt) {
		t.Errorf("the next try is at %v", got.NextTryAt)
	}
	charset := r.charset
	if charset == "" {
		charset = "utf-8"
	}
	counts := r.meaning.access == "successful" && r.meaning.reasons != soft404.reasons
	if counts != (got.Copy != nil) || counts && (got.Copy.Charset != charset || got.Copy.Truncated != r.cut || got.Copy.Size > 512<<10) {
		t.Errorf("the copy is %+v, want %v, %s, cut %v", got.Copy, counts, charset, r.cut)
	}
	if got.Account == "" || got.Explanation == "" || strings.Contains(got.Explanation, "(profile "+profile+")") != (profile != "rfc") {
		t.Errorf("in words: %q, %q", got.Account, got.Explanation)
	}
}

// Of each attempt there is one line in the log, whose fields say what happened,
// fit for a terminal.
func TestRowsAreLogged(t *testing.T) {
	t.Parallel()
	needRedis(t) // or "no tests to run" would not be true
	polite, table := buildCommand(t), rows(t)
	table = append(table, row{name: "escape sequences", play: sends("HTTP/1.1 302 \x1b[31m\r\nLocation: http://\u009b\u202e/\u202e\r\nContent-Length: 0\r\n\r\n")},
		row{name: "escape sequences where none can be", play: sends(header + "X: \x1b[31m\r\n\r\n")})
	args := []string{"check", "--log-level", "debug"}
	for _, row := range table {
		if row.play != nil {
			args = append(args, play(t, row.play)+"/")
		}
	}
	got := polite.run(t.Context(), args...)
	logged := make(map[string]bool)
	for line := range strings.Lines(got.errors) {
		var fields struct{ Message, Origin, Outcome, Failure, Cause string }
		if err := json.Unmarshal([]byte(line), &fields); err != nil || strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%v: %q", err, line)
		}
		if fields.Message != "robots.txt fetched" || logged[fields.Origin] || fields.Outcome == "" || (fields.Failure == "none") != (fields.Cause == "") {
			t.Errorf("an odd line: %s", line)
		}
		logged[fields.Origin] = true
	}
	if want := len(args) - 3; len(logged) != want || got.code != 1 {
		t.Errorf("%d lines, want %d, and exit code 1: %s", len(logged), want, got)
	}
}

// F11, of answers that do not end: with a short time-out they do.
func TestRowsOfTime(t *testing.T) {
	t.Parallel()
	needRedis(t) // or "no tests to run" would not be true
	polite := buildCommand(t)
	for name, handler := range map[string]http.HandlerFunc{"no answer": hangs, "an octet now and then": drips} {
		got := polite.run(t.Context(), "inspect", "--timeout", "500ms", "--format", "json", play(t, handler)+private)
		for _, seen := range lines[inspected](t, got, 1) {
			if seen.Failure != "timeout" || seen.Access != "unreachable" || seen.Hops[0].Took < 0.4 || seen.Copy != nil {
				t.Errorf("%s: %+v", name, seen)
			}
		}
		if got.took > bounded {
			t.Errorf("%s: it took %v", name, got.took)
		}
	}
}

// F11 and TLS: what nobody vouches for is unreachable, and --ca-file vouches.
// F6: loopback is asked since somebody asked for it, unless --public-only.
// F14: what stands in this worker's own way is not the origin's doing.
func TestRowsOfThisSide(t *testing.T) {
	t.Parallel()
	fleet, polite := newFleet(t), buildCommand(t)
	secure := httptest.NewUnstartedServer(serves(robotsTxt(private)))
	secure.EnableHTTP2 = true
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	roots := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(roots, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	open := play(t, serves(robotsTxt(private)))
	shared := []string{"--redis", fleet.spec().Redis, "--prefix", fleet.prefix}
	for _, row := range []struct {
		rule            string
		args            []string
		url             string
		code            int
		access, failure string
	}{
		{"F11", nil, secure.URL, 1, "unreachable", "tls"},
		{"F1", []string{"--ca-file", roots}, secure.URL, 0, "successful", ""},
		{"F11", []string{"--ca-file", roots}, strings.Replace(secure.URL, "127.0.0.1", "localhost", 1), 1, "unreachable", "tls"},
		{"F6", []string{"--public-only"}, open, 1, "unreachable", "refused-address"},
		{"F14", append([]string{"--proxy", nobody(t)}, shared...), open, 1, "unreachable", "local"},
		{"F14, not stored", shared, open, 0, "successful", ""},
	} {
		t.Run(row.rule, func(t *testing.T) {
			got := polite.run(t.Context(), slices.Concat([]string{"inspect", "--format", "json"}, row.args, []string{row.url + private})...)
			for _, seen := range lines[inspected](t, got, row.code) {
				if seen.Access != row.access || seen.Failure != row.failure || len(seen.Hops) != 1 || seen.Decision.Allowed {
					t.Errorf("%+v, want %s and %q after one request", seen, row.access, row.failure)
				}
			}
		})
	}
}

// F2, F7, F11 with what was known before, in Redis: what one command stored, the
// next one revalidates, keeps or drops, and every profile reads it its own way.
func TestRowsWithACopy(t *testing.T) {
	t.Parallel()
	fleet, polite := newFleet(t), buildCommand(t)
	const tag = `"an edition"`
	var stage atomic.Pointer[http.HandlerFunc]
	var conditional atomic.Bool
	turn := func(handler http.HandlerFunc) { stage.Store(&handler) }
	turn(serves(robotsTxt(private), "ETag", tag))
	origin := play(t, func(w http.ResponseWriter, r *http.Request) {
		conditional.Store(r.Header.Get("If-None-Match") == tag)
		(*stage.Load())(w, r)
	})
	inspect := func(code int, args ...string) inspected {
		t.Helper()
		all := slices.Concat([]string{"inspect", "--format", "json", "--redis", fleet.spec().Redis, "--prefix", fleet.prefix}, args, []string{origin + private})
		return lines[inspected](t, polite.run(t.Context(), all...), code)[0]
	}
	first := inspect(0)
	if known := inspect(0); known.Hops != nil || !known.FetchedAt.Equal(first.FetchedAt) || known.Copy == nil || known.Copy.Size != first.Copy.Size {
		t.Errorf("known: %+v, want what was fetched: %+v", known, first)
	}

	turn(says(304))
	if renewed := inspect(0, "--refresh"); !conditional.Load() || renewed.Status != 304 || renewed.Access != "successful" || renewed.Decision.Reason != "rule" {
		t.Errorf("F2: conditional %v, %+v", conditional.Load(), renewed)
	}

	turn(says(500))
	if failed := inspect(1, "--refresh"); failed.Status != 500 || failed.Copy == nil || !failed.Decision.Stale || failed.Decision.Allowed {
		t.Errorf("F11: %+v", failed)
	}
	// Whoever reads it now asks nobody; google holds still for 12 hours.
	turn(hangs)
	for profile, want := range map[string]decided{
		"rfc":     {Access: "unreachable", Reason: "rule", Stale: true},
		"google":  {Access: "unreachable", Reason: "unreachable"},
		"archive": {Access: "unreachable", Reason: "rule", Stale: true},
		"strict":  {Access: "unreachable", Reason: "rule", Stale: true},
	} {
		got := inspect(1, "--profile", profile)
		if want.URL = got.URL; got.Decision != want || got.Hops != nil {
			t.Errorf("F11, %s: %+v, want %+v and no request", profile, got.Decision, want)
		}
	}

	turn(says(403))
	if kept := inspect(0, "--refresh"); kept.Copy == nil || kept.Decision.Reason != "forbidden" {
		t.Errorf("F8 keeps the copy: %+v", kept)
	}
	turn(says(404))
	if dropped := inspect(0, "--refresh"); dropped.Copy != nil || dropped.Decision.Reason != "unavailable" {
		t.Errorf("F7 drops the copy: %+v", dropped)
	}
	turn(says(503))
	if lost := inspect(1, "--refresh"); lost.Copy != nil || lost.Decision.Allowed || lost.Decision.Reason != "unreachable" {
		t.Errorf("F11, a 404 is no copy: %+v", lost)
	}
}
