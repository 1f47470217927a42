package policy

import (
	"fmt"
	"time"

	"github.com/polite-crawler/polite/domain/site"
)

// A Request asks a Fetcher for one HTTP exchange: a GET of URL.
type Request struct {
	URL        string     // absolute, http or https
	Validators Validators // makes the request conditional; zero: unconditional
	PublicOnly bool       // connect to no private, loopback or link-local address (SEMANTICS F6)
}

// Validators are what a response said about its own version (RFC 9110 §8.8).
// They are sent only to the URL that gave them.
type Validators struct {
	URL          string
	ETag         string
	LastModified string
}

// IsZero reports whether there is nothing to make a request conditional with.
func (v Validators) IsZero() bool { return v.ETag == "" && v.LastModified == "" }

// A Response is one whole answer, whatever its status.
type Response struct {
	Status int
	Header Header
	// Body is the content: content codings and charset decoded to UTF-8 and cut
	// at the Fetcher's limit, perhaps within a line. Nil where the status has no
	// use for one.
	Body      []byte
	Truncated bool   // Body was cut at the limit
	Charset   string // what Body was decoded from, "utf-8"
	Public    bool   // the answering address is public: hops after it must be, too
}

// Header holds the header fields that bear on robots.txt, each as it was sent,
// "" if it was not.
type Header struct {
	Age          string
	CacheControl string
	ContentType  string
	Date         string
	ETag         string
	Expires      string
	LastModified string
	Location     string
	RetryAfter   string
	Challenge    string // the marker of a bot challenge, such as "cf-mitigated: challenge"
}

// A FetchError says that no whole answer came. A Fetcher returns no other error.
type FetchError struct {
	Kind   Failure
	Local  bool  // the failure may be this worker's own (SEMANTICS F14): it says nothing about the origin
	Status int   // the status that was read before the failure, 0 for none
	Err    error // what happened, for people and logs
}

func (e *FetchError) Error() string {
	if e.Err == nil {
		return e.Kind.String()
	}
	return fmt.Sprintf("%s: %v", e.Kind, e.Err)
}

func (e *FetchError) Unwrap() error { return e.Err }

// A Failure is the kind of a FetchError.
type Failure uint8

// The kinds of failure, from the name look-up to the last byte of the body.
const (
	NoFailure      Failure = iota
	FailedDNS              // the name could not be resolved, NXDOMAIN included
	FailedConnect          // TCP: refused, reset, unreachable
	FailedTLS              // handshake or certificate
	FailedTimeout          // a time limit ran out, in whatever phase
	FailedProtocol         // not HTTP, or a header over its limit
	FailedBody             // shorter than promised, or broken off
	FailedCoding           // an unknown or corrupt content coding
	RefusedAddress         // PublicOnly and the address is not public
	FailedLocally          // no route, no sockets left, resolver or proxy down, shutdown
)

var failureNames = [...]string{
	"none", "dns", "connect", "tls", "timeout", "protocol", "body", "content-coding", "refused-address", "local",
}

func (f Failure) String() string { return name(failureNames[:], int(f)) }

// A Hop is one exchange on the way from an origin's robots.txt to its answer.
type Hop struct {
	URL    string
	Status int // 0: no answer came
}

// An Answer is how the attempt to learn an origin's robots.txt ended: the last
// exchange, and how many redirects led to it.
type Answer struct {
	Origin   site.Origin
	URL      string      // of the last exchange
	Hops     int         // redirects followed
	Response Response    // of the last exchange, unless Err is set
	Err      *FetchError // no whole answer came
	Stop     Stop        // why a redirect was not followed
	// Conditional says that the last exchange carried the copy's validators, so
	// that a 304 stands for the copy.
	Conditional bool
	At          time.Time // when the last exchange ended
}

// Local reports whether the attempt failed for a reason that may be this
// worker's own. It is then not to be stored: one sick worker would speak for
// the whole fleet (SEMANTICS F14).
func (a *Answer) Local() bool { return a.Err != nil && a.Err.Local }

// Cause returns the error behind a failed attempt, or nil.
func (a *Answer) Cause() error {
	if a.Err == nil {
		return nil
	}
	return a.Err
}
