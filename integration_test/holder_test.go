package integration_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/polite-crawler/polite/integration_test/proxy"
)

// SEMANTICS C1: the lease holder stands still past its lease while the origin has
// its request, and then goes on. What it was answered is an old edition by then,
// and changes nothing.
func TestLeaseHolderStopped(t *testing.T) {
	t.Parallel()
	fleet, o := newFleet(t), newOrigin(t)
	spec := fleet.spec()
	spec.Tuned = &tuning{RedisTimeout: patience}
	holder, b, c := hire(t, spec), hire(t, spec), hire(t, spec)
	arrived, release := o.hold(t) // and the first edition

	ofHolder := holder.begin(round{URLs: urls(o), Askers: 5})
	receive(t, "request", arrived)
	ofB, ofC := b.begin(round{URLs: urls(o), Askers: 5}), c.begin(round{URLs: urls(o), Askers: 5})
	fleet.waitForWaiters(t, 2, o)
	holder.freeze()
	fleet.wantHolder(t, holder, o)
	o.publish("second edition")
	fleet.endLease(t, o)
	others := []*tally{ofB.tally(), ofC.tally()}
	wantSame(t, []*origin{o}, others...)
	wantAsked(t, 2, 2, o)
	rev := fleet.rev(t, o)

	if ofHolder.over() {
		t.Fatalf("the holder has answered, though it stood still: this test proves nothing")
	}
	release()
	holder.thaw()
	wantSame(t, []*origin{o}, append(others, ofHolder.tally())...)
	if so := holder.facts(); so.Fetched != 1 || so.Stored != 0 {
		t.Errorf("the late holder fetched %d times and stored %d of them, want one conflict: %+v", so.Fetched, so.Stored, so)
	}
	if now := fleet.rev(t, o); now != rev {
		t.Errorf("the late holder has changed what is stored")
	}
	wantAsked(t, 2, 2, o)
}

// SEMANTICS C1: the same with a lease that runs out by itself. A holder who finds
// that its lease is over sends nothing any more.
func TestLeaseHolderPastItsLease(t *testing.T) {
	t.Parallel()
	fleet, o := newFleet(t), newOrigin(t)
	spec := fleet.spec()
	spec.Tuned = &tuning{FetchBudget: 2 * time.Second, RedisTimeout: patience} // the lease is 5 seconds more
	holder, b := hire(t, spec), hire(t, spec)
	// A redirect that would lead to what nobody has any business to ask for.
	arrived, release := o.holdFor(t, func(w http.ResponseWriter, r *http.Request) func() {
		return func() { http.Redirect(w, r, "/elsewhere", http.StatusFound) }
	})

	ofHolder := holder.begin(round{URLs: urls(o)})
	receive(t, "request", arrived)
	holder.freeze()
	fleet.wantHolder(t, holder, o)
	o.serve()
	ofB := b.check(urls(o)...) // when the lease is over
	wantRight(t, []*origin{o}, ofB)
	wantAsked(t, 2, 2, o)
	release()
	holder.thaw()
	wantSame(t, []*origin{o}, ofB, ofHolder.tally())
	if so := holder.facts(); so.Stored != 0 {
		t.Errorf("the late holder has stored something: %+v", so)
	}
	wantAsked(t, 2, 2, o)
}

// SEMANTICS C1, C5: the lease holder loses Redis while the origin has its request.
// Its own callers get what it learned; the others wait for the end of its lease,
// or have it at once if only the answer to its Put was lost. When Redis is back
// its Put, late or lost, changes nothing.
func TestLeaseHolderCutOff(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		fault proxy.Fault
		heard bool // the Put is
	}{
		{"refused", proxy.Fault{Refuse: true}, false},
		{"mute, and its Put arrives late", proxy.Fault{Mute: true}, false},
		{"deaf, and its Put is stored", proxy.Fault{Deaf: true}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := startRedis(t)
			fleet, o, before := fleetOn(t, server.url("")), newOrigin(t), newOrigin(t)
			way := through(t, "unix", server.socket())
			spec := fleet.spec()
			spec.Tuned = &tuning{RedisTimeout: patience, NearAge: 20 * time.Millisecond}
			b := hire(t, spec)
			spec.Redis = "redis://" + way.Addr() + "?dial_timeout=2s&read_timeout=2s&write_timeout=2s"
			holder := hire(t, spec)
			wantSame(t, []*origin{before}, holder.check(urls(before)...), b.check(urls(before)...)) // Redis knows the scripts
			wantAsked(t, 1, 1, before)

			arrived, release := o.hold(t)
			ofHolder := holder.begin(round{URLs: urls(o), Askers: 5})
			receive(t, "request", arrived)
			ofB := b.begin(round{URLs: urls(o), Askers: 5})
			fleet.waitForWaiters(t, 1, o)
			fleet.wantHolder(t, holder, o)
			set(t, way, row.fault)
			release()
			first := ofHolder.tally()
			wantRight(t, []*origin{o}, first)
			wantBounded(t, first)
			if so := holder.facts(); so.Down == 0 {
				t.Fatalf("the holder has not seen that it was cut off: this test proves nothing: %+v", so)
			}

			requests := 1
			if !row.heard {
				if ofB.over() {
					t.Errorf("there are answers, though nobody could have told them")
				}
				o.publish("second edition")
				fleet.endLease(t, o)
				requests = 2
			}
			others := ofB.tally()
			wantSame(t, []*origin{o}, others)
			rev := fleet.rev(t, o)
			counted := way.Counts()
			if counted.Held+counted.Lost+counted.Cut == 0 {
				t.Fatalf("nothing was kept from the holder: this test proves nothing: %+v", counted)
			}

			set(t, way, proxy.Fault{})
			eventually(t, "the holder goes by what the fleet goes by", func() bool {
				return holder.check(o.allowed()).Answers[0] == others.about(o.allowed())[0]
			})
			eventually(t, "the holder has seen that Redis takes writes again", func() bool {
				holder.purge(before.allowed())
				return holder.facts().Up > 0
			})
			wantSame(t, []*origin{o}, others, holder.check(urls(o)...))
			if row.fault.Mute && way.Counts().ToServer == counted.ToServer {
				t.Errorf("what was held back has not arrived: %+v", way.Counts())
			}
			if now := fleet.rev(t, o); now != rev {
				t.Errorf("the late holder has changed what is stored")
			}
			wantAsked(t, requests, requests, o)
		})
	}
}

// SEMANTICS C1: those who wait are woken by the put, and need not look again after
// a second. They begin to wait just before the put, so that a second would show.
func TestWaitersWakeSoon(t *testing.T) {
	t.Parallel()
	fleet := newFleet(t)
	spec := fleet.spec()
	spec.Tuned = &tuning{RedisTimeout: patience}
	holder, b := hire(t, spec), hire(t, spec)
	const soon = 300 * time.Millisecond // ten times what it takes on a machine that has nothing else to do
	var fastest time.Duration
	for range 10 {
		o := newOrigin(t)
		arrived, release := o.hold(t)
		ofHolder := holder.begin(round{URLs: urls(o)})
		receive(t, "request", arrived)
		ofB := b.begin(round{URLs: urls(o), Askers: 20})
		fleet.waitForWaiters(t, 1, o)
		start := time.Now()
		release()
		answers := ofB.tally()
		took := time.Since(start)
		wantSame(t, []*origin{o}, ofHolder.tally(), answers)
		wantAsked(t, 1, 1, o)
		if fastest == 0 || took < fastest {
			fastest = took
		}
		if took < soon {
			t.Logf("20 who waited in another process had their answers %v after the origin's", took)
			return
		}
	}
	t.Errorf("in ten rounds it took at least %v until those who waited had their answers, want less than %v once", fastest, soon)
}
