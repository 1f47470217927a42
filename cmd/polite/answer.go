package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/polite-crawler/polite"
)

// An answer is a question with what came of it.
type answer[V any] struct {
	question
	value V
	err   error // there is no value
}

// A printer writes answers, and remembers what they mean for the exit code.
type printer[V any] struct {
	std   streams
	out   *bufio.Writer
	write func(*answer[V]) ([]byte, error)
	weigh func(*V) int // the exit code that a value means
	worst int
}

// newPrinter returns the printer of a command.
func newPrinter[V any](std streams, write func(*answer[V]) ([]byte, error), weigh func(*V) int) *printer[V] {
	return &printer[V]{std: std, out: bufio.NewWriterSize(std.out, 64<<10), write: write, weigh: weigh}
}

// give writes an answer, and the reason of an error where people look for it.
func (p *printer[V]) give(a answer[V]) error {
	text, err := p.write(&a)
	if err != nil {
		return err
	}
	if _, err := p.out.Write(text); err != nil {
		return err
	}
	if a.err == nil {
		p.worst = max(p.worst, p.weigh(&a.value))
		return nil
	}
	p.worst = exitError
	if err := p.out.Flush(); err != nil { // in order on a terminal, too
		return err
	}
	p.std.complain(a.where() + ": " + blame(a.err))
	return nil
}

// blame says why there is no answer and what to do about it.
func blame(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted before the answer was known; ask again"
	case errors.Is(err, polite.ErrUnavailable):
		return strings.TrimPrefix(err.Error(), "polite: ") + "; see to Redis, or leave out --outage closed"
	}
	return err.Error() // a *site.ParseError knows the remedy
}

// rest shows what was given.
func (p *printer[V]) rest() error { return p.out.Flush() }

// code is the exit code for what was given.
func (p *printer[V]) code() int { return p.worst }

// marshal is json.Marshal for people: a URL's '&' stays what it is.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// harmless escapes what package json leaves in strings and a terminal must not
// see: DEL, the C1 controls, and what turns the direction of text.
func harmless(line []byte) []byte {
	var out []byte // nil as long as there was nothing to escape
	for i := 0; i < len(line); {
		r, width := utf8.DecodeRune(line[i:])
		if !strconv.IsPrint(r) && out == nil {
			out = append(make([]byte, 0, len(line)+64), line[:i]...)
		}
		switch {
		case out == nil:
		case strconv.IsPrint(r):
			out = append(out, line[i:i+width]...)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		i += width
	}
	if out == nil {
		return line
	}
	return out
}
