package restyfetch

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestNewRefuses(t *testing.T) {
	link := func(text string) *url.URL {
		parsed, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, row := range []struct {
		name      string
		userAgent string
		options   Options
		says      string
	}{
		{"no user agent", "", Options{}, "UserAgent"},
		{"a blank user agent", " ", Options{}, "UserAgent"},
		{"a user agent that starts with a space", " Bot/1.0", Options{}, "UserAgent"},
		{"a user agent with a line end", "Bot/1.0\r\nX: y", Options{}, "UserAgent"},
		{"a user agent with a zero", "Bot\x00", Options{}, "UserAgent"},
		{"MaxIdle", agent, Options{MaxIdle: -7}, "MaxIdle: -7 is negative; leave it at 0 for its default, 256"},
		{"IdleTime", agent, Options{IdleTime: -time.Second}, "IdleTime: -1s is negative; leave it at 0 for its default, 5s"},
		{"MaxBytes", agent, Options{MaxBytes: -1}, "MaxBytes"},
		{"MaxHeaderBytes", agent, Options{MaxHeaderBytes: -1}, "MaxHeaderBytes"},
		{"DialTimeout", agent, Options{DialTimeout: -1}, "DialTimeout"},
		{"TLSTimeout", agent, Options{TLSTimeout: -1}, "TLSTimeout"},
		{"HeaderTimeout", agent, Options{HeaderTimeout: -1}, "HeaderTimeout"},
		{"Timeout", agent, Options{Timeout: -1}, "Timeout"},
		{"an unknown charset", agent, Options{Charset: "klingon"}, "klingon"},
		{"a charset that is never decoded", agent, Options{Charset: "iso-2022-kr"}, "iso-2022-kr"},
		{"PublicOnly with a proxy", agent, Options{PublicOnly: true, Proxy: link("http://127.0.0.1:3128")}, "PublicOnly"},
		{"a proxy of another scheme", agent, Options{Proxy: link("ftp://user:secret@127.0.0.1:3128")}, "ftp"},
		{"a proxy without a host", agent, Options{Proxy: link("http:///path")}, "host"},
	} {
		fetcher, err := New(row.userAgent, row.options)
		var refused *OptionError
		switch {
		case err != nil && (!errors.As(err, &refused) || !strings.Contains(err.Error(), refused.Field) || !strings.Contains(err.Error(), "; ")):
			t.Errorf("%s: error %q is not an OptionError that names the field and a remedy", row.name, err)
		case err == nil:
			t.Errorf("%s: no error", row.name)
			_ = fetcher.Close()
		case !strings.Contains(err.Error(), row.says):
			t.Errorf("%s: error %q does not mention %s", row.name, err, row.says)
		case strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: error %q tells the proxy's password", row.name, err)
		}
	}
}

// SEMANTICS F, "options with these defaults".
func TestDefaults(t *testing.T) {
	fetcher := made(t, Options{})
	want := Options{
		MaxBytes: 512 << 10, DialTimeout: 5 * time.Second, TLSTimeout: 5 * time.Second, HeaderTimeout: 10 * time.Second,
		Timeout: 30 * time.Second, MaxHeaderBytes: 64 << 10, MaxIdle: 256, IdleTime: 5 * time.Second,
	}
	if fetcher.options != want {
		t.Errorf("the defaults are %+v, want %+v", fetcher.options, want)
	}
	for name, transport := range map[string]route{"open": fetcher.open, "guarded": fetcher.guarded} {
		got := transport.transport
		if got.TLSHandshakeTimeout != want.TLSTimeout || got.ResponseHeaderTimeout != want.HeaderTimeout ||
			got.MaxResponseHeaderBytes != int64(want.MaxHeaderBytes) || got.MaxIdleConns != 256 || got.MaxIdleConnsPerHost != 1 ||
			got.IdleConnTimeout != 5*time.Second || got.Proxy != nil || got.TLSClientConfig.InsecureSkipVerify {
			t.Errorf("the %s transport does not have the options: %+v", name, got)
		}
		if transport.client.RetryCount != 0 || transport.client.GetClient().Jar != nil {
			t.Errorf("the %s client retries or keeps cookies", name)
		}
	}
}

// The environment's proxies are the environment's: this library reads none.
func TestNoProxyFromTheEnvironment(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://"+closedPort(t))
	t.Setenv("http_proxy", "http://"+closedPort(t))
	server := serve(t, "127.0.0.2:0", text("")) // net/http never uses one for 127.0.0.1
	get(t, made(t, Options{}), server.URL)
}
