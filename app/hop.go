package app

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// A Hop is one exchange on the way to an origin's robots.txt. Its texts come from
// the network.
type Hop struct {
	URL      string
	Status   int    // 0: no answer came
	Location string // where a redirect leads, as it was sent; "": it is none, or it leads nowhere
	Took     time.Duration
	Err      error // a *policy.FetchError: why no whole answer came; nil
}

// Failure is the kind of Err.
func (h Hop) Failure() policy.Failure {
	var failure *policy.FetchError
	if errors.As(h.Err, &failure) {
		return failure.Kind
	}
	return policy.NoFailure
}

// A trail is all hops of one attempt.
type trail struct {
	hops []Hop
	at   time.Time // when the attempt ended, as in the snapshot that is made of it
}

func (t *trail) add(url string, response *policy.Response, took time.Duration) {
	t.hops = append(t.hops, Hop{URL: url, Status: response.Status, Location: response.Header.Location, Took: took})
}

// end takes down how the attempt ended.
func (t *trail) end(answer *policy.Answer) {
	t.at = answer.At
	if answer.Err != nil {
		last := &t.hops[len(t.hops)-1]
		last.Status, last.Err = answer.Err.Status, answer.Err
	}
}

// observers are who wants to see the trails of an origin while they are made:
// nobody, for nearly every origin, so that trails, whose size is up to the
// network, are kept nowhere.
type observers struct {
	mutex sync.Mutex
	of    map[site.Origin][]*observer
}

// An observer sees the last trail that was made since it was added.
type observer struct{ last *trail }

// add begins an observation. remove ends it.
func (o *observers) add(origin site.Origin) (seen *observer, remove func()) {
	origin = origin.Clone()
	seen = &observer{}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.of == nil {
		o.of = make(map[site.Origin][]*observer)
	}
	o.of[origin] = append(o.of[origin], seen)
	return seen, func() {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		left := slices.DeleteFunc(o.of[origin], func(other *observer) bool { return other == seen })
		if len(left) == 0 {
			delete(o.of, origin)
		} else {
			o.of[origin] = left
		}
	}
}

// tell shows a trail to whoever observes its origin.
func (o *observers) tell(origin site.Origin, made *trail) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, seen := range o.of[origin] {
		seen.last = made
	}
}

// trailOf returns the trail by which a snapshot was made, nil if it was not observed.
func (o *observers) trailOf(seen *observer, snapshot *policy.Snapshot) *trail {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if seen.last != nil && seen.last.at.Equal(snapshot.FetchedAt) {
		return seen.last
	}
	return nil
}
