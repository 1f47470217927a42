package integration_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// user is an ACL user with no more than what the README says that one needs. The
// prefix is the fleet's.
const user = "ACL SETUSER polite on >right resetkeys resetchannels ~fleet:* &fleet:* -@all +get +getrange +pttl +set +del +eval +evalsha " +
	"+publish +subscribe +unsubscribe +ping +info +wait +config|get +select"

// SEMANTICS C6: TLS by an authority of our own, an ACL user with nothing but what
// is needed, a database and a prefix, all at once, and two processes share.
func TestAccess(t *testing.T) {
	t.Parallel()
	server, authority := startRedisTLS(t)
	raw := server.client(t)
	for _, line := range []string{user, "ACL SETUSER chief on >chief ~* &* +@all", "ACL SETUSER default off"} {
		if err := raw.Do(t.Context(), words(line)...).Err(); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	chief := redis.NewClient(&redis.Options{Network: "unix", Addr: server.socket(), DB: 3, Username: "chief", Password: "chief"})
	t.Cleanup(func() { _ = chief.Close() })
	address := func(credentials, database string) string {
		return "rediss://" + credentials + server.hostPort() + "/" + database + "?dial_timeout=10s&read_timeout=10s&write_timeout=10s"
	}
	good := spec{Redis: address("polite:right@", "3"), Prefix: "fleet", CA: authority}
	o := newOrigin(t)
	a, b := hire(t, good), hire(t, good)
	wantSame(t, []*origin{o}, a.check(urls(o)...), b.check(urls(o)...))
	wantAsked(t, 1, 1, o)
	o.publish("second edition")
	a.purge(o.allowed()) // and back it is, in each
	eventually(t, "both workers have the second edition", func() bool {
		return a.check(o.allowed()).Answers[0].Hash == o.hash() && b.check(o.allowed()).Answers[0].Hash == o.hash()
	})
	wantSame(t, []*origin{o}, a.check(urls(o)...), b.check(urls(o)...))
	wantAsked(t, 2, 2, o)
	for i, w := range []*worker{a, b} {
		if so := w.facts(); so.Down > 0 || so.Log != "" {
			t.Errorf("worker %d: %+v", i, so)
		}
	}
	if left, err := chief.PTTL(t.Context(), "fleet:d:{"+o.url+"}").Result(); err != nil || left <= 0 {
		t.Errorf("in database 3 it is stored for %v (%v)", left, err)
	}

	// Whatever the user may not do, was not tried.
	if denied := deniedIn(t, chief); len(denied) > 0 {
		t.Errorf("the user was denied %q", denied)
	}

	// What will not pass by itself is an error at once, with a remedy and without
	// the password (C5).
	for _, row := range []struct {
		name, says string
		change     func(*spec)
	}{
		{"a wrong password", "correct user and password", func(s *spec) { s.Redis = address("polite:wr0ng@", "3") }},
		{"another user", "correct user and password", func(s *spec) { s.Redis = address("somebody:right@", "3") }},
		{"no user", "correct user and password", func(s *spec) { s.Redis = address("", "3") }},
		{"a database that there is not", "correct the database", func(s *spec) { s.Redis = address("polite:right@", "99") }},
		{"another prefix", "give the user the keys", func(s *spec) { s.Prefix = "others" }},
		{"the system's authorities", "trust who signed", func(s *spec) { s.CA = "" }},
		{"no TLS", "", func(s *spec) { s.Redis, s.CA = strings.Replace(s.Redis, "rediss", "redis", 1), "" }},
		{"an authority and no TLS", "rediss://", func(s *spec) { s.Redis = strings.Replace(s.Redis, "rediss", "redis", 1) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			wrong := good
			row.change(&wrong)
			var n notes
			_, done, err := wrong.open(t.Context(), &n)
			if err == nil {
				done()
			}
			switch text := fmt.Sprint(err, n.now().Log); {
			case row.says == "" && err == nil && !strings.Contains(text, "redis does not answer"):
				t.Errorf("there is neither an error nor a warning: %s", text)
			case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
				t.Errorf("the error is %v, want one that says %q", err, row.says)
			case strings.Contains(text, "wr0ng") || strings.Contains(text, "right@"):
				t.Errorf("the password is shown: %s", text)
			}
		})
	}
}

// words are a line as a command.
func words(line string) (command []any) {
	for word := range strings.FieldsSeq(line) {
		command = append(command, word)
	}
	return command
}

// deniedIn returns what was tried and denied, commands by their names.
func deniedIn(t *testing.T, raw *redis.Client) (what []string) {
	t.Helper()
	log, err := raw.ACLLog(t.Context(), 1000).Result()
	if err != nil {
		t.Fatalf("ACL LOG: %v", err)
	}
	for _, entry := range log {
		if entry.Reason != "auth" {
			what = append(what, entry.Object)
		}
	}
	return what
}

// startRedisTLS starts a server that speaks TLS on its port, and returns the
// authority that has signed its certificate.
func startRedisTLS(t *testing.T) (server *redisServer, authority string) {
	t.Helper()
	needRedis(t)
	needServer(t)
	s := newRedisServer(t, nil)
	authority = s.certify(t)
	s.tls = true
	s.startOnAPort(t)
	return s, authority
}

// certify makes an authority, and has it sign a certificate for this machine.
func (s *redisServer) certify(t *testing.T) (authority string) {
	t.Helper()
	key := func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	sign := func(template, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) (der []byte) {
		der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	write := func(name, kind string, der []byte) string {
		text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
		if err := os.WriteFile(filepath.Join(s.dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rootKey, ownKey := key(), key()
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "an authority of this test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	own := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "redis"},
		NotBefore: root.NotBefore, NotAfter: root.NotAfter, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.MarshalECPrivateKey(ownKey)
	if err != nil {
		t.Fatal(err)
	}
	write("key.pem", "EC PRIVATE KEY", der)
	write("cert.pem", "CERTIFICATE", sign(own, root, ownKey, rootKey))
	return write("ca.pem", "CERTIFICATE", sign(root, root, rootKey, rootKey))
}

// ports are the arguments that say where the server listens.
func (s *redisServer) ports() []string {
	if !s.tls {
		return []string{"--port", strconv.Itoa(s.port)}
	}
	return []string{
		"--port", "0", "--tls-port", strconv.Itoa(s.port), "--tls-auth-clients", "no",
		"--tls-cert-file", filepath.Join(s.dir, "cert.pem"), "--tls-key-file", filepath.Join(s.dir, "key.pem"),
		"--tls-ca-cert-file", filepath.Join(s.dir, "ca.pem"),
	}
}
