package integration_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/polite-crawler/polite"
)

// A round is many goroutines asking one Gate about the same URLs, each beginning
// at another.
type round struct {
	URLs    []string
	Askers  int  // goroutines; 1
	Endless bool // over and over, until it is stopped
}

// An answer is what a Gate said about a URL, in what workers have to agree on.
type answer struct {
	URL         string
	Allowed     bool
	Stale       bool
	Reason      string
	Hash        string
	FetchedAt   time.Time
	Error       string
	Unavailable bool // the error wraps polite.ErrUnavailable
}

// A tally is what came of a round: every different answer, and how often it was
// given.
type tally struct {
	Answers []answer
	Times   []int // of the answer with the same index
	Slowest time.Duration
}

// run runs the round until it is through, or stopped by ctx if it is endless.
func (r round) run(ctx context.Context, gate *polite.Gate) *tally {
	var (
		result tally
		mu     sync.Mutex
		known  = make(map[answer]int)
		all    sync.WaitGroup
	)
	take := func(a answer, took time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		i, is := known[a]
		if !is {
			i = len(result.Answers)
			known[a] = i
			result.Answers, result.Times = append(result.Answers, a), append(result.Times, 0)
		}
		result.Times[i]++
		result.Slowest = max(result.Slowest, took)
	}
	for asker := range max(r.Askers, 1) {
		all.Go(func() {
			for n := 0; n < len(r.URLs) || r.Endless && ctx.Err() == nil; n++ {
				start := time.Now()
				// A question under way is answered, stopped or not.
				a := ask(context.WithoutCancel(ctx), gate, r.URLs[(n+asker)%len(r.URLs)])
				take(a, time.Since(start))
			}
		})
	}
	all.Wait()
	return &result
}

// ask asks one question.
func ask(ctx context.Context, gate *polite.Gate, url string) answer {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	decision, err := gate.Check(ctx, url)
	if err != nil {
		return answer{URL: url, Error: err.Error(), Unavailable: errors.Is(err, polite.ErrUnavailable)}
	}
	return answer{
		URL:     url,
		Allowed: decision.Allowed,
		Stale:   decision.Stale,
		Reason:  decision.Reason.String(),
		Hash:    decision.Hash.String(),
		// Without zone and monotonic part, which do not cross processes.
		FetchedAt: decision.FetchedAt.UTC().Round(0),
	}
}

// about returns the different answers to one question.
func (r *tally) about(url string) (answers []answer) {
	for _, a := range r.Answers {
		if a.URL == url {
			answers = append(answers, a)
		}
	}
	return answers
}

// wantRight fails unless every answer about these origins is right, in every
// tally, by the rules of the edition that is up.
func wantRight(t *testing.T, origins []*origin, tallies ...*tally) {
	t.Helper()
	for worker, tally := range tallies {
		for _, o := range origins {
			for url, allowed := range map[string]bool{o.allowed(): true, o.disallowed(): false} {
				answers := tally.about(url)
				if len(answers) == 0 {
					t.Errorf("worker %d: %s was not asked about", worker, url)
				}
				for _, a := range answers {
					want := answer{URL: url, Allowed: allowed, Reason: "rule", Hash: o.hash(), FetchedAt: a.FetchedAt}
					if a != want || a.FetchedAt.IsZero() {
						t.Errorf("worker %d: the answer is %+v, want %+v and when it was fetched", worker, a, want)
					}
				}
			}
		}
	}
}

// wantSame is wantRight, and that all answers come of one and the same fetch.
func wantSame(t *testing.T, origins []*origin, tallies ...*tally) {
	t.Helper()
	wantRight(t, origins, tallies...)
	for _, o := range origins {
		times := make(map[time.Time]bool)
		for _, tally := range tallies {
			for _, a := range append(tally.about(o.allowed()), tally.about(o.disallowed())...) {
				times[a.FetchedAt] = true
			}
		}
		if len(times) != 1 {
			t.Errorf("%s: answers come of fetches at %v, want one", o.url, times)
		}
	}
}

// wantBounded fails if anybody had to wait for an answer without bounds.
func wantBounded(t *testing.T, tallies ...*tally) {
	t.Helper()
	for worker, tally := range tallies {
		if tally.Slowest > bounded {
			t.Errorf("worker %d: an answer took %v, want no more than %v", worker, tally.Slowest, bounded)
		}
	}
}
