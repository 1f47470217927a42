package restyfetch

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/polite-crawler/polite/domain/charset"
)

// DefaultTimeout bounds an exchange for which Options name no other.
const DefaultTimeout = 30 * time.Second

// Options bound a Fetcher and say how it reaches the network. The zero value is
// what SEMANTICS F asks for.
type Options struct {
	// MaxBytes cuts a body, once content codings are undone and once more after
	// it has become UTF-8. Under 500 KiB is less than RFC 9309 §2.5 allows, so
	// ask for it only where that is meant; 512 KiB.
	MaxBytes int
	// Charset is what a body is taken for whose Content-Type names none: a label
	// that charset.Valid knows, or "binary"; "utf-8".
	Charset string

	// DialTimeout bounds name resolution and TCP together; 5 s.
	DialTimeout time.Duration
	// TLSTimeout bounds the handshake; 5 s.
	TLSTimeout time.Duration
	// HeaderTimeout bounds the wait for the whole header, from the end of the
	// request on; 10 s.
	HeaderTimeout time.Duration
	// Timeout bounds the exchange from the first look-up to the last octet of
	// the body; 30 s.
	Timeout time.Duration
	// MaxHeaderBytes bounds the header of an answer; 64 KiB.
	MaxHeaderBytes int
	// MaxIdle bounds the idle connections of each of the two ways to the network,
	// the open and the guarded one. Most hosts are asked once and not again for
	// hours: it is the next hop of a redirect that they are kept for, one for each
	// host; 256.
	MaxIdle int
	// IdleTime is how long an idle connection is kept; 5 s.
	IdleTime time.Duration

	// PublicOnly guards every request as if it had asked for it: for a crawler of
	// the open web, which has no business in private networks; only requests that
	// ask are guarded.
	PublicOnly bool
	// RootCAs replaces the authorities that vouch for servers; the system's.
	RootCAs *x509.CertPool
	// Proxy is an http, https, socks5 or socks5h proxy for every request. It is
	// the proxy who connects then, so there is no guard here: requests with
	// PublicOnly fail, answers never count as coming from a public address, and
	// it is the proxy that has to refuse private addresses; none, whatever the
	// environment says.
	Proxy *url.URL
}

// An OptionError says which of the arguments of New cannot be meant.
type OptionError struct {
	Field string // of Options; "UserAgent" for the other argument
	Err   error  // the value, what is wrong with it, and what to do
}

func (e *OptionError) Error() string { return "restyfetch: " + e.Field + ": " + e.Err.Error() }
func (e *OptionError) Unwrap() error { return e.Err }

// orDefault checks o and fills in the defaults.
func (o Options) orDefault() (Options, error) {
	for _, field := range []struct {
		name      string
		value     *time.Duration
		otherwise time.Duration
	}{
		{"DialTimeout", &o.DialTimeout, 5 * time.Second},
		{"TLSTimeout", &o.TLSTimeout, 5 * time.Second},
		{"HeaderTimeout", &o.HeaderTimeout, 10 * time.Second},
		{"Timeout", &o.Timeout, DefaultTimeout},
		{"IdleTime", &o.IdleTime, 5 * time.Second},
	} {
		if err := orDefault(field.name, field.value, field.otherwise); err != nil {
			return o, err
		}
	}
	for _, field := range []struct {
		name      string
		value     *int
		otherwise int
	}{
		{"MaxBytes", &o.MaxBytes, 512 << 10},
		{"MaxHeaderBytes", &o.MaxHeaderBytes, 64 << 10},
		{"MaxIdle", &o.MaxIdle, 256},
	} {
		if err := orDefault(field.name, field.value, field.otherwise); err != nil {
			return o, err
		}
	}
	if err := charset.Valid(o.Charset); err != nil {
		return o, &OptionError{"Charset", fmt.Errorf("%w; use a label like utf-8, windows-1252 or shift_jis, or binary", err)}
	}
	return o, o.checkProxy()
}

// checkProxy never repeats what may hold a password.
func (o Options) checkProxy() error {
	if o.Proxy == nil {
		return nil
	}
	switch o.Proxy.Scheme {
	case "http", "https", "socks5", "socks5h":
	default:
		return &OptionError{"Proxy", fmt.Errorf("the scheme %.40q is not that of a proxy; use http, https, socks5 or socks5h", o.Proxy.Scheme)}
	}
	if o.Proxy.Hostname() == "" {
		return &OptionError{"Proxy", errors.New("it has no host; write it as http://host:port")}
	}
	if o.PublicOnly {
		return &OptionError{"PublicOnly", errors.New("it cannot be kept through a Proxy, which is what connects; leave one out, and let the proxy refuse private addresses")}
	}
	return nil
}

func orDefault[N int | time.Duration](name string, value *N, otherwise N) error {
	if *value < 0 {
		return &OptionError{name, fmt.Errorf("%v is negative; leave it at 0 for its default, %v", *value, otherwise)}
	}
	if *value == 0 {
		*value = otherwise
	}
	return nil
}

// checkUserAgent refuses what could not be sent exactly as given.
func checkUserAgent(userAgent string) error {
	if strings.Trim(userAgent, " \t") != userAgent || userAgent == "" || !sendable(userAgent) {
		return &OptionError{"UserAgent", fmt.Errorf(
			`%.80q is empty, starts or ends with a space, or has a control character; use what the crawler sends, like "ExampleBot/1.0 (+https://example.com/bot)"`, userAgent)}
	}
	return nil
}
