package race

import (
	"syscall"
	"time"
)

// CPU is how much processor time the process has used, its collector's included:
// what other processes do takes none of it.
func CPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic("race: no clock: " + err.Error())
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
