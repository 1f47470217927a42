package app

import (
	"time"

	"github.com/rs/zerolog"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// Options are a Gate's settings. The zero value of each field but Agents is its
// default.
type Options struct {
	// Agents is who the crawler is: its product tokens in order. Required.
	Agents agent.Identity
	// Identification is the crawler's identification string, for dialects with
	// robots.AgentPatterns (SEMANTICS A4); none.
	Identification string
	// Dialect is how a robots.txt is read; robots.Default.
	Dialect robots.Dialect
	// Profile is what the outcomes of fetching mean; policy.RFC.
	Profile policy.Profile
	// Choices are what the Profile leaves open; its own.
	Choices policy.Choices
	// Lifetimes are how long outcomes hold; policy.Lifetimes says the defaults.
	Lifetimes policy.Lifetimes
	// MaxRedirects is how many redirects of robots.txt are followed; 5, and with
	// a negative number none.
	MaxRedirects int
	// PublicOnly refuses origins at private, loopback and link-local addresses;
	// false: a question about one is answered, as somebody asked it. Redirects
	// from public to private addresses are always refused (SEMANTICS F6).
	PublicOnly bool
	// FetchBudget is the longest that learning one robots.txt may take,
	// redirects included, an hour at most; 60 seconds. Other workers wait that
	// long, and 5 seconds more, for one that died while it fetched.
	FetchBudget time.Duration
	// MaxFetches is how many robots.txt files this worker fetches at once, over
	// all origins. More wait for their turn, without a lease, and as long as it
	// takes: that is nobody's failure; 256.
	MaxFetches int
	// NearBytes bounds the compiled policies in this process; 64 MiB.
	NearBytes int
	// NearEntries bounds their number; 100,000.
	NearEntries int
	// NearAge is after how long a policy is looked up again in the shared cache,
	// 24 hours at most; 1 minute.
	NearAge time.Duration
	// NearAgeWatched is NearAge while purges are being heard, 24 hours at most;
	// 10 minutes, or NearAge if that is longer.
	NearAgeWatched time.Duration
	// Logger gets a line when the shared cache goes down or comes back, or when
	// purges are no longer or again heard, and at debug level one for each
	// fetch; silent.
	Logger zerolog.Logger
	// Hooks are told what happens; none.
	Hooks Hooks
}

// leaseMargin is how much longer than the fetch budget a lease holds: the time
// to store what was fetched.
const leaseMargin = 5 * time.Second

func (o Options) orDefault() Options {
	o.Lifetimes = o.Lifetimes.OrDefault()
	switch {
	case o.MaxRedirects == 0:
		o.MaxRedirects = policy.DefaultRedirects
	case o.MaxRedirects < 0:
		o.MaxRedirects = 0
	}
	// Whoever means "for ever" must not get sums that overflow.
	duration := func(value *time.Duration, otherwise, most time.Duration) {
		if *value <= 0 {
			*value = otherwise
		}
		*value = min(*value, most)
	}
	duration(&o.FetchBudget, time.Minute, time.Hour)
	duration(&o.NearAge, time.Minute, 24*time.Hour)
	duration(&o.NearAgeWatched, max(10*time.Minute, o.NearAge), 24*time.Hour)
	if o.MaxFetches <= 0 {
		o.MaxFetches = 256
	}
	if o.NearBytes <= 0 {
		o.NearBytes = 64 << 20
	}
	if o.NearEntries <= 0 {
		o.NearEntries = 100_000
	}
	return o
}
