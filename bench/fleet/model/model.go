// Package model plays what a fleet asks of Redis and of origins, check by check,
// and says the same by formulas.
//
// It knows when package app looks, takes leases, fetches and puts (SEMANTICS C),
// and nothing else of it; its test holds it against real Gates in fake time. It
// is for docs/scale.md, whose figures are too large to be measured.
package model

import (
	"container/list"
	"iter"
	"math"
	"math/rand/v2"
	"time"
)

// A Fleet is who asks, and how often.
type Fleet struct {
	Workers int
	Origins int
	Checks  float64 // a second, of each worker
	Zipf    float64 // the nth origin is asked about as often as n to minus this; 0: all alike
	ByHost  bool    // all questions about an origin go to one worker; else to any
	Near    int     // policies that a worker keeps near; 0: all

	NearAge time.Duration // app.Options.NearAgeWatched
	Life    time.Duration // of what an origin says, less up to a tenth (F1)
	Fetch   time.Duration // that a fetch takes

	// Redis is down from Outage on, for OutageFor; 0: never.
	Outage, OutageFor time.Duration
}

// Counts are what a fleet does in some time.
type Counts struct {
	Checks   float64
	Gets     float64 // of package ports, by all workers
	GetsHash float64 // of them those with the hash at hand
	Leases   float64 // TryLease
	Refused  float64 // of them those that somebody else held
	Waits    float64 // for somebody else's fetch, each with a PTTL
	Puts     float64
	Fetches  float64 // of a robots.txt
	Own      float64 // of them by workers on their own, while Redis was down
}

const (
	dueAge  = time.Second     // app: after how long a policy whose refresh is under way is looked at again
	downAge = 5 * time.Second // app: the same for one that Redis could not give
)

// A play is a Fleet under way.
type play struct {
	Fleet
	chance  *rand.Rand // who asks what and when
	luck    *rand.Rand // how long lives are
	draw    func() int // an origin
	shared  []shared
	workers []worker
	counts  *Counts
}

// shared is what all know of an origin. Times are since the beginning.
type shared struct {
	known              bool
	refreshAt, freshTo time.Duration
	asking             time.Duration // somebody is at it until then; 0: nobody
	leader             int           // who
}

// A worker has policies near.
type worker struct {
	near map[int]*entry
	used *list.List            // of origins, the one that was used last in front
	own  map[int]time.Duration // until when copies need no refresh that it asked for alone
}

type entry struct {
	soon      time.Duration // from here on it is looked up again
	refreshAt time.Duration // of what is near
	flight    time.Duration // until then a look is under way, which others join
	place     *list.Element
}

// Play plays a fleet and counts what it does after a while, for some time. At
// the beginning Redis knows all origins, and nobody has anything near.
func (f Fleet) Play(seed uint64, after, some time.Duration) Counts {
	var before, all Counts
	p := f.begin(seed)
	p.counts = &before
	for now, origin := range p.questions(after + some) {
		if now >= after {
			p.counts = &all
		}
		p.check(p.choose(origin), origin, now)
	}
	return all
}

func (f Fleet) begin(seed uint64) *play {
	p := &play{
		Fleet: f, chance: rand.New(rand.NewPCG(seed, 2)), luck: rand.New(rand.NewPCG(seed, 3)),
		shared: make([]shared, f.Origins), workers: make([]worker, f.Workers),
	}
	p.draw = f.drawing(p.chance)
	// Each is somewhere between two fetches, as in a fleet that has run for long.
	weights, sum := make([]float64, f.Origins), 0.0
	for i := range weights {
		weights[i] = math.Pow(float64(i+1), -f.Zipf)
		sum += weights[i]
	}
	for i := range p.shared {
		s := &p.shared[i]
		s.known, s.refreshAt, s.freshTo = p.lives(0)
		idle := time.Duration(float64(time.Second) * sum / (weights[i] * f.Checks * float64(f.Workers)))
		age := time.Duration(p.luck.Float64() * float64(s.refreshAt+idle))
		s.refreshAt, s.freshTo = s.refreshAt-age, s.freshTo-age
	}
	for i := range p.workers {
		p.workers[i] = worker{near: make(map[int]*entry), used: list.New(), own: make(map[int]time.Duration)}
	}
	return p
}

// questions are when somebody asks, and about what: at random, as many come
// together.
func (p *play) questions(end time.Duration) iter.Seq2[time.Duration, int] {
	mean := float64(time.Second) / (p.Checks * float64(p.Workers))
	return func(yield func(time.Duration, int) bool) {
		for now := 0.0; ; {
			now += p.chance.ExpFloat64() * mean
			if now >= float64(end) || !yield(time.Duration(now), p.draw()) {
				return
			}
		}
	}
}

// choose returns the worker that asks about an origin.
func (p *play) choose(origin int) int {
	if p.ByHost {
		return origin % p.Workers
	}
	return p.chance.IntN(p.Workers)
}

func (p *play) check(who, origin int, now time.Duration) {
	p.counts.Checks++
	w := &p.workers[who]
	e := w.near[origin]
	if e != nil {
		w.used.MoveToFront(e.place)
		if now < e.flight || now < e.soon {
			return
		}
	}
	if now >= p.Outage && now < p.Outage+p.OutageFor {
		p.alone(w, e, origin, now)
		return
	}
	s := &p.shared[origin]
	if s.asking > 0 && now >= s.asking {
		p.settle(s, origin)
		p.check(who, origin, now) // of which the leader's policy may know by now
		p.counts.Checks--
		return
	}
	p.counts.Gets++
	if e != nil {
		p.counts.GetsHash++
	}
	if now >= s.refreshAt && now < w.own[origin] && s.asking == 0 { // what it learned alone it hands in
		p.counts.Puts++
		s.refreshAt = w.own[origin]
		s.freshTo = s.refreshAt + p.Life/10
		delete(w.own, origin)
	}
	switch fresh := s.known && now < s.freshTo; {
	case fresh && now < s.refreshAt:
		p.keep(w, origin, now, *s)
	case fresh: // and due
		p.keep(w, origin, now, *s).soon = now + dueAge
		switch {
		case s.asking == 0:
			p.lead(s, who, now)
		case s.leader != who: // who knows that it is at it
			p.counts.Leases++
			p.counts.Refused++
		}
	case s.asking > 0:
		p.counts.Leases++
		p.counts.Refused++
		p.counts.Waits++
		p.counts.Gets++
		p.keep(w, origin, now, *s).flight = s.asking
	default:
		p.lead(s, who, now)
		p.keep(w, origin, now, *s).flight = s.asking
	}
}

// lead has an origin asked by who holds its lease.
func (p *play) lead(s *shared, who int, now time.Duration) {
	p.counts.Leases++
	p.counts.Gets++
	p.counts.Fetches++
	p.counts.Puts++
	s.asking, s.leader = now+p.Fetch, who
}

// settle takes note of an answer that has come since. Who asked has it near.
func (p *play) settle(s *shared, origin int) {
	s.known, s.refreshAt, s.freshTo = p.lives(s.asking)
	if e := p.workers[s.leader].near[origin]; e != nil {
		e.refreshAt, e.soon = s.refreshAt, min(s.asking+p.NearAge/4*3, s.refreshAt)
	}
	s.asking = 0
}

func (p *play) lives(from time.Duration) (known bool, refreshAt, freshTo time.Duration) {
	life := time.Duration(float64(p.Life) * (1 - p.luck.Float64()/10))
	return true, from + life - life/10, from + life
}

// keep puts near what was found.
func (p *play) keep(w *worker, origin int, now time.Duration, s shared) *entry {
	e := w.near[origin]
	if e == nil {
		e = &entry{place: w.used.PushFront(origin)}
		w.near[origin] = e
		if p.Near > 0 && w.used.Len() > p.Near {
			delete(w.near, w.used.Remove(w.used.Back()).(int))
		}
	}
	e.flight, e.refreshAt = 0, s.refreshAt
	e.soon = min(now+p.NearAge/4*3, s.refreshAt)
	if now >= s.freshTo { // it is being fetched: near is what will be found
		_, e.refreshAt, _ = p.lives(now + p.Fetch)
		e.soon = now + p.Fetch + p.NearAge/4*3
	}
	return e
}

// alone is a look while Redis is down: what is near stands in until it is to be
// refreshed, then what this worker asked for before; else it asks for itself.
func (p *play) alone(w *worker, e *entry, origin int, now time.Duration) {
	if e == nil || now >= e.refreshAt {
		until := w.own[origin]
		if now >= until {
			p.counts.Fetches++
			p.counts.Own++
			_, until, _ = p.lives(now + p.Fetch)
			w.own[origin] = until
		}
		e = p.keep(w, origin, now, shared{refreshAt: until, freshTo: until})
	}
	e.soon = now + downAge
}

// drawing returns what draws origins as often as they are asked about.
func (f Fleet) drawing(dice *rand.Rand) func() int {
	if f.Zipf == 0 {
		return func() int { return dice.IntN(f.Origins) }
	}
	sums := make([]float64, f.Origins)
	sum := 0.0
	for i := range sums {
		sum += math.Pow(float64(i+1), -f.Zipf)
		sums[i] = sum
	}
	return func() int {
		x := dice.Float64() * sum
		low, high := 0, len(sums)-1
		for low < high {
			if middle := (low + high) / 2; sums[middle] < x {
				low = middle + 1
			} else {
				high = middle
			}
		}
		return low
	}
}
