package robots

import (
	"testing"
	"time"
)

// P10: Request-rate is n/m[s|m|h] [hhmm-hhmm].
func TestParseRate(t *testing.T) {
	morning := Window{9 * time.Hour, 17*time.Hour + 30*time.Minute}
	for value, want := range map[string]Rate{
		"1/10":             {1, 10 * time.Second, Window{}},
		"1/10s":            {1, 10 * time.Second, Window{}},
		"30/1m":            {30, time.Minute, Window{}},
		"005/2h":           {5, 2 * time.Hour, Window{}},
		"1/5 0900-1730":    {1, 5 * time.Second, morning},
		"1/5m \t0900-1730": {1, 5 * time.Minute, morning},
		"1/315360000":      {1, MaxDelay, Window{}},
		"999999999/1":      {999999999, time.Second, Window{}},
	} {
		if got, ok := ParseRate(value); !ok || got != want {
			t.Errorf("%q is %+v (%v), want %+v", value, got, ok, want)
		}
	}
	for _, value := range []string{
		"", "1", "/", "1/", "/1", "0/1", "1/0", "1/0s", "-1/5", "1/-5", "1.5/2", "1/2.5", "1/5d", "1/5ms", "1/5S", "a/b", "1/s", "1//5", "1/5/6",
		"1/315360001", "1/87601h", "9999999999/1", "1/5 ", "1/5 0900", "1/5 0900-1730 x", "1/5 25:00", "1 / 5", "١/5",
	} {
		if got, ok := ParseRate(value); ok || got != (Rate{}) {
			t.Errorf("%q is %+v, want nothing", value, got)
		}
	}
}

func TestRateInterval(t *testing.T) {
	for rate, want := range map[Rate]time.Duration{
		{}:                               0,
		{Requests: 1, Per: time.Minute}:  time.Minute,
		{Requests: 30, Per: time.Minute}: 2 * time.Second,
	} {
		if got := rate.Interval(); got != want {
			t.Errorf("%+v: %v, want %v", rate, got, want)
		}
	}
}

// P10: Visit-time is hhmm-hhmm in UTC.
func TestParseVisitTime(t *testing.T) {
	at := func(hour, minute int) time.Time {
		return time.Date(2026, 2, 28, hour, minute, 0, 0, time.UTC).In(time.FixedZone("", 5*3600+1800))
	}
	for _, row := range []struct {
		value    string
		want     Window
		in, out  []time.Time
		wholeDay bool
	}{
		{"0600-0845", Window{6 * time.Hour, 8*time.Hour + 45*time.Minute}, []time.Time{at(6, 0), at(8, 44)}, []time.Time{at(5, 59), at(8, 45), at(0, 0)}, false},
		{"2200-0400", Window{22 * time.Hour, 4 * time.Hour}, []time.Time{at(22, 0), at(23, 59), at(0, 0), at(3, 59)}, []time.Time{at(4, 0), at(21, 59)}, false},
		{"2200-2400", Window{22 * time.Hour, 24 * time.Hour}, []time.Time{at(22, 0), at(23, 59)}, []time.Time{at(0, 0), at(21, 59)}, false},
		{"0000-2400", Window{0, 24 * time.Hour}, []time.Time{at(0, 0), at(12, 0)}, nil, true},
		{"0000-0000", Window{}, []time.Time{at(0, 0), at(12, 0)}, nil, true},
		{"0700-0700", Window{7 * time.Hour, 7 * time.Hour}, []time.Time{at(0, 0), at(12, 0)}, nil, true},
	} {
		got, ok := ParseVisitTime(row.value)
		if !ok || got != row.want || got.Whole() != row.wholeDay {
			t.Errorf("%q is %+v (%v)", row.value, got, ok)
		}
		for _, in := range row.in {
			if !got.Contains(in) {
				t.Errorf("%q does not contain %v", row.value, in.UTC())
			}
		}
		for _, out := range row.out {
			if got.Contains(out) {
				t.Errorf("%q contains %v", row.value, out.UTC())
			}
		}
	}
	for _, value := range []string{"", "-", "0600", "0600-", "600-845", "06:00-08:45", "0660-0845", "2401-0100", "2400-0100", "0600-2500", "0600 - 0845", "0600-08450", "a600-0845", "0600-0845 "} {
		if got, ok := ParseVisitTime(value); ok || got != (Window{}) {
			t.Errorf("%q is %+v, want nothing", value, got)
		}
	}
}

// P10: what is invalid is kept and reported.
func TestInvalidRatesAreReported(t *testing.T) {
	f := parse("user-agent: a\nrequest-rate: fast\nvisit-time: noon\nrequest-rate: 1/5m 0900-1700\nvisit-time: 0900-1700\n")
	want := []fault{{2, InvalidRate}, {3, InvalidTime}}
	if got := faultsOf(f); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("the warnings are %v, want %v", got, want)
	}
	if len(f.Groups[0].Records) != 4 {
		t.Errorf("%s", outline(f))
	}
}
