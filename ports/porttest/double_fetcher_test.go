package porttest_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/polite-crawler/polite/domain/charset"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/ports"
	"github.com/polite-crawler/polite/ports/porttest"
)

// A plainFetcher is a Fetcher made of package net/http alone, sound but for the
// fault that it was given. It tells public addresses by a rough rule.
type plainFetcher struct {
	settings porttest.FetcherSettings
	fault    string
	open     *http.Client
	guarded  *http.Client

	mu   sync.Mutex
	last []byte // of another exchange
}

func openPlain(fault string) porttest.OpenFetcher {
	return func(t porttest.T, settings porttest.FetcherSettings) ports.Fetcher {
		f := &plainFetcher{settings: settings, fault: fault, open: plainClient(settings, fault), guarded: plainClient(settings, fault)}
		if fault == "the guard shares a pool" {
			f.guarded = f.open
		}
		t.Cleanup(f.open.CloseIdleConnections)
		t.Cleanup(f.guarded.CloseIdleConnections)
		return f
	}
}

var errPrivate = errors.New("not a public address")

// A guarding context makes the dialer refuse what is not public.
type guarding struct{}

func refusePrivate(ctx context.Context, _, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	if ctx.Value(guarding{}) != nil && (err != nil || ip.IsLoopback() || ip.IsPrivate() || ip.IsUnspecified()) {
		return errPrivate
	}
	return nil
}

func plainClient(settings porttest.FetcherSettings, fault string) *http.Client {
	dialer := net.Dialer{ControlContext: refusePrivate}
	secure := &tls.Config{RootCAs: settings.RootCAs, InsecureSkipVerify: fault == "certificates are not verified"}
	if fault == "no authority is added" {
		secure.RootCAs = nil
	}
	dial := dialer.DialContext
	if fault == "IPv6 is not spoken" {
		dial = func(ctx context.Context, _, address string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp4", address)
		}
	}
	client := &http.Client{Transport: noRedirects{fault, &http.Transport{
		DialContext:            dial,
		TLSClientConfig:        secure,
		ForceAttemptHTTP2:      true,
		DisableCompression:     fault == "codings stay undone",
		MaxResponseHeaderBytes: 64 << 10,
	}}}
	if fault == "cookies are kept" {
		client.Jar, _ = cookiejar.New(nil)
	}
	return client
}

// noRedirects hides Location from http.Client.
type noRedirects struct {
	fault string
	*http.Transport
}

func (n noRedirects) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := n.Transport.RoundTrip(r)
	if n.fault == "every failure is tried again" && err != nil && r.Context().Err() == nil {
		response, err = n.Transport.RoundTrip(r)
	}
	if err == nil && n.fault != "redirects are followed" {
		response.Header.Set("X-Location", response.Header.Get("Location"))
		response.Header.Del("Location")
	}
	return response, err
}

func (f *plainFetcher) Fetch(caller context.Context, request policy.Request) (policy.Response, error) {
	response, err := f.fetch(caller, request)
	if err == nil && f.fault == "a status of 4xx or 5xx is an error" && response.Status >= 400 {
		err = &policy.FetchError{Kind: policy.FailedProtocol, Status: response.Status}
	}
	if err == nil {
		return response, nil
	}
	switch f.fault {
	case "errors are plain":
		return policy.Response{}, errors.Unwrap(err)
	case "a broken answer comes with its error":
		return response, err
	case "a partial body is whole":
		if response.Body != nil {
			return response, nil
		}
	case "all failures are ours", "no failure is ours":
		var failure *policy.FetchError
		errors.As(err, &failure)
		failure.Local = f.fault == "all failures are ours"
	}
	return policy.Response{}, err
}

func (f *plainFetcher) fetch(caller context.Context, request policy.Request) (response policy.Response, err error) {
	ctx := caller
	if f.fault != "time has no limit" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(caller, f.settings.Timeout, errOverdue)
		defer cancel()
	}
	client := f.open
	if request.PublicOnly && f.fault != "PublicOnly is overlooked" {
		client, ctx = f.guarded, context.WithValue(ctx, guarding{}, true)
	}
	get, err := http.NewRequestWithContext(ctx, http.MethodGet, request.URL, nil)
	if err != nil {
		return response, &policy.FetchError{Kind: policy.FailedProtocol, Err: err}
	}
	f.fillIn(get, request)
	answer, err := client.Do(get)
	if err != nil {
		return response, plainFailure(ctx, policy.FailedProtocol, err)
	}
	defer answer.Body.Close()
	response = policy.Response{Status: answer.StatusCode, Header: f.header(answer.Header), Public: f.fault == "every address is public"}
	if f.fault != "every status has a body" && (answer.StatusCode/100 != 2 || answer.StatusCode == http.StatusPartialContent) {
		return response, nil
	}
	return f.read(ctx, answer, response)
}

var errOverdue = errors.New("took too long")

func (f *plainFetcher) fillIn(get *http.Request, request policy.Request) {
	get.Header.Set("User-Agent", f.settings.UserAgent)
	if f.fault != "userinfo is a password" {
		get.URL.User = nil
	}
	switch f.fault {
	case "the User-Agent is another":
		get.Header.Set("User-Agent", f.settings.UserAgent+" (plain)")
	case "the query is put in order":
		get.URL.RawQuery = get.URL.Query().Encode()
	}
	if v := request.Validators; v.URL == request.URL || f.fault == "validators go anywhere" {
		if v.ETag != "" {
			get.Header.Set("If-None-Match", v.ETag)
		}
		if v.LastModified != "" {
			get.Header.Set("If-Modified-Since", v.LastModified)
		}
	}
}

func (f *plainFetcher) header(sent http.Header) policy.Header {
	header := policy.Header{
		Age: sent.Get("Age"), CacheControl: strings.Join(sent.Values("Cache-Control"), ", "), ContentType: sent.Get("Content-Type"),
		Date: sent.Get("Date"), ETag: sent.Get("ETag"), Expires: sent.Get("Expires"), LastModified: sent.Get("Last-Modified"),
		Location: sent.Get("X-Location"), RetryAfter: sent.Get("Retry-After"),
	}
	if sent.Get("CF-Mitigated") == "challenge" {
		header.Challenge = "cf-mitigated: challenge"
	}
	switch f.fault {
	case "the first of several field lines is all":
		header.CacheControl = sent.Get("Cache-Control")
	case "a challenge is overlooked":
		header.Challenge = ""
	}
	return header
}

func (f *plainFetcher) read(ctx context.Context, answer *http.Response, response policy.Response) (policy.Response, error) {
	limit := f.settings.MaxBytes
	if f.fault == "a body has no limit" {
		limit = 4 << 20
	}
	from := io.Reader(answer.Body)
	if f.fault == "a body is read whole, then cut" {
		whole, _ := io.ReadAll(from)
		from = bytes.NewReader(whole)
	}
	body, err := io.ReadAll(io.LimitReader(from, int64(limit)+1))
	if coding := f.codingOf(answer, body); coding != "" {
		return response, &policy.FetchError{Kind: policy.FailedCoding, Status: answer.StatusCode, Err: fmt.Errorf("content coding %q", coding)}
	}
	if len(body) > limit || len(body) == limit && (err != nil || f.fault == "a body at the limit is marked") {
		body, response.Truncated, err = body[:limit], f.fault != "a cut is not marked", nil
	}
	response.Body, response.Charset = body, "utf-8"
	if f.fault != "octets are taken for UTF-8" {
		fallback := f.settings.Charset
		if f.fault == "the default charset is overlooked" {
			fallback = ""
		}
		response.Body, response.Charset = charset.Decode(body, response.Header.ContentType, fallback)
	}
	if len(response.Body) > limit && f.fault != "the limit is one of octets" {
		response.Body, response.Truncated = bytes.ToValidUTF8(response.Body[:limit], nil), true
	}
	if len(response.Body) == 0 && f.fault == "an empty body is nil" {
		response.Body = nil
	}
	if f.fault == "answers are mixed up" {
		response.Body = f.swap(response.Body)
	}
	if err != nil {
		return response, plainFailure(ctx, policy.FailedBody, err)
	}
	return response, nil
}

// codingOf returns the coding that body still has, which this Fetcher refuses.
func (f *plainFetcher) codingOf(answer *http.Response, body []byte) string {
	coding := answer.Header.Get("Content-Encoding")
	switch {
	case f.fault == "codings stay undone", len(body) == 0, coding == "identity":
		return ""
	case answer.Uncompressed && bytes.HasPrefix(body, []byte{0x1F, 0x8B}) && f.fault != "gzip is undone once":
		return "gzip"
	}
	return coding
}

// swap returns the body of the exchange before.
func (f *plainFetcher) swap(body []byte) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, f.last = f.last, body
	return body
}

func plainFailure(ctx context.Context, kind policy.Failure, err error) *policy.FetchError {
	failure := &policy.FetchError{Kind: kind, Err: err}
	var corrupt flate.CorruptInputError
	var unverified *tls.CertificateVerificationError
	switch {
	case errors.Is(context.Cause(ctx), errOverdue):
		failure.Kind = policy.FailedTimeout
	case ctx.Err() != nil:
		failure.Kind, failure.Local, failure.Err = policy.FailedLocally, true, ctx.Err()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			failure.Kind = policy.FailedTimeout
		}
	case errors.As(err, &unverified):
		failure.Kind = policy.FailedTLS
	case errors.Is(err, errPrivate):
		failure.Kind = policy.RefusedAddress
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		failure.Kind = policy.FailedCoding
	case errors.Is(err, syscall.ECONNREFUSED) && kind == policy.FailedProtocol:
		failure.Kind = policy.FailedConnect
	}
	if text := err.Error(); len(text) > 500 {
		failure.Err = errors.New(text[:500])
	}
	return failure
}

func TestFetcherSuiteLetsASoundFetcherPass(t *testing.T) {
	porttest.Fetcher(t, openPlain(""))
}

// Each fault, and the checks that have to find it.
func TestFetcherSuiteCatchesBrokenDoubles(t *testing.T) {
	for _, row := range []struct{ fault, check string }{
		{"redirects are followed", "no redirect is followed"},
		{"a status of 4xx or 5xx is an error", "any status is a result"},
		{"every status has a body", "any status is a result"},
		{"every address is public", "any status is a result"},
		{"every failure is tried again", "an exchange is one request"},
		{"the first of several field lines is all", "the header fields come as they were sent"},
		{"a challenge is overlooked", "the header fields come as they were sent"},
		{"answers are mixed up", "many exchanges at once do not mix"},
		{"the User-Agent is another", "the User-Agent is sent as given"},
		{"the query is put in order", "the request is a GET of the URL"},
		{"validators go anywhere", "validators go only to the URL that gave them"},
		{"userinfo is a password", "userinfo is not sent"},
		{"IPv6 is not spoken", "an address of IPv6 is one like others"},
		{"certificates are not verified", "certificates are verified"},
		{"no authority is added", "TLS is spoken with servers of HTTP/1.1 and HTTP/2"},
		{"the default charset is overlooked", "the default charset comes last"},
		{"a body is read whole, then cut", "a bomb costs no more than the limit"},
		{"cookies are kept", "nothing is remembered between exchanges"},
		{"a body has no limit", "a body is cut and marked at the limit"},
		{"a body has no limit", "the limit counts decoded octets"},
		{"a cut is not marked", "a body is cut and marked at the limit"},
		{"a body at the limit is marked", "a body is cut and marked at the limit"},
		{"an empty body is nil", "an empty body is not an absent one"},
		{"octets are taken for UTF-8", "a body becomes UTF-8"},
		{"the limit is one of octets", "the limit holds for the text as well"},
		{"codings stay undone", "a coded body is decoded or refused"},
		{"codings stay undone", "a corrupt coding is a failure"},
		{"gzip is undone once", "a coded body is decoded or refused"},
		{"a partial body is whole", "a body that is not whole is a failure"},
		{"a broken answer comes with its error", "a body that is not whole is a failure"},
		{"errors are plain", "a refused connection is the origin's"},
		{"errors are plain", "a body that is not whole is a failure"},
		{"all failures are ours", "a refused connection is the origin's"},
		{"all failures are ours", "a mute server ends in a time-out"},
		{"no failure is ours", "a cancelled exchange says nothing about the origin"},
		{"no failure is ours", "a deadline of the caller says nothing about the origin"},
		{"time has no limit", "a mute server ends in a time-out"},
		{"time has no limit", "a dripping server ends in a time-out"},
		{"PublicOnly is overlooked", "PublicOnly refuses loopback"},
		{"PublicOnly is overlooked", "PublicOnly looks at what a name resolves to"},
		{"the guard shares a pool", "PublicOnly uses no connection from before"},
	} {
		t.Run(row.fault+"/"+row.check, func(t *testing.T) {
			t.Parallel()
			if listener, err := net.Listen("tcp6", "[::1]:0"); err == nil {
				_ = listener.Close()
			} else if row.fault == "IPv6 is not spoken" {
				t.Skipf("this machine has no IPv6 to speak: %v", err) //nolint:forbidigo // there is no fault to find then
			}
			if faults := porttest.Try(t.Context(), fetcherCheck(t, row.check), openPlain(row.fault)); len(faults) == 0 {
				t.Errorf("nothing found")
			} else {
				t.Logf("found: %.200s", faults[0])
			}
		})
	}
}

// A guard that only looks at what it dials is sound until a connection is open.
func TestFetcherSuiteNeedsTheCheckOfThePool(t *testing.T) {
	check := fetcherCheck(t, "PublicOnly refuses loopback")
	if faults := porttest.Try(t.Context(), check, openPlain("the guard shares a pool")); len(faults) > 0 {
		t.Errorf("found without a pool: %q", faults)
	}
}

func fetcherCheck(t *testing.T, name string) porttest.Check[porttest.OpenFetcher] {
	t.Helper()
	for _, check := range porttest.FetcherChecks() {
		if check.Name == name {
			return check
		}
	}
	t.Fatalf("there is no check %q", name)
	return porttest.Check[porttest.OpenFetcher]{}
}
