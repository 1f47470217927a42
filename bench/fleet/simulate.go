package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/polite-crawler/polite/bench/fleet/model"
	"github.com/polite-crawler/polite/bench/report"
)

// The fleets that are played, and the one that the formulas are for: with as many
// checks for each origin a day.
const (
	smallWorkers, smallOrigins = 100, 10_000
	largeWorkers, largeOrigins = 10_000, 100_000_000
	checksADay                 = 86.4   // for each origin, so that 10,000 workers make 10 a second each
	largeNear                  = 17_000 // policies of the common fixture fit into 64 MiB
	day                        = 24 * time.Hour
)

// simulate plays small fleets and writes what they did in a day beside what the
// formulas say, and what they say of the large fleet.
func simulate(ctx context.Context, seed uint64, short bool) (string, error) {
	out := &strings.Builder{}
	days := 5
	if short {
		days = 1
	}
	fmt.Fprintf(out, "Operations a day of %s workers and %s origins with %v checks for each origin a day, played check by check\n"+
		"(%d days after a first hour, seed %d), and by formula. Lives are 24 h less up to 10 %%, a fetch takes 0.5 s, purges\nare heard.\n\n",
		report.Number(smallWorkers), report.Number(smallOrigins), checksADay, days, seed)
	for _, kind := range kinds {
		f := kind.fleet(smallWorkers, smallOrigins)
		played := perDay(f.Play(seed, time.Hour, time.Duration(days)*day), days)
		kind.compare(out, played, f.Expect(day))
	}

	busy := kinds[0]
	busy.name = "busy: ten times the checks, fetches take 5 s"
	f := busy.fleet(smallWorkers, smallOrigins)
	f.Checks, f.Fetch = 10*f.Checks, 5*time.Second
	busy.compare(out, f.Play(seed, time.Hour, day), f.Expect(day))

	fmt.Fprintf(out, "An outage of an hour after half a day: requests that workers make on their own (mode local), each with room\nfor 20 policies near (a fifth of its part of the origins).\n\n")
	t := report.Table{{"checks are", "played", "by formula", "difference"}}
	for _, kind := range kinds {
		f := kind.fleet(smallWorkers, smallOrigins)
		f.Near, f.Outage, f.OutageFor = 20, 12*time.Hour, time.Hour
		played := f.Play(seed, time.Hour, day).Own
		t.Row(kind.name, report.Number(played), report.Number(math.Round(f.ExpectOwn())), off(played, f.ExpectOwn()))
	}
	t.Write(out)

	fmt.Fprintf(out, "The formulas for %s workers and %s origins, operations a second; near there is room for\n%s policies:\n\n", report.Number(largeWorkers), report.Number(largeOrigins), report.Number(largeNear))
	t = report.Table{{"checks are", "checks", "Get", "TryLease", "Put", "fetches", "of an origin a day", "on their own, in an outage of 10 minutes"}}
	for _, kind := range kinds {
		f := kind.fleet(largeWorkers, largeOrigins)
		c := f.Expect(time.Second)
		f.Near, f.OutageFor = largeNear, 10*time.Minute
		t.Row(kind.name, report.Number(math.Round(c.Checks)), report.Number(math.Round(c.Gets)), report.Number(math.Round(c.Leases)),
			report.Number(math.Round(c.Puts)), report.Number(math.Round(c.Fetches)), fmt.Sprintf("%.2f", c.Fetches*day.Seconds()/largeOrigins),
			report.Number(math.Round(f.ExpectOwn())))
	}
	t.Write(out)
	return out.String(), nil
}

// A kind is how checks are spread.
type kind struct {
	name   string
	zipf   float64
	byHost bool
}

var kinds = []kind{
	{"uniform, by any worker", 0, false},
	{"uniform, by the host's worker", 0, true},
	{"Zipf, by any worker", 1, false},
	{"Zipf, by the host's worker", 1, true},
}

func (k kind) fleet(workers, origins int) model.Fleet {
	return model.Fleet{
		Workers: workers, Origins: origins, Checks: checksADay * float64(origins) / float64(workers) / day.Seconds(),
		Zipf: k.zipf, ByHost: k.byHost,
		NearAge: 10 * time.Minute, Life: day, Fetch: 500 * time.Millisecond,
	}
}

func (k kind) compare(w io.Writer, played, expected model.Counts) {
	t := report.Table{{k.name, "played", "by formula", "difference"}}
	for _, row := range []struct {
		name   string
		of, by float64
	}{
		{"checks", played.Checks, expected.Checks},
		{"Get", played.Gets, expected.Gets},
		{"TryLease", played.Leases, expected.Leases},
		{"of them refused", played.Refused, expected.Refused},
		{"Wait, with a PTTL", played.Waits, expected.Waits},
		{"Put", played.Puts, expected.Puts},
		{"requests at origins", played.Fetches, expected.Fetches},
	} {
		t.Row(row.name, report.Number(math.Round(row.of)), report.Number(math.Round(row.by)), off(row.of, row.by))
	}
	t.Write(w)
}

// off is how far what was played is from what was expected.
func off(played, expected float64) string {
	if expected < 10 { // too few to say
		return "–"
	}
	return fmt.Sprintf("%+.1f %%", 100*(played/expected-1))
}

// perDay is a day's part of what was counted.
func perDay(c model.Counts, days int) model.Counts {
	for _, count := range []*float64{&c.Checks, &c.Gets, &c.GetsHash, &c.Leases, &c.Refused, &c.Waits, &c.Puts, &c.Fetches, &c.Own} {
		*count /= float64(days)
	}
	return c
}
