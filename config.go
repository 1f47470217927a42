package polite

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/polite-crawler/polite/adapters/redisstore"
	"github.com/polite-crawler/polite/adapters/restyfetch"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// Config says who the crawler is and how it wants to be polite. Only UserAgent
// is required; the zero value of every other field is its default.
type Config struct {
	// UserAgent is the crawler's identification string, sent with every request
	// for a robots.txt: the same that it sends for pages (RFC 9309 §2.2.1).
	// Required.
	UserAgent string
	// Agents are the product tokens that robots.txt is read for, in order: the
	// first that any group names decides. The token in UserAgent.
	Agents []string
	// Dialect is how a robots.txt is read; robots.Default.
	Dialect robots.Dialect
	// Profile is what it means when robots.txt cannot be had: policy.RFC.
	Profile policy.Profile
	// Choices are what the Profile leaves open: forbidden files, those that are
	// too long, origins that are unreachable for long; the Profile's own.
	Choices policy.Choices
	// Lifetimes are how long outcomes hold; policy.Lifetimes says the defaults.
	Lifetimes policy.Lifetimes

	// Redis is the address of a shared Redis, "redis://user:password@host:6379/0"
	// or "rediss://…"; several hosts, separated by commas, are a Cluster. "":
	// nothing is shared, snapshots stay in this process. go-redis prints a line on
	// standard error for each failed dial; a program silences it for all its
	// clients with redis.SetLogger.
	Redis string
	// RedisTLS says whom to trust, and what certificate to show, where Redis
	// begins with rediss; the system's authorities, and none.
	RedisTLS *tls.Config
	// Prefix begins every key in Redis: one prefix is one fleet with one
	// UserAgent. "polite".
	Prefix string
	// Outage is what happens while Redis is down: Local.
	Outage Outage

	// Store says what of a robots.txt is kept in Redis; all of it.
	Store Store

	// Fetch says how a robots.txt is fetched.
	Fetch Fetch

	// CacheBytes bounds the snapshots that this process keeps, without Redis or
	// while it is down; 64 MiB.
	CacheBytes int
	// NearBytes bounds the compiled policies in this process; 64 MiB.
	NearBytes int
	// NearAge is after how long a policy is looked up again in Redis while
	// purges are not being heard; 1 minute. While they are it is 10 minutes, or
	// this if it is longer.
	NearAge time.Duration
	// Logger gets what an operator should know, in fields; silent.
	Logger zerolog.Logger
	// Hooks are told what happens, for metrics and traces; none.
	Hooks Hooks
}

// Fetch says how a robots.txt is fetched.
type Fetch struct {
	// MaxBytes is the parsing limit, counted after decoding; 512 KiB. RFC 9309
	// §2.5 asks for at least 500 KiB.
	MaxBytes int
	// MaxRedirects is how many are followed; 5 (§2.3.1.2). Negative: none.
	MaxRedirects int
	// MaxFetches is how many origins are fetched from at once; more wait for
	// their turn, as long as it takes; 256.
	MaxFetches int
	// Charset is that of files which do not name theirs; "utf-8". "binary"
	// leaves octets as they are.
	Charset string

	// Budget bounds all that is done to learn one robots.txt, redirects included.
	// It is longer than Timeout, an hour at most; a minute, or twice Timeout if
	// that is longer.
	Budget time.Duration
	// Timeout bounds one exchange, from the look-up of the name to the last
	// byte, less than an hour; 30 seconds.
	Timeout time.Duration
	// DialTimeout bounds the look-up of the name and TCP together; 5 seconds.
	DialTimeout time.Duration
	// TLSTimeout bounds the handshake; 5 seconds.
	TLSTimeout time.Duration
	// HeaderTimeout bounds the wait for the header of the answer; 10 seconds.
	HeaderTimeout time.Duration
	// MaxHeaderBytes bounds that header; 64 KiB.
	MaxHeaderBytes int
	// MaxIdle bounds the idle connections; 256, and as many again for those that
	// only public addresses are reached by.
	MaxIdle int
	// IdleTime is how long an idle connection is kept; 5 seconds.
	IdleTime time.Duration

	// PublicOnly refuses private, loopback and link-local addresses; false:
	// only redirects from public to private ones are refused.
	PublicOnly bool
	// RootCAs are trusted in place of the system's.
	RootCAs *x509.CertPool
	// Proxy is used for every request; none. It goes with PublicOnly false.
	Proxy *url.URL
}

// MaxSharedBytes is the most that Fetch.MaxBytes may be with Redis: 16 MiB.
const MaxSharedBytes = redisstore.MaxBody

// An Outage says what a Gate does while Redis is down.
type Outage uint8

// The modes of SEMANTICS C5.
const (
	// Local answers from what this process knows, and lets it fetch what it
	// does not.
	Local Outage = iota
	// Closed answers from what this process knows; else Check returns an error
	// that wraps ErrUnavailable.
	Closed
)

// check fills in what follows from the rest, and refuses what cannot be meant.
func (c Config) check() (Config, error) {
	fail := func(field string, err error) (Config, error) {
		return Config{}, fmt.Errorf("polite: Config.%s: %w", field, err)
	}
	if len(c.Agents) == 0 {
		identity, err := agent.ParseIdentity(c.UserAgent)
		if err != nil {
			return fail("UserAgent", err)
		}
		c.Agents = []string{identity.First().String()}
	}
	if c.Prefix == "" {
		c.Prefix = "polite"
	}
	if strings.ContainsAny(c.Prefix, "{}") {
		return fail("Prefix", fmt.Errorf("the prefix %q holds a brace, which would break the hash tags of a Cluster; use another", c.Prefix))
	}
	if c.RedisTLS != nil && c.Redis == "" { // else nothing is shared, and nobody notices
		return fail("RedisTLS", errors.New("there is no Redis to reach by it; set Redis, or leave it out"))
	}
	if _, err := agent.ParseTokens(c.Agents...); err != nil {
		return fail("Agents", err)
	}
	if _, field, err := c.scope(); err != nil {
		return fail(field, err)
	}
	if c.UserAgent == "" {
		return fail("UserAgent", &agent.TokenError{Problem: "it is empty", Remedy: `set it to what the crawler sends, like "ExampleBot/1.0 (+https://example.com/bot)"`})
	}
	if c.Outage > Closed { // else a slip would make every outage an error
		return fail("Outage", fmt.Errorf("there is no mode %d; use Local or Closed", c.Outage))
	}
	if c.Profile > policy.Strict {
		return fail("Profile", fmt.Errorf("there is no profile %d; use policy.RFC, Google, Archive or Strict", c.Profile))
	}
	if err := c.Choices.Check(); err != nil {
		return Config{}, fmt.Errorf("polite: Config.Choices.%w", err)
	}
	if err := c.Lifetimes.Check(); err != nil {
		return Config{}, fmt.Errorf("polite: Config.Lifetimes.%w", err)
	}
	if c.Redis != "" && c.Fetch.MaxBytes > MaxSharedBytes {
		return fail("Fetch.MaxBytes", fmt.Errorf("%d is more than is kept in Redis; use at most %d", c.Fetch.MaxBytes, MaxSharedBytes))
	}
	// A single exchange has to end by its own limit: only its Fetcher knows whether
	// it was the origin that let it run out, or this worker's resolver (F14).
	const most = time.Hour // what app.Options gives an origin
	switch timeout := cmp.Or(c.Fetch.Timeout, restyfetch.DefaultTimeout); {
	case timeout >= most:
		return fail("Fetch.Timeout", fmt.Errorf("%s is as long as all requests for a robots.txt may take together; use less than %s", timeout, most))
	case c.Fetch.Budget > most:
		return fail("Fetch.Budget", fmt.Errorf("%s is too long; use at most %s", c.Fetch.Budget, most))
	case c.Fetch.Budget > 0 && c.Fetch.Budget <= timeout:
		return fail("Fetch.Budget", fmt.Errorf("%s is not longer than Fetch.Timeout, %s; make it longer, or that shorter", c.Fetch.Budget, timeout))
	}
	for _, option := range []struct {
		field string
		value any
		bad   bool
	}{
		{"Fetch.MaxFetches", c.Fetch.MaxFetches, c.Fetch.MaxFetches < 0},
		{"Fetch.Budget", c.Fetch.Budget, c.Fetch.Budget < 0},
		{"CacheBytes", c.CacheBytes, c.CacheBytes < 0},
		{"NearBytes", c.NearBytes, c.NearBytes < 0},
		{"NearAge", c.NearAge, c.NearAge < 0},
	} {
		if option.bad {
			return fail(option.field, fmt.Errorf("%v is negative; leave it at 0 for its default", option.value))
		}
	}
	return c, nil
}
