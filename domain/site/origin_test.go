package site

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestOriginParts(t *testing.T) {
	tests := []struct {
		raw                        string
		scheme, host, port, robots string
	}{
		{"https://example.com/a", "https", "example.com", "443", "https://example.com/robots.txt"},
		{"http://example.com/a", "http", "example.com", "80", "http://example.com/robots.txt"},
		{"http://EXAMPLE.com.:8080", "http", "example.com", "8080", "http://example.com:8080/robots.txt"},
		{"http://192.0.2.1:443", "http", "192.0.2.1", "443", "http://192.0.2.1:443/robots.txt"},
		{"https://[::1]", "https", "[::1]", "443", "https://[::1]/robots.txt"},
		{"https://[2001:db8::1]:8443", "https", "[2001:db8::1]", "8443", "https://[2001:db8::1]:8443/robots.txt"},
	}
	for _, test := range tests {
		origin, err := ParseOrigin(test.raw)
		if err != nil {
			t.Error(err)
			continue
		}
		if origin.Scheme() != test.scheme || origin.Host() != test.host || origin.Port() != test.port || origin.RobotsURL() != test.robots {
			t.Errorf("%q: scheme %q, host %q, port %q, robots.txt %q, want %q, %q, %q, %q", test.raw,
				origin.Scheme(), origin.Host(), origin.Port(), origin.RobotsURL(), test.scheme, test.host, test.port, test.robots)
		}
		if origin.IsZero() {
			t.Errorf("%q is the zero Origin", test.raw)
		}
	}
}

func TestZeroOrigin(t *testing.T) {
	var zero Origin
	if !zero.IsZero() || zero.String() != "" || zero.Host() != "" || zero.Port() != "" {
		t.Errorf("the zero Origin is %q, host %q, port %q", zero, zero.Host(), zero.Port())
	}
	if origin, err := ParseOrigin("/a"); err == nil || !origin.IsZero() {
		t.Errorf("an origin that cannot be parsed is %q, %v", origin, err)
	}
}

// F, "Key": URLs share a robots.txt exactly if scheme, host and effective port
// are the same (RFC 9309 §2.3).
func TestOriginsAreKeys(t *testing.T) {
	tests := []struct {
		rule string
		a, b string
		same bool
	}{
		{"path", "https://example.com/a?b#c", "https://example.com/d", true},
		{"case", "HTTPS://EXAMPLE.COM/", "https://example.com/", true},
		{"default port", "https://example.com:443/", "https://example.com/", true},
		{"trailing dot", "https://example.com./", "https://example.com/", true},
		{"userinfo", "https://a:b@example.com/", "https://example.com/", true},
		{"IDN", "https://bücher.example/", "https://xn--bcher-kva.example/", true},
		{"IPv6", "https://[0:0::1]/", "https://[::1]/", true},
		{"scheme", "http://example.com/", "https://example.com/", false},
		{"port", "https://example.com:8443/", "https://example.com/", false},
		{"the other scheme's port", "https://example.com:80/", "https://example.com/", false},
		{"host", "https://www.example.com/", "https://example.com/", false},
		{"IDNA 2008: ß is not ss", "https://faß.example/", "https://fass.example/", false},
	}
	for _, test := range tests {
		a, errA := ParseOrigin(test.a)
		b, errB := ParseOrigin(test.b)
		if errA != nil || errB != nil {
			t.Errorf("%s: %v, %v", test.rule, errA, errB)
			continue
		}
		if same := len(map[Origin]bool{a: true, b: true}) == 1; same != test.same {
			t.Errorf("%s: %q and %q are the same key: %t, want %t", test.rule, a, b, same, test.same)
		}
	}
}

func TestOriginText(t *testing.T) {
	type question struct {
		Origin Origin `json:"origin"`
	}
	for text, want := range map[string]string{
		`{"origin":"HTTPS://Example.com:443/a"}`: `{"origin":"https://example.com"}`,
		`{"origin":"http://[::1]:8080"}`:         `{"origin":"http://[::1]:8080"}`,
		`{"origin":""}`:                          `{"origin":""}`,
	} {
		q := question{Origin: Origin{"https://before.example"}}
		if err := json.Unmarshal([]byte(text), &q); err != nil {
			t.Error(err)
			continue
		}
		if got, err := json.Marshal(q); err != nil || string(got) != want {
			t.Errorf("%s becomes %s, %v, want %s", text, got, err, want)
		}
	}

	origin := Origin{"https://before.example"}
	err := origin.UnmarshalText([]byte("ftp://example.com"))
	var refused *ParseError
	if !errors.As(err, &refused) || origin.String() != "https://before.example" {
		t.Errorf("UnmarshalText of no origin: %v, and the Origin is %q", err, origin)
	}
}
