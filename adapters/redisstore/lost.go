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

func (l *lost) note(origin site.Origin, token string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tokens == nil || len(l.tokens) >= maxLost {
		l.tokens = make(map[site.Origin]lostToken)
	}
	l.tokens[origin.Clone()] = lostToken{token, until}
}

// about returns the token of an origin, or "".
func (l *lost) about(origin site.Origin) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, is := l.tokens[origin]
	if is && time.Now().After(found.until) {
		delete(l.tokens, origin)
		return ""
	}
	return found.token
}

func (l *lost) forget(origin site.Origin) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tokens, origin)
}
