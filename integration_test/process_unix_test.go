//go:build unix

package integration_test

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"
)

// killHard kills a process with -9 and proves that it is gone, once whoever waits
// for it has said so.
func killHard(t *testing.T, process *exec.Cmd, gone <-chan struct{}) {
	t.Helper()
	// A stopped process dies as well, but not where a debugger stopped it.
	_ = process.Process.Signal(syscall.SIGCONT)
	if err := process.Process.Kill(); err != nil {
		t.Fatalf("kill %s: %v", process.Path, err)
	}
	receive(t, "end of the process that was killed", gone)
	if status, ok := process.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("%s ended by %v, want to have killed it", process.Path, process.ProcessState)
	}
	if err := syscall.Kill(process.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Fatalf("%s was killed and is still there: %v", process.Path, err)
	}
}
