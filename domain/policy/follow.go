package policy

import (
	"net/url"
	"strings"

	"github.com/polite-crawler/polite/domain/site"
)

// DefaultRedirects is how many consecutive redirects are followed (RFC 9309
// §2.3.1.2: at least five).
const DefaultRedirects = 5

// Follow decides where an answer leads: to the URL of the next exchange, or
// nowhere ("") because it is final or for the reason that stop gives. The trail
// is what was asked so far, the answered exchange last; limit is how many
// redirects may be followed. Any authority may be led to (§2.3.1.2); what is
// found there is applied to the origin that was asked first (F4).
func Follow(trail []Hop, response Response, limit int) (next string, stop Stop) {
	if !redirects(response.Status) {
		return "", Final
	}
	target, stop := resolve(trail[len(trail)-1].URL, response.Header.Location)
	if stop != Final {
		return "", stop
	}
	for _, hop := range trail {
		if hop.URL == target {
			return "", StopLoop
		}
	}
	if len(trail) > limit {
		return "", StopTooMany
	}
	return target, Final
}

// redirects reports whether a status sends elsewhere. 304 is an answer.
func redirects(status int) bool { return status >= 300 && status < 400 && status != 304 }

// resolve brings a Location to an absolute URL (RFC 9110 §10.2.2), without
// userinfo and fragment.
func resolve(base, location string) (target string, stop Stop) {
	from, err := url.Parse(base)
	if err != nil || location == "" {
		return "", StopLocation
	}
	reference, err := url.Parse(strings.TrimSpace(location))
	if err != nil {
		return "", StopLocation
	}
	to := from.ResolveReference(reference)
	if to.Scheme != "http" && to.Scheme != "https" {
		return "", StopScheme
	}
	canonical, err := site.Parse(to.String())
	if err != nil {
		return "", StopLocation
	}
	return canonical.Origin.String() + escaped(canonical.Path), Final
}

// escaped escapes what cannot stand in a URL, which url.URL leaves in a query: a
// space would end the target of the request, and the 400 that follows would
// allow everything. Escapes stay as they are.
func escaped(path string) string {
	sendable := make([]byte, 0, len(path))
	for i := range len(path) {
		sendable = site.AppendPath(sendable, path[i:i+1], site.First) // octet by octet there is no escape to decode
	}
	return string(sendable)
}

// A Stop says why a redirect was not followed.
type Stop uint8

// The reasons to stop. Their values are stored: append, never renumber.
const (
	Final        Stop = iota // none: the last exchange is the answer
	StopTooMany              // F5: more redirects than allowed
	StopLoop                 // F5: the target was asked already
	StopLocation             // F5: no Location, or not a URL
	StopScheme               // F6: a scheme other than http or https
)

var stopNames = [...]string{"none", "too-many-redirects", "redirect-loop", "no-location", "other-scheme"}

func (s Stop) String() string { return name(stopNames[:], int(s)) }
