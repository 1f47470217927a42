package polite

import (
	"bytes"
	"crypto/x509"
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// Every option of the parts that fetch is a field of Config and gets there: of a
// Config in which every field says something, none of their fields says nothing.
func TestEveryLimitOfAFetchIsInConfig(t *testing.T) {
	config := Config{
		UserAgent: "ExampleBot/1.0",
		Agents:    []string{"ExampleBot"},
		Profile:   policy.Strict,
		Choices:   policy.Choices{OnForbidden: policy.ForbiddenAllow, OnTooLong: policy.TooLongUnreachable, OnLongUnreachable: policy.LongUnreachableUnavailable},
		Lifetimes: policy.Lifetimes{Min: 1, Max: 2, NotFound: 3, Unavailable: 4, SoftNotFound: 5, LastGoodMax: 6},
		Fetch: Fetch{
			MaxBytes: 1, MaxRedirects: 2, MaxFetches: 3, Charset: "koi8-r", Budget: 4 * time.Minute, Timeout: 5, DialTimeout: 6, TLSTimeout: 7,
			HeaderTimeout: 8, MaxHeaderBytes: 9, MaxIdle: 10, IdleTime: 11, PublicOnly: true, RootCAs: x509.NewCertPool(), Proxy: &url.URL{Scheme: "http"},
		},
	}
	for name, value := range map[string]reflect.Value{"Config.Fetch": reflect.ValueOf(config.Fetch), "restyfetch.Options": reflect.ValueOf(fetchOptions(config))} {
		for i := range value.NumField() {
			if value.Field(i).IsZero() {
				t.Errorf("%s.%s has no value", name, value.Type().Field(i).Name)
			}
		}
	}
	options, err := newOptions(config)
	if err != nil {
		t.Fatal(err)
	}
	if options.Profile != config.Profile || options.Choices != config.Choices || options.Lifetimes != config.Lifetimes || options.MaxRedirects != 2 ||
		options.MaxFetches != 3 || options.FetchBudget != 4*time.Minute || !options.PublicOnly {
		t.Errorf("the Gate gets %+v", options)
	}
	if got := fetchOptions(config); got.Timeout != 5 || got.DialTimeout != 6 || got.TLSTimeout != 7 || got.HeaderTimeout != 8 || got.MaxHeaderBytes != 9 ||
		got.MaxIdle != 10 || got.IdleTime != 11 || got.MaxBytes != 1 {
		t.Errorf("the Fetcher gets %+v", got)
	}
}

// C7: a store full of what cannot be read is news, and not one line for each
// value; hooks count them all.
func TestWhatCannotBeReadIsSaidSparingly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		told := 0
		say := onCorrupt(Config{
			Logger: zerolog.New(&log).Level(zerolog.InfoLevel),
			Hooks:  Hooks{Undecodable: func(site.Origin, error) { told++ }},
		})
		for range 2 {
			for range 1000 {
				say(site.Origin{}, errors.New("of another version"))
			}
			time.Sleep(time.Minute)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 2 || told != 2000 {
			t.Errorf("%d lines and %d told, want a line a minute and 2000:\n%.300s", lines, told, &log)
		}
	})
}
