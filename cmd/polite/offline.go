package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// offline returns who decides by the file of --robots, read as a fetched one
// would be, or by --status, about a URL or a path alone (SEMANTICS M1), and
// who answers for its uses.
func (c *check) offline(ctx context.Context, stdin io.Reader) (judge[polite.Decision], user, error) {
	agents, err := identityOf(c.Agent)
	if err != nil {
		return nil, nil, err
	}
	reading := policy.Reading{
		Agents:         agents,
		Identification: c.Agent[0],
		Options:        robots.Options{Dialect: c.Dialect},
		Profile:        c.Profile,
		Choices:        c.choices(),
	}
	response := policy.Response{Status: int(c.Status)}
	if c.Robots != "" {
		body, err := readRobots(ctx, c.Robots, stdin, int(c.MaxBytes))
		if err != nil {
			return nil, nil, fmt.Errorf("--robots: %w", err)
		}
		response.Body, response.Charset, response.Truncated = decode(body, c.Charset, int(c.MaxBytes))
	}
	var by *policy.Policy
	if c.Status == 0 {
		by = policy.OfCopy(policy.Copy{Body: response.Body, Truncated: response.Truncated}, reading)
	} else {
		by = policy.FromResponse(response, reading)
	}
	decide := func(_ context.Context, url string) (polite.Decision, error) {
		return by.Decide(site.PathOf(url), time.Time{}), nil
	}
	usage := sync.OnceValue(func() *policy.Usage {
		if by.Decide("/", time.Time{}).Hash == (policy.Hash{}) {
			return policy.UsageOf(&robots.File{}, reading) // no file decides (U5)
		}
		return policy.UsageOfCopy(policy.Copy{Body: response.Body, Truncated: response.Truncated}, reading)
	})
	return decide, func(_ context.Context, url string, purpose polite.Purpose) (polite.Use, error) {
		return usage().Ask(site.PathOf(url), purpose), nil
	}, nil
}
