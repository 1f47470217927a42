package policy_test

import (
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
)

// What is known, in words (SEMANTICS F); of how it ended Attempt has the words.
func TestAccount(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	good := policy.Copy{Hash: policy.HashOf([]byte("x")), ConfirmedAt: at}
	cut := good
	cut.Truncated = true
	for _, row := range []struct {
		rule  string
		facts policy.Snapshot
		want  string
	}{
		{"–", policy.Snapshot{}, "nothing is known about it yet"},
		{"F1", policy.Snapshot{Outcome: policy.Successful, Status: 200, Copy: good}, "it was served: the answer is 200"},
		{"F2", policy.Snapshot{Outcome: policy.Successful, Status: 304, Copy: good}, "it is unchanged: the answer is 304"},
		{"F3", policy.Snapshot{Outcome: policy.SoftNotFound, Status: 200}, "there was a web page without any rule in its place: the answer is 200"},
		{"F5", policy.Snapshot{Outcome: policy.BrokenRedirect, Status: 302, Stop: policy.StopLoop}, "it is unavailable: it is redirected in a loop"},
		{"F6", policy.Snapshot{Outcome: policy.RefusedRedirect, Status: 301, Stop: policy.StopScheme, Failures: 1}, "it could not be fetched: it is redirected to another scheme than http and https"},
		{"F7", policy.Snapshot{Outcome: policy.NotFound, Status: 404}, "there is none: the answer is 404"},
		{"F7", policy.Snapshot{Outcome: policy.Unavailable, Status: 400, Hops: 2}, "it is unavailable: the answer is 400 after 2 redirects"},
		{"F8", policy.Snapshot{Outcome: policy.Forbidden, Status: 403, Copy: good}, "access to it is forbidden: the answer is 403"},
		{"F8", policy.Snapshot{Outcome: policy.Forbidden, Status: 403, Challenged: true}, "there was a bot challenge in its place: the answer is 403"},
		{"F11", policy.Snapshot{Outcome: policy.Unreachable, Status: 500, Failures: 3, FailingSince: at}, "it could not be fetched: the answer is 500, 3 times in a row since 2026-01-02T03:04:05Z"},
		{"F11", policy.Snapshot{Outcome: policy.Unreachable, Status: 503, Challenged: true}, "there was a bot challenge in its place: the answer is 503"},
		{"F11", policy.Snapshot{Outcome: policy.Unreachable, Status: 500, Copy: cut}, "it could not be fetched: the answer is 500; there is a last good copy, of 2026-01-02T03:04:05Z"},
		{"F12", policy.Snapshot{Outcome: policy.Successful, Status: 200, Copy: cut}, "it was served: the answer is 200; it goes on past the limit, and was cut"},
		{"F14", policy.Snapshot{Outcome: policy.Unreachable, Failure: policy.FailedLocally}, "it could not be fetched: this worker could not ask, perhaps by a fault of its own"},
	} {
		if got := row.facts.Account(); got != row.want {
			t.Errorf("%s: %+v is accounted for as %q, want %q", row.rule, row.facts, got, row.want)
		}
	}
	if got := (*policy.Snapshot)(nil).Account(); got != "nothing is known about it yet" {
		t.Errorf("no snapshot is accounted for as %q", got)
	}
}
