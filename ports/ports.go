// Package ports says what the application needs from the outside world: someone
// who fetches, a place to share what was learned, and ways to spare and to
// undo work. Whoever writes an adapter implements one of these interfaces and
// proves it with package porttest.
//
// What crosses a port is a value of the domain. Adapters return errors and
// judge nothing: they neither log, nor retry, nor decide whether something is
// fresh or allowed.
package ports

import (
	"context"
	"errors"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

var (
	// ErrConflict is a Cache's answer to a Put that was made from a state which
	// is no longer the stored one. Nothing was stored.
	ErrConflict = errors.New("the stored snapshot has changed meanwhile")

	// ErrUnavailable says that the shared store could not do it now: down, slow,
	// or refusing writes. The application goes on without it (SEMANTICS C5). It
	// wraps or is joined with the cause.
	ErrUnavailable = errors.New("the shared store is unavailable")
)

// A Fetcher makes one HTTP exchange.
//
// It follows no redirect and retries nothing. Any status is a result; an error
// is always a *policy.FetchError and says that no whole answer came. A body is
// decoded to UTF-8 and cut, and marked so, at the Fetcher's limit. With
// PublicOnly it connects, after name resolution, to public addresses only, and
// never through a connection that was opened without that guard.
//
// Fetch is called from many goroutines, honours ctx, and bounds its own time:
// a server that drips a byte a second must not hold it for ever.
type Fetcher interface {
	Fetch(ctx context.Context, request policy.Request) (policy.Response, error)
}

// A Cache keeps snapshots where every worker of the fleet sees them.
//
// It never judges freshness: it returns what is stored. Its times come out in
// the caller's clock, whatever clock the writer had, to within a second.
// Methods are called from many goroutines and honour ctx. An error that wraps
// ErrUnavailable counts as "the store is down".
type Cache interface {
	// Get returns what is stored about origin, never nil without an error. An
	// absent, deleted or undecodable value is a snapshot that is not Known; its
	// Rev is the one that a Put has to be made from. If the copy's hash is have,
	// its Body may be left out.
	//
	// The caller does not change what it gets.
	Get(ctx context.Context, origin site.Origin, have policy.Hash) (*policy.Snapshot, error)

	// Put stores next if the stored state is still next.Rev, and returns the Rev
	// of the new state; else it returns ErrConflict. A nil Copy.Body keeps the
	// stored body and its Scope, whose hash must be next.Copy.Hash, else
	// ErrConflict. Of a whole body a Cache may keep what concerns a Scope.
	//
	// The Cache does not change next, and keeps no reference into it that the
	// caller could see change. It drops a snapshot no earlier than after keep.
	Put(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error)

	// Delete forgets origin: it is unknown from now on, under a Rev never used
	// before, so that any Put made from an earlier state, or from none,
	// conflicts (for 10 minutes at least). It tells every Watcher.
	Delete(ctx context.Context, origin site.Origin) error
}

// A Leaser lets one worker of the fleet do what all are about to do.
//
// A lease spares work and guards nothing: two holders cost one request more,
// and a wrong answer never, as Put compares revisions.
type Leaser interface {
	// TryLease takes origin's lease for ttl if it is free; it never blocks on a
	// holder. release gives the lease back, and only if it is still ours; it is
	// never nil if held, may be called late and more than once, and does not
	// depend on ctx.
	TryLease(ctx context.Context, origin site.Origin, ttl time.Duration) (release func(), held bool, err error)

	// Wait returns nil when it may be worth looking again: the lease was freed
	// or ran out, a snapshot was put, or a second has gone by. It returns early
	// rather than late: a wake-up that comes between the caller's last look and
	// Wait is not promised to be seen, the second bounds what that costs. It
	// returns ctx's error when ctx is done.
	Wait(ctx context.Context, origin site.Origin) error
}

// A Watcher hears what any worker deleted.
type Watcher interface {
	// Watch calls forget with each origin that any worker deletes, from any
	// goroutine but one at a time, until ctx is done; it then returns ctx's
	// error. It calls forget with the zero Origin whenever messages may have
	// been lost, first of all when it begins to hear. It returns another error
	// only when it gives up; the caller may start it again.
	Watch(ctx context.Context, forget func(site.Origin)) error
}
