package main

import (
	"bytes"
	"fmt"

	"github.com/polite-crawler/polite"
)

// A result is a decision as it is written, in text or JSON.
type result = polite.Result

// newDecisionPrinter writes decisions, a line each.
func newDecisionPrinter(std streams, format string, explain bool) *printer[polite.Decision] {
	return newPrinter(std, func(a *answer[polite.Decision]) ([]byte, error) {
		return resultLine(&result{URL: a.url, Decision: a.value, Err: a.err}, format, explain)
	}, weigh)
}

// resultLine is a result in the format that was asked for.
func resultLine(r *result, format string, explain bool) ([]byte, error) {
	if format == "json" {
		return jsonLine(r, explain)
	}
	return textLine(r, explain), nil
}

// weigh is the exit code that a decision means.
func weigh(d *polite.Decision) int {
	if !d.Allowed {
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
	line, err := resultJSON(r, explain)
	if err != nil {
		return nil, err
	}
	return append(harmless(line), '\n'), nil
}

// resultJSON is a result as an object.
func resultJSON(r *result, explain bool) ([]byte, error) {
	line, err := marshal(r)
	if err == nil && explain && r.Err == nil { // an error has its message
		line, err = withKey(line, "explanation", r.Decision.String())
	}
	return line, err
}

// withKey adds a key to an object that has some.
func withKey(object []byte, key string, value any) ([]byte, error) {
	text, err := marshal(value)
	if err != nil {
		return nil, err
	}
	object = append(bytes.TrimSuffix(object, []byte("}")), `,"`+key+`":`...)
	return append(append(object, text...), '}'), nil
}
