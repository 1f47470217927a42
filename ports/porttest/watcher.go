package porttest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/site"
)

// Watcher checks what ports.Watcher promises. The workers need a Cache as well,
// as it is Delete that is heard.
func Watcher(t *testing.T, open Open) {
	t.Helper()
	Run(t, WatcherChecks(), open)
}

// WatcherChecks returns the checks of ports.Watcher.
func WatcherChecks() []Check[Open] {
	return []Check[Open]{
		{"Watch says first that it begins to hear", "ports.Watcher.Watch", saysFirst},
		{"every worker hears every Delete", "ports.Watcher.Watch, SEMANTICS C4", hearsAll},
		{"forget is called one at a time", "ports.Watcher.Watch", oneAtATime},
		{"a slow forget holds up nobody's Delete", "ports.Watcher.Watch", slowForget},
		{"Watch ends with its context", "ports.Watcher.Watch", watchContext},
	}
}

// heard is what a Watch under check has said so far.
type heard struct {
	all   chan site.Origin
	ended chan error
	end   context.CancelFunc
}

// watch starts a Watch and waits until it has said that it hears.
func watch(t T, w Worker, each func(site.Origin)) *heard {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	h := &heard{all: make(chan site.Origin, 10_000), ended: make(chan error, 1), end: cancel}
	go func() {
		h.ended <- w.Watch(ctx, func(o site.Origin) {
			if each != nil {
				each(o)
			}
			h.all <- o
		})
	}()
	if first := h.next(t); !first.IsZero() {
		t.Fatalf("Watch says %s first, want the zero Origin, as it begins to hear", first)
	}
	return h
}

// next is what Watch says next.
func (h *heard) next(t T) (o site.Origin) {
	t.Helper()
	limit := time.NewTimer(soon)
	defer limit.Stop()
	select {
	case o = <-h.all:
	case err := <-h.ended:
		t.Fatalf("Watch ended: %v", err)
	case <-limit.C:
		t.Fatalf("Watch said nothing for %v", soon)
	}
	return o
}

// until waits until Watch has said all of these, or, with the zero Origin, that
// it may have missed them.
func (h *heard) until(t T, origins ...site.Origin) {
	t.Helper()
	missing := make(map[site.Origin]bool)
	for _, o := range origins {
		missing[o] = true
	}
	for len(missing) > 0 {
		o := h.next(t)
		if o.IsZero() {
			return
		}
		delete(missing, o)
	}
}

func saysFirst(t T, open Open) {
	fleet := open(t)
	for _, w := range fleet.Workers {
		watch(t, w, nil)
	}
}

func hearsAll(t T, open Open) {
	fleet := open(t)
	known, unknown := origin(t, "https://known.example"), origin(t, "https://unknown.example:8443")
	put(t, fleet.Workers[0], successful(known, fleet.Workers[0].now(), robots), "")
	var all []*heard
	for _, w := range fleet.Workers {
		all = append(all, watch(t, w, nil), watch(t, w, nil))
	}
	for _, w := range fleet.Workers {
		remove(t, w, known)
		for _, h := range all {
			h.until(t, known)
		}
		remove(t, w, unknown)
		for _, h := range all {
			h.until(t, unknown)
		}
	}
}

func oneAtATime(t T, open Open) {
	fleet := open(t)
	var inside, most atomic.Int32
	h := watch(t, fleet.Workers[0], func(site.Origin) {
		if n := inside.Add(1); n > most.Load() {
			most.Store(n)
		}
		<-time.After(time.Millisecond)
		inside.Add(-1)
	})
	var origins []site.Origin
	for i := range 20 {
		origins = append(origins, origin(t, fmt.Sprintf("https://host%d.example", i)))
	}
	var all sync.WaitGroup
	for i, o := range origins {
		all.Go(func() {
			if err := fleet.Workers[i%len(fleet.Workers)].Delete(t.Context(), o); err != nil {
				t.Errorf("Delete: %v", err)
			}
		})
	}
	all.Wait()
	h.until(t, origins...)
	if n := most.Load(); n > 1 {
		t.Errorf("forget was called %d times at once", n)
	}
}

func slowForget(t T, open Open) {
	fleet := open(t)
	gate := make(chan struct{})
	var stuck sync.Once
	free := func() { stuck.Do(func() { close(gate) }) }
	t.Cleanup(free)
	h := watch(t, fleet.Workers[0], func(o site.Origin) {
		if !o.IsZero() {
			<-gate
		}
	})
	var origins []site.Origin
	for i := range 1500 {
		origins = append(origins, origin(t, fmt.Sprintf("https://host%d.example", i)))
	}
	var err error
	_, back := within(func() {
		for i, o := range origins {
			if err = fleet.Workers[i%len(fleet.Workers)].Delete(t.Context(), o); err != nil {
				return
			}
		}
	})
	if !back || err != nil {
		t.Errorf("Delete while forget is busy came back: %v, error %v", back, err)
	}
	free()
	h.until(t, origins...)
}

func watchContext(t T, open Open) {
	fleet := open(t)
	w := fleet.Workers[0]
	h := watch(t, w, nil)
	h.end()
	limit := time.NewTimer(soon)
	defer limit.Stop()
	select {
	case err := <-h.ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Watch ended with %v, want its context's error", err)
		}
	case <-limit.C:
		t.Errorf("Watch goes on after its context is done")
	}
	var err error
	done := cancelled(t)
	_, back := within(func() { err = w.Watch(done, func(site.Origin) {}) })
	if !back || !errors.Is(err, context.Canceled) {
		t.Errorf("Watch with a done context came back: %v, error %v, want the context's", back, err)
	}
}
