package porttest

import (
	"net"
	"net/url"
	"sync"

	"github.com/polite-crawler/polite/domain/policy"
)

func fetcherGuardChecks() []Check[OpenFetcher] {
	return []Check[OpenFetcher]{
		{"PublicOnly refuses loopback", "ports.Fetcher, SEMANTICS F6", fetchGuarded},
		{"PublicOnly looks at what a name resolves to", "ports.Fetcher, SEMANTICS F6", fetchGuardedName},
		{"PublicOnly uses no connection from before", "ports.Fetcher, SEMANTICS F6", fetchGuardedPool},
	}
}

func fetchGuarded(t T, open OpenFetcher) {
	server := serve(t, answers("User-agent: *\n"))
	port := portOf(server)
	fetcher := openFetcher(t, open)
	hosts := []string{"127.0.0.1", "127.8.8.8", "0.0.0.0", "[::ffff:127.0.0.1]"}
	if hasIPv6(t) {
		hosts = append(hosts, "[::1]", "[::]")
	}
	for _, host := range hosts {
		response, err := fetcher.Fetch(t.Context(), policy.Request{URL: "http://" + host + ":" + port, PublicOnly: true})
		fetchFailed(t, host, response, err, false, policy.RefusedAddress)
	}
	if asked := server.requests(); len(asked) > 0 {
		t.Errorf("%d requests came through", len(asked))
	}
}

func fetchGuardedName(t T, open OpenFetcher) {
	server := serve(t, answers("User-agent: *\n"))
	request := policy.Request{URL: "http://localhost:" + portOf(server)}
	fetcher := openFetcher(t, open) // another: it must not have a connection there
	if _, ok := fetched(t, openFetcher(t, open), request); !ok {
		t.Fatalf("localhost is not this machine, so its refusal would prove nothing")
	}
	request.PublicOnly = true
	response, err := fetcher.Fetch(t.Context(), request)
	fetchFailed(t, "localhost", response, err, false, policy.RefusedAddress)
	if asked := server.requests(); len(asked) != 1 {
		t.Errorf("%d requests, want the first alone", len(asked))
	}
}

// fetchGuardedPool: a connection that was opened without the guard must not
// carry a request with it. That one was kept open is seen by its use.
func fetchGuardedPool(t T, open OpenFetcher) {
	server := serve(t, answers("User-agent: *\n"))
	fetcher := openFetcher(t, open)
	request := policy.Request{URL: server.URL}
	for range 2 {
		fetched(t, fetcher, request)
	}
	if asked := server.requests(); len(asked) == 2 && asked[0].from != asked[1].from {
		t.Logf("this Fetcher keeps no connections")
	}
	request.PublicOnly = true
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			response, err := fetcher.Fetch(t.Context(), request)
			fetchFailed(t, "with a connection open", response, err, false, policy.RefusedAddress)
		})
	}
	group.Wait()
	if asked := server.requests(); len(asked) != 2 {
		t.Errorf("%d requests, want the first two alone", len(asked))
	}
	// And the other way round: what is not guarded goes on.
	request.PublicOnly = false
	fetched(t, fetcher, request)
}

// hasIPv6 reports whether this machine can open sockets of IPv6; where it cannot,
// there is nothing to guard.
func hasIPv6(t T) bool {
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp6", "[::1]:0")
	if err != nil {
		t.Logf("without IPv6: %v", err)
		return false
	}
	return listener.Close() == nil
}

func portOf(server *fetcherServer) string {
	target, err := url.Parse(server.URL)
	if err != nil {
		return ""
	}
	_, port, _ := net.SplitHostPort(target.Host)
	return port
}
