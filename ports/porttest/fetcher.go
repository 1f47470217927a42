package porttest

import (
	"crypto/x509"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/ports"
)

// FetcherSettings are what a Fetcher under test has to be made with.
type FetcherSettings struct {
	UserAgent string
	MaxBytes  int           // the limit of a body
	Timeout   time.Duration // of a whole exchange; other time limits: as long or longer
	Charset   string        // what a body is taken for that names none; "": UTF-8
	// RootCAs are trusted in place of the system's; nil: the system's.
	RootCAs *x509.CertPool
}

// OpenFetcher makes a Fetcher and closes it with t.Cleanup. It uses no proxy.
type OpenFetcher func(t T, settings FetcherSettings) ports.Fetcher

// Fetcher checks what ports.Fetcher promises, against servers on loopback that
// behave in all the ways that servers do.
func Fetcher(t *testing.T, open OpenFetcher) {
	t.Helper()
	Run(t, FetcherChecks(), open)
}

// FetcherChecks returns the checks of ports.Fetcher.
func FetcherChecks() []Check[OpenFetcher] {
	return slices.Concat(fetcherAnswerChecks(), fetcherRequestChecks(), fetcherBodyChecks(), fetcherFailureChecks(), fetcherTLSChecks(), fetcherGuardChecks())
}

const (
	fetcherAgent = "PorttestBot/1.0 (+https://example.com/bot; a b)"
	fetcherLimit = 1000
	// fetcherSoon is a time limit that no sound exchange on loopback needs, and
	// fetcherShort one that is meant to run out.
	fetcherSoon  = 20 * time.Second
	fetcherShort = 100 * time.Millisecond
)

// openFetcher opens a Fetcher whose time limit plays no part.
func openFetcher(t T, open OpenFetcher) ports.Fetcher {
	t.Helper()
	return open(t, FetcherSettings{UserAgent: fetcherAgent, MaxBytes: fetcherLimit, Timeout: fetcherSoon})
}

// fetched makes an exchange that has to succeed.
func fetched(t T, fetcher ports.Fetcher, request policy.Request) (response policy.Response, ok bool) {
	t.Helper()
	response, err := fetcher.Fetch(t.Context(), request)
	if err != nil {
		t.Errorf("Fetch(%s): %v, want an answer", request.URL, err)
		return response, false
	}
	return response, true
}

// fetchFailed checks a failure: its type, that nothing came with it, whom it
// blames, and its kind, if any is named.
func fetchFailed(t T, what string, response policy.Response, err error, local bool, kinds ...policy.Failure) {
	t.Helper()
	var failure *policy.FetchError
	switch {
	case err == nil:
		t.Errorf("%s: status %d and %d octets, want a failure", what, response.Status, len(response.Body))
		return
	case !errors.As(err, &failure):
		t.Errorf("%s: error %T (%v), want a *policy.FetchError", what, err, err)
		return
	case response.Body != nil || response.Status != 0:
		t.Errorf("%s: a failure together with status %d and %d octets", what, response.Status, len(response.Body))
	}
	if failure.Local != local {
		t.Errorf("%s: Local is %t, want %t (%v)", what, failure.Local, local, err)
	}
	if len(kinds) > 0 && !slices.Contains(kinds, failure.Kind) {
		t.Errorf("%s: kind %v (%v), want one of %v", what, failure.Kind, err, kinds)
	}
	if failure.Kind == policy.NoFailure {
		t.Errorf("%s: an error without a kind (%v)", what, err)
	}
	if text := err.Error(); len(text) > fetcherMaxText {
		t.Errorf("%s: the error says %d octets, starting %.80q", what, len(text), text)
	}
}

// fetcherMaxText is more than an error needs to say, and less than a server can.
const fetcherMaxText = 2000
