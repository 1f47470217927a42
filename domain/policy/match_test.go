package policy

import (
	"strings"
	"testing"
)

// M4: a literal of any length matches what begins with all of its octets, though
// they are compared eight at a time.
func TestHasPrefixComparesEveryOctet(t *testing.T) {
	const octets = "abcdefghijklmnopqrstuvwxyzabcdefghijk" // as no digit has an upper case
	for length := range len(octets) {
		literal := octets[:length]
		for more := range 10 {
			path := literal + octets[:more]
			if !hasPrefix(path, literal) {
				t.Errorf("hasPrefix(%q, %q) = false, want true", path, literal)
			}
			if cut := path[:max(length-1, 0)]; length > 0 && hasPrefix(cut, literal) {
				t.Errorf("hasPrefix(%q, %q) = true, want false", cut, literal)
			}
			for i := range length {
				other := path[:i] + strings.ToUpper(literal[i:i+1]) + path[i+1:]
				if hasPrefix(other, literal) {
					t.Errorf("hasPrefix(%q, %q) = true, want false", other, literal)
				}
			}
		}
	}
}
