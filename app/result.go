package app

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// A Result is the answer to one question of a stream: a Decision, or the error
// that took its place. It is written as one line, so that line n answers line n.
type Result struct {
	URL      string // as asked
	Decision policy.Decision
	Err      error
}

// String writes "URL: allowed", "URL: disallowed" or "URL: error", with a URL
// that holds what a terminal must not see quoted.
func (r Result) String() string {
	if r.Err != nil {
		return Printable(r.URL) + ": error"
	}
	return Printable(r.URL) + ": " + r.Decision.Answer()
}

// Printable returns text as it is if a terminal can be trusted with it, else
// quoted, as is one that could not be seen.
func Printable(text string) string {
	if strings.Trim(text, " ") == "" {
		return strconv.QuoteToASCII(text)
	}
	for _, r := range text {
		if !strconv.IsPrint(r) || r == '\uFFFD' {
			return strconv.QuoteToASCII(text)
		}
	}
	return text
}

// MarshalJSON writes the Decision with every key there, null where there is
// nothing; or the URL and what went wrong.
func (r Result) MarshalJSON() ([]byte, error) {
	if r.Err != nil {
		return marshal(failedJSON{URL: r.URL, Error: errorJSON{Kind: ErrorKind(r.Err), Message: r.Err.Error()}})
	}
	return marshal(newDecisionJSON(r.URL, &r.Decision))
}

func newDecisionJSON(url string, d *policy.Decision) *decisionJSON {
	out := &decisionJSON{
		URL:       url,
		Allowed:   d.Allowed,
		Reason:    d.Reason,
		Access:    d.Access,
		Profile:   d.Profile,
		Choice:    orNull(d.Chosen, d.Chosen != policy.ChosenNothing),
		Stale:     d.Stale,
		Limited:   d.Limited,
		Origin:    orNull(d.Origin, d.Origin != site.Origin{}),
		Hash:      orNull(d.Hash.String(), d.Hash != policy.Hash{}),
		FetchedAt: orNull(d.FetchedAt.UTC(), !d.FetchedAt.IsZero()),
		ExpiresAt: orNull(d.ExpiresAt.UTC(), !d.ExpiresAt.IsZero()),
		Delay:     orNull(d.Delay.Interval.Seconds(), d.Delay.Source != policy.NoDelay),
	}
	if d.Rule.Verb != robots.NoVerb {
		out.Rule = &ruleJSON{Verb: d.Rule.Verb.String(), Pattern: d.Rule.Pattern, Line: d.Rule.Line, Text: d.Rule.Text}
	}
	if d.Group.Line > 0 {
		out.Group = &groupJSON{Agent: d.Group.Agent, Line: d.Group.Line, Specificity: d.Group.Specificity}
	}
	return out
}

// marshal is json.Marshal for people: a URL's '&' stays what it is.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return b.Bytes(), err
}

// orNull returns nil for what is not there.
func orNull[T any](value T, there bool) *T {
	if !there {
		return nil
	}
	return &value
}

type decisionJSON struct {
	URL       string         `json:"url"`
	Allowed   bool           `json:"allowed"`
	Reason    policy.Reason  `json:"reason"`
	Rule      *ruleJSON      `json:"rule"`
	Group     *groupJSON     `json:"group"`
	Origin    *site.Origin   `json:"origin"`
	Access    policy.Access  `json:"access"`
	Profile   policy.Profile `json:"profile"`
	Choice    *policy.Chosen `json:"choice"`
	Stale     bool           `json:"stale"`
	Limited   bool           `json:"limited"`
	FetchedAt *time.Time     `json:"fetched_at"`
	ExpiresAt *time.Time     `json:"expires_at"`
	Delay     *float64       `json:"crawl_delay"` // seconds
	Hash      *string        `json:"hash"`
}

type ruleJSON struct {
	Verb    string `json:"verb"`
	Pattern string `json:"pattern"`
	Line    int    `json:"line"`
	Text    string `json:"text"`
}

type groupJSON struct {
	Agent       string            `json:"agent"`
	Line        int               `json:"line"`
	Specificity agent.Specificity `json:"specificity"`
}

type failedJSON struct {
	URL   string    `json:"url"`
	Error errorJSON `json:"error"`
}

type errorJSON struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}
