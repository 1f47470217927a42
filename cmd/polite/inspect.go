package main

import (
	"context"
	"errors"
	"time"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/policy"
)

// inspect shows what is known of a robots.txt.
type inspect struct {
	URLs []string `arg:"" optional:"" name:"URL" help:"Whose robots.txt to show, each in turn; and what to decide about. After \"--\" everything is a URL."`
	File string   `placeholder:"FILE" help:"Go on with the URLs in FILE, or standard input for \"-\": one a line, any number of them."`

	crawler `embed:""`

	Format   string `group:"output" enum:"text,json" default:"text" placeholder:"NAME" help:"text, or json: an object a line. Default: ${default}."`
	Parallel width  `group:"output" default:"32" placeholder:"N" help:"How many questions are under way at once. Answers come in the order of the URLs all the same. Default: ${default}."`

	Refresh bool `group:"fetch" help:"Ask each origin again, however much is known of it, and share what it says; with --redis only one process at a time."`

	network `embed:""`
}

// Help is the long part of the help.
func (inspect) Help() string {
	return `Of each URL's origin it shows what came of the last attempt to fetch robots.txt, each request of it with its status and time, what was kept, until when that holds, when it is tried again, and what it means for the URL.

What is known, in Redis or of a URL before, is not asked for again, unless --refresh says so. The requests are shown of an attempt that this command made; of others only how they ended is known.

As json every key is always there, null where there is nothing; what took time is in seconds. What a terminal must not see is quoted. On a terminal there are colours, unless NO_COLOR is set.

The exit code is 0 if every origin could be reached, be there a robots.txt or not; 1 if some could not; and 2 if there was any error or the command was interrupted.

Examples:

    polite inspect https://example.com/
    polite inspect --agent MyBot --format json https://example.com/some/page
    polite inspect --redis redis://localhost --file urls.txt
    polite inspect --redis redis://localhost --refresh https://example.com/`
}

// run shows what is known and returns the exit code.
func (i *inspect) run(ctx context.Context, std streams) int {
	if err := i.validate(); err != nil {
		return std.fail(ctx, err)
	}
	list, err := openList(ctx, i.URLs, i.File, std.in)
	if err != nil {
		return std.fail(ctx, err)
	}
	gate, done, err := i.open(ctx, i.crawler, std)
	if err != nil {
		return std.fail(ctx, err)
	}
	defer done()
	ask := gate.Inspect
	if i.Refresh {
		ask = gate.Refresh
	}
	out, watched := terminal(std.out)
	std.out = out
	return answerAll(ctx, std, list, int(i.Parallel), ask, i.printer(std, palette(watched && !std.noColor)))
}

// validate refuses what can be parsed and not be meant.
func (i *inspect) validate() error {
	if len(i.URLs) == 0 && i.File == "" {
		return errors.New(`nothing to inspect; give a URL, or --file with a file of them ("-" for standard input)`)
	}
	if err := i.network.validate(); err != nil {
		return err
	}
	return i.crawler.validate()
}

// printer writes inspections in the format that was asked for.
func (i *inspect) printer(std streams, colours palette) *printer[polite.Inspection] {
	return newPrinter(std, func(a *answer[polite.Inspection]) ([]byte, error) {
		if a.err != nil {
			return resultLine(&result{URL: a.url, Err: a.err}, i.Format, false)
		}
		if i.Format == "json" {
			line, err := marshal(a.value)
			return append(harmless(line), '\n'), err
		}
		return inspected(&a.value, colours, time.Now()), nil
	}, func(i *polite.Inspection) int {
		if i.Decision.Access == policy.AccessUnreachable {
			return exitUnreachable
		}
		return exitAllowed
	})
}
