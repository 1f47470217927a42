// Package polite is the politeness layer for distributed crawlers. It answers
// "may I fetch this URL?" by robots.txt, as RFC 9309 means it, the same way in
// every worker of a fleet, and says why.
//
//	gate, done, err := polite.New(ctx, polite.Config{
//		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
//	})
//	if err != nil {
//		return err
//	}
//	defer done()
//	decision, err := gate.Check(ctx, "https://example.com/some/page")
//
// With Config.Redis set, all processes with the same prefix share what they
// learn: one of them fetches a robots.txt for all. A Transport makes an
// http.Client polite. ReadRobots and Allowed decide by a file in hand, without
// network.
//
// Whoever swaps an adapter calls app.New with ports of their own; New is that,
// with Fetcher and Cache chosen by the Config.
//
// Gate, Decision and the other aliases are documented with their methods and
// fields where they are defined: packages app, adapters/httpgate and domain/policy.
// What stands behind "SEMANTICS" anywhere, or in brackets like (F11), is the number
// of a rule in docs/semantics.md.
package polite

import (
	"context"

	"github.com/polite-crawler/polite/adapters/httpgate"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/ports"
)

// The main types, by the names under which most programs use them.
type (
	// Gate answers questions about URLs.
	Gate = app.Gate
	// Decision is the answer to one of them: by which rule, and until when.
	Decision = policy.Decision
	// Purpose is what content may be used for, like policy.TrainAI.
	Purpose = policy.Purpose
	// Use says whether content may be used for a Purpose, and by which line.
	Use = policy.Use
	// Hooks are told what a Gate does.
	Hooks = app.Hooks
	// Purge is what Hooks are told of a purge.
	Purge = app.Purge
	// Result is the answer to one question of a stream, as text or JSON.
	Result = app.Result
	// Explanation is a Decision with the line of the file that it stands on.
	Explanation = app.Explanation
	// Inspection is all that is known of an origin.
	Inspection = app.Inspection
	// Hop is one of the exchanges that an Inspection shows.
	Hop = app.Hop
	// Transport is an http.RoundTripper that sends only what is allowed.
	Transport = httpgate.Transport
	// DisallowedError is a Transport's answer to a request that is not allowed.
	DisallowedError = app.DisallowedError
)

var (
	// ErrDisallowed is what a DisallowedError is, by errors.Is.
	ErrDisallowed = app.ErrDisallowed
	// ErrClosed is the answer to questions that a closed Gate is asked.
	ErrClosed = app.ErrClosed
	// ErrUnavailable is the answer, with Outage Closed, to questions that only
	// Redis could have answered.
	ErrUnavailable = ports.ErrUnavailable
)

// New makes a Gate and what it needs: in process, or sharing through Redis if
// Config.Redis names one. done closes it all again; call it once, after the
// last question.
//
// A Redis that does not answer is no error: the Logger gets a warning, and
// Config.Outage says how questions are answered until it does. Errors are those
// of the Config: no usable token in UserAgent, a malformed Redis URL, a password
// that Redis, if it answers in time, does not take.
func New(ctx context.Context, config Config) (gate *Gate, done func(), err error) {
	config, err = config.check()
	if err != nil {
		return nil, nil, err
	}
	if config.Redis == "" {
		return inProcess(ctx, config)
	}
	return throughRedis(ctx, config)
}
