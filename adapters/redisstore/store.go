// Package redisstore keeps what the workers of a fleet share in Redis:
// snapshots, leases, and the word of what was deleted.
//
// It implements the Cache, Leaser and Watcher of package ports and follows
// SEMANTICS C. Use it when a crawler is more than one process. It needs Redis
// 6.2 or later, or Valkey, alone, behind Sentinel or as a Cluster; one prefix is
// one fleet with one User-Agent (C9).
//
// The memory limit of that Redis should come with the policy noeviction,
// volatile-lru or volatile-lfu: every key has an end. With another Redis may drop
// the memory of a Delete, and a Put from before it may be stored; Evictions
// tells. C10 says the same of a failover that loses it.
//
// An ACL user needs the commands get, getrange, pttl, set, eval and evalsha; del
// and publish in scripts; subscribe, unsubscribe and ping; on the keys and
// channels ~prefix:* &prefix:*. It may have info and wait, for deletes to be
// waited for where there are replicas, and config|get or info for Evictions. A
// database but 0 takes select, a Cluster cluster|slots and command.
package redisstore

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

var (
	_ ports.Cache   = (*Store)(nil)
	_ ports.Leaser  = (*Store)(nil)
	_ ports.Watcher = (*Store)(nil)
)

// Options set up a Store. The zero value of each field is its default.
type Options struct {
	Prefix string // of every key and channel: one for each fleet; "polite"
	// Scope is whose lines of each robots.txt are kept; everybody's. Its key is put
	// behind the Prefix, as stores that keep different lines are different stores.
	Scope   policy.Scope
	Timeout time.Duration // of one operation, whatever time its context has; 1 second

	// TLS says whom to trust, and what certificate to show, where an address
	// given to Open begins with rediss; the authorities of this machine, and
	// none. A ServerName left empty is the first host of the address.
	TLS *tls.Config

	// OnCorrupt is told of a value that cannot be decoded, which is read as
	// nothing and replaced by the next Put (SEMANTICS C7); nobody is told. It is
	// called from the goroutine that reads and must not block.
	OnCorrupt func(site.Origin, error)

	// OnDelete is told of a Delete that Redis took, and of how many others heard of
	// it at once; -1 if Redis cannot tell, as a Cluster. Nobody is told.
	OnDelete func(about site.Origin, heard int)

	// OnBreaker is told when a node that did not answer is left alone ("open"),
	// tried again ("half-open"), and used again ("closed"); nobody is told. It
	// must neither block nor use the Store.
	OnBreaker func(node, from, to string)

	now func() time.Time // the worker's clock, for tests; time.Now
}

// A Store shares through one Redis. It is safe for concurrent use.
//
// Every error but a conflict and the context's own wraps ports.ErrUnavailable:
// whatever it is that Redis cannot do, the application has to go on without. An
// operation that a cancelled context should end may go on until Redis answers or
// the read timeout is over, as go-redis does not interrupt a read.
type Store struct {
	client  redis.UniversalClient
	owned   bool // by Open
	address string
	options Options
	keys    keys
	values  questions
	headers questions
	scripts scripts
	codec   *codec
	ears    *listener
	lost    lost

	closing sync.Once
	closed  chan struct{}
}

// New returns a Store on a client of the caller's, which Close does not close.
//
// The client should be the Store's own, as a breaker is added to it, and be made
// so that it gives up early: ContextTimeoutEnabled, MaxRetries -1, DialerRetries
// 1 and short timeouts, as Open does; the defaults wait minutes for a Redis that
// is gone. A ClusterClient must not have been used before, or its nodes so far
// have no breaker. Commands are used again: a hook of the client's must not keep one
// beyond its call.
//
// It fails if the client is nil or the prefix could not be part of a key.
func New(client redis.UniversalClient, options Options) (*Store, error) {
	if client == nil {
		return nil, errors.New("redisstore: there is no client; make one with redis.NewUniversalClient, or use Open")
	}
	return newStore(client, describe(client), options)
}

func newStore(client redis.UniversalClient, address string, options Options) (*Store, error) {
	if options.Prefix == "" {
		options.Prefix = "polite"
	}
	if strings.ContainsAny(options.Prefix, "{}") {
		return nil, fmt.Errorf("redisstore: the prefix %q holds a brace, which would break the hash tags of a Cluster; use another", options.Prefix)
	}
	if options.Timeout <= 0 {
		options.Timeout = time.Second
	}
	if options.now == nil {
		options.now = time.Now
	}
	if key := options.Scope.Key(); key != "" {
		options.Prefix += "-" + key
	}
	codec, err := newCodec(options.Scope)
	if err != nil {
		return nil, err
	}
	s := &Store{
		client:  client,
		address: address,
		options: options,
		keys:    keys{options.Prefix},
		values:  newQuestions(client, wholeValue),
		headers: newQuestions(client, headerOnly),
		scripts: newScripts(),
		codec:   codec,
		closed:  make(chan struct{}),
	}
	s.ears = newListener(client, s.keys.deletes(), options.Timeout)
	addBreakers(client, address, options.OnBreaker)
	return s, nil
}

// String returns the address without credentials.
func (s *Store) String() string { return s.address }

// Close ends every Wait and Watch, and the client if Open made it. From then on
// the Store answers with an error that wraps ports.ErrUnavailable.
func (s *Store) Close() (err error) {
	s.closing.Do(func() {
		close(s.closed)
		s.ears.close()
		if s.owned {
			err = s.client.Close()
		}
	})
	if err != nil {
		return fmt.Errorf("redisstore: close the client of %s: %w", s.address, err)
	}
	return nil
}

// operation bounds the time of one operation.
func (s *Store) operation(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if err := s.open(ctx); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	return ctx, cancel, nil
}

// open reports why an operation cannot begin.
func (s *Store) open(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-s.closed:
		return errClosed
	default:
		return nil
	}
}

// A limit is a context with an earlier deadline and no timer for it: go-redis
// hands it to the connection, which keeps it, and a timer would be a tenth of a
// read's own time.
type limit struct {
	context.Context
	at time.Time
}

func (s *Store) limited(ctx context.Context) limit {
	at := time.Now().Add(s.options.Timeout)
	if deadline, has := ctx.Deadline(); has && deadline.Before(at) {
		at = deadline
	}
	return limit{ctx, at}
}

func (l limit) Deadline() (time.Time, bool) { return l.at, true }

var errClosed = fmt.Errorf("%w: the store is closed", ports.ErrUnavailable)

// unavailable is what an operation returns for an error of go-redis. ctx is the
// caller's: when that is over, it is the reason.
func (s *Store) unavailable(ctx context.Context, what string, origin site.Origin, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	// A read that ends at the context's deadline may come back before the
	// context has noticed.
	if deadline, has := ctx.Deadline(); has && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return fmt.Errorf("%w: %s %s: %w", ports.ErrUnavailable, what, origin, err)
}

// newRev makes a revision that nobody else makes: 80 random bits.
func newRev() policy.Rev {
	rev := [revLength]byte{version}
	_, _ = rand.Read(rev[1:]) // never fails
	return policy.Rev(rev[:])
}
