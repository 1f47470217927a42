package redisstore

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/polite-crawler/polite/ports"
)

// Open connects to the Redis at an address, and owns the connection:
//
//	redis://[user:password@]host:port[/db]         one Redis; rediss:// for TLS
//	unix://[user:password@]/path/to/socket[?db=n]  the same on this machine
//	redis://[user:password@]host:port,host:port    a Cluster, by some of its nodes;
//	                                               one is enough with ?cluster=true
//	redis+sentinel://[user:password@]host:port,host:port/master[/db]
//
// Options of go-redis may follow as parameters, such as ?pool_size=20 or
// &read_timeout=1s. Without them the client gives up early: 500 ms for a
// connection, 300 ms for an answer, no retries.
//
// A malformed address is an *AddressError. A Redis that answers and refuses user,
// password or database is an error, too. One that does not answer is none, as a
// crawler has to start without it (SEMANTICS C5): ask Ping.
func Open(ctx context.Context, rawURL string, options Options) (*Store, error) {
	where, err := parseAddress(rawURL)
	if err != nil {
		return nil, err
	}
	if options.TLS != nil && !where.secure(options.TLS) {
		return nil, &AddressError{
			Address: withoutCredentials(rawURL),
			Problem: "it asks for no TLS, and settings of TLS came with it",
			Remedy:  "write rediss:// instead of redis://, or leave the settings out",
		}
	}
	client := where.client()
	s, err := newStore(client, where.String(), options) //nolint:contextcheck // what the breakers do outlives ctx
	if err != nil {
		_ = client.Close()
		return nil, err
	}
	s.owned = true
	if err := s.Ping(ctx); err != nil && !errors.Is(err, ports.ErrUnavailable) {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// Ping reports whether Redis can be used. An error that wraps
// ports.ErrUnavailable is one that may pass; another says what is wrong with the
// address, and how to correct it. Neither holds a password.
func (s *Store) Ping(ctx context.Context) error {
	op, cancel, err := s.operation(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	// A read as every other is, for an ACL may well allow PING alone.
	err = s.client.PTTL(op, s.keys.prefix+":d:{}").Err()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if remedy := remedyFor(err); remedy != "" {
		return fmt.Errorf("redis address %q: %w; %s", s.address, err, remedy)
	}
	return fmt.Errorf("%w: %s: %w", ports.ErrUnavailable, s.address, err)
}

// remedyFor says what to change if an error will not pass by itself.
func remedyFor(err error) string {
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	switch {
	case redis.IsPermissionError(err):
		return "give the user the keys, channels and commands that package redisstore lists"
	case redis.IsAuthError(err), hasPrefix(err, "ERR AUTH", "ERR invalid password", "ERR Client sent AUTH"):
		return "correct user and password"
	case hasPrefix(err, "ERR DB index", "ERR invalid DB index"):
		return "correct the database, behind the host: /0"
	case redis.HasErrorPrefix(err, "MOVED"), hasPrefix(err, "ERR SELECT is not allowed in cluster mode"):
		return "this is a Cluster: name several of its nodes, separated by commas, or add ?cluster=true, and no database"
	case hasPrefix(err, "ERR This instance has cluster support disabled"):
		return "this is not a Cluster: name one host"
	case errors.As(err, &record):
		return "the server does not speak TLS: write redis:// instead of rediss://"
	case errors.As(err, &certificate):
		return "trust who signed the server's certificate, or name the host as the certificate does"
	}
	return ""
}

func hasPrefix(err error, prefixes ...string) bool {
	var reply redis.Error
	if !errors.As(err, &reply) {
		return false
	}
	for _, prefix := range prefixes {
		if strings.HasPrefix(reply.Error(), prefix) {
			return true
		}
	}
	return false
}

// What a client gives up after, unless the address says otherwise. The defaults
// of go-redis take 1.7 s for a refused connection and minutes for one that
// nobody answers.
const (
	dialTimeout = 500 * time.Millisecond
	ioTimeout   = 300 * time.Millisecond
	poolTimeout = time.Second // for a connection, while all are in use
	// reload is how often a Cluster is asked which node has what; at once where
	// a node says so itself, or does not answer any more.
	reload = 10 * time.Second
)

// client makes the client.
func (a address) client() redis.UniversalClient {
	a.giveUpEarly()
	switch {
	case a.cluster != nil:
		return redis.NewClusterClient(a.cluster)
	case a.sentinel != nil:
		return redis.NewFailoverClient(a.sentinel)
	default:
		return redis.NewClient(a.single)
	}
}

// secure has TLS done as config says; false: the address asks for none.
func (a address) secure(config *tls.Config) bool {
	var own **tls.Config
	switch {
	case a.cluster != nil:
		own = &a.cluster.TLSConfig
	case a.sentinel != nil:
		own = &a.sentinel.TLSConfig
	default:
		own = &a.single.TLSConfig
	}
	if *own == nil {
		return false
	}
	made := config.Clone()
	made.ServerName = cmp.Or(made.ServerName, (*own).ServerName)
	made.InsecureSkipVerify = made.InsecureSkipVerify || (*own).InsecureSkipVerify // ?skip_verify=true
	*own = made
	return true
}

// giveUpEarly sets what the address leaves open. Commands and pipelines share one
// pool, which bounds the connections to a node.
func (a address) giveUpEarly() {
	early := func(dial, read, write, pool *time.Duration, retries, dials, pipelines *int, contexts *bool) {
		*dial = cmp.Or(*dial, dialTimeout)
		*read = cmp.Or(*read, ioTimeout)
		*write = cmp.Or(*write, ioTimeout)
		*pool = cmp.Or(*pool, poolTimeout)
		*retries = cmp.Or(*retries, -1)
		*dials = cmp.Or(*dials, 1)
		*pipelines = cmp.Or(*pipelines, -1)
		*contexts = true
	}
	off := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	if o := a.single; o != nil {
		early(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout, &o.MaxRetries, &o.DialerRetries, &o.PipelinePoolSize, &o.ContextTimeoutEnabled)
		o.MaintNotificationsConfig = off
	}
	if o := a.cluster; o != nil {
		early(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout, &o.MaxRetries, &o.DialerRetries, &o.PipelinePoolSize, &o.ContextTimeoutEnabled)
		o.MaintNotificationsConfig = off
		o.ClusterStateReloadInterval = reload
	}
	if o := a.sentinel; o != nil {
		early(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout, &o.MaxRetries, &o.DialerRetries, &o.PipelinePoolSize, &o.ContextTimeoutEnabled)
	}
}
