package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

var (
	// ErrClosed is the answer to questions that a closed Gate is asked.
	ErrClosed = errors.New("polite: the gate is closed")

	// ErrDisallowed is what a DisallowedError is, by errors.Is.
	ErrDisallowed = errors.New("disallowed by robots.txt")
)

// A DisallowedError says that a URL was not fetched because it may not be.
// errors.Is(err, ErrDisallowed) holds.
type DisallowedError struct {
	URL      string
	Decision policy.Decision
}

func (e *DisallowedError) Error() string {
	return strconv.Quote(e.URL) + " is " + e.Decision.String()
}

// Is makes a DisallowedError an ErrDisallowed.
func (e *DisallowedError) Is(target error) bool { return target == ErrDisallowed }

// ErrorKind names the kind of an error that Check gives, for machines:
// "invalid-url", "timeout", "canceled", "closed", "store-unavailable", "internal".
func ErrorKind(err error) string {
	var parse *site.ParseError
	switch {
	case errors.As(err, &parse):
		return "invalid-url"
	case errors.Is(err, ErrClosed):
		return "closed"
	case errors.Is(err, ports.ErrUnavailable): // whatever ran out of time there
		return "store-unavailable"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	return "internal"
}

// closedMode wraps the error of a shared cache that there is nothing to fall
// back on.
func closedMode(origin site.Origin, err error) error {
	return fmt.Errorf("polite: nothing is known near about %s: %w", origin, err)
}
