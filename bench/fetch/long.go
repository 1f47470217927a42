package main

import (
	"context"
	"time"

	"github.com/polite-crawler/polite/adapters/restyfetch"
	"github.com/polite-crawler/polite/domain/policy"
)

// A moment is what the process holds at some time of the long run.
type moment struct {
	when string
	held census
}

// measureLongRun fetches from very many origins, once each, and looks at what is
// left of it.
func measureLongRun(ctx context.Context, p plan) ([]moment, error) {
	w, err := startWeb(0)
	if err != nil {
		return nil, err
	}
	defer w.stop()
	options := restyfetch.Options{IdleTime: time.Second}
	fetcher, err := restyfetch.New(agent, options)
	if err != nil {
		return nil, err
	}
	ask := func(ctx context.Context, origin string) error {
		_, err := fetcher.Fetch(ctx, policy.Request{URL: origin + "/robots.txt"})
		return err
	}
	if err := askAll(ctx, w, ask, p.wide, p.wide); err != nil { // what is there once and for all
		return nil, err
	}
	time.Sleep(2 * options.IdleTime)
	moments := []moment{{"before", takeCensus()}}
	most := mostSockets()
	err = askAll(ctx, w, ask, p.fetches, p.wide)
	sockets := most()
	if err != nil {
		return nil, err
	}
	at := takeCensus()
	moments = append(moments, moment{"at most, meanwhile", census{sockets: sockets}}, moment{"right after", at})
	time.Sleep(2 * options.IdleTime)
	moments = append(moments, moment{"when the idle time is over", takeCensus()})
	_ = fetcher.Close()
	return append(moments, moment{"closed", takeCensus()}), nil
}
