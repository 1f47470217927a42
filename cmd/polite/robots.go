package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/charset"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// readRobots reads the file of --robots as a fetched one would be, and returns
// who decides by it about a URL or a path alone (SEMANTICS M1).
func (c *check) readRobots(ctx context.Context, stdin io.Reader) (judge, error) {
	limit := int(c.MaxBytes)
	body, err := unlessDone(ctx, func() ([]byte, error) {
		file, err := openInput(c.Robots, stdin)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return io.ReadAll(io.LimitReader(file, int64(limit)+1))
	})
	if err != nil {
		return nil, fmt.Errorf("--robots: %w", unreadable(inputName(c.Robots), err))
	}
	names, err := c.tokens()
	if err != nil {
		return nil, err
	}
	agents, err := agent.ParseTokens(names...)
	if err != nil {
		return nil, err
	}
	text, cut := c.decode(body, limit)
	file := policy.OfCopy(policy.Copy{Body: text, Truncated: cut}, policy.Reading{
		Agents:         agents,
		Identification: c.Agent[0],
		Options:        robots.Options{Dialect: c.Dialect},
		Profile:        c.Profile,
	})
	return func(_ context.Context, url string) (polite.Decision, error) {
		return file.Decide(site.PathOf(url), time.Time{}), nil
	}, nil
}

// decode returns a body as UTF-8, and whether it went on past the limit, which
// counts before decoding and after it (SEMANTICS P2).
func (c *check) decode(body []byte, limit int) (text []byte, cut bool) {
	more := len(body) > limit
	text, _ = charset.Decode(body[:min(len(body), limit)], "", c.Charset)
	text, cut = robots.Cut(text, limit)
	if more && !cut {
		text, cut = robots.WholeLines(text), true
	}
	return text, cut
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
