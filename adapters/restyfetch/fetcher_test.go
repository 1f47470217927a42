package restyfetch

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/polite-crawler/polite/ports"
	"github.com/polite-crawler/polite/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFetcherKeepsItsContract(t *testing.T) {
	porttest.Fetcher(t, func(t porttest.T, settings porttest.FetcherSettings) ports.Fetcher {
		t.Helper()
		fetcher, err := New(settings.UserAgent, Options{
			MaxBytes: settings.MaxBytes, Timeout: settings.Timeout, Charset: settings.Charset, RootCAs: settings.RootCAs,
		})
		if err != nil {
			t.Fatalf("New: %v", err)
		}
		t.Cleanup(func() { _ = fetcher.Close() })
		return fetcher
	})
}
