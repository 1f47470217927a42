package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// check says whether URLs may be fetched.
type check struct {
	URLs []string `arg:"" optional:"" name:"URL" help:"What to decide about, each in turn. After \"--\" everything is a URL."`
	File string   `placeholder:"FILE" help:"Decide about the URLs in FILE, or standard input for \"-\", after those given as arguments: one a line, any number of them."`

	Agent   []string       `short:"a" sep:"none" default:"polite" placeholder:"NAME" help:"Who asks: a product token (\"MyBot\"), or the whole identification string that is sent (\"MyBot/1.0 (+https://example.com/bot)\"). Given again, names to fall back on: the first that any group of a robots.txt names decides, the first is sent. Default: polite."`
	Dialect robots.Dialect `default:"default" placeholder:"NAME" help:"How a robots.txt is read: default, google, rfc9309 or legacy, and switches on top, separated by commas (\"default,file-order\"); docs/semantics.md lists them. Default: ${default}."`
	Profile policy.Profile `default:"rfc" placeholder:"NAME" help:"What it means when robots.txt cannot be had: rfc, google, archive or strict. Default: ${default}."`

	Format   string `group:"output" enum:"text,json" default:"text" placeholder:"NAME" help:"text, or json: an object a line. Default: ${default}."`
	Explain  bool   `group:"output" help:"Say why, in a sentence behind the answer; in json under the key \"explanation\"."`
	Parallel width  `group:"output" default:"32" placeholder:"N" help:"How many questions are under way at once. Answers come in the order of the URLs all the same. Default: ${default}."`
	LogLevel string `group:"output" enum:"debug,info,warn,error,off" default:"warn" placeholder:"NAME" help:"What is logged on standard error, besides errors: debug, info, warn, error or off; debug says why an origin could not be reached. Default: ${default}."`

	Robots string `group:"offline" placeholder:"FILE" help:"Decide by this robots.txt, or standard input for \"-\", as if it were every URL's own; a path alone will do for a URL. Nothing is fetched."`
	Status status `group:"offline" placeholder:"CODE" help:"Decide as if every robots.txt were answered with this HTTP status, like 404 or 503, for the first time. Where the status comes with a file, --robots names it. Nothing is fetched."`

	Timeout      span   `group:"fetch" short:"t" default:"30s" placeholder:"TIME" help:"The longest that one request may take, like 500ms or 10s; at most 1m. Default: ${default}."`
	MaxBytes     size   `group:"fetch" short:"s" default:"512KiB" placeholder:"SIZE" help:"How much of a robots.txt is read, in bytes, KiB or MiB. RFC 9309 asks for 500KiB or more. Default: ${default}."`
	MaxRedirects hops   `group:"fetch" short:"r" default:"5" placeholder:"N" help:"How many redirects of a robots.txt are followed. Default: ${default}."`
	Charset      string `group:"fetch" short:"c" default:"utf-8" placeholder:"NAME" help:"What a robots.txt is written in that does not say so itself; \"binary\" leaves its octets alone. Default: ${default}."`
	PublicOnly   bool   `group:"fetch" help:"Connect to no private, loopback or link-local address."`
	CAFile       string `group:"fetch" name:"ca-file" placeholder:"FILE" help:"Trust the certificates in this PEM file, in place of the system's."`
	Proxy        string `group:"fetch" placeholder:"URL" help:"Send every request through this proxy: http, https, socks5 or socks5h."`

	Redis  string `group:"share" placeholder:"URL" help:"Share what is learned through this Redis: redis://user:password@host:6379/0, or rediss:// for TLS."`
	Prefix string `group:"share" default:"polite" placeholder:"NAME" help:"Begin every key in Redis with this. One prefix is one fleet with one identification string. Default: ${default}."`
	Outage string `group:"share" enum:"local,closed" default:"local" placeholder:"NAME" help:"While Redis is down, answer alone (local), or with an error what is not known already (closed). Default: ${default}."`
}

// helpGroups are the parts of the help.
var helpGroups = []kong.Group{
	{Key: "output", Title: "Answers:"},
	{Key: "offline", Title: "Offline:"},
	{Key: "fetch", Title: "Fetching robots.txt (offline, the size and the charset count, too):"},
	{Key: "share", Title: "Sharing with other processes:"},
}

// Help is the long part of the help.
func (check) Help() string {
	return `Each URL gets one line on standard output, in order:

    https://example.com/some/page: allowed

or "disallowed", or "error" if there is no answer, with the reason on standard error. What a terminal must not see is quoted. An origin that cannot be reached is not an error: robots.txt then means "disallowed".

In a file, blank lines get no answer, white space around a URL is dropped, nothing is a comment, and a line of more than 64 KiB is an error. Answers come as soon as they are known, in the order of the lines.

The exit code is 0 if all URLs are allowed, 1 if some are disallowed, and 2 if there was any error or the command was interrupted.

Examples:

    polite check --agent MyBot https://example.com/some/page
    polite check -a MyBot --explain --robots robots.txt /some/page
    polite check --status 503 --profile archive --explain /
    polite check -a MyBot --redis redis://localhost --file urls.txt
    curl -s https://example.com/robots.txt | polite check --robots - /a /b`
}

// run answers all questions and returns the exit code.
func (c *check) run(ctx context.Context, std streams) int {
	fail := func(err error) int {
		if ctx.Err() != nil {
			err = errors.New("interrupted; run it again for what has no answer")
		}
		std.complain(err.Error())
		return exitError
	}
	if err := c.validate(); err != nil {
		return fail(err)
	}
	list, err := c.open(ctx, std.in)
	if err != nil {
		return fail(err)
	}
	ask, done, err := c.judge(ctx, std)
	if err != nil {
		return fail(err)
	}
	defer done()

	reading, stop := context.WithCancel(ctx)
	defer stop() // when the outlet failed
	questions, ended := make(chan question), make(chan error, 1)
	go func() { // may outlive us in a Read that nothing interrupts: the process ends soon
		ended <- list.ask(reading, questions)
		close(questions)
	}()
	out := newPrinter(std, c.Format, c.Explain)
	err = inOrder(ctx, questions, int(c.Parallel), ask.answer, out)
	switch {
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return exitError // whoever read the answers has seen enough
	case err != nil:
		return fail(fmt.Errorf("the answers could not be written: %w; make room or write them elsewhere", err))
	case ctx.Err() != nil:
		return fail(ctx.Err())
	}
	if err := <-ended; err != nil {
		return fail(err)
	}
	return out.code()
}

// A judge decides about a URL.
type judge func(ctx context.Context, url string) (polite.Decision, error)

// answer answers a question, be it one that cannot be asked.
func (j judge) answer(ctx context.Context, q question) answer {
	a := answer{question: q, result: result{URL: q.url, Err: q.err}}
	if q.err == nil {
		a.result.Decision, a.result.Err = j(ctx, q.url)
	}
	return a
}

// judge returns who decides: a file or a status, or a Gate. done closes it.
func (c *check) judge(ctx context.Context, std streams) (ask judge, done func(), err error) {
	if c.Robots != "" || c.Status != 0 {
		ask, err := c.offline(ctx, std.in)
		return ask, func() {}, err
	}
	logger := newLogger(std.err, std.watched, logLevels[c.LogLevel])
	config, err := c.config(logger)
	if err != nil {
		return nil, nil, err
	}
	if c.Redis != "" {
		hushRedis(logger)
	}
	gate, done, err := polite.New(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	return gate.Check, done, nil
}
