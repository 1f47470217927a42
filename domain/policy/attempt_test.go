package policy_test

import (
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/policy"
)

// M7: a Decision names what happened, in words that hold nothing of the network.
func TestDecisionsNameWhatHappened(t *testing.T) {
	far := func(a policy.Answer) policy.Answer {
		a.Hops = 2
		return a
	}
	withStatus := failure(policy.FailedBody)
	withStatus.Err.Status = 200
	once := stopped(policy.StopTooMany)
	once.Hops = 1
	for _, row := range []struct {
		rule   string
		answer policy.Answer
		want   string
	}{
		{"F5", stopped(policy.StopTooMany), "is unavailable: it is redirected more than 3 times, it is asked again from"},
		{"F5", once, "it is redirected more than once"},
		{"F5", stopped(policy.StopLoop), "it is redirected in a loop"},
		{"F5", stopped(policy.StopLocation), "it is redirected without saying where to, or to what is no URL"},
		{"F6", stopped(policy.StopScheme), "could not be fetched: it is redirected to another scheme than http and https, it is tried again from"},
		{"F6", far(failure(policy.RefusedAddress)), "an address that is private, loopback or link-local after 2 redirects"},
		{"F7", answer(410, policy.Response{}), "is unavailable: the answer is 410, it is asked again from"},
		{"F7", far(answer(404, policy.Response{})), "the answer is 404 after 2 redirects"},
		{"F7", answer(405, policy.Response{Header: policy.Header{Challenge: "x"}}), "answers with a bot challenge: the answer is 405"},
		{"F8", answer(403, policy.Response{}), "is forbidden: the answer is 403"},
		{"F8", answer(403, policy.Response{Header: policy.Header{Challenge: "x"}}), "answers with a bot challenge: the answer is 403"},
		{"F10", answer(429, policy.Response{}), "could not be fetched: the answer is 429"},
		{"F11", answer(503, policy.Response{Header: policy.Header{Challenge: "x"}}), "answers with a bot challenge: the answer is 503"},
		{"F11", answer(0, policy.Response{}), "could not be fetched: the answer has no status that HTTP knows"},
		{"F11", failure(policy.FailedDNS), "has no address"},
		{"F11", failure(policy.FailedConnect), "refused or broken off"},
		{"F11", failure(policy.FailedTLS), "TLS failed"},
		{"F11", failure(policy.FailedTimeout), "no whole answer in time"},
		{"F11", failure(policy.FailedProtocol), "not HTTP"},
		{"F11", withStatus, "the answer broke off (status 200)"},
		{"F11", failure(policy.FailedCoding), "content coding"},
		{"F14", failure(policy.FailedLocally), "this worker"},
	} {
		if d := decisionOf(t, policy.Next(nil, row.answer, policy.Lifetimes{})); !strings.Contains(d.String(), row.want) {
			t.Errorf("%s: %s: want %q", row.rule, d, row.want)
		}
		// The copy that stands in says why.
		if s := policy.Next(withCopy(), row.answer, policy.Lifetimes{}); s.Failing() {
			how := strings.TrimPrefix(decisionOf(t, policy.Next(nil, row.answer, policy.Lifetimes{})).Attempt.String(), ": ")
			if d := decisionOf(t, s); !strings.Contains(d.String(), "last good copy") || !strings.Contains(d.String(), "no newer answer: "+how) {
				t.Errorf("%s: %s: want %q", row.rule, d, how)
			}
		}
	}
	for kind := policy.FailedDNS; !strings.HasPrefix(kind.String(), "unknown"); kind++ {
		if (policy.Attempt{Outcome: policy.Unreachable, Failure: kind}).String() == "" {
			t.Errorf("nothing is said of %s", kind)
		}
	}
	if text := (policy.Attempt{Outcome: policy.Unreachable, Failure: 200}).String(); text == "" {
		t.Error("nothing is said of a failure of a later version")
	}
}

func decisionOf(t *testing.T, s *policy.Snapshot) policy.Decision {
	t.Helper()
	p, err := policy.Compile(s, policy.Reading{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Decide("/", someTime)
}
