package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// machine says where, of what and when the figures were taken.
func (b *bench) machine(w io.Writer) {
	fmt.Fprintf(w, "Measured on %s with %s, %s/%s, on %d cores of %s; load average %s at the start, %s at the end (%d figures each).\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor(),
		b.load, loadAverage(), b.options.Rounds)
	fmt.Fprintf(w, "Versions: polite %s", revision())
	for _, module := range modules() {
		fmt.Fprintf(w, ", %s %s", module.Path, module.Version)
	}
	fmt.Fprint(w, ".\n\n")
}

func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "an unnamed processor"
}

// loadAverage is how busy the machine is, this program included.
func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	if first, _, found := strings.Cut(string(text), " "); found {
		return first
	}
	return "unknown"
}

// revision is this library's: a replaced module has no version.
func revision() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty=, changed since").Output()
	if err != nil {
		return "of an unknown revision"
	}
	return "at " + strings.TrimSpace(string(out))
}

// modules are the peers': this library's own dependencies are none of them.
func modules() (found []*debug.Module) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, module := range info.Deps {
		if module.Replace == nil && !strings.HasPrefix(module.Path, "golang.org/x/") {
			found = append(found, module)
		}
	}
	return found
}
