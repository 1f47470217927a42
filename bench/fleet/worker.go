package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polite-crawler/polite/app"
)

// workerArgument makes this program a worker of the fleet.
const workerArgument = "worker"

// An errand is what a worker is told, as a line of JSON on its standard input:
// first what Gate to open, and when all are ready, what to ask.
type errand struct {
	Open   *spec
	URLs   []string
	Askers int // goroutines, each of which asks about every URL, beginning at another
	First  int // at which the first of them begins
}

// A tally is what came of an errand, as a line of JSON on standard output. That
// of opening is empty.
type tally struct {
	Error   string
	Asked   int
	Answers []answer // all that differ
	Outages int      // the shared cache was unavailable so often
	Slowest time.Duration
}

// An answer is what a Gate said about a URL, in what workers have to agree on.
type answer struct {
	URL       string
	Allowed   bool
	Reason    string
	Hash      string
	FetchedAt int64
	Error     string
}

// work is what a worker does until its standard input ends.
func work(in io.Reader, out io.Writer) error {
	// Whatever it does then, it ends with who started it.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	orders, results := make(chan errand), json.NewEncoder(out)
	go func() {
		defer cancel()
		for lines := json.NewDecoder(in); ; {
			var next errand
			if lines.Decode(&next) != nil {
				return
			}
			select {
			case orders <- next:
			case <-ctx.Done():
				return
			}
		}
	}()

	var gate *app.Gate
	var outages atomic.Int64
	for {
		select {
		case <-ctx.Done():
			return nil
		case next := <-orders:
			var result tally
			switch {
			case next.Open != nil:
				next.Open.hooks.Shared = func(err error) {
					if err != nil {
						outages.Add(1)
					}
				}
				opened, done, err := next.Open.open(ctx)
				if err != nil {
					result.Error = err.Error()
					break
				}
				defer done()
				gate = opened
			case gate == nil:
				return errors.New("there is no Gate to ask")
			default:
				result = next.run(ctx, gate)
				result.Outages = int(outages.Load())
			}
			if err := results.Encode(result); err != nil {
				return err
			}
		}
	}
}

// run asks everything.
func (e errand) run(ctx context.Context, gate *app.Gate) (result tally) {
	var (
		mu    sync.Mutex
		known = make(map[answer]bool)
		all   sync.WaitGroup
	)
	for asker := range e.Askers {
		all.Go(func() {
			begin := e.First + asker*len(e.URLs)/e.Askers
			for n := range e.URLs {
				start := time.Now()
				a := ask(ctx, gate, e.URLs[(begin+n)%len(e.URLs)])
				took := time.Since(start)
				mu.Lock()
				result.Asked++
				result.Slowest = max(result.Slowest, took)
				if !known[a] {
					known[a] = true
					result.Answers = append(result.Answers, a)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return result
}

func ask(ctx context.Context, gate *app.Gate, url string) answer {
	decision, err := gate.Check(ctx, url)
	if err != nil {
		return answer{URL: url, Error: err.Error()}
	}
	return answer{
		URL:       url,
		Allowed:   decision.Allowed,
		Reason:    decision.Reason.String(),
		Hash:      decision.Hash.String(),
		FetchedAt: decision.FetchedAt.UnixNano(),
	}
}
