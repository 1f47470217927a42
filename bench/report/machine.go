package report

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

// WriteMachine says where, of what and when figures were taken. load is
// LoadAverage at the start, taken how they were; peers says which of the modules
// that are linked are named, by their paths, besides this library.
func WriteMachine(w io.Writer, load, taken string, peers func(path string) bool) {
	fmt.Fprintf(w, "Measured on %s with %s, %s/%s, on %d cores of %s; load average %s at the start, %s at the end (%s).\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor(),
		load, LoadAverage(), taken)
	fmt.Fprintf(w, "Versions: polite %s", revision())
	for _, module := range modules() {
		if peers(module.Path) {
			fmt.Fprintf(w, ", %s %s", module.Path, module.Version)
		}
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

// LoadAverage is how busy the machine is, this program included.
func LoadAverage() string {
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

// modules are those that are linked, but for this library.
func modules() (found []*debug.Module) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, module := range info.Deps {
		if module.Replace == nil {
			found = append(found, module)
		}
	}
	return found
}
