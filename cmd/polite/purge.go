package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/site"
)

// purge makes a fleet forget origins.
type purge struct {
	Origins []string `arg:"" optional:"" name:"ORIGIN" help:"What to forget: an origin like https://example.com, or any URL of it. After \"--\" everything is one."`
	File    string   `placeholder:"FILE" help:"Go on with the origins in FILE, or standard input for \"-\": one a line, any number of them."`

	Format   string `group:"output" enum:"text,json" default:"text" placeholder:"NAME" help:"text, or json: an object a line. Default: ${default}."`
	Parallel width  `group:"output" default:"32" placeholder:"N" help:"How many purges are under way at once. Answers come in the order of the origins all the same. Default: ${default}."`
	logging  `embed:""`

	redisServer `embed:""`
}

// Help is the long part of the help.
func (purge) Help() string {
	return `What is known in Redis of each origin is deleted, and every worker of the fleet is told to forget it: the next question fetches robots.txt anew. Each origin gets one line on standard output, in order, with how many workers heard of it at once, as Redis counts them:

    https://example.com: purged, heard by 12 workers

A Cluster cannot count them. A worker that does not hear of it looks again within a minute. Where Redis has replicas, a purge waits for one of them, 100 ms at most. A failover, or a Redis that drops keys for want of memory, may undo a purge; it can be repeated.

With a store that is filtered to some agents the prefix is the whole one that the keys have, with the hash behind it.

The exit code is 0 if all is purged, and 2 if there was any error or the command was interrupted.

Examples:

    polite purge --redis redis://localhost https://example.com
    polite purge --redis redis://localhost --prefix fleet --file origins.txt`
}

// run purges and returns the exit code.
func (p *purge) run(ctx context.Context, std streams) int {
	if err := p.validate(); err != nil {
		return std.fail(ctx, err)
	}
	list, err := openList(ctx, p.Origins, p.File, std.in)
	if err != nil {
		return std.fail(ctx, err)
	}
	purger, done, err := p.open(ctx, std)
	if err != nil {
		return std.fail(ctx, err)
	}
	defer done()
	return answerAll(ctx, std, list, int(p.Parallel), purger.purge, newPrinter(std, p.line, func(*purged) int { return exitAllowed }))
}

// validate refuses what can be parsed and not be meant.
func (p *purge) validate() error {
	switch {
	case p.Redis == "":
		return errors.New("there is nothing to purge without a Redis; name the fleet's with --redis")
	case len(p.Origins) == 0 && p.File == "":
		return errors.New(`nothing to purge; give an origin, or --file with a file of them ("-" for standard input)`)
	}
	return p.redisServer.validate()
}

// A purger asks a Gate to purge, and remembers what came of it.
type purger struct {
	gate  *polite.Gate
	heard sync.Map // by site.Origin: how many others heard of it
}

// A purged origin.
type purged struct {
	URL    string      `json:"url"`
	Origin site.Origin `json:"origin"`
	Purged bool        `json:"purged"`
	Heard  *int        `json:"heard"` // null: a Cluster cannot tell
}

// open returns who purges. done ends that.
func (p *purge) open(ctx context.Context, std streams) (asked *purger, done func(), err error) {
	asked = &purger{}
	hears, once := make(chan struct{}), sync.Once{}
	config := polite.Config{
		UserAgent: "polite", // which asks no origin anything
		Outage:    polite.Closed,
		Logger:    p.logger(std),
		Hooks: polite.Hooks{
			Purged:  func(p polite.Purge) { asked.heard.Store(p.Origin, p.Heard) },
			Hearing: func(bool) { once.Do(func() { close(hears) }) },
		},
	}
	if err := p.set(&config); err != nil {
		return nil, nil, err
	}
	hushRedis(config.Logger)
	if asked.gate, done, err = polite.New(ctx, config); err != nil {
		return nil, nil, err
	}
	select { // else there would be no telling whether this process is one of those who hear
	case <-hears:
	case <-ctx.Done():
	}
	return asked, done, nil
}

func (p *purger) purge(ctx context.Context, url string) (purged, error) {
	origin, err := site.ParseOrigin(url)
	if err != nil {
		return purged{}, err
	}
	err = p.gate.Purge(ctx, url)
	if errors.Is(err, polite.ErrUnavailable) {
		return purged{}, fmt.Errorf("%s is not purged: %v; see to Redis, and purge again", origin, err) //nolint:errorlint // what to do about it is said here
	}
	done := purged{URL: url, Origin: origin, Purged: true}
	if heard, known := p.heard.Load(origin); known && heard.(int) >= 0 {
		workers := heard.(int)
		done.Heard = &workers
	}
	return done, err
}

// line says what came of one purge.
func (p *purge) line(a *answer[purged]) ([]byte, error) {
	if a.err != nil {
		return resultLine(&result{URL: a.url, Err: a.err}, p.Format, false)
	}
	if p.Format == "json" {
		line, err := marshal(a.value)
		return append(harmless(line), '\n'), err
	}
	reached := ""
	if a.value.Heard != nil {
		switch n := *a.value.Heard; n {
		case 0:
			reached = ", heard by no worker"
		case 1:
			reached = ", heard by 1 worker"
		default:
			reached = fmt.Sprintf(", heard by %d workers", n)
		}
	}
	return fmt.Appendf(nil, "%s: purged%s\n", a.value.Origin, reached), nil
}
