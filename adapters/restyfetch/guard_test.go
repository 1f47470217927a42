package restyfetch

import (
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/polite-crawler/polite/domain/policy"
)

// SEMANTICS F6: what is not on the public Internet, by the registries of IANA.
// Nothing is sent there by this test, or it would not end at once.
func TestGuardRefusesSpecialAddresses(t *testing.T) {
	fetcher := made(t, Options{})
	hosts := []string{
		"0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.0.0.1", "192.0.2.1", "192.168.0.1",
		"198.18.0.1", "198.51.100.1", "203.0.113.1", "240.0.0.1", "255.255.255.255",
		// The same in other spellings.
		"[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]",
	}
	if listener, err := net.Listen("tcp", "[::1]:0"); err == nil {
		_ = listener.Close()
		hosts = append(hosts, "[::1]", "[::]", "[fe80::1%25lo]", "[fc00::1]", "[fd12::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:db8::1]", "[ff02::1]")
	}
	for _, host := range hosts {
		_, err := fetcher.Fetch(t.Context(), policy.Request{URL: "http://" + host + ":9/", PublicOnly: true})
		t.Run(host, func(t *testing.T) { expect(t, err, policy.RefusedAddress, false, 0) })
	}
}

// Here 127.0.0.2 is the public Internet and 127.0.0.1 is our own network.
const public = "127.0.0.2"

func TestPublic(t *testing.T) {
	fetcher := madeWith(t, Options{}, nil, public+"/32")
	outside, inside := serve(t, public+":0", text("")), serve(t, "127.0.0.1:0", text(""))
	for _, row := range []struct {
		url    string
		guard  bool
		public bool
	}{
		{outside.URL, false, true}, {outside.URL, true, true}, {inside.URL, false, false},
	} {
		response, err := fetcher.Fetch(t.Context(), policy.Request{URL: row.url, PublicOnly: row.guard})
		if err != nil || response.Public != row.public {
			t.Errorf("Fetch(%s), guarded %t: public %t, %v; want %t", row.url, row.guard, response.Public, err, row.public)
		}
	}
}

// A name with addresses on both sides: only the public one is connected to.
func TestGuardTriesEachAddress(t *testing.T) {
	var inside, outside atomic.Int32
	count := func(n *atomic.Int32) http.HandlerFunc {
		return func(http.ResponseWriter, *http.Request) { n.Add(1) }
	}
	port := servePair(t, count(&inside), count(&outside))
	for _, addresses := range [][]string{{"127.0.0.1", public}, {public, "127.0.0.1"}} {
		resolver := nameServer{addresses: map[string][]string{"both.test.": addresses}}.resolver(t)
		fetcher := madeWith(t, Options{}, resolver, public+"/32")
		response, err := fetcher.Fetch(t.Context(), policy.Request{URL: "http://both.test.:" + port, PublicOnly: true})
		if err != nil || !response.Public {
			t.Errorf("%v: public %t, %v", addresses, response.Public, err)
		}
	}
	if inside.Load() != 0 || outside.Load() != 2 {
		t.Errorf("%d requests inside and %d outside, want 0 and 2", inside.Load(), outside.Load())
	}
}

// A name that is public when it is looked at and private when it is connected
// to (DNS rebinding): the guard looks at each connection.
func TestGuardAgainstRebinding(t *testing.T) {
	// The connection is not kept, so that the second request needs another.
	port := servePair(t, text(""), text("", "Connection", "close"))
	var asked atomic.Int32
	resolver := nameServer{rebinds: func(string) []string {
		if asked.Add(1) <= 1 {
			return []string{public}
		}
		return []string{"127.0.0.1"}
	}}.resolver(t)
	fetcher := madeWith(t, Options{}, resolver, public+"/32")
	request := policy.Request{URL: "http://rebinds.test.:" + port, PublicOnly: true}
	if response, err := fetcher.Fetch(t.Context(), request); err != nil || !response.Public {
		t.Fatalf("while the name is public: %v", err)
	}
	_, err := fetcher.Fetch(t.Context(), request)
	expect(t, err, policy.RefusedAddress, false, 0)
}

// The pools are apart: a connection that was opened without the guard carries no
// guarded request, not even to an address that the guard would let pass.
func TestPoolsAreApart(t *testing.T) {
	var connections []string
	record := func(_ http.ResponseWriter, r *http.Request) { connections = append(connections, r.RemoteAddr) }
	server := serve(t, public+":0", record)
	fetcher := madeWith(t, Options{}, nil, public+"/32")
	for _, guarded := range []bool{false, false, true, true, false} {
		if _, err := fetcher.Fetch(t.Context(), policy.Request{URL: server.URL, PublicOnly: guarded}); err != nil {
			t.Fatal(err)
		}
	}
	if len(connections) != 5 || connections[0] != connections[1] || connections[2] != connections[3] || connections[0] != connections[4] {
		t.Fatalf("no connection was kept, so this test shows nothing: %v", connections)
	}
	if connections[0] == connections[2] {
		t.Errorf("guarded and open requests went through one connection: %v", connections)
	}
}

// With Options.PublicOnly no request has to ask.
func TestAlwaysGuarded(t *testing.T) {
	fetcher := madeWith(t, Options{PublicOnly: true}, nil, public+"/32")
	get(t, fetcher, serve(t, public+":0", text("")).URL)
	_, err := fetcher.Fetch(t.Context(), policy.Request{URL: serve(t, "", text("")).URL})
	expect(t, err, policy.RefusedAddress, false, 0)
	if !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("error %v does not say which address", err)
	}
}
