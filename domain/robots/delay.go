package robots

import (
	"strconv"
	"strings"
	"time"
)

// MaxDelay is the longest Crawl-delay that is believed: ten years.
const MaxDelay = 10 * 365 * 24 * time.Hour

// ParseDelay reads a Crawl-delay value: digits, and perhaps a point and more
// digits, in seconds. Anything else, and anything over MaxDelay, is invalid
// (P10). Digits past a nanosecond are cut.
func ParseDelay(value string) (delay time.Duration, ok bool) {
	whole, fraction, point := strings.Cut(value, ".")
	if !digits(whole) || point && !digits(fraction) {
		return 0, false
	}
	seconds, err := strconv.ParseUint(whole, 10, 63)
	if err != nil || seconds > uint64(MaxDelay/time.Second) {
		return 0, false
	}
	delay = time.Duration(seconds) * time.Second
	unit := time.Second
	for i := 0; i < len(fraction) && unit > 1; i++ {
		unit /= 10
		delay += time.Duration(fraction[i]-'0') * unit
	}
	return delay, delay <= MaxDelay
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
