// Package app answers a crawler's question, "may I fetch this URL?", the same
// way in every worker.
//
// It is the use case of Polite: it asks the ports for what is known about an
// origin, has it fetched when that is too little, and lets the domain decide.
// Crawlers use it through package polite; whoever brings adapters of their own
// calls New.
package app

import (
	"context"
	"errors"
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// Ports are what a Gate needs from outside. The Gate does not close them.
type Ports struct {
	Fetcher ports.Fetcher // required
	Cache   ports.Cache   // required; what all workers share
	// Leaser lets one worker fetch for all. Nil: one goroutine fetches for this
	// process, and no process waits for another.
	Leaser ports.Leaser
	// Watcher hears what others purge. Nil: a purge by another worker is seen
	// when the near cache is looked up again (Options.NearAge).
	Watcher ports.Watcher
	// Fallback holds this worker's own copies while Cache is unavailable (mode
	// "local" of SEMANTICS C5). Nil: what is not near is then an error that
	// wraps ports.ErrUnavailable (mode "closed").
	Fallback ports.Cache
}

// A Gate answers questions about URLs, as one crawler reads robots.txt. It is
// safe for concurrent use.
type Gate struct {
	desk    *desk
	reading policy.Reading
	near    int // which of the near cache's readings this is; noNear: none
}

// New makes a Gate from adapters. It starts listening for purges if there is a
// Watcher; Close ends that.
func New(adapters Ports, options Options) (*Gate, error) {
	if adapters.Fetcher == nil || adapters.Cache == nil {
		return nil, errors.New("app.New: Ports.Fetcher and Ports.Cache are required")
	}
	if options.Agents.IsZero() {
		return nil, errors.New("app.New: Options.Agents is required: name the crawler's product token")
	}
	d, err := newDesk(adapters, options.orDefault())
	if err != nil {
		return nil, err
	}
	return d.gate(options.Agents), nil
}

// Check answers whether url may be fetched now, and why. What is known near is
// answered at once, without an allocation; else Check waits, within ctx, for
// the shared cache or the origin.
//
// An origin that cannot be reached is a Decision, not an error. Errors are: a
// *site.ParseError for a URL that cannot be crawled, ctx's error, ErrClosed,
// and, without a Fallback, one that wraps ports.ErrUnavailable.
func (g *Gate) Check(ctx context.Context, url string) (policy.Decision, error) {
	target, err := site.Parse(url)
	if err != nil {
		return policy.Decision{}, err
	}
	p, now, err := g.policy(ctx, target.Origin)
	if err != nil {
		return policy.Decision{}, err
	}
	decision := p.Decide(target.Path, now)
	if decided := g.desk.options.Hooks.Decided; decided != nil {
		decided(decision)
	}
	return decision, nil
}

// As returns a Gate that reads robots.txt as another crawler does, by its product
// tokens in order (SEMANTICS A6, A7). It shares everything with g: robots.txt
// is still fetched once, with g's User-Agent; closing either closes both.
//
// The first 64 readings of a process keep compiled policies; those beyond are
// compiled for each question. Of a store that is filtered to other agents
// (policy.Scope) the first 64 have the origin asked once more by this worker; those
// beyond are disallowed, as if it could not be reached. The error is a *agent.TokenError.
func (g *Gate) As(agents ...string) (*Gate, error) {
	identity, err := agent.ParseTokens(agents...)
	if err != nil {
		return nil, err
	}
	return g.desk.gate(identity), nil
}

// Agents returns the product tokens that the Gate answers for.
func (g *Gate) Agents() agent.Identity { return g.reading.Agents }

// Sitemaps returns the sitemaps that url's origin names, absolute, each once, in
// order (RFC 9309 §2.2.4). Errors are those of Check.
func (g *Gate) Sitemaps(ctx context.Context, url string) ([]string, error) {
	target, err := site.Parse(url)
	if err != nil {
		return nil, err
	}
	p, _, err := g.policy(ctx, target.Origin)
	if err != nil {
		return nil, err
	}
	return p.Sitemaps(), nil
}

// Purge makes every worker forget what is known about url's origin, so that the
// next question fetches robots.txt anew. An error that wraps
// ports.ErrUnavailable says that only this worker has forgotten.
func (g *Gate) Purge(ctx context.Context, url string) error {
	origin, err := site.ParseOrigin(url)
	if err != nil {
		return err
	}
	return g.desk.purge(ctx, origin)
}

// Close ends what runs in the background and waits for it. Questions that come
// later, or still wait, get ErrClosed. It closes no port.
func (g *Gate) Close() error {
	g.desk.close()
	return nil
}

// policy returns what decides about an origin now.
func (g *Gate) policy(ctx context.Context, origin site.Origin) (*policy.Policy, time.Time, error) {
	if err := ctx.Err(); err != nil {
		return nil, time.Time{}, err
	}
	if g.desk.closed.Load() {
		return nil, time.Time{}, ErrClosed
	}
	if entry := g.desk.near.get(origin, g.near); entry != nil {
		now := time.Now()
		age := g.desk.age(entry, now)
		if age == ageing {
			g.desk.lookBehind(origin, g)
		}
		if age != old {
			if near := g.desk.options.Hooks.Near; near != nil {
				near(origin)
			}
			return entry.policy, now, nil
		}
	}
	return g.desk.look(ctx, origin, g)
}
