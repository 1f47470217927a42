package porttest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/polite-crawler/polite/domain/policy"
)

func fetcherAnswerChecks() []Check[OpenFetcher] {
	return []Check[OpenFetcher]{
		{"any status is a result", "ports.Fetcher, SEMANTICS F1–F11", fetchesAnyStatus},
		{"what comes before an answer is none", "RFC 9110 §15.2", fetchesPastInterim},
		{"no redirect is followed", "ports.Fetcher, SEMANTICS F4, F5", fetchFollowsNothing},
		{"an exchange is one request", "ports.Fetcher, SEMANTICS C1", fetchesOnce},
		{"the header fields come as they were sent", "policy.Header", fetchesHeader},
		{"many exchanges at once do not mix", "ports.Fetcher, concurrency", fetchesConcurrently},
	}
}

// fetchesAnyStatus: an answer is an answer. Those outside 200–599 are judged by
// F11, not by the Fetcher.
func fetchesAnyStatus(t T, open OpenFetcher) {
	const text = "User-agent: *\nDisallow: /\n"
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		w.WriteHeader(status)
		if status != http.StatusNoContent && status != http.StatusNotModified {
			answers(text)(w, r)
		}
	})
	fetcher := openFetcher(t, open)
	statuses := []int{600, 777, 999}
	for status := 200; status < 600; status++ {
		statuses = append(statuses, status)
	}
	for _, status := range statuses {
		response, ok := fetched(t, fetcher, policy.Request{URL: server.URL + "/" + strconv.Itoa(status)})
		if !ok {
			continue
		}
		if response.Status != status {
			t.Errorf("status %d came as %d", status, response.Status)
		}
		if response.Public {
			t.Errorf("status %d: an answer from loopback came as public", status)
		}
		switch {
		case status == http.StatusPartialContent, status == http.StatusResetContent:
			// A part of something, or not to have a body at all: either way is right.
		case status == http.StatusNoContent:
			// F1: rules, none of them. Nil would stand for "not at hand".
			if response.Body == nil || len(response.Body) > 0 {
				t.Errorf("status 204: body %q (nil: %t), want an empty one", response.Body, response.Body == nil)
			}
		case status < 300:
			if string(response.Body) != text || response.Truncated || response.Charset != "utf-8" {
				t.Errorf("status %d: body %q in %q, truncated %t, want %q in utf-8", status, response.Body, response.Charset, response.Truncated, text)
			}
		case response.Body != nil:
			t.Errorf("status %d: body %q, want none", status, response.Body)
		}
	}
}

func fetchesPastInterim(t T, open OpenFetcher) {
	server := serve(t, sends("HTTP/1.1 103 Early Hints\r\nLocation: /early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\nUser-agent: *\n"))
	response, ok := fetched(t, openFetcher(t, open), policy.Request{URL: server.URL})
	if ok && (response.Status != 200 || string(response.Body) != "User-agent: *\n" || response.Header.Location != "") {
		t.Errorf("status %d to %q, body %q", response.Status, response.Header.Location, response.Body)
	}
}

func fetchFollowsNothing(t T, open OpenFetcher) {
	other := serve(t, answers("User-agent: *\n"))
	var location string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			return
		}
		if location != "" {
			w.Header().Set("Location", location)
		}
		status, _ := strconv.Atoi(r.URL.RawQuery)
		w.WriteHeader(status)
	})
	fetcher := openFetcher(t, open)
	// The last ones are no URLs, or none to go to: F5 and F6 are for the domain.
	for _, location = range []string{
		"/elsewhere", server.URL + "/elsewhere", other.URL + "/robots.txt", "", "http://[", "/%zz", "ftp://example.com/", "javascript:1", "http://:0/",
	} {
		for _, status := range []int{301, 302, 303, 307, 308, 300, 399} {
			response, ok := fetched(t, fetcher, policy.Request{URL: fmt.Sprintf("%s/robots.txt?%d", server.URL, status)})
			if ok && (response.Status != status || response.Header.Location != location) {
				t.Errorf("%d to %q came as %d to %q", status, location, response.Status, response.Header.Location)
			}
		}
	}
	for _, request := range server.requests() {
		if request.path != "/robots.txt" {
			t.Errorf("the server was asked for %s, too", request.path)
		}
	}
	if asked := other.requests(); len(asked) > 0 {
		t.Errorf("another server was asked for %s", asked[0].path)
	}
}

func fetchesOnce(t T, open OpenFetcher) {
	for _, row := range []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"503 with Retry-After: 0", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		}},
		{"429", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }},
		{"a connection that is reset", resets("")},
		{"a connection that is closed", sends("")},
		{"a short body", sends(withLength(100, "User-agent: *\n"))},
	} {
		server := serve(t, row.handler)
		_, _ = openFetcher(t, open).Fetch(t.Context(), policy.Request{URL: server.URL}) // its outcome is for other checks
		if asked := server.requests(); len(asked) != 1 {
			t.Errorf("%s: %d requests, want 1", row.name, len(asked))
		}
	}
}

func fetchesHeader(t T, open OpenFetcher) {
	want := policy.Header{
		Age:          "12",
		CacheControl: `max-age=60, s-maxage="30"`,
		ContentType:  "text/plain;charset=UTF-8",
		Date:         "Sun, 06 Nov 1994 08:49:37 GMT",
		ETag:         `W/"a,b"`,
		Expires:      "-1",
		LastModified: "Saturday",
		Location:     "/odd ä",
		RetryAfter:   "120",
		Challenge:    "cf-mitigated: challenge",
	}
	fields := []string{
		"Age", want.Age, "Content-Type", want.ContentType, "Date", want.Date, "ETag", want.ETag, "Expires", want.Expires,
		"Last-Modified", want.LastModified, "Location", want.Location, "Retry-After", want.RetryAfter, "CF-Mitigated", "challenge",
		"Cache-Control", "max-age=60", "Cache-Control", `s-maxage="30"`, // one list in two lines (RFC 9110 §5.3)
	}
	for _, status := range []int{200, 302, 404, 503} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			for i := 0; i < len(fields); i += 2 {
				w.Header().Add(fields[i], fields[i+1])
			}
			w.WriteHeader(status)
		})
		fetcher := openFetcher(t, open)
		if response, ok := fetched(t, fetcher, policy.Request{URL: server.URL}); ok && response.Header != want {
			t.Errorf("%d: header %+v, want %+v", status, response.Header, want)
		}
	}
	bare := serve(t, sends("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
	if response, ok := fetched(t, openFetcher(t, open), policy.Request{URL: bare.URL}); ok && response.Header != (policy.Header{}) {
		t.Errorf("header %+v of an answer without any", response.Header)
	}
}

func fetchesConcurrently(t T, open OpenFetcher) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", r.URL.Path)
		answers(strings.Repeat(r.URL.Path+"\n", 20))(w, r)
	})
	fetcher := openFetcher(t, open)
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			path := fmt.Sprintf("/%d", i)
			response, err := fetcher.Fetch(t.Context(), policy.Request{URL: server.URL + path})
			if err != nil {
				t.Errorf("Fetch(%s) among others: %v", path, err)
			} else if string(response.Body) != strings.Repeat(path+"\n", 20) || response.Header.ETag != path {
				t.Errorf("Fetch(%s) among others: header %q, body %.20q…", path, response.Header.ETag, response.Body)
			}
		})
	}
	group.Wait()
}
