package app

import (
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// Hooks are told what a Gate does, for metrics and traces. Each may be nil. They
// are called from many goroutines, on the way of a question: they must be quick
// and must not call the Gate.
type Hooks struct {
	// Decided gets every Decision that Check gives.
	Decided func(policy.Decision)
	// Looked gets every look behind the near cache.
	Looked func(Look)
	// Fetched gets every attempt to fetch a robots.txt by this worker.
	Fetched func(Fetch)
	// Shared is told when the shared cache goes down, with the error, and with
	// nil when it is back: when it works and nothing failed for 5 seconds.
	Shared func(err error)
}

// A Look is a question that the near cache could not answer alone.
type Look struct {
	Origin site.Origin
	Source Source // where the answer came from
	Took   time.Duration
	Err    error
}

// A Source is where a policy came from.
type Source uint8

// The sources.
const (
	FromNowhere  Source = iota // an error
	FromShared                 // the shared cache
	FromOrigin                 // robots.txt was fetched, by this worker or by one it waited for
	FromFallback               // this worker's own copies, as the shared cache is unavailable
)

var sourceNames = [...]string{"nowhere", "shared", "origin", "fallback"}

func (s Source) String() string { return sourceNames[s] }

// A Fetch is one attempt to learn an origin's robots.txt, redirects included.
type Fetch struct {
	Origin  site.Origin
	Outcome policy.Outcome
	Failure policy.Failure
	Status  int
	Hops    int
	Bytes   int // of the body, decoded
	Took    time.Duration
	// Stored is false if the result stayed in this worker: it failed for a
	// reason that may be its own, or the store did not take it.
	Stored bool
}
