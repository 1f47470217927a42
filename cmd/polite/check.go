package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/polite-crawler/polite"
)

// check says whether URLs may be fetched.
type check struct {
	URLs []string `arg:"" optional:"" name:"URL" help:"What to decide about, each in turn. After \"--\" everything is a URL."`
	File string   `placeholder:"FILE" help:"Decide about the URLs in FILE, or standard input for \"-\", after those given as arguments: one a line, any number of them."`

	crawler `embed:""`

	For purposes `placeholder:"PURPOSE" help:"Say, too, whether the content may be used for this, by Content-Usage, Content-Signal and Noindex: train-ai (or ai-train), ai-use (or ai-input), search, index, or any other name that they hold. Several are separated by commas. The answer is yes, no, or not said."`

	Format   string `group:"output" enum:"text,json" default:"text" placeholder:"NAME" help:"text, or json: an object a line. Default: ${default}."`
	Explain  bool   `group:"output" help:"Say why, in a sentence behind the answer; in json under the key \"explanation\"."`
	Parallel width  `group:"output" default:"32" placeholder:"N" help:"How many questions are under way at once. Answers come in the order of the URLs all the same. Default: ${default}."`

	Robots string `group:"offline" placeholder:"FILE" help:"Decide by this robots.txt, or standard input for \"-\", as if it were every URL's own; a path alone will do for a URL. Nothing is fetched."`
	Status status `group:"offline" placeholder:"CODE" help:"Decide as if every robots.txt were answered with this HTTP status, like 404 or 503, for the first time. Where the status comes with a file, --robots names it. Nothing is fetched."`

	network `embed:""`
}

// Help is the long part of the help.
func (check) Help() string {
	return `Each URL gets one line on standard output, in order:

    https://example.com/some/page: allowed

or "disallowed", or "error" if there is no answer, with the reason on standard error. What a terminal must not see is quoted. An origin that cannot be reached is not an error: robots.txt then means "disallowed".

In a file, blank lines get no answer, white space around a URL is dropped, nothing is a comment, and a line of more than 64 KiB is an error. Answers come as soon as they are known, in the order of the lines.

With --for, what was asked follows:

    https://example.com/some/page: allowed; train-ai: no; search: not said

The exit code is 0 if all URLs are allowed, 1 if some are disallowed or a use is refused, and 2 if there was any error or the command was interrupted.

Examples:

    polite check --agent MyBot https://example.com/some/page
    polite check -a MyBot --explain --robots robots.txt /some/page
    polite check -a MyBot --for train-ai,search https://example.com/some/page
    polite check --status 503 --profile archive --explain /
    polite check -a MyBot --redis redis://localhost --file urls.txt
    curl -s https://example.com/robots.txt | polite check --robots - /a /b`
}

// run answers all questions and returns the exit code.
func (c *check) run(ctx context.Context, std streams) int {
	if err := c.validate(); err != nil {
		return std.fail(ctx, err)
	}
	list, err := openList(ctx, c.URLs, c.File, std.in)
	if err != nil {
		return std.fail(ctx, err)
	}
	ask, use, done, err := c.judge(ctx, std)
	if err != nil {
		return std.fail(ctx, err)
	}
	defer done()
	if len(c.For) > 0 {
		return answerAll(ctx, std, list, int(c.Parallel), use.forPurposes(ask, c.For), newVerdictPrinter(std, c.Format, c.Explain))
	}
	return answerAll(ctx, std, list, int(c.Parallel), ask, newDecisionPrinter(std, c.Format, c.Explain))
}

// validate refuses what can be parsed and not be meant.
func (c *check) validate() error {
	switch {
	case len(c.URLs) == 0 && c.File == "":
		return errors.New(`nothing to check; give a URL, or --file with a file of them ("-" for standard input)`)
	case c.File == "-" && c.Robots == "-":
		return errors.New(`--robots - and --file -: standard input can be only one of them; put the other into a file`)
	case c.Robots != "" && c.Redis != "":
		return errors.New("--robots and --redis: a file in hand is shared with nobody; leave one of them out")
	case c.Status != 0 && c.Redis != "":
		return errors.New("--status and --redis: an answer that nobody gave is shared with nobody; leave one of them out")
	case c.Status.needsFile() && c.Robots == "":
		return fmt.Errorf("--status %d: it comes with a file that says what is allowed; name the file with --robots", c.Status)
	case c.Status.hasNoBody() && c.Robots != "":
		return fmt.Errorf("--status %d and --robots: no file comes with this status; leave one of them out", c.Status)
	}
	if err := c.network.validate(); err != nil {
		return err
	}
	return c.crawler.validate()
}

// judge returns who decides, and answers for --for: a file or a status, or a Gate.
// done closes it.
func (c *check) judge(ctx context.Context, std streams) (ask judge[polite.Decision], use user, done func(), err error) {
	if c.Robots != "" || c.Status != 0 {
		ask, use, err := c.offline(ctx, std.in)
		return ask, use, func() {}, err
	}
	gate, done, err := c.open(ctx, c.crawler, std)
	if err != nil {
		return nil, nil, nil, err
	}
	return gate.Check, gate.Uses, done, nil
}
