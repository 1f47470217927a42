package app

import (
	"context"
	"fmt"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// Uses answers whether the content of url may be used for a purpose, like
// policy.TrainAI or policy.Search, and by which line: yes, no, or not said
// (SEMANTICS U). Whether it may be fetched is Check's question. Like Explain it
// asks the shared cache for the file; for many URLs of an origin ask Usage once.
//
// Errors are those of Check, and one that wraps ports.ErrUnavailable if the file
// that decides is not at hand: that is never answered with "not said".
func (g *Gate) Uses(ctx context.Context, url string, purpose policy.Purpose) (policy.Use, error) {
	target, err := site.Parse(url)
	if err != nil {
		return policy.Use{}, err
	}
	usage, err := g.usage(ctx, target.Origin)
	if err != nil {
		return policy.Use{}, err
	}
	return usage.Ask(target.Path, purpose), nil
}

// Usage returns what the robots.txt of url's origin says this crawler may do with
// its content, now: a crawler keeps with what it fetched what was said at that
// time. Errors are those of Uses.
func (g *Gate) Usage(ctx context.Context, url string) (*policy.Usage, error) {
	origin, err := site.ParseOrigin(url)
	if err != nil {
		return nil, err
	}
	return g.usage(ctx, origin)
}

func (g *Gate) usage(ctx context.Context, origin site.Origin) (*policy.Usage, error) {
	p, now, err := g.policy(ctx, origin)
	if err != nil {
		return nil, err
	}
	if p.Decide("/", now).Hash == (policy.Hash{}) {
		return policy.UsageOf(&robots.File{}, p.Reading()), nil // no file decides (U5)
	}
	c := g.desk.copyOf(ctx, origin, p.Hash())
	if c.Body == nil {
		c = g.desk.sharedCopy(ctx, origin)
	}
	if reading := p.Reading(); !c.Scope.Covers(&reading) {
		c.Body = nil
	}
	if c.Body == nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("polite: the robots.txt of %s is known, its text is not at hand; ask again later: %w", origin, ports.ErrUnavailable)
	}
	return policy.UsageOfCopy(c, p.Reading()), nil
}

// sharedCopy returns the copy that the shared cache has, which may be newer than
// what is near: a worker that does not hear purges lags behind by a near age. It
// is zero if there is none.
func (d *desk) sharedCopy(ctx context.Context, origin site.Origin) policy.Copy {
	snapshot, err := d.common.cache.Get(ctx, origin, policy.Hash{})
	if err != nil {
		return policy.Copy{}
	}
	return snapshot.Copy
}
