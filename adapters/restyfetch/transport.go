package restyfetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/go-resty/resty/v2"
)

// A route is a way to the network with a pool of its own. The guarded way must
// not share one: a pooled connection has passed the dialer already.
type route struct {
	client    *resty.Client
	transport *http.Transport
}

func newRoute(options Options, dial func(context.Context, string, string) (net.Conn, error)) route {
	transport := &http.Transport{
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{RootCAs: options.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    options.TLSTimeout,
		ResponseHeaderTimeout:  options.HeaderTimeout,
		MaxResponseHeaderBytes: int64(options.MaxHeaderBytes),
		MaxIdleConns:           options.MaxIdle,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        options.IdleTime,
		ForceAttemptHTTP2:      true, // a dialer of one's own turns it off
	}
	if options.Proxy != nil {
		transport.Proxy = http.ProxyURL(options.Proxy)
		transport.OnProxyConnectResponse = checkConnect
	}
	// resty.New would bring a cookie jar and the environment's proxies. Its
	// retries are off unless asked for.
	client := resty.NewWithClient(&http.Client{Transport: finalTransport{transport}})
	client.SetLogger(silence{})
	return route{client: client, transport: transport}
}

// finalTransport hides Location from http.Client: that would take an answer
// with one that is no URL for an error, and only gives up following the others
// when told to.
type finalTransport struct{ next http.RoundTripper }

// hiddenLocation is a spelling that net/http never makes of a received name.
const hiddenLocation = "location"

func (t finalTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if values, found := response.Header["Location"]; found {
		delete(response.Header, "Location")
		response.Header[hiddenLocation] = values
	}
	return response, nil
}

// checkConnect gives a proxy's refusal to connect a type of its own, and a text
// that is not the proxy's.
func checkConnect(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode != http.StatusOK {
		return &proxyError{status: response.StatusCode}
	}
	return nil
}

type proxyError struct{ status int }

func (e *proxyError) Error() string { return fmt.Sprintf("the proxy answered %d", e.status) }

// silence is a logger: adapters return errors and log nothing.
type silence struct{}

func (silence) Errorf(string, ...any) {}
func (silence) Warnf(string, ...any)  {}
func (silence) Debugf(string, ...any) {}
