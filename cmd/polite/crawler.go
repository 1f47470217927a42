package main

import (
	"fmt"
	"strings"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// crawler are the flags that say who asks, and how it reads the answers.
type crawler struct {
	Agent   []string       `short:"a" sep:"none" default:"polite" placeholder:"NAME" help:"Who asks: a product token (\"MyBot\"), or the whole identification string that is sent (\"MyBot/1.0 (+https://example.com/bot)\"). Given again, names to fall back on: the first that any group of a robots.txt names decides, the first is sent. Default: polite."`
	Dialect robots.Dialect `default:"default" placeholder:"NAME" help:"How a robots.txt is read: default, google, rfc9309 or legacy, and switches on top, separated by commas (\"default,file-order\"); docs/semantics.md lists them. Default: ${default}."`
	Profile policy.Profile `default:"rfc" placeholder:"NAME" help:"What it means when robots.txt cannot be had: rfc, google, archive or strict. Default: ${default}."`

	OnForbidden       policy.OnForbidden       `default:"profile" placeholder:"NAME" help:"What a robots.txt means that is forbidden (401, 402, 403): allow, disallow, or what the profile says. Default: ${default}."`
	OnTooLong         policy.OnTooLong         `default:"cut" placeholder:"NAME" help:"What a robots.txt means that is longer than is read: the rules up to there (cut), or as much as one that cannot be reached (unreachable). Default: ${default}."`
	OnLongUnreachable policy.OnLongUnreachable `default:"profile" placeholder:"NAME" help:"What an origin means that has been unreachable for 30 days, without a last good copy: as if there were no robots.txt (unavailable), or what the profile says. Default: ${default}."`
}

// choices are what the flags say where the profile leaves it open.
func (c *crawler) choices() policy.Choices {
	return policy.Choices{OnForbidden: c.OnForbidden, OnTooLong: c.OnTooLong, OnLongUnreachable: c.OnLongUnreachable}
}

// validate refuses names that no robots.txt can address.
func (c *crawler) validate() error {
	_, err := tokensOf(c.Agent)
	return err
}

// identityOf returns the crawler that --agent names.
func identityOf(names []string) (agent.Identity, error) {
	tokens, err := tokensOf(names)
	if err != nil {
		return agent.Identity{}, err
	}
	return agent.ParseTokens(tokens...)
}

// tokensOf returns the product tokens that --agent names, in order (SEMANTICS A6).
func tokensOf(names []string) (tokens []string, err error) {
	for _, name := range names {
		if strings.Trim(name, " \t") != name {
			return nil, fmt.Errorf("--agent %q: it starts or ends with white space, which no header does; leave that out", name)
		}
		if token, err := agent.ParseToken(name); err == nil { // "Mozilla", too, which is no identity
			tokens = append(tokens, token.String())
			continue
		}
		identity, err := agent.ParseIdentity(name)
		if err != nil {
			return nil, fmt.Errorf("--agent: %w", err)
		}
		tokens = append(tokens, identity.First().String())
	}
	return tokens, nil
}
