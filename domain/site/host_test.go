package site

import "testing"

// A host that the fast way takes ends where the careful one ends it.
func TestUsualHostIsCanonical(t *testing.T) {
	const octets = "afgz0x9-._/A:@%?#\x80[]"
	taken := 0
	check := func(host string) {
		raw := "https://" + host + "/path/behind"
		end := usualHost(raw, len("https://"))
		if end == 0 {
			return
		}
		taken++
		if want := canonicalHostEnd(raw, len("https://")); end != want {
			t.Fatalf("%q: the host ends at %d, want %d", raw, end, want)
		}
	}
	var extend func(host string, more int)
	extend = func(host string, more int) {
		check(host)
		for i := range octets {
			if more > 0 {
				extend(host+octets[i:i+1], more-1)
			}
		}
	}
	// Behind the middle of a word, and across the ends of the first and second.
	for _, before := range []string{"", "a.b", "abcdefg", "www.exampl", "www.example.ab", "a23456789.b23456789.c23456789.d23456789.e23456789.f23456789.ab"} {
		extend(before, 4)
	}
	if taken < 10_000 {
		t.Errorf("the fast way took %d hosts only", taken)
	}
}
