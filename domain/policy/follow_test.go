package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/policy"
)

func redirect(status int, location string) policy.Response {
	return policy.Response{Status: status, Header: policy.Header{Location: location}}
}

// F4, F5, F6: where an answer to https://example.com/robots.txt leads.
func TestFollow(t *testing.T) {
	const from = "https://example.com/robots.txt"
	tests := []struct {
		rule     string
		response policy.Response
		next     string
		stop     policy.Stop
	}{
		{"F1 an answer", policy.Response{Status: 200, Header: policy.Header{Location: "/a"}}, "", policy.Final},
		{"F1 an answer", redirect(201, "/a"), "", policy.Final},
		{"F2 an answer", redirect(304, "/a"), "", policy.Final},
		{"F7 an answer", redirect(404, "/a"), "", policy.Final},
		{"F11 an answer", redirect(503, "/a"), "", policy.Final},
		{"F11 an answer", redirect(299, "/a"), "", policy.Final},
		{"F11 an answer", redirect(400, "/a"), "", policy.Final},

		{"F4 any redirect", redirect(300, "/a"), "https://example.com/a", policy.Final},
		{"F4 any redirect", redirect(301, "/a"), "https://example.com/a", policy.Final},
		{"F4 any redirect", redirect(302, "/a"), "https://example.com/a", policy.Final},
		{"F4 any redirect", redirect(303, "/a"), "https://example.com/a", policy.Final},
		{"F4 any redirect", redirect(307, "/a"), "https://example.com/a", policy.Final},
		{"F4 any redirect", redirect(308, "/a"), "https://example.com/a", policy.Final},
		{"F4 any authority", redirect(301, "https://www.example.com/robots.txt"), "https://www.example.com/robots.txt", policy.Final},
		{"F4 any authority", redirect(301, "https://other.example:8443/r"), "https://other.example:8443/r", policy.Final},
		{"F4 any authority", redirect(301, "//other.example/r"), "https://other.example/r", policy.Final},
		{"F4 any authority", redirect(301, "http://example.com/robots.txt"), "http://example.com/robots.txt", policy.Final},
		{"F4 any authority", redirect(301, "http://127.0.0.1/robots.txt"), "http://127.0.0.1/robots.txt", policy.Final}, // F6 is for who connects
		{"F4 relative", redirect(301, "a/b.txt"), "https://example.com/a/b.txt", policy.Final},
		{"F4 relative", redirect(301, "./a/../b"), "https://example.com/b", policy.Final},
		{"F4 relative", redirect(301, "../../b"), "https://example.com/b", policy.Final},
		{"F4 relative", redirect(301, "?a=b"), "https://example.com/robots.txt?a=b", policy.Final},
		{"F4 relative", redirect(301, " /a\t"), "https://example.com/a", policy.Final},
		{"F4 in canonical form", redirect(301, "HTTPS://User:pw@EXAMPLE.com:443/a#b"), "https://example.com/a", policy.Final},
		{"F4 in canonical form", redirect(301, "https://bücher.example"), "https://xn--bcher-kva.example/", policy.Final},
		{"F4 in canonical form", redirect(301, "/ü a"), "https://example.com/%C3%BC%20a", policy.Final},
		{"F4 in canonical form", redirect(301, "/a?b c=ü|%7e%2f%%34%31"), "https://example.com/a?b%20c=%C3%BC%7C%7e%2f%%34%31", policy.Final},
		{"F4 the query stays", redirect(301, "/a?b=c&a=%2F%2A%24*$&&"), "https://example.com/a?b=c&a=%2F%2A%24*$&&", policy.Final},
		{"F4 the query stays", redirect(301, "/a?"), "https://example.com/a?", policy.Final},

		{"F5 no Location", redirect(301, ""), "", policy.StopLocation},
		{"F5 no Location", redirect(300, ""), "", policy.StopLocation},
		{"F5 a bad Location", redirect(302, "https://"), "", policy.StopLocation},
		{"F5 a bad Location", redirect(302, "https:///robots.txt"), "", policy.StopLocation},
		{"F5 a bad Location", redirect(302, "http:robots.txt"), "", policy.StopLocation},
		{"F5 a bad Location", redirect(302, "https://exa mple.com/"), "", policy.StopLocation},
		{"F5 a bad Location", redirect(302, "https://example.com:99999/"), "", policy.StopLocation},
		{"F5 a bad Location", redirect(302, "https://example..com/"), "", policy.StopLocation},
		{"F5 a bad Location", redirect(302, "https://[::1/"), "", policy.StopLocation},
		{"F5 a bad Location", redirect(302, "/a\x00b"), "", policy.StopLocation},
		{"F5 a bad Location", redirect(302, "/a\r\nX: y"), "", policy.StopLocation},
		{"F5 a bad Location", redirect(302, "://"), "", policy.StopLocation},
		{"F5 a bad Location", redirect(302, "/%zz"), "", policy.StopLocation},
		{"F5 a loop", redirect(301, from), "", policy.StopLoop},
		{"F5 a loop", redirect(301, "/robots.txt"), "", policy.StopLoop},
		{"F5 a loop", redirect(301, "robots.txt#top"), "", policy.StopLoop},
		{"F5 a loop", redirect(301, "HTTPS://EXAMPLE.COM:443/robots.txt"), "", policy.StopLoop},

		{"F6 another scheme", redirect(301, "ftp://example.com/robots.txt"), "", policy.StopScheme},
		{"F6 another scheme", redirect(301, "file:///etc/passwd"), "", policy.StopScheme},
		{"F6 another scheme", redirect(301, "FILE:///etc/passwd"), "", policy.StopScheme},
		{"F6 another scheme", redirect(301, "gopher://127.0.0.1:6379/_x"), "", policy.StopScheme},
		{"F6 another scheme", redirect(301, "mailto:webmaster@example.com"), "", policy.StopScheme},
		{"F6 another scheme", redirect(301, "javascript:alert(1)"), "", policy.StopScheme},
		{"F6 another scheme", redirect(301, "data:text/plain,user-agent:*"), "", policy.StopScheme},
	}
	for _, test := range tests {
		trail := []policy.Hop{{URL: from, Status: test.response.Status}}
		next, stop := policy.Follow(trail, test.response, policy.DefaultRedirects)
		if next != test.next || stop != test.stop {
			t.Errorf("%s: a %d to %q leads to %q, %d, want %q, %d", test.rule, test.response.Status, test.response.Header.Location,
				next, stop, test.next, test.stop)
		}
	}
}

// F4, F5: five redirects are followed, and no more; the limit is a setting.
func TestFollowCounts(t *testing.T) {
	if policy.DefaultRedirects != 5 {
		t.Errorf("F4: the default is %d redirects", policy.DefaultRedirects)
	}
	for _, limit := range []int{0, 1, 5, 10} {
		trail := []policy.Hop{{URL: "https://example.com/robots.txt", Status: 301}}
		followed := 0
		for {
			next, stop := policy.Follow(trail, redirect(301, fmt.Sprintf("https://host%d.example/robots.txt", followed)), limit)
			if stop != policy.Final {
				if stop != policy.StopTooMany || next != "" {
					t.Errorf("F5: with a limit of %d, after %d: %q, %d", limit, followed, next, stop)
				}
				break
			}
			followed++
			if followed > limit {
				t.Fatalf("F5: with a limit of %d, redirect %d is followed", limit, followed)
			}
			// The answer there is final, or leads on.
			if got, stop := policy.Follow(append(trail, policy.Hop{URL: next, Status: 200}), policy.Response{Status: 200}, limit); got != "" || stop != policy.Final {
				t.Errorf("F4: an answer after %d redirects leads to %q, %d", followed, got, stop)
			}
			trail = append(trail, policy.Hop{URL: next, Status: 301})
		}
		if followed != limit {
			t.Errorf("F4: with a limit of %d, %d redirects are followed", limit, followed)
		}
	}
}

// F5: a loop is one however long it is; a relative Location is relative to where
// it was given.
func TestFollowTrail(t *testing.T) {
	trail := []policy.Hop{
		{URL: "https://example.com/robots.txt", Status: 301},
		{URL: "http://www.example.com/a/robots.txt", Status: 302},
		{URL: "http://www.example.com/b/robots.txt", Status: 302},
	}
	for _, hop := range trail {
		if next, stop := policy.Follow(trail, redirect(301, hop.URL), policy.DefaultRedirects); next != "" || stop != policy.StopLoop {
			t.Errorf("F5: back to %s: %q, %d", hop.URL, next, stop)
		}
	}
	if next, stop := policy.Follow(trail, redirect(301, "c.txt"), policy.DefaultRedirects); next != "http://www.example.com/b/c.txt" || stop != policy.Final {
		t.Errorf("F4: c.txt from there is %q, %d", next, stop)
	}
	if next, stop := policy.Follow(trail, redirect(301, "../a/robots.txt"), policy.DefaultRedirects); next != "" || stop != policy.StopLoop {
		t.Errorf("F5: ../a/robots.txt from there is %q, %d", next, stop)
	}
	// F6 goes before F5: what is refused is refused, however many there were.
	long := append([]policy.Hop(nil), trail...)
	for i := range 3 {
		long = append(long, policy.Hop{URL: fmt.Sprintf("https://h%d.example/", i), Status: 301})
	}
	if _, stop := policy.Follow(long, redirect(301, "ftp://example.com/"), policy.DefaultRedirects); stop != policy.StopScheme {
		t.Errorf("F6: to ftp after five redirects: %d", stop)
	}
}

// FuzzFollow: whatever a server sends, there is one next URL, http or https and
// canonical, or one reason to stop.
func FuzzFollow(f *testing.F) {
	for _, location := range []string{"", "/a", "//b", "?c", "ftp://d", "https://e:443/%zz", "http://\\f", "\x00", "https://ü/ ü", "#", "."} {
		f.Add(301, location)
	}
	f.Fuzz(func(t *testing.T, status int, location string) {
		trail := []policy.Hop{{URL: "https://example.com/robots.txt", Status: status}}
		next, stop := policy.Follow(trail, redirect(status, location), policy.DefaultRedirects)
		if next != "" && (stop != policy.Final || !strings.HasPrefix(next, "https://") && !strings.HasPrefix(next, "http://")) {
			t.Fatalf("%d to %q leads to %q, %d", status, location, next, stop)
		}
		if next == "" {
			return
		}
		for _, c := range []byte(next) {
			if c <= ' ' || c >= 0x7F || c == '#' {
				t.Fatalf("%d to %q leads to %q", status, location, next)
			}
		}
		// To be sent there once more is a loop.
		if again, stop := policy.Follow(append(trail, policy.Hop{URL: next}), redirect(301, next), policy.DefaultRedirects); again != "" || stop != policy.StopLoop {
			t.Fatalf("%q leads to %q, and that to %q, %d", location, next, again, stop)
		}
	})
}
