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

// An answer is a question with its result.
type answer struct {
	question
	result result
}

// A printer writes answers, and remembers what they mean for the exit code.
type printer struct {
	std        streams
	out        *bufio.Writer
	write      func(*result) ([]byte, error)
	disallowed bool
	failed     bool
}

var _ outlet[answer] = (*printer)(nil)

func newPrinter(std streams, format string, explain bool) *printer {
	p := &printer{std: std, out: bufio.NewWriterSize(std.out, 64<<10)}
	switch {
	case format == "json":
		p.write = func(r *result) ([]byte, error) { return jsonLine(r, explain) }
	default:
		p.write = func(r *result) ([]byte, error) { return textLine(r, explain), nil }
	}
	return p
}

// give writes one line, and the reason of an error where people look for it.
func (p *printer) give(a answer) error {
	line, err := p.write(&a.result)
	if err != nil {
		return err
	}
	if _, err := p.out.Write(line); err != nil {
		return err
	}
	if a.result.Err == nil {
		p.disallowed = p.disallowed || !a.result.Decision.Allowed
		return nil
	}
	p.failed = true
	if err := p.out.Flush(); err != nil { // in order on a terminal, too
		return err
	}
	p.std.complain(a.where() + ": " + blame(a.result.Err))
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
func (p *printer) rest() error { return p.out.Flush() }

// code is the exit code for what was given.
func (p *printer) code() int {
	switch {
	case p.failed:
		return exitError
	case p.disallowed:
		return exitDisallowed
	}
	return exitAllowed
}

// textLine is an answer for people.
func textLine(r *result, explain bool) []byte {
	switch {
	case !explain:
		return []byte(r.String() + "\n")
	case r.Err != nil:
		return []byte(r.String() + ": " + printable(r.Err.Error()) + "\n")
	}
	return fmt.Appendf(nil, "%s: %s\n", printable(r.URL), r.Decision.String())
}

// jsonLine is an answer for programs.
func jsonLine(r *result, explain bool) ([]byte, error) {
	line, err := marshal(r)
	if err != nil {
		return nil, err
	}
	if explain && r.Err == nil { // an error has its message
		sentence, err := marshal(r.Decision.String())
		if err != nil {
			return nil, err
		}
		line = append(bytes.TrimSuffix(line, []byte("}")), `,"explanation":`...)
		line = append(append(line, sentence...), '}')
	}
	return append(harmless(line), '\n'), nil
}

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
