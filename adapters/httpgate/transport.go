// Package httpgate makes any http.Client polite: a RoundTripper that asks a Gate
// before each request.
//
// It follows RFC 9309: what robots.txt disallows is not requested. Drop it into
// a crawler that already has an http.Client.
package httpgate

import (
	"errors"
	"net/http"

	"github.com/polite-crawler/polite/app"
)

var _ http.RoundTripper = (*Transport)(nil)

// A Transport sends a request only if the Gate allows its URL. As an http.Client
// calls it for every hop of a redirect, each hop is asked about by itself.
//
// Let the client send the User-Agent that the Gate was made with: robots.txt
// rules the crawler by that name.
type Transport struct {
	// Gate answers. Required.
	Gate *app.Gate
	// Base sends what is allowed; http.DefaultTransport.
	Base http.RoundTripper
}

// RoundTrip implements http.RoundTripper. A disallowed request gets an error for
// which errors.Is(err, app.ErrDisallowed) holds and that errors.As finds an
// *app.DisallowedError in; other errors are those of Gate.Check and of Base.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := t.ask(request); err != nil {
		if request.Body != nil {
			_ = request.Body.Close() // a RoundTripper closes it, also on errors; nothing was read
		}
		return nil, err
	}
	return t.base().RoundTrip(request)
}

func (t *Transport) ask(request *http.Request) error {
	if t.Gate == nil {
		return errors.New("httpgate: Transport.Gate is not set")
	}
	if request.URL == nil {
		return errors.New("httpgate: the request has no URL")
	}
	asked := *request.URL
	asked.User = nil // a password has no place in an error
	url := asked.String()
	decision, err := t.Gate.Check(request.Context(), url)
	if err != nil {
		return err
	}
	if !decision.Allowed {
		return &app.DisallowedError{URL: url, Decision: decision}
	}
	return nil
}

// CloseIdleConnections closes those of Base, so that http.Client's method of
// that name reaches them.
func (t *Transport) CloseIdleConnections() {
	if closer, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

func (t *Transport) base() http.RoundTripper {
	if t.Base != nil {
		return t.Base
	}
	return http.DefaultTransport
}
