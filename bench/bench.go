package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/bench/race"
)

// A bench is a run of the benchmark: what is measured, and how.
type bench struct {
	ours        ours
	peers       []Engine
	shapes      []fixture.Shape
	hostiles    []fixture.Hostile
	corpus      string // folder, "" for none
	seed        uint64
	parts       selection
	options     race.Options
	chosen      bool // some fixtures were, so that what is about none has to be asked for
	samples     int  // questions of a file that is parsed for each
	load        string
	differences bool // are shown, one by one
	progress    io.Writer
}

// A selection is names, of which none means all.
type selection []string

func (s selection) has(name string) bool { return len(s) == 0 || slices.Contains(s, name) }

// run measures everything. A fixture is made when its turn comes and dropped
// after it: a large heap makes collections rare, and garbage cheap.
func (b *bench) run() (*results, error) {
	r := &results{}
	for _, peer := range b.peers {
		r.peers = append(r.peers, peer.Name)
	}
	for _, shape := range b.shapes {
		b.fixture(r, shape.Make(b.seed))
	}
	if b.corpus != "" {
		corpus, err := fixture.Corpus(b.corpus)
		if err != nil {
			return nil, err
		}
		b.fixture(r, corpus)
	}
	if b.wants("hostile") {
		b.log("hostile")
		r.hostile = b.hostile()
	}
	if b.wants("scaling") {
		b.log("scaling")
		r.scaling = b.scaling(b.shape("common"))
	}
	return r, nil
}

// wants reports whether a part that is about no fixture is to be measured.
func (b *bench) wants(part string) bool {
	return b.parts.has(part) && (!b.chosen || len(b.parts) > 0)
}

// fixture measures one fixture, but for the files that a peer refuses.
func (b *bench) fixture(r *results, f *fixture.Fixture) {
	b.log(f.Name)
	if b.parts.has("agreement") {
		b.log("  agreement")
		for _, peer := range b.peers {
			r.agreements = append(r.agreements, b.agreement(f, peer))
		}
	}
	f = f.Only(func(file *fixture.File) bool {
		return !slices.ContainsFunc(b.peers, func(peer Engine) bool { return peer.Parse(file.Body) == nil })
	})
	if b.parts.has("parse") || b.parts.has("check") || b.parts.has("both") {
		r.speeds = append(r.speeds, b.speed(f))
	}
	if b.parts.has("memory") {
		b.log("  memory")
		r.memories = append(r.memories, b.memory(f))
	}
}

// shape makes one of the fixtures, whether it is selected or not.
func (b *bench) shape(name string) *fixture.Fixture {
	for _, shape := range fixture.Shapes() {
		if shape.Name == name {
			return shape.Make(b.seed)
		}
	}
	panic("bench: no fixture " + name)
}

// large is the body that the bare loop runs over.
func (b *bench) large() []byte { return b.shape("large").Files[0].Body }

func (b *bench) log(text string) {
	fmt.Fprintln(b.progress, time.Now().Format(time.TimeOnly), text)
}
