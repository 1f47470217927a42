package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Count is how often a fleet asked origins that it knew nothing about
// (SEMANTICS C1).
type Count struct {
	Requests int64         // in all
	Most     int64         // at one origin
	Checks   int           // that were answered
	Outages  int           // that the workers saw, of which there was none
	Took     time.Duration // from the first question to the last answer
	Slowest  time.Duration // of the Checks

	Leases  int           // the worker that was killed held so many
	Attempt int           // the run that found it holding any
	Killed  time.Duration // how long into the run
}

// dawdle is how long an origin takes to answer.
const dawdle = 50 * time.Millisecond

// cold has all processes ask about all origins at once, which nobody knows.
func (b *bench) cold(ctx context.Context) (*Count, error) {
	return b.count(ctx, "cold", func(context.Context, *fleet) (*victim, error) { return nil, nil })
}

// killed does the same and kills one process in the middle.
func (b *bench) killed(ctx context.Context) (*Count, error) {
	dice := rand.New(rand.NewPCG(b.seed, 1))
	const attempts = 20
	for attempt := 1; attempt <= attempts; attempt++ {
		name := "killed" + strconv.Itoa(attempt)
		count, err := b.count(ctx, name, func(ctx context.Context, f *fleet) (*victim, error) {
			return f.murder(ctx, f.crew[dice.IntN(len(f.crew))], b.origins)
		})
		if !errors.Is(err, errNoLease) {
			if count != nil {
				count.Attempt = attempt
			}
			return count, err
		}
		b.log("killed: %v, once more", err)
	}
	return nil, fmt.Errorf("in %d runs %w", attempts, errNoLease)
}

// errNoLease says that a run proves nothing.
var errNoLease = errors.New("the process that was stopped held no lease")

// A fleet is what a run that counts has.
type fleet struct {
	redis   *server
	prefix  string
	origins *origins
	crew    crew
}

// A victim is a process that was killed, and what it held then.
type victim struct {
	member *member
	leases int
	at     time.Time
}

// count runs a fleet on origins that nobody knows. meanwhile is done while it
// runs; of the processes it kills no answers are expected.
func (b *bench) count(ctx context.Context, name string, meanwhile func(context.Context, *fleet) (*victim, error)) (*Count, error) {
	redis, err := startRedis(ctx)
	if err != nil {
		return nil, err
	}
	defer redis.stop()
	f := &fleet{redis: redis, prefix: "fleet-" + name}
	if f.origins, err = openOrigins(ctx, b.sizes.origins, dawdle, split); err != nil {
		return nil, err
	}
	defer f.origins.close()
	if f.crew, err = hire(ctx, b.processes, spec{Redis: redis.address(), Prefix: f.prefix}); err != nil {
		return nil, err
	}
	defer f.crew.end()

	var urls []string
	for _, o := range f.origins.all {
		urls = append(urls, o.allowed(), o.disallowed())
	}
	start := time.Now()
	for i, m := range f.crew {
		if err := m.tell(errand{URLs: urls, Askers: b.askers, First: i * len(urls) / len(f.crew)}); err != nil {
			return nil, err
		}
	}
	dead, err := meanwhile(ctx, f)
	if err != nil {
		return nil, err
	}
	c := &Count{}
	var tallies []tally
	for _, m := range f.crew {
		if dead != nil && m == dead.member {
			continue
		}
		result, err := m.result(ctx)
		if err != nil {
			return nil, err
		}
		if want := b.askers * len(urls); result.Asked != want {
			return nil, fmt.Errorf("a worker gave %d answers, want %d", result.Asked, want)
		}
		tallies = append(tallies, result)
		c.Checks += result.Asked
		c.Outages += result.Outages
		c.Slowest = max(c.Slowest, result.Slowest)
	}
	c.Took = time.Since(start)
	c.Requests, c.Most = f.origins.requests()
	if dead != nil {
		c.Leases, c.Killed = dead.leases, dead.at.Sub(start)
	}
	return c, f.agree(tallies)
}

// agree fails unless all workers say the same about each URL, and the right
// thing: one request also means one answer.
func (f *fleet) agree(tallies []tally) error {
	about := make(map[string][]answer)
	for _, t := range tallies {
		for _, a := range t.Answers {
			if !slices.Contains(about[a.URL], a) {
				about[a.URL] = append(about[a.URL], a)
			}
		}
	}
	for _, o := range f.origins.all {
		for url, allowed := range map[string]bool{o.allowed(): true, o.disallowed(): false} {
			answers := about[url]
			if len(answers) != 1 {
				return fmt.Errorf("%s has %d different answers, want one: %+v", url, len(answers), answers)
			}
			want := answer{URL: url, Allowed: allowed, Reason: "rule", Hash: o.hash(), FetchedAt: answers[0].FetchedAt}
			if answers[0] != want {
				return fmt.Errorf("the answer is %+v, want %+v", answers[0], want)
			}
		}
		if a, d := about[o.allowed()][0], about[o.disallowed()][0]; a.FetchedAt != d.FetchedAt {
			return fmt.Errorf("%s: answers come of two fetches", o.url)
		}
	}
	return nil
}

// murder stops a process in the middle of a run, counts what leases it holds, and
// kills it. If it holds none it is let go and stopped again, as long as the run
// is in its middle.
func (f *fleet) murder(ctx context.Context, m *member, origins int) (*victim, error) {
	pause := time.NewTicker(time.Millisecond)
	defer pause.Stop()
	for {
		asked, _ := f.origins.requests()
		switch {
		case asked >= int64(origins)*9/10:
			return nil, errNoLease
		case asked >= int64(origins)/4:
			if err := m.process.Process.Signal(syscall.SIGSTOP); err != nil {
				return nil, err
			}
			held, err := f.heldBy(ctx, m)
			if err != nil {
				return nil, err
			}
			if held > 0 {
				// As it is, stopped: were it let go first, it would give its leases back.
				return &victim{member: m, leases: held, at: time.Now()}, m.kill()
			}
			if err := m.process.Process.Signal(syscall.SIGCONT); err != nil {
				return nil, err
			}
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// heldBy counts the leases of a process that was sent a SIGSTOP, once it has
// stopped and Redis has carried out what it had sent before.
func (f *fleet) heldBy(ctx context.Context, m *member) (held int, err error) {
	pause := time.NewTicker(5 * time.Millisecond)
	defer pause.Stop()
	for last := -1; ; last = held {
		stopped := isStopped(m.pid())
		if held, err = f.leases(ctx, m.pid()); err != nil || stopped && held == last {
			return held, err
		}
		if !stopped {
			held = -1 // count anew
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// leases counts the leases whose token names a process.
func (f *fleet) leases(ctx context.Context, pid int) (n int, err error) {
	keys := f.redis.raw.Scan(ctx, 0, f.prefix+":l:*", 1000).Iterator()
	for keys.Next(ctx) {
		// One that has just been given back is nobody's.
		if token := f.redis.raw.Get(ctx, keys.Val()).Val(); strings.HasPrefix(token, strconv.Itoa(pid)+"-") {
			n++
		}
	}
	return n, keys.Err()
}
