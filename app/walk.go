package app

import (
	"context"
	"errors"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// errLeaseOver says that a lease ran out before the exchange: somebody else is
// at it by now.
var errLeaseOver = errors.New("the lease ran out before the request")

// walk asks an origin for its robots.txt and follows where policy.Follow leads.
// It sends nothing once the lease is over. Observers are shown the trail.
func (d *desk) walk(ctx context.Context, origin site.Origin, known *policy.Snapshot, over time.Time) (policy.Answer, error) {
	var made trail
	answer, err := d.walkOn(ctx, origin, known, over, &made)
	if err == nil {
		made.end(&answer)
		d.observers.tell(origin, &made)
	}
	return answer, err
}

func (d *desk) walkOn(ctx context.Context, origin site.Origin, known *policy.Snapshot, over time.Time, made *trail) (policy.Answer, error) {
	budget, cancel := context.WithTimeout(ctx, d.options.FetchBudget)
	defer cancel()

	var validators policy.Validators
	if known.Copy.Body != nil { // else a 304 would leave us without
		validators = known.Validators(time.Now())
	}
	request := policy.Request{URL: origin.RobotsURL(), PublicOnly: d.options.PublicOnly}
	var trail []policy.Hop
	for {
		if !time.Now().Before(over) {
			return policy.Answer{}, errLeaseOver
		}
		request.Validators = policy.Validators{}
		if validators.URL == request.URL {
			request.Validators = validators
		}
		start := time.Now()
		response, err := d.ports.Fetcher.Fetch(budget, request)
		made.add(request.URL, &response, time.Since(start))
		answer := policy.Answer{
			Origin:      origin,
			URL:         request.URL,
			Hops:        len(trail),
			Response:    response,
			Conditional: !request.Validators.IsZero(),
			At:          time.Now(),
		}
		if err != nil {
			answer.Err = fetchError(err)
			// The budget running out is the origin's doing, unless it was ours
			// that ended the flight (F14).
			if budget.Err() != nil && ctx.Err() == nil {
				answer.Err = &policy.FetchError{Kind: policy.FailedTimeout, Status: answer.Err.Status, Err: err}
			}
			return answer, nil
		}
		trail = append(trail, policy.Hop{URL: request.URL, Status: response.Status})
		next, stop := policy.Follow(trail, response, d.options.MaxRedirects)
		if next == "" {
			answer.Stop = stop
			return answer, nil
		}
		request.URL = next
		request.PublicOnly = request.PublicOnly || response.Public
	}
}

// fetchError returns the FetchError that a Fetcher promised. Anything else is
// the Fetcher's own fault, not the origin's.
func fetchError(err error) *policy.FetchError {
	var failure *policy.FetchError
	if errors.As(err, &failure) {
		return failure
	}
	return &policy.FetchError{Kind: policy.FailedLocally, Local: true, Err: err}
}
