package polite

import (
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// Robots decides by a robots.txt in hand. It is immutable and safe for
// concurrent use.
type Robots struct {
	policy *policy.Policy
}

// ReadRobots reads a robots.txt as a crawler of these product tokens does, the
// first that any group names deciding. Any body can be read; the error is a
// *agent.TokenError.
func ReadRobots(body []byte, agents ...string) (*Robots, error) {
	identity, err := agent.ParseTokens(agents...)
	if err != nil {
		return nil, err
	}
	return &Robots{policy.Offline(body, policy.Reading{Agents: identity})}, nil
}

// Check decides about a URL, or about a path alone, as if the file were its
// origin's.
func (r *Robots) Check(url string) Decision {
	return r.policy.Decide(site.PathOf(url), time.Time{})
}

// Sitemaps returns the file's Sitemap records, as written, in order.
func (r *Robots) Sitemaps() []string { return r.policy.Sitemaps() }

// Allowed reports whether a robots.txt in hand allows a crawler, by its product
// token, to fetch a URL or path. For many questions about one file ReadRobots is
// the faster way. The error is a *agent.TokenError.
func Allowed(body []byte, agent, url string) (bool, error) {
	robots, err := ReadRobots(body, agent)
	if err != nil {
		return false, err
	}
	return robots.Check(url).Allowed, nil
}
