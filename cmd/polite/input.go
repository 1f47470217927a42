package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/polite-crawler/polite/domain/charset"
	"github.com/polite-crawler/polite/domain/robots"
)

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
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	// Some systems open a folder and refuse only to read it, which would be told
	// as if some lines had been read.
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, errFolder
	}
	return file, nil
}

var errFolder = errors.New("it is a folder")

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

// unreadable says what is wrong with a file.
func unreadable(name string, err error) error {
	return fmt.Errorf("%s cannot be read: %w; check the name and your permissions", printable(name), bare(err))
}

// bare is an error of the system without the name of the file, which messages
// give in a form that a terminal can be trusted with.
func bare(err error) error {
	var detail *os.PathError
	if errors.As(err, &detail) {
		return detail.Err
	}
	return err
}
