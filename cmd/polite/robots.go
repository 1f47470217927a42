package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/charset"
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

// readRobots reads a robots.txt, and one octet over the limit if there is one.
func readRobots(ctx context.Context, name string, stdin io.Reader, limit int) (body []byte, err error) {
	body, err = unlessDone(ctx, func() ([]byte, error) {
		file, err := openInput(name, stdin)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return io.ReadAll(io.LimitReader(file, int64(limit)+1))
	})
	if err != nil {
		return nil, unreadable(inputName(name), err)
	}
	return body, nil
}

// decode returns a body as UTF-8, what it was decoded from, and whether it went
// on past the limit, which counts before decoding and after it (SEMANTICS P2).
func decode(body []byte, fallback string, limit int) (text []byte, from string, cut bool) {
	more := len(body) > limit
	text, from = charset.Decode(body[:min(len(body), limit)], "", fallback)
	text, cut = robots.Cut(text, limit)
	if more && !cut {
		text, cut = robots.WholeLines(text), true
	}
	return text, from, cut
}

// openInput opens a file, or standard input for "-".
func openInput(name string, stdin io.Reader) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(stdin), nil
	}
	return os.Open(name)
}

// inputName is what messages call an input.
func inputName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// unlessDone returns what f does, or ctx's error once that is done: f may go on,
// as nothing interrupts a Read from a terminal or the opening of a FIFO.
func unlessDone[T any](ctx context.Context, f func() (T, error)) (value T, err error) {
	type outcome struct {
		value T
		err   error
	}
	ended := make(chan outcome, 1)
	go func() {
		value, err := f()
		ended <- outcome{value, err}
	}()
	select {
	case o := <-ended:
		return o.value, o.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}
