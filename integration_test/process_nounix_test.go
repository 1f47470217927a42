//go:build !unix

package integration_test

import (
	"os/exec"
	"testing"
)

// killHard kills a process, and waits until it is gone.
func killHard(t *testing.T, process *exec.Cmd, gone <-chan struct{}) {
	t.Helper()
	if err := process.Process.Kill(); err != nil {
		t.Fatalf("kill %s: %v", process.Path, err)
	}
	receive(t, "end of the process that was killed", gone)
}
