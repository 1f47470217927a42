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
