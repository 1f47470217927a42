package main

import (
	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/bench/race"
)

// Speed is how fast the engines were with one fixture.
type Speed struct {
	Fixture *fixture.Fixture
	Rules   int // that concern the crawler, on average

	Parse map[string]race.Times // a file, by engine
	Check map[string]race.Times // a question
	Both  map[string]race.Times // a file and one question

	ParseAllocs map[string]Allocs // a file
	CheckAllocs map[string]Allocs // a question
}

func (b *bench) speed(f *fixture.Fixture) Speed {
	s := Speed{Fixture: f, ParseAllocs: map[string]Allocs{}, CheckAllocs: map[string]Allocs{}}
	for i := range f.Files {
		rules, _, _ := b.ours.concern(f.Files[i].Body)
		s.Rules += rules
	}
	s.Rules /= len(f.Files)

	parse := append([]Engine{b.ours.rules(), b.ours.file()}, b.peers...)
	check := append([]Engine{b.ours.rules(), b.ours.policy()}, b.peers...)
	both := append([]Engine{b.ours.policy()}, b.peers...)
	if b.parts.has("parse") {
		b.log("  parse")
		s.Parse = b.race(parse, func(e Engine) race.Lane { return e.parsing(f) })
		for _, e := range parse {
			s.ParseAllocs[e.Name] = allocsOf(e.parsing(f))
		}
	}
	if b.parts.has("check") {
		b.log("  check")
		s.Check = b.race(check, func(e Engine) race.Lane { return e.checking(f) })
		for _, e := range check {
			s.CheckAllocs[e.Name] = allocsOf(e.checking(f))
		}
	}
	if b.parts.has("both") {
		b.log("  both")
		s.Both = b.race(both, func(e Engine) race.Lane { return e.doingBoth(f, max(1, b.samples/len(f.Files))) })
	}
	return s
}

// race races engines in one kind of lane.
func (b *bench) race(engines []Engine, lane func(Engine) race.Lane) map[string]race.Times {
	lanes := make([]race.Lane, len(engines))
	for i, e := range engines {
		lanes[i] = lane(e)
	}
	times := make(map[string]race.Times)
	for i, t := range race.Run(lanes, b.options) {
		times[engines[i].Name] = t
	}
	return times
}
