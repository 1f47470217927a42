package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// choose takes the parts that are asked for.
func (b *bench) choose(list string) error {
	if list == "" {
		return nil
	}
	b.parts = strings.Split(list, ",")
	for _, part := range b.parts {
		if !slices.Contains(partNames, part) {
			return fmt.Errorf("there is no part %q; there are %s", part, strings.Join(partNames, ", "))
		}
	}
	return nil
}

// run measures everything that was asked for.
func (b *bench) run(ctx context.Context) (r *results, err error) {
	r = &results{sizes: b.sizes, seed: b.seed}
	for _, part := range []struct {
		name    string
		measure func() error
	}{
		{partHot, func() (err error) { r.hot, err = b.hot(ctx); return }},
		{partCold, func() (err error) { r.cold, err = b.cold(ctx); return }},
		{partKilled, func() (err error) { r.killed, err = b.killed(ctx); return }},
		{partLatency, func() (err error) { r.delays, err = b.latency(ctx); return }},
		{partRates, func() (err error) { r.rates, err = b.rates(ctx); return }},
		{partCosts, func() (err error) { r.costs, err = b.costs(ctx); return }},
	} {
		if len(b.parts) > 0 && !slices.Contains(b.parts, part.name) {
			continue
		}
		b.log("%s", part.name)
		err := part.measure()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return r, nil
}

func (b *bench) log(format string, values ...any) {
	fmt.Fprintln(b.progress, time.Now().Format(time.TimeOnly), fmt.Sprintf(format, values...))
}
