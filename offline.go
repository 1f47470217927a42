package polite

import (
	"bytes"
	"sync"
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// Robots decides by a robots.txt in hand. It is immutable and safe for
// concurrent use.
type Robots struct {
	policy *policy.Policy
	usage  func() *policy.Usage // made when it is first asked for: few files say anything
}

// ReadRobots reads a robots.txt as a crawler of these product tokens does, the
// first that any group names deciding: in the Default dialect, its first 512 KiB,
// octets as they are (P2, P12). Any body can be read; the error is a
// *agent.TokenError. With other settings policy.Offline does it.
func ReadRobots(body []byte, agents ...string) (*Robots, error) {
	identity, err := agent.ParseTokens(agents...)
	if err != nil {
		return nil, err
	}
	reading := policy.Reading{Agents: identity}
	text, cut := robots.Cut(bytes.Clone(body), robots.DefaultBytes)
	return &Robots{
		policy: policy.OfCopy(policy.Copy{Body: text, Truncated: cut}, reading),
		usage: sync.OnceValue(func() *policy.Usage {
			return policy.UsageOfCopy(policy.Copy{Body: text, Truncated: cut}, reading)
		}),
	}, nil
}

// Check decides about a URL, or about a path alone, as if the file were its
// origin's.
func (r *Robots) Check(url string) Decision {
	return r.policy.Decide(site.PathOf(url), time.Time{})
}

// Uses answers whether the content of a URL, or of a path alone, may be used for
// a purpose, and by which line: yes, no, or not said.
func (r *Robots) Uses(url string, purpose Purpose) Use {
	return r.usage().Ask(site.PathOf(url), purpose)
}

// Sitemaps returns the file's Sitemap records, as written, in order.
func (r *Robots) Sitemaps() []string { return r.policy.Sitemaps() }

// Allowed reports whether a robots.txt in hand allows a crawler, by its product
// token, to fetch a URL or path. For many questions about one file ReadRobots is
// the faster way. The error is a *agent.TokenError.
func Allowed(body []byte, agent, url string) (bool, error) {
	file, err := ReadRobots(body, agent)
	if err != nil {
		return false, err
	}
	return file.Check(url).Allowed, nil
}
