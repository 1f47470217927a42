package polite

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/rs/zerolog"

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

	// Fetch says how a robots.txt is fetched.
	Fetch Fetch

	// CacheBytes bounds the snapshots that this process keeps, without Redis or
	// while it is down; 64 MiB.
	CacheBytes int
	// NearBytes bounds the compiled policies in this process; 64 MiB.
	NearBytes int
	// NearAge is after how long a policy is looked up again in Redis while
	// purges are not being heard; 1 minute.
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
	// Charset is that of files which do not name theirs; "utf-8". "binary"
	// leaves octets as they are.
	Charset string
	// Timeout bounds one exchange, from the look-up of the name to the last
	// byte; 30 seconds.
	Timeout time.Duration
	// PublicOnly refuses private, loopback and link-local addresses; false:
	// only redirects from public to private ones are refused.
	PublicOnly bool
	// RootCAs are trusted in place of the system's.
	RootCAs *x509.CertPool
	// Proxy is used for every request; none. It goes with PublicOnly false.
	Proxy *url.URL
}

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
	if _, err := agent.ParseTokens(c.Agents...); err != nil {
		return fail("Agents", err)
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
	for _, option := range []struct {
		field string
		value int64
	}{
		{"Fetch.MaxBytes", int64(c.Fetch.MaxBytes)},
		{"Fetch.Timeout", int64(c.Fetch.Timeout)},
		{"CacheBytes", int64(c.CacheBytes)},
		{"NearBytes", int64(c.NearBytes)},
		{"NearAge", int64(c.NearAge)},
	} {
		if option.value < 0 {
			return fail(option.field, errors.New("it is negative; leave it at 0 for its default"))
		}
	}
	return c, nil
}
