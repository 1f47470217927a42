package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// What each class of status means to each profile: rfc, google, archive, strict
// in this order, A for allowed and D for disallowed.
func TestFromStatus(t *testing.T) {
	for _, row := range []struct {
		rule   string
		codes  []int
		want   string
		reason policy.Reason
		access policy.Access
	}{
		{"F1", []int{200, 203, 204, 299}, "AAAA", policy.ReasonEmpty, policy.AccessOffline},
		{"F5", []int{300, 301, 302, 303, 305, 307, 308, 399}, "AAAD", policy.ReasonUnavailable, policy.AccessUnavailable},
		{"F7", []int{400, 404, 405, 410, 418, 451, 499}, "AAAA", policy.ReasonUnavailable, policy.AccessUnavailable},
		{"F8", []int{401, 402, 403}, "AAAD", policy.ReasonForbidden, policy.AccessUnavailable},
		{"F9, F10", []int{408, 421, 425, 429}, "DDAD", policy.ReasonUnreachable, policy.AccessUnreachable},
		{"F11", []int{206, 304, 500, 502, 503, 504, 599}, "DDAD", policy.ReasonUnreachable, policy.AccessUnreachable},
		{"F11, outside 200-599", []int{-1 << 40, -404, 0, 99, 100, 103, 199, 600, 999, 1000, 65536 + 404, 1 << 40}, "DDAD", policy.ReasonUnreachable, policy.AccessUnreachable},
	} {
		for _, code := range row.codes {
			for i, want := range row.want {
				profile := policy.Profile(i)
				name := fmt.Sprintf("%s: %d, %s", row.rule, code, profile)
				reading := crawler(t, "foobot")
				reading.Profile = profile
				p := policy.FromStatus(code, reading)
				for _, now := range []time.Time{{}, someTime, someTime.Add(1000 * day)} {
					d := p.Decide("/page", now)
					if d.Allowed != (want == 'A') {
						t.Errorf("%s: %s", name, d)
					}
					// Where strict takes it for a failure, it says so.
					reason, access := row.reason, row.access
					if row.rule == "F5" && profile == policy.Strict {
						reason, access = policy.ReasonUnreachable, policy.AccessUnreachable
					}
					if d.Reason != reason || d.Access != access || d.Profile != profile {
						t.Errorf("%s: reason %s, access %s, profile %s; want %s, %s", name, d.Reason, d.Access, d.Profile, reason, access)
					}
					if d.Stale || !d.FetchedAt.IsZero() || !d.ExpiresAt.IsZero() || !d.Origin.IsZero() || strings.Contains(d.String(), "0001") {
						t.Errorf("%s: there is no time and no origin, yet: %s", name, d)
					}
				}
				if d := p.Decide("/robots.txt", time.Time{}); !d.Allowed || d.Reason != policy.ReasonRobotsTxt {
					t.Errorf("M4: %s: /robots.txt is %s", name, d)
				}
			}
		}
	}
}

// A response in hand, with what a status alone does not say.
func TestFromResponse(t *testing.T) {
	body := []byte(someFile)
	for _, row := range []struct {
		rule     string
		response policy.Response
		allowed  bool
		reason   policy.Reason
		limited  bool
	}{
		{"F1", policy.Response{Status: 200, Body: body}, false, policy.ReasonRule, false},
		{"F3", policy.Response{Status: 200, Body: []byte(somePage)}, true, policy.ReasonSoft404, false},
		{"F3", policy.Response{Status: 200, Body: []byte("Sorry"), Header: policy.Header{ContentType: "text/html"}}, true, policy.ReasonSoft404, false},
		{"F5", policy.Response{Status: 301, Body: body, Header: policy.Header{Location: "https://example.com/"}}, true, policy.ReasonUnavailable, false},
		{"F6", policy.Response{Status: 301, Body: body, Header: policy.Header{Location: "ftp://example.com/"}}, false, policy.ReasonUnreachable, false},
		{"F7", policy.Response{Status: 404, Body: body}, true, policy.ReasonUnavailable, false},
		{"F8", policy.Response{Status: 403, Body: body, Header: policy.Header{Challenge: "cf-mitigated: challenge"}}, true, policy.ReasonChallenged, false},
		{"F11", policy.Response{Status: 206, Body: body}, false, policy.ReasonUnreachable, false},
		{"F11", policy.Response{Status: 503, Body: body}, false, policy.ReasonUnreachable, false},
		{"F12", policy.Response{Status: 200, Body: body, Truncated: true}, false, policy.ReasonRule, true},
		{"F12", policy.Response{Status: 200, Body: body[:len(body)-1], Truncated: true}, true, policy.ReasonNoRule, true},
	} {
		d := policy.FromResponse(row.response, crawler(t, "foobot")).Decide("/private", someTime)
		if d.Allowed != row.allowed || d.Reason != row.reason || d.Limited != row.limited {
			t.Errorf("%s: %d %q: %s (limited %v)", row.rule, row.response.Status, row.response.Body, d, d.Limited)
		}
	}
}

// P12: the reading's dialect holds for a response, too.
func TestFromResponseInADialect(t *testing.T) {
	response := policy.Response{Status: 200, Body: []byte("user-agent: *\ndisallow: /\nallow: /a/b\n")}
	reading := crawler(t, "foobot")
	if d := policy.FromResponse(response, reading).Decide("/a/b", someTime); !d.Allowed {
		t.Errorf("default: %s", d)
	}
	reading.Options.Dialect = robots.Default().With(robots.FileOrder)
	if d := policy.FromResponse(response, reading).Decide("/a/b", someTime); d.Allowed {
		t.Errorf("file-order: %s", d)
	}
}

func ExampleFromStatus() {
	for _, code := range []int{404, 403, 503} {
		decision := policy.FromStatus(code, policy.Reading{}).Decide("/page", time.Time{})
		fmt.Println(code, decision.Answer(), decision.Reason)
	}
	// Output:
	// 404 allowed unavailable
	// 403 allowed forbidden
	// 503 disallowed unreachable
}
