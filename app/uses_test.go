package app_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/app"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
)

const usageRules = "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open train-ai=y\nLicense: https://example.com/l\nDisallow:\n" +
	"User-agent: OtherBot\nContent-Signal: search=no\n"

// uses asks and writes the answer as "no 2".
func uses(t *testing.T, gate *app.Gate, url string, purpose policy.Purpose) string {
	t.Helper()
	use, err := gate.Uses(t.Context(), url, purpose)
	if err != nil {
		return err.Error()
	}
	if use.Permission == policy.NotSaid {
		return ""
	}
	return use.Permission.String() + " " + string(rune('0'+use.Record.Line))
}

// U1, A7: by the file that decides about fetching, as the Gate reads it.
func TestUses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(map[string]page{robotsURL: text(usageRules)})
		gate := newGate(t, app.Ports{Fetcher: w, Cache: newStore(t)})
		other, err := gate.As("OtherBot")
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range []struct {
			gate    *app.Gate
			url     string
			purpose policy.Purpose
			want    string
		}{
			{gate, private, policy.TrainAI, "no 2"},
			{gate, open, policy.TrainAI, "yes 3"},
			{gate, open, policy.Search, ""},
			{other, open, policy.Search, "no 7"},
			{other, open, policy.TrainAI, ""},
		} {
			if got := uses(t, row.gate, row.url, row.purpose); got != row.want {
				t.Errorf("%s, %s, %s: %q, want %q", row.gate.Agents(), row.url, row.purpose, got, row.want)
			}
		}
		usage, err := gate.Usage(t.Context(), open)
		if err != nil || usage.Empty() || strings.Join(usage.Licenses(), " ") != "https://example.com/l" {
			t.Errorf("Usage = %+v, %v", usage, err)
		}
		if n := w.requests(); n != 1 {
			t.Errorf("%d requests for robots.txt, want 1", n)
		}
	})
}

// U5: where no file decides, nothing is said; a last good copy that decides does
// say it.
func TestUsesWithoutAFile(t *testing.T) {
	for name, answer := range map[string]page{
		"404": status(404), "403": status(403), "HTML": text("<html><p>Content-Usage: train-ai=n"), "500": status(500), "empty": text(""),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := newGate(t, app.Ports{Fetcher: newWeb(map[string]page{robotsURL: answer}), Cache: newStore(t)})
				if got := uses(t, gate, open, policy.TrainAI); got != "" {
					t.Errorf("%q, want nothing", got)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(map[string]page{robotsURL: text(usageRules)})
		gate := newGate(t, app.Ports{Fetcher: w, Cache: newStore(t)})
		uses(t, gate, private, policy.TrainAI)
		w.set(robotsURL, status(500))
		time.Sleep(25 * time.Hour)
		if got := uses(t, gate, private, policy.TrainAI); got != "no 2" {
			t.Errorf("by the last good copy: %q", got)
		}
		if d, err := gate.Check(t.Context(), private); err != nil || !d.Stale {
			t.Errorf("the copy is not stale: %v (%v)", d, err)
		}
	})
}

// U5: a text that is not at hand is an error, and the file that another worker
// has stored meanwhile is as good.
func TestUsesWithoutTheText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb(map[string]page{robotsURL: text(usageRules)})
		store := &outage{Store: newStore(t)}
		gate := newGate(t, app.Ports{Fetcher: w, Cache: store})
		if got := uses(t, gate, private, policy.TrainAI); got != "no 2" {
			t.Fatalf("%q", got)
		}
		store.down.Store(true)
		if _, err := gate.Check(t.Context(), private); err != nil {
			t.Fatalf("what is near is gone: %v", err)
		}
		if _, err := gate.Uses(t.Context(), private, policy.TrainAI); !errors.Is(err, ports.ErrUnavailable) || app.ErrorKind(err) != "store-unavailable" {
			t.Errorf("the store is down: %v", err)
		}
		store.down.Store(false)

		origin, err := site.ParseOrigin(open)
		if err != nil {
			t.Fatal(err)
		}
		known, err := store.Get(t.Context(), origin, policy.Hash{})
		if err != nil {
			t.Fatal(err)
		}
		next := policy.Next(known, policy.Answer{
			Origin: origin, At: time.Now(), Response: policy.Response{Status: 200, Body: []byte("User-agent: *\n\nContent-Usage: train-ai=n\n")},
		}, policy.Lifetimes{})
		if _, err := store.Put(t.Context(), next, time.Hour); err != nil {
			t.Fatal(err)
		}
		if got := uses(t, gate, private, policy.TrainAI); got != "no 3" {
			t.Errorf("by what another worker stored: %q", got)
		}
	})
}

func TestUsesErrors(t *testing.T) {
	gate := newGate(t, app.Ports{Fetcher: example(), Cache: newStore(t)})
	var parse *site.ParseError
	if _, err := gate.Uses(t.Context(), "ftp://example.com/", policy.Search); !errors.As(err, &parse) {
		t.Errorf("a bad URL: %v", err)
	}
	if _, err := gate.Usage(t.Context(), ""); !errors.As(err, &parse) {
		t.Errorf("no URL: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gate.Uses(ctx, open, policy.Search); !errors.Is(err, context.Canceled) {
		t.Errorf("a done context: %v", err)
	}
	gate.Close()
	if _, err := gate.Uses(t.Context(), open, policy.Search); !errors.Is(err, app.ErrClosed) {
		t.Errorf("a closed Gate: %v", err)
	}
}
