package integration_test

import (
	"strconv"
	"strings"
	"testing"
)

// SEMANTICS C1: of many workers that ask about many origins one is killed. The
// others ask once more about each origin whose lease it held, and about no other:
// there are as many requests as origins, and leases lost, which Redis counts.
func TestOneOfManyDies(t *testing.T) {
	t.Parallel()
	const processes, origins = 4, 12
	fleet, all := newFleet(t), newOrigins(t, origins)
	spec := fleet.spec()
	spec.Tuned = &tuning{RedisTimeout: patience} // what a busy machine does is no outage
	var workers []*worker
	for range processes {
		workers = append(workers, hire(t, spec))
	}
	var arrivals []<-chan struct{}
	var release []func()
	for _, o := range all {
		arrived, free := o.hold(t)
		arrivals, release = append(arrivals, arrived), append(release, free)
	}

	// One is first at a third of them, and the others at the rest.
	dead, first := workers[0], origins/3
	dead.begin(round{URLs: urls(all[:first]...), Askers: 2 * first})
	for _, arrived := range arrivals[:first] {
		receive(t, "request", arrived)
	}
	var errands []*errand
	for _, w := range workers[1:] {
		errands = append(errands, w.begin(round{URLs: urls(all...), Askers: 2 * origins}))
	}
	for _, arrived := range arrivals[first:] {
		receive(t, "request", arrived)
	}
	for _, o := range all[:first] {
		fleet.waitForWaiters(t, processes-1, o)
	}
	dead.kill()
	lost := fleet.leases(t)[dead.pid()]
	if len(lost) != first {
		t.Fatalf("the worker that was killed held %d leases, want %d: this test proves nothing", len(lost), first)
	}
	for i, o := range all {
		o.serve()
		release[i]()
	}
	for _, key := range lost { // their time is over
		if err := fleet.raw.Del(t.Context(), key).Err(); err != nil {
			t.Fatalf("DEL: %v", err)
		}
	}

	var tallies []*tally
	for _, e := range errands {
		tallies = append(tallies, e.tally())
	}
	wantSame(t, all, tallies...)
	wantAsked(t, 2, 2, all[:first]...)
	wantAsked(t, 1, 1, all[first:]...)
}

// leases returns the keys of the leases that are held, by the process that the
// token names.
func (f *fleet) leases(t *testing.T) map[int][]string {
	t.Helper()
	held := make(map[int][]string)
	keys := f.raw.Scan(t.Context(), 0, f.prefix+":l:*", 1000).Iterator()
	for keys.Next(t.Context()) {
		pid, _, _ := strings.Cut(f.raw.Get(t.Context(), keys.Val()).Val(), "-")
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatalf("the lease %s is held by %q, want a process: %v", keys.Val(), pid, err)
		}
		held[n] = append(held[n], keys.Val())
	}
	if err := keys.Err(); err != nil {
		t.Fatalf("SCAN: %v", err)
	}
	return held
}
