package model

import (
	"iter"
	"math"
	"time"
)

// Expect says what a fleet does in some time, by the formulas of docs/scale.md,
// while Redis is there.
//
// Of an origin that all workers together ask about L times a second, and one of
// them l times:
//
//	looks    l / (1 + l·A)        for each worker, A three quarters of the near age
//	fetches  1 / (0.9·T + 1/L)    T the mean life
//	losers   fetches · L·F·(1-1/W)  look while it is fetched, which takes F
//
// A look is one Get, and a fetch another; each fetch is one TryLease and one Put,
// each loser a TryLease more. Where nobody asked in the last tenth of a life, with
// a probability of exp(-L·T/10), losers have to wait.
func (f Fleet) Expect(some time.Duration) Counts {
	near := f.NearAge.Seconds() * 0.75
	var c Counts
	for rate, count := range f.rates() {
		askers := f.askers()
		one := rate / askers
		looks := askers * one / (1 + one*near)
		fetches := 1 / (0.9*f.life() + 1/rate)
		losers := fetches * rate * f.Fetch.Seconds() * (1 - 1/askers)
		waits := losers * math.Exp(-rate*f.life()/10)

		n := count * some.Seconds()
		c.Checks += n * rate
		c.Gets += n * (looks + fetches + waits)
		c.Leases += n * (fetches + losers)
		c.Refused += n * losers
		c.Waits += n * waits
		c.Puts += n * fetches
		c.Fetches += n * fetches
	}
	return c
}

// ExpectOwn says how often workers ask for themselves in an outage of D seconds.
// A full near cache holds what was asked about in the last t seconds. What is
// missing there is asked for at l·exp(-l·t) a second, and once asked for it is
// kept; what is there is renewed by each worker alone where that falls due and
// somebody asks:
//
//	own  1 - exp(-l·exp(-l·t)·D) + (1-exp(-l·t)) · (D - (1-exp(-l·D))/l) / (0.9·T)
//
// for each worker.
func (f Fleet) ExpectOwn() (own float64) {
	held, askers, outage := f.heldFor(), f.askers(), f.OutageFor.Seconds()
	for rate, count := range f.rates() {
		one := rate / askers
		there := 1 - math.Exp(-one*held)
		missing := 1 - math.Exp(-one*(1-there)*outage)
		due := there * (outage + math.Expm1(-one*outage)/one) / (0.9 * f.life())
		own += count * askers * (missing + due)
	}
	return own
}

// heldFor returns for how many seconds a worker's near cache holds what is not
// asked about again, a life at most: the time in which as many origins are asked
// about as it has room for.
func (f Fleet) heldFor() float64 {
	distinct := func(seconds float64) (n float64) {
		for rate, count := range f.rates() {
			n += count * f.askers() / float64(f.Workers) * (1 - math.Exp(-rate/f.askers()*seconds))
		}
		return n
	}
	if f.Near == 0 || distinct(f.life()) <= float64(f.Near) {
		return f.life()
	}
	low, high := 0.0, f.life()
	for range 40 {
		if middle := (low + high) / 2; distinct(middle) < float64(f.Near) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// askers is how many workers ask about an origin.
func (f Fleet) askers() float64 {
	if f.ByHost {
		return 1
	}
	return float64(f.Workers)
}

// life is the mean one, in seconds.
func (f Fleet) life() float64 { return f.Life.Seconds() * 0.95 }

// rates yields how often origins are asked about, a second, and how many that
// often. Of many ranks those that hardly differ go together.
func (f Fleet) rates() iter.Seq2[float64, float64] {
	all := f.Checks * float64(f.Workers)
	return func(yield func(rate, count float64) bool) {
		if f.Zipf == 0 {
			yield(all/float64(f.Origins), float64(f.Origins))
			return
		}
		sum := 0.0
		for rank, count := range f.ranks() {
			sum += count * math.Pow(rank, -f.Zipf)
		}
		for rank, count := range f.ranks() {
			if !yield(all*math.Pow(rank, -f.Zipf)/sum, count) {
				return
			}
		}
	}
}

func (f Fleet) ranks() iter.Seq2[float64, float64] {
	return func(yield func(rank, count float64) bool) {
		for first := 1; first <= f.Origins; {
			count := min(1+first/1000, f.Origins-first+1)
			if !yield(float64(first)+float64(count-1)/2, float64(count)) {
				return
			}
			first += count
		}
	}
}
