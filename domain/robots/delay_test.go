package robots

import (
	"strings"
	"testing"
	"time"
)

// P10: 1*DIGIT [. 1*DIGIT] seconds, at most ten years.
func TestParseDelay(t *testing.T) {
	good := map[string]time.Duration{
		"0":                                     0,
		"0.0":                                   0,
		"1":                                     time.Second,
		"007":                                   7 * time.Second,
		"10":                                    10 * time.Second,
		"2.5":                                   2500 * time.Millisecond,
		"0.05":                                  50 * time.Millisecond,
		"0.000000001":                           time.Nanosecond,
		"0.0000000019":                          time.Nanosecond,
		"1.999999999999":                        2*time.Second - time.Nanosecond,
		"86400":                                 24 * time.Hour,
		"315360000":                             MaxDelay,
		"315360000.000":                         MaxDelay,
		"0000000000000000000000000000315360000": MaxDelay,
		"1." + strings.Repeat("0", 10_000):      time.Second,
	}
	for value, want := range good {
		if got, ok := ParseDelay(value); !ok || got != want {
			t.Errorf("P10: ParseDelay(%.60q) = %v, %t, want %v", value, got, ok, want)
		}
	}
	if want := 10 * 365 * 24 * time.Hour; MaxDelay != want {
		t.Errorf("P10: MaxDelay is %v, want %v", MaxDelay, want)
	}
	for _, value := range []string{
		"", " ", "fast", "-1", "+1", "1s", "1 ", " 1", "1.", ".5", ".", "1.2.3", "1,5", "1e3", "0x10", "1_000", "Inf", "NaN",
		"1.-5", "1. 5", "٣", "１", "315360000.000000001", "315360001", "9223372036854775807", "9223372036854775808",
		"99999999999999999999999999", strings.Repeat("9", 10_000),
	} {
		if got, ok := ParseDelay(value); ok {
			t.Errorf("P10: ParseDelay(%.60q) = %v, which is no delay", value, got)
		}
	}
}
