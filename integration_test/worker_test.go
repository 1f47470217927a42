package integration_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A worker is a process with a Gate of its own. Its methods are for the
// goroutine of the test.
type worker struct {
	t       *testing.T
	process *exec.Cmd
	in      io.WriteCloser
	orders  *json.Encoder
	last    int // order
	killed  bool
	gone    chan struct{} // closed when the process has ended
	err     error         // how; once gone

	mu       sync.Mutex
	expected map[int]chan report
	errors   bytes.Buffer // standard error
}

// hire starts a worker. At the end of the test it must end in order, and without
// a data race.
func hire(t *testing.T, s spec) *worker {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &worker{t: t, process: exec.Command(self), gone: make(chan struct{}), expected: make(map[int]chan report)}
	// The race detector makes a process that ends wait a second for races.
	w.process.Env = append(os.Environ(), workerRole+"=1", "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	w.process.Stderr = w
	w.process.SysProcAttr = dieWithParent()
	out, err := w.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if w.in, err = w.process.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := w.process.Start(); err != nil {
		t.Fatalf("start a worker: %v", err)
	}
	w.orders = json.NewEncoder(w.in)
	go w.listen(out)
	t.Cleanup(w.dismiss)
	w.order(order{Open: &s}).wait()
	return w
}

// check has a worker ask about each URL once, and waits for the answers.
func (w *worker) check(urls ...string) *tally {
	w.t.Helper()
	return w.begin(round{URLs: urls}).tally()
}

// begin has a worker begin a round.
func (w *worker) begin(r round) *errand {
	w.t.Helper()
	return w.order(order{Round: &r})
}

// purge has a worker purge a URL's origin.
func (w *worker) purge(url string) {
	w.t.Helper()
	w.order(order{Purge: url}).wait()
}

// facts is what the worker's Gate has said about itself.
func (w *worker) facts() facts {
	w.t.Helper()
	return *w.order(order{Facts: true}).wait().Facts
}

// bare leaves the worker without files and sockets to open.
func (w *worker) bare() {
	w.t.Helper()
	w.order(order{Bare: true}).wait()
}

// kill kills the worker with -9, and proves that it is gone.
func (w *worker) kill() {
	w.t.Helper()
	w.killed = true
	killHard(w.t, w.process, w.gone)
}

// freeze stops the worker until it is told to thaw.
func (w *worker) freeze() {
	w.t.Helper()
	freeze(w.t, w.process)
}

func (w *worker) thaw() { thaw(w.process) }

func (w *worker) pid() int { return w.process.Process.Pid }

// An errand is an order under way.
type errand struct {
	w      *worker
	id     int
	report chan report
}

// tally waits for the end of a round.
func (e *errand) tally() *tally {
	e.w.t.Helper()
	return e.wait().Tally
}

// stop ends an endless round.
func (e *errand) stop() *tally {
	e.w.t.Helper()
	e.w.order(order{Stop: e.id}).wait()
	return e.tally()
}

// over reports whether the order has been carried out.
func (e *errand) over() bool { return len(e.report) > 0 }

// wait waits for the report of an order that must not fail.
func (e *errand) wait() report {
	e.w.t.Helper()
	limit := time.NewTimer(2 * patience)
	defer limit.Stop()
	select {
	case r := <-e.report:
		if r.Error != "" {
			e.w.t.Fatalf("a worker could not carry out its order: %s", r.Error)
		}
		return r
	case <-e.w.gone:
		e.w.t.Fatalf("a worker ended before its order was carried out: %v\n%s", e.w.err, e.w.said())
	case <-limit.C:
		_ = e.w.process.Process.Signal(syscall.SIGQUIT) // its goroutines, on standard error
		<-e.w.gone
		e.w.t.Fatalf("a worker did not carry out its order in %v\n%s", 2*patience, e.w.said())
	}
	return report{}
}

// order gives an order.
func (w *worker) order(o order) *errand {
	w.t.Helper()
	w.last++
	o.ID = w.last
	e := &errand{w: w, id: o.ID, report: make(chan report, 1)}
	w.mu.Lock()
	w.expected[o.ID] = e.report
	w.mu.Unlock()
	if err := w.orders.Encode(o); err != nil {
		w.t.Fatalf("order to a worker: %v\n%s", err, w.said())
	}
	return e
}

// listen takes reports until the process has ended.
func (w *worker) listen(out io.Reader) {
	defer close(w.gone)
	reports := json.NewDecoder(out)
	for {
		var r report
		if err := reports.Decode(&r); err != nil {
			break
		}
		w.mu.Lock()
		w.expected[r.ID] <- r
		delete(w.expected, r.ID)
		w.mu.Unlock()
	}
	_, _ = io.Copy(w, out) // what is no report belongs to standard error
	w.err = w.process.Wait()
}

// dismiss ends the worker.
func (w *worker) dismiss() {
	_ = w.in.Close()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-w.gone:
	case <-limit.C:
		w.t.Errorf("a worker does not end")
		_ = w.process.Process.Signal(syscall.SIGQUIT)
		<-w.gone
	}
	said := w.said()
	if w.err != nil && !w.killed || strings.Contains(said, "DATA RACE") {
		w.t.Errorf("a worker ended badly: %v\n%s", w.err, said)
	}
}

// Write takes what a worker says on standard error.
func (w *worker) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.errors.Write(text)
}

func (w *worker) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.errors.String()
}
