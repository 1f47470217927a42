package polite_test

import (
	"crypto/tls"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/policy"
)

// What cannot be meant is refused, and the field is named.
func TestNewNamesTheFieldThatIsWrong(t *testing.T) {
	for field, config := range map[string]polite.Config{
		"UserAgent":            {},
		"Agents":               {UserAgent: "ExampleBot/1.0", Agents: []string{"not a token"}},
		"Profile":              {UserAgent: "ExampleBot/1.0", Profile: policy.Strict + 1},
		"Choices.OnForbidden":  {UserAgent: "ExampleBot/1.0", Choices: policy.Choices{OnForbidden: 9}},
		"Lifetimes.NotFound":   {UserAgent: "ExampleBot/1.0", Lifetimes: policy.Lifetimes{NotFound: -time.Hour}},
		"Lifetimes.Min":        {UserAgent: "ExampleBot/1.0", Lifetimes: policy.Lifetimes{Min: time.Hour, Max: time.Minute}},
		"Fetch.MaxFetches":     {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{MaxFetches: -1}},
		"Fetch.Budget":         {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{Budget: -1}},
		"Fetch.Budget: 2h":     {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{Budget: 2 * time.Hour}},
		"Fetch.Timeout: 1h":    {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{Timeout: time.Hour}},
		"Fetch.Budget: 30s":    {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{Budget: 30 * time.Second}},
		"Fetch.Budget: 2s":     {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{Budget: 2 * time.Second, Timeout: 3 * time.Second}},
		"Fetch.DialTimeout":    {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{DialTimeout: -1}},
		"Fetch.TLSTimeout":     {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{TLSTimeout: -1}},
		"Fetch.HeaderTimeout":  {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{HeaderTimeout: -1}},
		"Fetch.MaxHeaderBytes": {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{MaxHeaderBytes: -1}},
		"Fetch.MaxIdle":        {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{MaxIdle: -1}},
		"Fetch.IdleTime":       {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{IdleTime: -1}},
		"Fetch.Charset":        {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{Charset: "klingon"}},
		"Fetch.Proxy":          {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{Proxy: &url.URL{Scheme: "ftp", Host: "localhost"}}},
		"Fetch.PublicOnly":     {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{PublicOnly: true, Proxy: &url.URL{Scheme: "http", Host: "localhost"}}},
		"Fetch.MaxBytes":       {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{MaxBytes: -1}},
		"Fetch.Timeout":        {UserAgent: "ExampleBot/1.0", Fetch: polite.Fetch{Timeout: -time.Second}},
		"Store.Agents":         {UserAgent: "ExampleBot/1.0", Redis: "redis://localhost", Store: polite.Store{Agents: []string{"OtherBot"}}},
		"Store.Agents: ":       {UserAgent: "ExampleBot/1.0", Redis: "redis://localhost", Store: polite.Store{Filtered: true, Agents: []string{"not a token"}}},
		"Store.Filtered":       {UserAgent: "ExampleBot/1.0", Store: polite.Store{Filtered: true}},
		"Prefix":               {UserAgent: "ExampleBot/1.0", Redis: "redis://localhost", Prefix: "fleet{1}"},
		"RedisTLS":             {UserAgent: "ExampleBot/1.0", RedisTLS: &tls.Config{MinVersion: tls.VersionTLS13}},
		"CacheBytes":           {UserAgent: "ExampleBot/1.0", CacheBytes: -1},
		"NearBytes":            {UserAgent: "ExampleBot/1.0", NearBytes: -1},
		"NearAge":              {UserAgent: "ExampleBot/1.0", NearAge: -1},
	} {
		_, done, err := polite.New(t.Context(), config)
		if err == nil || !strings.Contains(err.Error(), "polite: Config."+field) || strings.Contains(err.Error(), "restyfetch") ||
			!strings.Contains(err.Error(), "; ") { // and the remedy
			t.Errorf("%s: %v", field, err)
		}
		if done != nil {
			done()
		}
	}
	for field, config := range map[string]polite.Config{
		"UserAgent":      {UserAgent: "ExampleBot/1.0\r\nX: y", Agents: []string{"ExampleBot"}},
		"Fetch.MaxBytes": {UserAgent: "ExampleBot/1.0", Redis: "redis://localhost", Fetch: polite.Fetch{MaxBytes: 16<<20 + 1}},
	} {
		_, _, err := polite.New(t.Context(), config)
		if err == nil || !strings.Contains(err.Error(), "Config."+field+":") || strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, address := range []string{"redis://localhost:99999", "redis://localhost:x", "localhost:6379", "http://localhost"} {
		if _, _, err := polite.New(t.Context(), polite.Config{UserAgent: "ExampleBot/1.0", Redis: address}); err == nil {
			t.Errorf("Redis %q: no error", address)
		}
	}
}

// C5 knows two modes; a number that is neither would pass for Closed.
func TestNewRefusesUnknownOutage(t *testing.T) {
	for _, row := range []struct {
		outage polite.Outage
		good   bool
	}{
		{polite.Local, true},
		{polite.Closed, true},
		{polite.Closed + 1, false},
		{255, false},
	} {
		gate, done, err := polite.New(t.Context(), polite.Config{UserAgent: "ExampleBot/1.0", Outage: row.outage})
		switch {
		case row.good && err != nil:
			t.Errorf("Outage %d: %v", row.outage, err)
		case !row.good && (err == nil || gate != nil || done != nil || !strings.Contains(err.Error(), "Config.Outage")):
			t.Errorf("Outage %d gave a Gate %v and the error %v, want one that names the field", row.outage, gate != nil, err)
		}
		if done != nil {
			done()
		}
	}
}
