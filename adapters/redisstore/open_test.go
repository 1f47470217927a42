package redisstore

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/ports"
)

// SEMANTICS C6: what can be written down as an address.
func TestAddresses(t *testing.T) {
	for _, row := range []struct {
		raw, want string
		user      string
		password  string
		hosts     []string // of a Cluster or of Sentinels
	}{
		{raw: "redis://localhost:6379", want: "redis://localhost:6379/0"},
		{raw: "redis://localhost", want: "redis://localhost:6379/0"},
		{raw: "redis://localhost:6379/", want: "redis://localhost:6379/0"},
		{raw: "redis://localhost:6379/7", want: "redis://localhost:6379/7"},
		{raw: "redis://localhost:6379?db=7&pool_size=3", want: "redis://localhost:6379/7"},
		{raw: "redis://[::1]:6380/1", want: "redis://[::1]:6380/1"},
		{raw: "rediss://cache.example:6380", want: "rediss://cache.example:6380/0"},
		{raw: "redis://:s3cret@localhost:6379", want: "redis://localhost:6379/0", password: "s3cret"},
		{raw: "redis://me:s3cret@localhost:6379/2", want: "redis://localhost:6379/2", user: "me", password: "s3cret"},
		{raw: "redis://me:s3%2Fc%3Fr%23e%40t@localhost", want: "redis://localhost:6379/0", user: "me", password: "s3/c?r#e@t"},
		{raw: "redis://me:s3@cret@localhost", want: "redis://localhost:6379/0", user: "me", password: "s3@cret"},
		{raw: "unix:///run/redis.sock", want: "unix:///run/redis.sock?db=0"},
		{raw: "unix://me:s3cret@/run/redis.sock?db=4", want: "unix:///run/redis.sock?db=4", user: "me", password: "s3cret"},
		{
			raw: "redis://me:s3cret@a:7000,b:7001,c:7002", want: "redis://a:7000,b:7001,c:7002",
			user: "me", password: "s3cret", hosts: []string{"a:7000", "b:7001", "c:7002"},
		},
		{raw: "redis://a:7000?addr=b:7001&addr=c:7002", want: "redis://a:7000,b:7001,c:7002", hosts: []string{"a:7000", "b:7001", "c:7002"}},
		{raw: "redis://a:7000/0?cluster=true", want: "redis://a:7000", hosts: []string{"a:7000"}},
		{raw: "rediss://a:7000,b:7001", want: "rediss://a:7000,b:7001", hosts: []string{"a:7000", "b:7001"}},
		{
			raw: "redis+sentinel://me:s3cret@a:26379,b:26379/mymaster/3", want: "redis+sentinel://a:26379,b:26379/mymaster/3",
			user: "me", password: "s3cret", hosts: []string{"a:26379", "b:26379"},
		},
		{raw: "rediss+sentinel://a:26379/mymaster", want: "rediss+sentinel://a:26379/mymaster/0", hosts: []string{"a:26379"}},
	} {
		t.Run(row.raw, func(t *testing.T) {
			a, err := parseAddress(row.raw)
			if err != nil {
				t.Fatalf("parseAddress: %v", err)
			}
			if got := a.String(); got != row.want {
				t.Errorf("it prints as %q, want %q", got, row.want)
			}
			var user, password string
			var hosts []string
			switch {
			case a.cluster != nil:
				user, password, hosts = a.cluster.Username, a.cluster.Password, a.cluster.Addrs
			case a.sentinel != nil:
				user, password, hosts = a.sentinel.Username, a.sentinel.Password, a.sentinel.SentinelAddrs
				if a.sentinel.SentinelUsername+a.sentinel.SentinelPassword != "" {
					t.Errorf("the servers' password would be sent to the Sentinels")
				}
			default:
				user, password = a.single.Username, a.single.Password
			}
			if user != row.user || password != row.password || strings.Join(hosts, " ") != strings.Join(row.hosts, " ") {
				t.Errorf("it is user %q, password %q, hosts %q, want %q, %q, %q", user, password, hosts, row.user, row.password, row.hosts)
			}
			client := a.client()
			if client, is := client.(*redis.ClusterClient); is != (a.cluster != nil) {
				t.Errorf("its client is a %T", client)
			}
			if err := client.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

// The defaults of go-redis wait minutes for a Redis that is gone; what an address
// asks for comes first all the same.
func TestClientsGiveUpEarly(t *testing.T) {
	type limits struct {
		dial, read, write         time.Duration
		retries, dials, pipelines int
		contexts                  bool
	}
	early := limits{dialTimeout, ioTimeout, ioTimeout, -1, 1, -1, true}
	asked := limits{time.Second, 2 * time.Second, 3 * time.Second, 4, 1, 5, true}
	const ask = "dial_timeout=1s&read_timeout=2s&write_timeout=3s&max_retries=4&pipeline_pool_size=5"
	for raw, want := range map[string]limits{
		"redis://a":                           early,
		"redis://a?" + ask:                    asked,
		"redis://a,b:7001":                    early,
		"redis://a,b:7001?" + ask:             asked,
		"redis+sentinel://a/master":           early,
		"redis+sentinel://a/master?" + ask:    asked,
		"unix:///run/redis.sock":              early,
		"rediss://a:6379/3?" + ask:            asked,
		"redis://a?cluster=true&" + ask:       asked,
		"rediss+sentinel://a/master/1?" + ask: asked,
	} {
		a, err := parseAddress(raw)
		if err != nil {
			t.Fatalf("parseAddress(%q): %v", raw, err)
		}
		a.giveUpEarly()
		var got limits
		switch {
		case a.cluster != nil:
			o := a.cluster
			got = limits{o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.MaxRetries, o.DialerRetries, o.PipelinePoolSize, o.ContextTimeoutEnabled}
		case a.sentinel != nil:
			o := a.sentinel
			got = limits{o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.MaxRetries, o.DialerRetries, o.PipelinePoolSize, o.ContextTimeoutEnabled}
		default:
			o := a.single
			got = limits{o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.MaxRetries, o.DialerRetries, o.PipelinePoolSize, o.ContextTimeoutEnabled}
		}
		if got != want {
			t.Errorf("%s gives up after %+v, want %+v", raw, got, want)
		}
	}
}

// A malformed address says what is wrong and what to write, and never any part of
// its password: it ends up in logs.
func TestMalformedAddresses(t *testing.T) {
	for _, row := range []struct{ raw, problem string }{
		{"", "no scheme"},
		{"localhost:6379", "no scheme"},
		{"me:s3cret@localhost:6379", "no scheme"},
		{"http://:s3cret@localhost:6379", "scheme is none of"},
		{"REDIS://localhost", "scheme is none of"},
		{"redis://me:s3cret@localhost:port", "malformed"},
		{"redis://me:s3cret@localhost:6379:6380", "more than one ':'"},
		{"redis://me:s3cret@::1", "more than one ':'"},
		{"redis://me:s3cret%zz@localhost", "malformed"},
		{"redis://me:\x7fs3cret@localhost", "malformed"},
		{"redis://me:x/s3cret@localhost", "'@' or '#'"},
		{"redis://me:x?s3cret@localhost", "'@' or '#'"},
		{"redis://me:12#s3cret@localhost", "'@' or '#'"},
		{"redis://:#s3cret@localhost", "'@' or '#'"},
		{"redis://:s3cret@localhost/db", "invalid database number"},
		{"redis://:s3cret@localhost/0/1", "invalid URL path"},
		{"redis://:s3cret@localhost?pool_sizes=1", "unexpected option: pool_sizes"},
		{"redis://:s3cret@localhost?pool_size=many", "invalid pool_size number"},
		{"redis://localhost?password=s3cret", "unexpected option: password"},
		{"redis://localhost?x=%zz&password=s3cret", "parameters are malformed"},
		{"redis://:s3cret@a:7000,b:7001/3", "no database but 0"},
		{"redis://:s3cret@a:7000,b", "unable to parse addr param: b"},
		{"redis+sentinel://:s3cret@a:26379", "name of the master is missing"},
		{"redis+sentinel://:s3cret@a:26379/", "name of the master is missing"},
		{"redis+sentinel://:s3cret@a:26379/mymaster/x", "invalid database number"},
		{"unix://:s3cret@", "empty unix socket path"},
	} {
		t.Run(row.raw, func(t *testing.T) {
			_, err := Open(t.Context(), row.raw, Options{})
			var malformed *AddressError
			if !errors.As(err, &malformed) {
				t.Fatalf("Open: %v, want an AddressError", err)
			}
			if !strings.Contains(malformed.Problem, row.problem) || malformed.Remedy == "" {
				t.Errorf("Open: %v, want a problem with %q, and a remedy", err, row.problem)
			}
			if strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "s3%") {
				t.Errorf("the error holds the password: %v", err)
			}
		})
	}
}

// answer makes the server answer a command with an error.
func refuse(m *miniredis.Miniredis, refused, reply string) {
	m.Server().SetPreHook(func(peer *server.Peer, command string, _ ...string) bool {
		if command != refused {
			return false
		}
		peer.WriteError(reply)
		return true
	})
}

// SEMANTICS C5: a Redis that lets nobody in is an error at start, with a remedy;
// one that is not there, or not yet, is not.
func TestOpen(t *testing.T) {
	const refused = "127.0.0.1:1" // nobody listens where only tcpmux ever did
	for _, row := range []struct {
		name   string
		set    func(*miniredis.Miniredis)
		url    func(m *miniredis.Miniredis) string
		wrong  string // the remedy, if Open fails
		absent bool   // Ping says it is unavailable
	}{
		{name: "as it should be"},
		{name: "with the right password", set: func(m *miniredis.Miniredis) { m.RequireAuth("s3cret") },
			url: func(m *miniredis.Miniredis) string { return "redis://:s3cret@" + m.Addr() + patience }},
		{name: "with the wrong password", set: func(m *miniredis.Miniredis) { m.RequireAuth("other") },
			url: func(m *miniredis.Miniredis) string { return "redis://:s3cret@" + m.Addr() + patience }, wrong: "correct user and password"},
		{name: "without the password", set: func(m *miniredis.Miniredis) { m.RequireAuth("other") }, wrong: "correct user and password"},
		{name: "a password where none is asked for", set: func(m *miniredis.Miniredis) {
			refuse(m, "HELLO", "ERR AUTH <password> called without any password configured for the default user.")
		}, url: func(m *miniredis.Miniredis) string { return "redis://:s3cret@" + m.Addr() + patience }, wrong: "correct user and password"},
		{name: "a user who may not", set: func(m *miniredis.Miniredis) {
			refuse(m, "PTTL", "NOPERM this user has no permissions to access one of the keys used as arguments")
		}, wrong: "give the user the keys"},
		{name: "a database that is not there", set: func(m *miniredis.Miniredis) { refuse(m, "SELECT", "ERR DB index is out of range") },
			url: func(m *miniredis.Miniredis) string { return "redis://" + m.Addr() + "/99" + patience }, wrong: "correct the database"},
		{name: "a node of a Cluster", set: func(m *miniredis.Miniredis) { refuse(m, "PTTL", "MOVED 1234 127.0.0.1:7001") }, wrong: "this is a Cluster"},
		{name: "no Cluster", set: func(m *miniredis.Miniredis) { refuse(m, "CLUSTER", "ERR This instance has cluster support disabled") },
			url: func(m *miniredis.Miniredis) string { return "redis://" + m.Addr() + patience + "&cluster=true" }, wrong: "this is not a Cluster"},
		{name: "no TLS", url: func(*miniredis.Miniredis) string { return "rediss://" + plain(t) + patience }, wrong: "does not speak TLS"},

		{name: "still loading", set: func(m *miniredis.Miniredis) { m.SetError("LOADING Redis is loading the dataset in memory") }, absent: true},
		{name: "a Cluster that is down", set: func(m *miniredis.Miniredis) { refuse(m, "PTTL", "CLUSTERDOWN The cluster is down") },
			url: func(m *miniredis.Miniredis) string { return "redis://" + m.Addr() + patience + "&cluster=true" }, absent: true},
		{name: "refused", url: func(*miniredis.Miniredis) string { return "redis://:s3cret@" + refused }, absent: true},
		{name: "a Cluster refused", url: func(*miniredis.Miniredis) string {
			return "redis://:s3cret@" + refused + "," + refused
		}, absent: true},
		{name: "Sentinels refused", url: func(*miniredis.Miniredis) string {
			return "redis+sentinel://:s3cret@" + refused + "/master"
		}, absent: true},
		{name: "mute", url: func(*miniredis.Miniredis) string { return "redis://:s3cret@" + mute(t) }, absent: true},
		{name: "no such socket", url: func(*miniredis.Miniredis) string { return "unix:///nowhere/redis.sock" }, absent: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			m := serve(t)
			if row.set != nil {
				row.set(m)
			}
			url := urlOf(m)
			if row.url != nil {
				url = row.url(m)
			}
			store, err := Open(t.Context(), url, Options{Timeout: time.Minute})
			if row.wrong != "" {
				if err == nil || errors.Is(err, ports.ErrUnavailable) || !strings.Contains(err.Error(), row.wrong) {
					t.Errorf("Open: %v, want an error with the remedy %q", err, row.wrong)
				}
				if err != nil && strings.Contains(err.Error(), "s3cret") {
					t.Errorf("the error holds the password: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatalf("Open: %v", err)
			}
			defer func() { _ = store.Close() }()
			err = store.Ping(t.Context())
			if errors.Is(err, ports.ErrUnavailable) != row.absent || (err != nil) != row.absent {
				t.Errorf("Ping: %v, want unavailable: %v", err, row.absent)
			}
			for _, text := range []string{store.String(), errorText(err)} {
				if strings.Contains(text, "s3cret") {
					t.Errorf("the password is told: %s", text)
				}
			}
			if err != nil && !strings.Contains(err.Error(), store.String()) {
				t.Errorf("Ping: %v, want the address %s in it", err, store)
			}
		})
	}
}

// plain starts a server that answers whatever comes in plain text. Redis itself
// waits for the end of the line.
func plain(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	var taken sync.WaitGroup
	taken.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = connection.Write([]byte("-ERR Protocol error\r\n"))
			taken.Go(func() {
				_, _ = io.Copy(io.Discard, connection)
				_ = connection.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		taken.Wait()
	})
	return listener.Addr().String()
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestOpenWithACertificateOfNobody(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	m := miniredis.NewMiniRedis()
	if err := m.StartTLS(&tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}); err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, err = Open(t.Context(), "rediss://"+m.Addr()+patience, Options{Timeout: time.Minute})
	if err == nil || errors.Is(err, ports.ErrUnavailable) || !strings.Contains(err.Error(), "trust who signed the server's certificate") {
		t.Errorf("Open: %v, want an error with a remedy", err)
	}
	store, err := Open(t.Context(), "rediss://"+m.Addr()+patience+"&skip_verify=true", Options{Timeout: time.Minute})
	if err != nil {
		t.Fatalf("Open without verification: %v", err)
	}
	defer func() { _ = store.Close() }()
	put(t, store, succeeded([]byte(body)))

	// Whoever names who signed it needs not look away.
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(certificate)
	trusting, err := Open(t.Context(), "rediss://"+m.Addr()+patience, Options{Timeout: time.Minute, TLS: &tls.Config{RootCAs: pool}})
	if err != nil {
		t.Fatalf("Open with the authority: %v", err)
	}
	defer func() { _ = trusting.Close() }()
	if !get(t, trusting).Known() {
		t.Errorf("what was stored is not there")
	}
}

// Settings of TLS get to every kind of client, and are none for an address without.
func TestAddressesAndTLS(t *testing.T) {
	for _, row := range []struct {
		raw, name string // of the server; "": there is no TLS
	}{
		{"rediss://a:1", "a"},
		{"rediss://a:1,b:2", "a"},
		{"rediss+sentinel://a:1/master", "a"},
		{"redis://a:1", ""},
		{"redis://a:1,b:2", ""},
		{"redis+sentinel://a:1/master", ""},
		{"unix:///run/redis.sock", ""},
	} {
		a, err := parseAddress(row.raw)
		if err != nil {
			t.Fatal(err)
		}
		given := &tls.Config{RootCAs: x509.NewCertPool()}
		if got := a.secure(given); got != (row.name != "") {
			t.Errorf("%s: TLS %v", row.raw, got)
		}
		if given.ServerName != "" {
			t.Errorf("%s: the caller's settings have changed", row.raw)
		}
		if row.name == "" {
			var address *AddressError
			if _, err := Open(t.Context(), row.raw, Options{TLS: given}); !errors.As(err, &address) {
				t.Errorf("Open(%s) with settings of TLS: %v, want an AddressError", row.raw, err)
			}
			continue
		}
		var used *tls.Config
		switch {
		case a.cluster != nil:
			used = a.cluster.TLSConfig
		case a.sentinel != nil:
			used = a.sentinel.TLSConfig
		default:
			used = a.single.TLSConfig
		}
		if used.RootCAs != given.RootCAs || used.ServerName != row.name {
			t.Errorf("%s: %+v", row.raw, used)
		}
	}
}

func TestNew(t *testing.T) {
	m := serve(t)
	client := redis.NewClient(&redis.Options{Addr: m.Addr(), Password: ""})
	defer func() { _ = client.Close() }()
	for _, row := range []struct {
		client  redis.UniversalClient
		options Options
	}{
		{nil, Options{}},
		{client, Options{Prefix: "a{b"}},
		{client, Options{Prefix: "a}b"}},
	} {
		if _, err := New(row.client, row.options); err == nil {
			t.Errorf("New(%v, %+v) gave no error", row.client, row.options)
		}
	}
	store, err := New(client, Options{Prefix: "fleet"})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	put(t, store, succeeded([]byte(body)))
	if want := "redis://" + m.Addr() + "/0"; store.String() != want {
		t.Errorf("it prints as %s, want %s", store, want)
	}
	if key := "fleet:d:{" + origin.String() + "}"; !m.Exists(key) {
		t.Errorf("there is no key %s, but %q", key, m.Keys())
	}
	if err := store.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Errorf("the caller's client was closed: %v", err)
	}
}
