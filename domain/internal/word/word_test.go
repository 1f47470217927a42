package word

import (
	"strings"
	"testing"
)

// Each octet at each place among others that differ from it by one.
func TestMarks(t *testing.T) {
	for c := range 256 {
		for place := range 8 {
			for _, other := range []int{(c + 1) % 256, (c + 255) % 256, c ^ 0x80, 0, 0x7F, 0xFF} {
				octets := []byte(strings.Repeat(string([]byte{byte(other)}), 8))
				octets[place] = byte(c)
				text := string(octets)
				for _, limit := range []int{1, ' ', '#' + 1, 0x80} {
					check(t, "Below", text, First(Below(Load(text, 0), uint8(limit))), func(o byte) bool { return int(o) < limit })
				}
				check(t, "Equal", text, First(Equal(Load(text, 0), byte(c))), func(o byte) bool { return o == byte(c) })
			}
		}
	}
}

// check holds the first mark against a look at each octet.
func check(t *testing.T, test, text string, got int, is func(byte) bool) {
	t.Helper()
	want := 0
	for want < len(text) && !is(text[want]) {
		want++
	}
	if got != want {
		t.Fatalf("%s marks octet %d of %q first, want %d", test, got, text, want)
	}
}

func TestHead(t *testing.T) {
	for _, test := range []struct {
		text string
		want uint64
	}{
		{"", 0},
		{"a", 'a'},
		{"ab", 'a' | 'b'<<8},
		{"abcdefg", 0x67666564636261},
		{"abcdefgh", 0x6867666564636261},
		{"abcdefghi", 0x6867666564636261},
	} {
		if got := Head(test.text); got != test.want {
			t.Errorf("Head(%q) = %#x, want %#x", test.text, got, test.want)
		}
	}
}

func TestMask(t *testing.T) {
	const text = "\xFF\xFE\xFD\xFC\xFB\xFA\xF9\xF8"
	for n := range 9 {
		if got := Of(text) & Mask(n); got != Head(text[:n]) {
			t.Errorf("Mask(%d) leaves %#x", n, got)
		}
	}
}

func TestFirstBelow(t *testing.T) {
	for place := range Window + 1 {
		octets := []byte("xx" + strings.Repeat("a", Window) + "a")
		octets[2+place] = '\n'
		if got := FirstBelow(string(octets), 2, ' '); got != place {
			t.Errorf("with a line end at %d it is %d", place, got)
		}
	}
}
