package main

import (
	"math"

	"github.com/polite-crawler/polite/bench/race"
)

// results are what was measured.
type results struct {
	peers      []string
	speeds     []Speed
	memories   []Memory
	hostile    Hostilities
	scaling    []Scaling
	agreements []Agreement
}

func parses(s *Speed) map[string]race.Times { return s.Parse }
func checks(s *Speed) map[string]race.Times { return s.Check }
func boths(s *Speed) map[string]race.Times  { return s.Both }

// over returns how many times as long one engine took with a fixture as another.
func (r *results) over(fixture string, measure func(*Speed) map[string]race.Times, one, other string) float64 {
	return r.figure(fixture, func(s *Speed) float64 { return measure(s)[one].Over(measure(s)[other]) })
}

// figure returns a figure of a fixture, NaN if it was not measured.
func (r *results) figure(fixture string, of func(*Speed) float64) float64 {
	for i := range r.speeds {
		if r.speeds[i].Fixture.Name == fixture {
			return of(&r.speeds[i])
		}
	}
	return math.NaN()
}

// worst returns the largest figure of the fixtures and whose it is.
func (r *results) worst(of func(*Speed) float64) (figure float64, fixture string) {
	return largest(r.speeds, func(s *Speed) (float64, string) { return of(s), s.Fixture.Name })
}

func (r *results) worstKind(of func(*Hostility) float64) (figure float64, kind string) {
	return largest(r.hostile.Kinds, func(h *Hostility) (float64, string) { return of(h), h.Kind.Name })
}

// worstMemory leaves out the fixture that is made of sitemaps, which are kept and
// are no rules, and the real files, which have a bar of their own.
func (r *results) worstMemory() (part float64, fixture string) {
	return largest(r.memories, func(m *Memory) (float64, string) {
		if m.Fixture.Name == "records" || m.Fixture.Name == "corpus" {
			return math.NaN(), ""
		}
		return m.part(), m.Fixture.Name
	})
}

func (r *results) memoryPart(fixture string) float64 {
	for i := range r.memories {
		if r.memories[i].Fixture.Name == fixture {
			return r.memories[i].part()
		}
	}
	return math.NaN()
}

// heldBodies returns of how many files the body is kept alive, and of which.
func (r *results) heldBodies() (files float64, which string) {
	if len(r.memories) == 0 {
		return math.NaN(), ""
	}
	for i := range r.memories {
		held := r.memories[i].Held
		files += float64(len(held))
		if len(held) > 0 && which == "" {
			which = held[0]
		}
	}
	return files, which
}

// part returns which part of what is allowed is retained.
func (m *Memory) part() float64 { return m.Retained[byURL] / m.Allowed }

// largest returns the largest figure of some, and its name; NaN of none.
func largest[T any](all []T, of func(*T) (float64, string)) (figure float64, name string) {
	figure = math.NaN()
	for i := range all {
		if f, n := of(&all[i]); !math.IsNaN(f) && !(f <= figure) {
			figure, name = f, n
		}
	}
	return figure, name
}
