// Package restyfetch makes HTTP exchanges with github.com/go-resty/resty: a
// ports.Fetcher for a crawler that may open sockets (RFC 9110, and SEMANTICS F
// for what counts as a whole answer).
//
// It is for whoever wires an application together; policy.Follow and the
// application behind it make a robots.txt of its single exchanges.
package restyfetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"unicode/utf8"

	"code.dny.dev/ssrf"

	"github.com/polite-crawler/polite/domain/charset"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/ports"
)

var _ ports.Fetcher = (*Fetcher)(nil)

// A Fetcher makes exchanges under one User-Agent. It is safe for concurrent use.
type Fetcher struct {
	userAgent string
	options   Options
	guard     *ssrf.Guardian
	open      route // to any address
	guarded   route // to public addresses only
	opened    *connections

	life    context.Context // until Close; what runs is bound to it as to its caller's
	end     context.CancelCauseFunc
	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

var (
	errClosed  = errors.New("the fetcher is closed")
	errTimeout = errors.New("no whole answer in time")
	errAgain   = errors.New("the server refused the request on a new connection")
	errProxied = errors.New("behind a proxy nobody knows which address is connected to")
)

// New returns a Fetcher that calls itself userAgent, which is sent exactly so.
func New(userAgent string, options Options) (*Fetcher, error) {
	return newFetcher(userAgent, options, nil, ssrf.New(ssrf.WithAnyPort()))
}

// newFetcher lets tests bring name servers of their own, and addresses that
// count as public.
func newFetcher(userAgent string, options Options, resolver *net.Resolver, guard *ssrf.Guardian) (*Fetcher, error) {
	if err := checkUserAgent(userAgent); err != nil {
		return nil, err
	}
	options, err := options.orDefault()
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancelCause(context.Background())
	// The guard comes after name resolution, at each address that is tried, so
	// that a name cannot show one address and then be another.
	dialer := net.Dialer{Timeout: options.DialTimeout, Resolver: resolver}
	guardedDialer := dialer
	guardedDialer.Control = guard.Safe
	opened := &connections{}
	return &Fetcher{
		userAgent: userAgent,
		options:   options,
		guard:     guard,
		open:      newRoute(options, opened.dialing(dialer)),
		guarded:   newRoute(options, opened.dialing(guardedDialer)),
		opened:    opened,
		life:      life,
		end:       end,
	}, nil
}

// Fetch makes one exchange. See ports.Fetcher.
func (f *Fetcher) Fetch(caller context.Context, request policy.Request) (policy.Response, error) {
	if !f.begin() {
		return policy.Response{}, local(errClosed)
	}
	defer f.running.Done()
	route, address, err := f.route(request)
	if err != nil {
		return policy.Response{}, err
	}

	ctx, abort := context.WithCancelCause(caller)
	defer abort(nil)
	defer context.AfterFunc(f.life, func() { abort(errClosed) })() //nolint:contextcheck // a second end besides the caller's
	ctx, cancel := context.WithTimeoutCause(ctx, f.options.Timeout, errTimeout)
	defer cancel()
	x := &exchange{proxied: f.options.Proxy != nil}
	hooks := x.trace(func() { abort(errAgain) })

	// The body is read here: resty's own limit returns nothing of a body that is
	// over it, where RFC 9309 §2.5 wants the first part parsed.
	get := route.client.R().
		SetContext(httptrace.WithClientTrace(ctx, hooks)).
		SetDoNotParseResponse(true).
		SetHeader("User-Agent", f.userAgent)
	conditions(request, func(name, value string) { get.SetHeader(name, value) })
	answer, err := get.Get(address)
	if err != nil {
		return policy.Response{}, x.failure(ctx, 0, err)
	}
	raw := answer.RawResponse
	// What is not read by then is never drained: it may have no end. The
	// connection is given up for it.
	defer raw.Body.Close()
	return f.response(ctx, x, raw)
}

// Close ends what is running, as a failure of our own, waits for it, and closes
// all connections. Fetch fails from then on. It returns nil.
func (f *Fetcher) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.end(errClosed)
	f.running.Wait()
	// A transport goes on dialing for a request that has been given up; this
	// stops it, too.
	f.open.transport.CloseIdleConnections()
	f.guarded.transport.CloseIdleConnections()
	f.opened.close()
	return nil
}

// begin counts an exchange in, unless f is closed.
func (f *Fetcher) begin() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.running.Add(1)
	}
	return !f.closed
}

// route chooses the way to the network that a request asks for, and the address
// to ask at: the URL without userinfo, which net/http would make a password of.
func (f *Fetcher) route(request policy.Request) (way route, address string, err error) {
	target, err := url.Parse(request.URL)
	if err != nil {
		return route{}, "", &policy.FetchError{Kind: policy.FailedProtocol, Err: bounded(err)}
	}
	if target.Scheme != "http" && target.Scheme != "https" || target.Hostname() == "" {
		err := fmt.Errorf("%.80q is not an http or https URL with a host", request.URL)
		return route{}, "", &policy.FetchError{Kind: policy.FailedProtocol, Err: err}
	}
	address = request.URL
	if target.User != nil {
		target.User = nil
		address = target.String()
	}
	switch public := request.PublicOnly || f.options.PublicOnly; {
	case public && f.options.Proxy != nil:
		return route{}, "", &policy.FetchError{Kind: policy.RefusedAddress, Err: errProxied}
	case public:
		return f.guarded, address, nil
	default:
		return f.open, address, nil
	}
}

// response makes a value of an answer whose header has come.
func (f *Fetcher) response(ctx context.Context, x *exchange, raw *http.Response) (policy.Response, error) {
	if raw.StatusCode == http.StatusProxyAuthRequired && x.proxied {
		// Our own proxy wants a password. As an answer it would be a 4xx, and
		// everything were allowed (F7).
		return policy.Response{}, &policy.FetchError{
			Kind: policy.FailedLocally, Local: true, Status: raw.StatusCode, Err: &proxyError{raw.StatusCode},
		}
	}
	response := policy.Response{Status: raw.StatusCode, Header: headerOf(raw.Header), Public: x.public(f.guard)}
	if !hasUse(raw.StatusCode) {
		return response, nil
	}
	octets, truncated, err := readBody(raw, f.options.MaxBytes)
	if err != nil {
		return policy.Response{}, x.failure(ctx, raw.StatusCode, err)
	}
	text, name := charset.Decode(octets, response.Header.ContentType, f.options.Charset)
	if len(text) > f.options.MaxBytes {
		text, truncated = cut(text, f.options.MaxBytes), true
	}
	response.Body, response.Truncated, response.Charset = text, truncated, name
	return response, nil
}

// hasUse reports whether the body of a status can be a robots.txt (F1). A 206
// was not asked for and is a part of something (F11).
func hasUse(status int) bool {
	return status >= 200 && status < 300 && status != http.StatusPartialContent
}

// cut cuts text at the limit, not within a character.
func cut(text []byte, limit int) []byte {
	for back := range utf8.UTFMax {
		if limit-back >= 0 && utf8.RuneStart(text[limit-back]) {
			return text[:limit-back]
		}
	}
	return text[:limit]
}
