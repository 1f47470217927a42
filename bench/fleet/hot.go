package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/bench/fixture"
	"github.com/polite-crawler/polite/bench/race"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
)

// Hot is what a Check costs whose answer is near, beside Policy.Decide, which is
// what it is for.
type Hot struct {
	Origins, Questions int
	Check              race.Times // a URL, through the Gate
	Decide             race.Times // its path, by the policy of its origin
	One                race.Times // its path, by one policy for all
	Allocs             float64    // of a Check
}

// eachOrigin is how many questions are asked about each origin.
const eachOrigin = 10

// hot measures Checks of origins that are all near, in an order that no cache of
// the processor foresees.
func (b *bench) hot(ctx context.Context) (*Hot, error) {
	body, questions := b.questions(b.hotOrigins)
	var looks atomic.Int64
	gate, done, err := hotGate(body, &looks)
	if err != nil {
		return nil, err
	}
	defer done()

	urls := make([]string, len(questions))
	for i, q := range questions {
		urls[i] = q.url
	}
	if err := warm(ctx, gate, urls, &looks); err != nil {
		return nil, err
	}
	policies := make([]*policy.Policy, b.hotOrigins)
	for _, q := range questions {
		answer, err := gate.Check(ctx, q.url)
		if err != nil {
			return nil, err
		}
		if policies[q.origin] == nil {
			policies[q.origin] = policy.OfCopy(policy.Copy{Body: body}, policy.Reading{Agents: gate.Agents()})
		}
		if alone := policies[q.origin].Decide(q.path, time.Now()); alone.Allowed != answer.Allowed || alone.Rule != answer.Rule {
			return nil, fmt.Errorf("%s: the Gate says %v, the policy alone %v", q.url, answer, alone)
		}
	}

	h := &Hot{Origins: b.hotOrigins, Questions: len(questions)}
	looked := looks.Load()
	yes := 0 // so that no answer is for nothing
	check := race.Lane{Name: "Check", Ops: len(questions), Run: func(from, to int) {
		for _, q := range questions[from:to] {
			if d, _ := gate.Check(ctx, q.url); d.Allowed {
				yes++
			}
		}
	}}
	now := time.Now()
	decide := race.Lane{Name: "Decide", Ops: len(questions), Run: func(from, to int) {
		for _, q := range questions[from:to] {
			if d := policies[q.origin].Decide(q.path, now); d.Allowed {
				yes++
			}
		}
	}}
	one := race.Lane{Name: "one policy", Ops: len(questions), Run: func(from, to int) {
		for _, q := range questions[from:to] {
			if d := policies[0].Decide(q.path, now); d.Allowed {
				yes++
			}
		}
	}}
	procs := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(procs)
	times := race.Run([]race.Lane{check, decide, one}, b.race)
	h.Check, h.Decide, h.One = times[0], times[1], times[2]
	h.Allocs = allocs(check)
	switch {
	case looks.Load() != looked:
		return nil, fmt.Errorf("%d answers were not near: %w", looks.Load()-looked, errNotMeasured)
	case yes == 0:
		return nil, fmt.Errorf("nothing was allowed: %w", errNotMeasured)
	}
	return h, ctx.Err()
}

// warm asks about all URLs until all answers are near.
func warm(ctx context.Context, gate *app.Gate, urls []string, looks *atomic.Int64) error {
	for range 10 {
		before := looks.Load()
		for _, url := range urls {
			if _, err := gate.Check(ctx, url); err != nil {
				return err
			}
		}
		if looks.Load() == before {
			return nil
		}
	}
	return fmt.Errorf("not all answers can be kept near: %w", errNotMeasured)
}

// A question is a URL, and what of it the rules are about.
type question struct {
	url    string
	path   string
	origin int
}

// questions asks about origins that all have the common fixture's robots.txt, in
// an order made from the seed.
func (b *bench) questions(origins int) (body []byte, questions []question) {
	file := b.common()
	for origin := range origins {
		base := "https://www.site-" + strconv.Itoa(origin) + ".example"
		for i := range eachOrigin {
			path := file.Paths[(origin*eachOrigin+i)%len(file.Paths)]
			url := base + path
			questions = append(questions, question{url: url, path: url[len(base):], origin: origin})
		}
	}
	dice := rand.New(rand.NewPCG(b.seed, 0))
	dice.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
	return file.Body, questions
}

// common is the file of 2 KB.
func (b *bench) common() *fixture.File {
	for _, shape := range fixture.Shapes() {
		if shape.Name == "common" {
			return &shape.Make(b.seed).Files[0]
		}
	}
	panic("bench: there is no fixture common")
}

// hotGate makes a Gate on ports in this process, in default settings: behind the
// near cache nothing is measured.
func hotGate(body []byte, looks *atomic.Int64) (*app.Gate, func(), error) {
	store, err := memory.New(memory.Options{})
	if err != nil {
		return nil, nil, err
	}
	agents, err := agent.ParseTokens(fixture.Agent)
	if err != nil {
		return nil, nil, err
	}
	gate, err := app.New(
		app.Ports{Fetcher: served(body), Cache: store, Leaser: store, Watcher: store},
		app.Options{Agents: agents, Hooks: app.Hooks{Looked: func(app.Look) { looks.Add(1) }}},
	)
	if err != nil {
		return nil, nil, err
	}
	return gate, func() { _ = gate.Close(); _ = store.Close() }, nil
}

// served is a Fetcher that finds the same body everywhere.
type served []byte

func (s served) Fetch(context.Context, policy.Request) (policy.Response, error) {
	return policy.Response{Status: 200, Body: s, Header: policy.Header{ContentType: "text/plain"}}, nil
}

// allocs is what an operation of a lane allocates: the least of some passes, as
// the runtime itself allocates now and then.
func allocs(lane race.Lane) float64 {
	least := float64(lane.Ops)
	for range 3 {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lane.Run(0, lane.Ops)
		runtime.ReadMemStats(&after)
		least = min(least, float64(after.Mallocs-before.Mallocs)/float64(lane.Ops))
	}
	return least
}
