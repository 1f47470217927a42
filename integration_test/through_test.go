package integration_test

import (
	"testing"

	"github.com/polite-crawler/polite/integration_test/proxy"
)

// through puts a proxy in front of a server.
func through(t *testing.T, network, target string) *proxy.Proxy {
	t.Helper()
	p, err := proxy.Start(network, target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// set begins a fault, and ends the one before.
func set(t *testing.T, p *proxy.Proxy, f proxy.Fault) {
	t.Helper()
	if err := p.Set(f); err != nil {
		t.Fatalf("this fault could not be made: %v", err)
	}
}
