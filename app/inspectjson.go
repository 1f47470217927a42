package app

import (
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// MarshalJSON writes everything but the file itself, with every key there and
// null where there is nothing. Times that things took are in seconds.
func (i Inspection) MarshalJSON() ([]byte, error) {
	s := &i.Snapshot
	out := inspectionJSON{
		URL:          i.URL,
		Origin:       s.Origin,
		Access:       i.Decision.Access,
		Outcome:      s.Outcome.String(),
		Account:      i.Account(),
		Status:       orNull(s.Status, s.Status != 0),
		Failure:      orNull(s.Failure.String(), s.Failure != policy.NoFailure),
		Stop:         orNull(s.Stop.String(), s.Stop != policy.Final),
		Challenged:   s.Challenged,
		Redirects:    s.Hops,
		FinalURL:     orNull(s.FinalURL, s.FinalURL != ""),
		Took:         orNull(i.Took().Seconds(), i.Hops != nil),
		FetchedAt:    timeOrNull(s.FetchedAt),
		FreshUntil:   timeOrNull(s.FreshUntil),
		NextTryAt:    timeOrNull(s.RefreshAt),
		Failures:     s.Failures,
		FailingSince: timeOrNull(s.FailingSince),
		Decision:     newDecisionJSON(i.URL, &i.Decision),
		Explanation:  i.Decision.String(),
	}
	for _, hop := range i.Hops {
		out.Hops = append(out.Hops, newHopJSON(hop))
	}
	if s.HasCopy() {
		c := &s.Copy
		out.Copy = &copyJSON{
			Hash:         c.Hash.String(),
			Size:         orNull(len(c.Body), c.Body != nil),
			KeptFor:      namesOf(c.Scope),
			Truncated:    c.Truncated,
			Charset:      orNull(c.Charset, c.Charset != ""),
			ETag:         orNull(c.Validators.ETag, c.Validators.ETag != ""),
			LastModified: orNull(c.Validators.LastModified, c.Validators.LastModified != ""),
			FetchedAt:    timeOrNull(c.FetchedAt),
			ConfirmedAt:  timeOrNull(c.ConfirmedAt),
		}
	}
	return marshal(out)
}

func newHopJSON(h Hop) hopJSON {
	out := hopJSON{
		URL:      h.URL,
		Status:   orNull(h.Status, h.Status != 0),
		Location: orNull(h.Location, h.Location != ""),
		Took:     h.Took.Seconds(),
	}
	if h.Err != nil {
		out.Error = &errorJSON{Kind: h.Failure().String(), Message: h.Err.Error()}
	}
	return out
}

// namesOf are whom a filtered store keeps a file for, nil if that is everybody.
func namesOf(scope policy.Scope) (names []string) {
	for token := range scope.Agents.Tokens {
		names = append(names, token.String())
	}
	return names
}

func timeOrNull(t time.Time) *time.Time { return orNull(t.UTC(), !t.IsZero()) }

type inspectionJSON struct {
	URL          string        `json:"url"`
	Origin       site.Origin   `json:"origin"`
	Access       policy.Access `json:"access"`
	Outcome      string        `json:"outcome"`
	Account      string        `json:"account"`
	Status       *int          `json:"status"`
	Failure      *string       `json:"failure"`
	Stop         *string       `json:"stop"`
	Challenged   bool          `json:"challenged"`
	Redirects    int           `json:"redirects"`
	FinalURL     *string       `json:"final_url"`
	Hops         []hopJSON     `json:"hops"`
	Took         *float64      `json:"took"` // seconds
	FetchedAt    *time.Time    `json:"fetched_at"`
	FreshUntil   *time.Time    `json:"fresh_until"`
	NextTryAt    *time.Time    `json:"next_try_at"`
	Failures     int           `json:"failures"`
	FailingSince *time.Time    `json:"failing_since"`
	Copy         *copyJSON     `json:"copy"`
	Decision     *decisionJSON `json:"decision"`
	Explanation  string        `json:"explanation"`
}

type hopJSON struct {
	URL      string     `json:"url"`
	Status   *int       `json:"status"`
	Location *string    `json:"location"`
	Took     float64    `json:"took"` // seconds
	Error    *errorJSON `json:"error"`
}

type copyJSON struct {
	Hash         string     `json:"hash"`
	Size         *int       `json:"size"`     // octets
	KeptFor      []string   `json:"kept_for"` // null: for everybody
	Truncated    bool       `json:"truncated"`
	Charset      *string    `json:"charset"`
	ETag         *string    `json:"etag"`
	LastModified *string    `json:"last_modified"`
	FetchedAt    *time.Time `json:"fetched_at"`
	ConfirmedAt  *time.Time `json:"confirmed_at"`
}
