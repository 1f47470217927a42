package policy

import (
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
)

// A Reading is how a crawler reads robots.txt files. It is comparable.
type Reading struct {
	Agents agent.Identity
	// Together combines the groups of all Agents; false: the first of them that
	// any group names decides (A6).
	Together bool
	// Identification is the crawler's identification string, for dialects with
	// robots.AgentPatterns (A4).
	Identification string
	// Options are the dialect and the limits; the defaults of robots.Parse.
	Options robots.Options
	Profile Profile
	// Choices are what the Profile leaves open; its own.
	Choices Choices
	// LastGoodMax is how long a last good copy stands in where the profile
	// bounds it, and from when on OnLongUnreachable counts; 30 days.
	LastGoodMax time.Duration
}

// heldReading is a Reading as a Policy holds it. Crawlers hold millions of those, and
// nearly all read by the default options, which are larger than the rest.
type heldReading struct {
	agents         agent.Identity
	identification string
	options        *robots.Options // nil: the defaults
	lastGoodMax    time.Duration
	choices        Choices
	profile        Profile
	together       bool
}

func (r *Reading) held() heldReading {
	held := heldReading{
		agents: r.Agents, identification: r.Identification, together: r.Together,
		lastGoodMax: r.LastGoodMax, choices: r.Choices, profile: r.Profile,
	}
	if held.lastGoodMax <= 0 {
		held.lastGoodMax = usualLastGoodMax
	}
	if r.Options != (robots.Options{}) {
		options := r.Options // alone: r would have to leave the stack
		held.options = &options
	}
	return held
}

func (h *heldReading) reading() Reading {
	r := Reading{
		Agents: h.agents, Identification: h.identification, Together: h.together,
		LastGoodMax: h.lastGoodMax, Choices: h.choices, Profile: h.profile,
	}
	if h.options != nil {
		r.Options = *h.options
	}
	return r
}

// isPlain reports whether files can be read by the fast way.
func (r *Reading) isPlain() bool {
	limits := r.Options.Limits
	limits.Bytes = 0
	return !r.Together && limits == robots.Limits{} && r.Options.Dialect == robots.Default()
}

// sameRules reports whether two readings of a file have the same rules.
func (r *Reading) sameRules(other Reading) bool {
	return r.Agents == other.Agents && r.Together == other.Together &&
		r.Identification == other.Identification && r.Options == other.Options
}

// rulesOf compiles a copy. It was cut when it was fetched: what is left is all of
// it.
func (r *Reading) rulesOf(body []byte) *Rules {
	whole := *r
	whole.Options.Limits.Bytes = max(len(body), 1)
	return RulesOf(body, whole)
}
