package main

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

// A census is what this process holds.
type census struct {
	sockets, goroutines int
	heap                uint64 // live, after a collection
	resident            uint64
}

func takeCensus() census {
	runtime.GC()
	runtime.GC() // what had a finalizer goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return census{sockets: sockets(), goroutines: runtime.NumGoroutine(), heap: m.HeapAlloc, resident: resident()}
}

// sockets counts the open ones.
func sockets() (n int) {
	const folder = "/proc/self/fd"
	names, _ := os.ReadDir(folder)
	for _, name := range names {
		if target, err := os.Readlink(folder + "/" + name.Name()); err == nil && strings.HasPrefix(target, "socket:") {
			n++
		}
	}
	return n
}

// resident is the memory that the system has given to this process.
func resident() uint64 {
	text, _ := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	var pages uint64
	for _, digit := range fields[1] {
		pages = 10*pages + uint64(digit-'0')
	}
	return pages * uint64(os.Getpagesize())
}

// mostSockets counts them now and then until it is stopped, and returns the
// most there were.
func mostSockets() (stop func() int) {
	done, most := make(chan struct{}), 0
	var group sync.WaitGroup
	group.Go(func() {
		ticks := time.NewTicker(20 * time.Millisecond)
		defer ticks.Stop()
		for over := false; !over; {
			select {
			case <-ticks.C:
			case <-done:
				over = true
			}
			most = max(most, sockets())
		}
	})
	return func() int {
		close(done)
		group.Wait()
		return most
	}
}

// allocated is how much was allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
