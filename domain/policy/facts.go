package policy

import (
	"math"
	"time"

	"github.com/polite-crawler/polite/domain/site"
)

// facts are what a Policy keeps of a Snapshot: what decisions say, and what the
// next look needs. Crawlers hold millions.
type facts struct {
	origin   site.Origin
	finalURL string
	hash     Hash

	freshUntil time.Time // said by decisions
	fetchedAt  time.Time // said by decisions: of the copy's last confirmation if there is one

	attemptedAt, refreshAt, failingSince, bodyAt int64 // see nanos

	attempt                        Attempt // said by decisions
	failures                       uint16
	copied                         bool // there is a copy: its hash is not zero
	challenged, truncated, offline bool
}

// nanos is a time as a number, the zero time as the least.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return math.MinInt64
	}
	return t.UnixNano()
}

func instant(nanos int64) time.Time {
	if nanos == math.MinInt64 {
		return time.Time{}
	}
	return time.Unix(0, nanos)
}

func (f *facts) take(s *Snapshot) {
	*f = facts{
		origin:       s.Origin,
		finalURL:     s.FinalURL,
		hash:         s.Copy.Hash,
		freshUntil:   s.FreshUntil,
		fetchedAt:    s.FetchedAt,
		attemptedAt:  nanos(s.FetchedAt),
		refreshAt:    nanos(s.RefreshAt),
		failingSince: nanos(s.FailingSince),
		bodyAt:       nanos(s.Copy.FetchedAt),
		attempt:      s.Attempt(),
		failures:     uint16(min(s.Failures, math.MaxUint16)),
		challenged:   s.Challenged,
		truncated:    s.Copy.Truncated,
	}
	if f.copied = s.HasCopy(); f.copied {
		f.fetchedAt = s.Copy.ConfirmedAt
	}
}
