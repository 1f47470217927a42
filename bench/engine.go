package main

import (
	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/bench/race"
)

// An Engine is one way of asking a library. Loops over questions are the
// engine's own, so that the benchmark adds no call to each.
type Engine struct {
	Name string
	// Parse reads a file for fixture.Agent. What it returns is a pointer, as a
	// value would have to be allocated; nil: the engine refuses the file.
	Parse func(body []byte) any
	// Check answers questions and returns how many were answered with yes; nil:
	// the engine does not answer.
	Check func(parsed any, questions []string) (allowed int)
	URLs  bool // the questions are URLs, not paths
	Lazy  bool // answering builds what later answers use, so that it counts as retained
}

// questions are those of a file in the form that the engine takes.
func (e Engine) questions(f *fixture.File) []string {
	if e.URLs {
		return f.URLs
	}
	return f.Paths
}

// parsing is a lane whose operation is to parse a file.
func (e Engine) parsing(f *fixture.Fixture) race.Lane {
	return race.Lane{Name: e.Name, Ops: len(f.Files), Run: func(from, to int) {
		for i := from; i < to; i++ {
			e.Parse(f.Files[i].Body)
		}
	}}
}

// checking is a lane whose operation is to answer a question about a file that
// was parsed before.
func (e Engine) checking(f *fixture.Fixture) race.Lane {
	each := len(f.Files[0].Paths)
	parsed, questions := make([]any, len(f.Files)), make([][]string, len(f.Files))
	for i := range f.Files {
		parsed[i], questions[i] = e.Parse(f.Files[i].Body), e.questions(&f.Files[i])
	}
	return race.Lane{Name: e.Name, Ops: len(f.Files) * each, Run: func(from, to int) {
		for from < to {
			file, first := from/each, from%each
			last := min(each, first+to-from)
			e.Check(parsed[file], questions[file][first:last])
			from += last - first
		}
	}}
}

// doingBoth is a lane whose operation is to parse a file and answer one question
// about it, each file so many times.
func (e Engine) doingBoth(f *fixture.Fixture, times int) race.Lane {
	return race.Lane{Name: e.Name, Ops: len(f.Files) * times, Run: func(from, to int) {
		for i := from; i < to; i++ {
			file := &f.Files[i/times]
			questions := e.questions(file)
			at := (i * len(questions) / times) % len(questions)
			e.Check(e.Parse(file.Body), questions[at:at+1])
		}
	}}
}
