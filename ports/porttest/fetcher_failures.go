package porttest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
)

func fetcherFailureChecks() []Check[OpenFetcher] {
	return []Check[OpenFetcher]{
		{"a refused connection is the origin's", "SEMANTICS F11", fetchRefused},
		{"what is not HTTP is the origin's", "SEMANTICS F11", fetchNoHTTP},
		{"a mute server ends in a time-out", "SEMANTICS F11", fetchMute},
		{"a dripping server ends in a time-out", "ports.Fetcher, SEMANTICS F11", fetchDripping},
		{"a cancelled exchange says nothing about the origin", "SEMANTICS F14", fetchCancelled},
		{"a deadline of the caller says nothing about the origin", "SEMANTICS F14", fetchOverdue},
		{"a URL that cannot be asked is a failure", "ports.Fetcher", fetchNoURL},
	}
}

// fetchRefused asks at the port of a client, where nobody listens and which
// nobody else is given meanwhile.
func fetchRefused(t T, open OpenFetcher) {
	var dialer net.Dialer
	client, err := dialer.DialContext(t.Context(), "tcp", serve(t, answers("")).Listener.Addr().String())
	if err != nil {
		t.Fatalf("no port to refuse connections at: %v", err)
	}
	defer client.Close()
	response, err := openFetcher(t, open).Fetch(t.Context(), policy.Request{URL: "http://" + client.LocalAddr().String()})
	fetchFailed(t, "a closed port", response, err, false, policy.FailedConnect)
}

func fetchNoHTTP(t T, open OpenFetcher) {
	long := strings.Repeat("x", 1<<20)
	for _, row := range []struct {
		name, octets string
		kinds        []policy.Failure
	}{
		{"another protocol", "SSH-2.0-OpenSSH_9.9\r\n", []policy.Failure{policy.FailedProtocol}},
		{"a long line of another protocol", long + "\r\n", []policy.Failure{policy.FailedProtocol}},
		{"a status that is no number", "HTTP/1.1 abc " + long[:4000] + "\r\n\r\n", []policy.Failure{policy.FailedProtocol}},
		{"half a header", "HTTP/1.1 200 OK\r\nContent-", []policy.Failure{policy.FailedProtocol, policy.FailedConnect}},
		{"nothing", "", []policy.Failure{policy.FailedProtocol, policy.FailedConnect}},
		{"a header of a mebibyte", "HTTP/1.1 200 OK\r\nX: " + long + "\r\n\r\n", []policy.Failure{policy.FailedProtocol}},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", []policy.Failure{policy.FailedProtocol}},
	} {
		response, err := openFetcher(t, open).Fetch(t.Context(), policy.Request{URL: serve(t, sends(row.octets)).URL})
		fetchFailed(t, row.name, response, err, false, row.kinds...)
	}
}

func fetchMute(t T, open OpenFetcher) {
	for name, handler := range map[string]http.HandlerFunc{
		"before the header": hangs,
		"after the header": func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).Flush()
			hangs(w, r)
		},
		"within the body": func(w http.ResponseWriter, r *http.Request) {
			answers("User-agent: *\n")(w, r)
			_ = http.NewResponseController(w).Flush()
			hangs(w, r)
		},
	} {
		fetchTimesOut(t, open, "mute "+name, serve(t, handler))
	}
}

// fetchDripping: the server is never silent for long, so only a limit of the
// whole exchange ends it.
func fetchDripping(t T, open OpenFetcher) {
	fetchTimesOut(t, open, "a dripping body", serve(t, drips))
	fetchTimesOut(t, open, "a dripping header", serve(t, dripsHeader))
}

// fetchTimesOut checks that an exchange ends when its time is up, and that this
// is the origin's fault. On a busy machine the time may be up before the origin
// was even asked; it is given more then.
func fetchTimesOut(t T, open OpenFetcher, what string, server *fetcherServer) {
	for limit := fetcherShort; ; limit *= 2 {
		fetcher := open(t, FetcherSettings{UserAgent: fetcherAgent, MaxBytes: fetcherLimit, Timeout: limit})
		// The context that ends it otherwise shows as a failure that blames us.
		ctx, cancel := context.WithTimeout(t.Context(), 5*limit)
		response, err := fetcher.Fetch(ctx, policy.Request{URL: server.URL})
		cancel()
		if len(server.requests()) > 0 || limit > fetcherSoon {
			fetchFailed(t, what, response, err, false, policy.FailedTimeout)
			return
		}
	}
}

func fetchCancelled(t T, open OpenFetcher) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		hangs(w, r)
	})
	fetcher := openFetcher(t, open)
	response, err := fetcher.Fetch(ctx, policy.Request{URL: server.URL})
	fetchFailed(t, "cancelled on the way", response, err, true, policy.FailedLocally)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled on the way: %v does not wrap context.Canceled", err)
	}
	asked := len(server.requests())
	if asked != 1 {
		t.Errorf("%d requests before the cancel, want 1", asked)
	}
	response, err = fetcher.Fetch(ctx, policy.Request{URL: server.URL})
	fetchFailed(t, "cancelled before", response, err, true, policy.FailedLocally)
	if now := len(server.requests()); now != asked {
		t.Errorf("a cancelled exchange sent a request")
	}
}

func fetchOverdue(t T, open OpenFetcher) {
	var group sync.WaitGroup
	for name, handler := range map[string]http.HandlerFunc{"mute": hangs, "dripping": drips} {
		fetcher, server := openFetcher(t, open), serve(t, handler)
		group.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), fetcherShort)
			defer cancel()
			response, err := fetcher.Fetch(ctx, policy.Request{URL: server.URL})
			fetchFailed(t, name, response, err, true, policy.FailedTimeout)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v does not wrap context.DeadlineExceeded", name, err)
			}
		})
	}
	group.Wait()
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	response, err := openFetcher(t, open).Fetch(ctx, policy.Request{URL: serve(t, answers("")).URL})
	fetchFailed(t, "overdue before", response, err, true, policy.FailedTimeout)
}

// fetchNoURL: policy.Follow lets none of these through; a Fetcher must not come
// to harm by them all the same.
func fetchNoURL(t T, open OpenFetcher) {
	fetcher := openFetcher(t, open)
	for _, url := range []string{"", "/robots.txt", "example.com", "ftp://example.com/", "file:///etc/hosts", "http://", "http:///robots.txt", "http://[", "http://\x00/", "http://a b/"} {
		response, err := fetcher.Fetch(t.Context(), policy.Request{URL: url})
		var failure *policy.FetchError
		fetchFailed(t, "URL "+url, response, err, errors.As(err, &failure) && failure.Local)
	}
}
