//go:build !unix

package integration_test

import (
	"errors"
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

// freeze stops a process, where that can be done.
func freeze(t *testing.T, _ *exec.Cmd) {
	t.Helper()
	t.Skip("SKIPPED: a process cannot be stopped on this system") //nolint:forbidigo // there is no other way
}

// thaw lets a stopped process go on.
func thaw(*exec.Cmd) {}

// useUpFiles is nothing that this system can do.
func useUpFiles() error { return errors.ErrUnsupported }
