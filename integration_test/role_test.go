package integration_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"go.uber.org/goleak"

	"github.com/polite-crawler/polite"
)

// workerRole is the variable that makes this test binary a worker.
const workerRole = "POLITE_TEST_WORKER"

// An order tells a worker what to do: one of the fields but ID is set. Orders
// are lines of JSON on the worker's standard input, and are carried out at the
// same time.
type order struct {
	ID    int
	Open  *spec  // a Gate: the first order, and given once
	Round *round // answered when it is through
	Stop  int    // the round of that ID
	Purge string // a URL's origin
	Facts bool
	Bare  bool // from here on there are no files and sockets to be had
}

// A report answers the order of the same ID, as a line on standard output.
type report struct {
	ID    int
	Error string // the order could not be carried out
	Tally *tally
	Facts *facts
}

// work is what a worker does until its standard input ends: then it closes its
// Gate, sees that nothing is left behind, and returns its exit code.
func work(in io.Reader, out, complaints io.Writer) int {
	w := &role{out: json.NewEncoder(out), stops: make(map[int]context.CancelFunc), done: func() {}}
	orders := json.NewDecoder(in)
	for {
		var o order
		if err := orders.Decode(&o); err != nil {
			break // its master has gone, or has no more to say
		}
		w.take(o)
	}
	w.stop(everyRound)
	w.busy.Wait()
	w.done()
	if err := goleak.Find(unlessItDials); err != nil {
		fmt.Fprintln(complaints, "after the Gate was closed:", err)
		return 1
	}
	return 0
}

// A role is a worker from inside.
type role struct {
	gate  *polite.Gate
	done  func()
	notes notes
	busy  sync.WaitGroup

	mu    sync.Mutex
	out   *json.Encoder
	stops map[int]context.CancelFunc // of rounds under way
}

// take carries out one order, without waiting for it.
func (w *role) take(o order) {
	if o.Open != nil {
		gate, done, err := o.Open.open(context.Background(), &w.notes)
		if err == nil {
			w.gate, w.done = gate, done
		}
		w.report(report{ID: o.ID}, err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.mu.Lock()
	w.stops[o.ID] = cancel
	w.mu.Unlock()
	w.busy.Go(func() {
		defer w.stop(o.ID)
		result := report{ID: o.ID}
		var err error
		switch {
		case o.Round != nil:
			result.Tally = o.Round.run(ctx, w.gate)
		case o.Stop != 0:
			w.stop(o.Stop)
		case o.Purge != "":
			err = w.gate.Purge(ctx, o.Purge)
		case o.Bare:
			err = useUpFiles()
		case o.Facts:
			now := w.notes.now()
			result.Facts = &now
		}
		w.report(result, err)
	})
}

const everyRound = 0

func (w *role) stop(id int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for other, cancel := range w.stops {
		if id == other || id == everyRound {
			cancel()
			delete(w.stops, other)
		}
	}
}

func (w *role) report(r report, err error) {
	if err != nil {
		r.Error = err.Error()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.out.Encode(r) // nobody listens any more: the input ends, too
}
