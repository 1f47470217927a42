package redisstore

import (
	"sync"
	"time"

	"github.com/polite-crawler/polite/domain/site"
)

// A lost is the tokens of leases that Redis may have taken for us, or may take
// yet, without that we heard of it: were they not known again, all would wait for
// a holder who does not know that it is one.
type lost struct {
	mu     sync.Mutex
	tokens map[site.Origin]lostToken
}

type lostToken struct {
	token string
	until time.Time // when the lease runs out
}

// maxLost bounds them. What is dropped runs out by itself.
const maxLost = 1000

func (l *lost) note(origin site.Origin, token lostToken) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tokens == nil || len(l.tokens) >= maxLost {
		l.tokens = make(map[site.Origin]lostToken)
	}
	l.tokens[origin.Clone()] = token
}

// take returns what was noted about an origin, if its lease may hold still, and
// forgets it: two who tried by the same token would give back each other's lease.
func (l *lost) take(origin site.Origin) (found lostToken, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, is = l.tokens[origin]
	delete(l.tokens, origin)
	return found, is && !time.Now().After(found.until)
}
