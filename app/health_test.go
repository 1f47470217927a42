package app_test

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

// half is a Cache of which a part is down: one node of a Cluster.
type half struct{ *outage }

func (h half) Get(ctx context.Context, origin site.Origin, have policy.Hash) (*policy.Snapshot, error) {
	if strings.HasPrefix(origin.Host(), "down") {
		return nil, errDown
	}
	return h.outage.Get(ctx, origin, have)
}

// C5: a store of which a part is down is one piece of news, not one for each
// request.
func TestAPartOfTheStoreIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		changes := 0
		store := half{&outage{Store: newStore(t)}}
		adapters := app.Ports{Fetcher: newWeb(map[string]page{}), Cache: store, Leaser: store, Fallback: newStore(t)}
		gate := newGate(t, adapters, func(o *app.Options) {
			o.Logger = zerolog.New(&log).Level(zerolog.InfoLevel)
			o.Hooks.Shared = func(error) { changes++ }
		})
		for i := range 100 {
			check(t, gate, "https://up"+strconv.Itoa(i)+".example/", true)
			check(t, gate, "https://down"+strconv.Itoa(i)+".example/", true)
		}
		if got := strings.Count(log.String(), "\n"); got != 1 || changes != 1 {
			t.Errorf("%d lines and %d changes, want one:\n%.400s", got, changes, &log)
		}
		time.Sleep(time.Minute)
		check(t, gate, "https://up.example/", true)
		if changes != 2 {
			t.Errorf("%d changes once all goes well again, want 2", changes)
		}
	})
}

// Every change for the worse is followed by one for the better.
func TestNewsAreInPairs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var changes []error
		store := &outage{Store: newStore(t)}
		gate := newGate(t, local(t, example(), store), func(o *app.Options) {
			o.Hooks.Shared = func(err error) { changes = append(changes, err) }
		})
		store.down.Store(true)
		check(t, gate, private, false)
		if err := gate.Purge(t.Context(), private); !errors.Is(err, ports.ErrUnavailable) {
			t.Errorf("Purge = %v, want ErrUnavailable", err)
		}
		store.down.Store(false)
		time.Sleep(time.Minute)
		check(t, gate, private, false)
		if err := gate.Purge(t.Context(), private); err != nil {
			t.Error(err)
		}
		check(t, gate, private, false)
		if len(changes) != 2 || changes[0] == nil || changes[1] != nil {
			t.Errorf("Hooks.Shared heard %v, want one outage and its end", changes)
		}
	})
}

// Fetch.Stored is false for what stayed in this worker.
func TestFetchSaysWhetherItWasStored(t *testing.T) {
	for name, row := range map[string]struct {
		prepare func(*outage)
		want    bool
	}{
		"the store takes it":   {func(*outage) {}, true},
		"it refuses writes":    {func(o *outage) { o.readOnly.Store(true) }, false},
		"it is down":           {func(o *outage) { o.down.Store(true) }, false},
		"it refuses what came": {func(o *outage) { o.putError = errDown }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var fetches []app.Fetch
				store := &outage{Store: newStore(t)}
				row.prepare(store)
				gate := newGate(t, local(t, example(), store), func(o *app.Options) {
					o.Hooks.Fetched = func(f app.Fetch) { fetches = append(fetches, f) }
				})
				check(t, gate, private, false)
				if len(fetches) != 1 || fetches[0].Stored != row.want {
					t.Errorf("fetches = %+v, want one, Stored %v", fetches, row.want)
				}
			})
		})
	}
}

// A store that is slow is a store that is unavailable, and not the caller's own
// time that ran out.
func TestErrorKindOfASlowStore(t *testing.T) {
	err := errors.Join(ports.ErrUnavailable, context.DeadlineExceeded)
	if got := app.ErrorKind(err); got != "store-unavailable" {
		t.Errorf("ErrorKind = %s", got)
	}
}
