package app

import (
	"context"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// An Explanation is a Decision with what it stands on.
type Explanation struct {
	Decision policy.Decision
	// Line is the deciding rule's whole line, as served, with its comment; ""
	// if no rule decided or the file is not at hand. It comes from the network.
	Line string
	// Snapshot is what is known about the origin, without the body.
	Snapshot policy.Snapshot
}

// Explain answers like Check, and shows what the answer stands on. It asks the
// shared cache for the file and is meant for people, not for every request.
// Errors are those of Check.
func (g *Gate) Explain(ctx context.Context, url string) (Explanation, error) {
	target, err := site.Parse(url)
	if err != nil {
		return Explanation{}, err
	}
	p, now, err := g.policy(ctx, target.Origin)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Decision: p.Decide(target.Path, now), Snapshot: *p.Snapshot()}
	if e.Decision.Rule.Line > 0 {
		if body := g.desk.body(ctx, target.Origin, p.Hash()); body != nil {
			e.Line = robots.LineAt(body, e.Decision.Rule.Line)
		}
	}
	return e, nil
}

// body returns the file of that hash, or nil if it is not at hand.
func (d *desk) body(ctx context.Context, origin site.Origin, hash policy.Hash) []byte {
	return d.copyOf(ctx, origin, hash).Body
}

// copyOf returns the copy of that hash with all that is kept of it, or a zero one
// if it is not at hand.
func (d *desk) copyOf(ctx context.Context, origin site.Origin, hash policy.Hash) policy.Copy {
	for _, at := range []*shelf{&d.common, &d.own} {
		if at.cache == nil {
			continue
		}
		if snapshot, err := at.cache.Get(ctx, origin, policy.Hash{}); err == nil && snapshot.Copy.Hash == hash {
			return snapshot.Copy
		}
	}
	return policy.Copy{}
}
