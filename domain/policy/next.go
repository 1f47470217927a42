package policy

import (
	"bytes"
	"hash/fnv"
	"strings"
	"time"

	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// FullAfter is how old a copy may get by 304s alone; then it is fetched in full,
// so that a server which forgot how to say "changed" is found out (F2).
const FullAfter = 7 * 24 * time.Hour

// localPause is how long a worker leaves an origin alone after a failure that
// may be its own (F14).
const localPause = time.Minute

// Validators returns what the next request is made conditional with: the copy's
// validators, while it is young enough (F2).
func (s *Snapshot) Validators(now time.Time) Validators {
	if !s.HasCopy() || s.Outcome != Successful && !s.Failing() || now.Sub(s.Copy.FetchedAt) >= FullAfter || now.Before(s.Copy.FetchedAt) {
		return Validators{}
	}
	return s.Copy.Validators
}

// Next returns what is known once an attempt has ended, given what was known
// before (SEMANTICS F1–F14). prev may be nil. The result carries prev's Rev: it
// was made from that state.
//
// Next is pure: time is in answer, and jitter comes from a hash of origin and
// time.
func Next(prev *Snapshot, answer Answer, lifetimes Lifetimes) *Snapshot {
	lifetimes = lifetimes.OrDefault()
	next := &Snapshot{
		Origin:    answer.Origin,
		Hops:      answer.Hops,
		FinalURL:  answer.URL,
		FetchedAt: answer.At,
	}
	if prev != nil {
		next.Rev = prev.Rev
	}
	if !prev.Known() { // whatever else stands there
		prev = &Snapshot{}
	}
	next.Copy = prev.Copy
	if answer.Err != nil {
		next.Failure, next.Status = answer.Err.Kind, answer.Err.Status
	} else {
		next.Status, next.Stop = answer.Response.Status, answer.Stop
		next.Challenged = answer.Response.Header.Challenge != ""
	}
	next.Outcome = outcome(prev, &answer)
	switch next.Outcome {
	case Successful:
		next.Copy = copyOf(prev, &answer)
		next.hold(freshness(&answer, lifetimes), lifetimes)
	case SoftNotFound:
		next.Copy = Copy{}
		next.hold(lifetimes.SoftNotFound, lifetimes)
	case NotFound:
		next.Copy = Copy{}
		next.hold(lifetimes.NotFound, lifetimes)
	case Unavailable, Forbidden:
		next.hold(lifetimes.Unavailable, lifetimes)
	case BrokenRedirect:
		next.hold(lifetimes.SoftNotFound, lifetimes)
	default:
		next.fail(prev, &answer, lifetimes)
	}
	return next
}

// outcome finds the row of SEMANTICS F that an answer belongs to.
func outcome(prev *Snapshot, answer *Answer) Outcome {
	if answer.Err != nil {
		if answer.Err.Kind == RefusedAddress {
			return RefusedRedirect // F6
		}
		return Unreachable // F11, F14
	}
	switch answer.Stop {
	case StopScheme:
		return RefusedRedirect // F6
	case StopTooMany, StopLoop, StopLocation:
		return BrokenRedirect // F5
	}
	switch status := answer.Response.Status; {
	case status == 206: // F11: a part that nobody asked for
		return Unreachable
	case status >= 200 && status < 300:
		challenged := answer.Response.Header.Challenge != ""
		switch odd := challenged || isHTML(&answer.Response); {
		case !odd || robots.HasDirective(answer.Response.Body):
			return Successful // F1, F12
		case challenged:
			return Unreachable // F11: a bot defence's page, or nothing at all, in place of the site's answer
		}
		return SoftNotFound // F3
	case status == 304 && answer.Conditional && prev.HasCopy():
		return Successful // F2
	case status == 408, status == 421, status == 425, status == 429: // F9, F10
		return Unreachable
	case status == 404, status == 410:
		return NotFound // F7
	case status == 401, status == 402, status == 403:
		return Forbidden // F8
	case status >= 400 && status < 500:
		return Unavailable // F7
	}
	return Unreachable // F11
}

// copyOf returns the good copy that a successful answer brought or confirmed.
func copyOf(prev *Snapshot, answer *Answer) Copy {
	response := &answer.Response
	if response.Status == 304 {
		renewed := prev.Copy
		renewed.ConfirmedAt = answer.At
		// RFC 9111 §4.3.4: what a 304 says of the version replaces what was said.
		if tag := response.Header.ETag; tag != "" {
			renewed.Validators.ETag = tag
		}
		if modified := response.Header.LastModified; modified != "" {
			renewed.Validators.LastModified = modified
		}
		return renewed
	}
	body := response.Body
	if body == nil {
		body = []byte{} // an empty file is a file: nil would say "not at hand"
	}
	if response.Truncated {
		body = robots.WholeLines(body) // F12
	}
	return Copy{
		Hash:      HashOf(body),
		Body:      body,
		Truncated: response.Truncated,
		Charset:   response.Charset,
		Validators: Validators{
			URL:          answer.URL,
			ETag:         response.Header.ETag,
			LastModified: response.Header.LastModified,
		},
		FetchedAt:   answer.At,
		ConfirmedAt: answer.At,
	}
}

// hold sets how long a reached origin's answer stands, Lifetimes.Max at most. It
// is asked again in the last tenth of that time, before anybody has to wait (C2).
func (s *Snapshot) hold(lifetime time.Duration, lifetimes Lifetimes) {
	lifetime = min(lifetime, lifetimes.Max)
	s.FreshUntil = s.FetchedAt.Add(lifetime)
	s.RefreshAt = s.FreshUntil.Add(-lifetime / 10)
}

// fail notes a failed attempt and when the next is due.
func (s *Snapshot) fail(prev *Snapshot, answer *Answer, lifetimes Lifetimes) {
	s.FailingSince, s.Failures = s.FetchedAt, 1
	if prev.Known() && prev.Failing() {
		s.Failures = max(prev.Failures, 0) + 1 // a store may hold anything
		if prev.FailingSince.Before(s.FailingSince) {
			s.FailingSince = prev.FailingSince
		}
	}
	var wait time.Duration
	switch {
	case answer.Local():
		wait = localPause
		s.Failures-- // it says nothing about the origin
	case s.Outcome == RefusedRedirect:
		wait = refusedPause
	default:
		wait = retryIn(answer, s.Failures, lifetimes)
	}
	s.RefreshAt = s.FetchedAt.Add(wait)
	s.FreshUntil = s.RefreshAt
}

// The back-off of F11: 1 min × 2ⁿ up to an hour.
const (
	firstRetry   = time.Minute
	longestRetry = time.Hour
	refusedPause = time.Hour // F6
)

// retryIn returns how long an origin is left alone after its nth failure in a
// row. A Retry-After never makes the pause shorter than the first step, nor
// longer than Lifetimes.Max; a 429 that names one means that and no more (F10).
func retryIn(answer *Answer, failures int, lifetimes Lifetimes) time.Duration {
	backOff := longestRetry
	if doublings := failures - 1; doublings < 6 {
		backOff = min(firstRetry<<doublings, longestRetry)
	}
	backOff -= jitter(answer.Origin, answer.At, backOff)
	asked, ok := RetryAfter(answer.Response.Header.RetryAfter, answer.At)
	switch {
	case !ok:
		return backOff
	case answer.Response.Status == 429:
		return min(max(asked, firstRetry), lifetimes.Max)
	default:
		return min(max(asked, backOff), lifetimes.Max)
	}
}

// jitter returns up to a tenth of a duration, the same for the same origin and
// time, so that origins which were fetched together are not asked again
// together.
func jitter(origin site.Origin, at time.Time, of time.Duration) time.Duration {
	hash := fnv.New32a()
	hash.Write([]byte(origin.String()))
	hash.Write([]byte(at.UTC().Format(time.RFC3339Nano)))
	return of / 10 / 1024 * time.Duration(hash.Sum32()%1024)
}

// isHTML reports whether a response is a page: by its type, or by how it begins.
func isHTML(response *Response) bool {
	kind, _, _ := strings.Cut(response.Header.ContentType, ";")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "text/html", "application/xhtml+xml":
		return true
	}
	start := bytes.TrimLeft(response.Body, " \t\r\n\f\v\uFEFF")
	start = bytes.ToLower(start[:min(len(start), len("<!doctype html"))])
	return bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html"))
}
