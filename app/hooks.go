package app

import (
	"strconv"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// Hooks are told what a Gate does, for metrics and traces; package promhooks makes
// Prometheus metrics of them. Each may be nil, and costs nothing then; all take
// values, so that none costs an allocation. They are called from many goroutines,
// on the way of a question: they must be quick and must not call the Gate.
type Hooks struct {
	// Decided gets every Decision that Check gives; Decision.Stale says that a
	// last good copy stood in.
	Decided func(policy.Decision)
	// Near gets every question that was answered by what is near. All others
	// begin or join a look.
	Near func(site.Origin)
	// Looked gets every look behind the near cache: a shared hit is one
	// FromShared, a miss one FromOrigin.
	Looked func(Look)
	// Waited gets every wait for another worker, which holds an origin's lease.
	Waited func(Wait)
	// Fetched gets every attempt to fetch a robots.txt by this worker.
	Fetched func(Fetch)
	// Conflicted gets every origin of which the shared cache refused what this
	// worker learned: another state was stored meanwhile.
	Conflicted func(site.Origin)
	// LeaseLost gets every origin whose lease ran out while this worker held it
	// and had a request to make, which it then did not make.
	LeaseLost func(site.Origin)
	// Shared is told when the shared cache goes down, with the error, and with
	// nil when it is back: when it works and nothing failed for 5 seconds.
	Shared func(err error)

	// Hearing is told when purges by other workers are being heard, and when no
	// longer; until then near ages are short.
	Hearing func(bool)

	// What only the store knows. A Gate calls none of these: whoever makes the
	// store has it do so, as package polite does with Redis.

	// Breaker gets every change of the circuit breaker of a node of the store.
	Breaker func(Breaker)
	// Undecodable gets every origin whose stored value could not be read and is
	// being replaced (SEMANTICS C7), with the reason.
	Undecodable func(site.Origin, error)
	// Purged gets every purge by this worker that the store took.
	Purged func(Purge)
}

// A Wait is for another worker.
type Wait struct {
	Origin site.Origin
	Took   time.Duration
	Err    error // the wait ended by itself; nil: it may be worth looking again
}

// A Breaker is a change of state: "closed" (the node is used), "open" (it did not
// answer and is left alone), "half-open" (it is tried).
type Breaker struct {
	Node     string // its address, of which there are as many as nodes
	From, To string
}

// A Purge is what the store made of one.
type Purge struct {
	Origin site.Origin
	// Heard is how many other workers were told at once, as Redis counts them; the
	// rest finds out when it looks again. Negative: it cannot tell, as a Cluster.
	Heard int
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

func (s Source) String() string {
	if int(s) < len(sourceNames) {
		return sourceNames[s]
	}
	return "unknown-" + strconv.Itoa(int(s))
}

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
