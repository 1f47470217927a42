//go:build unix

package integration_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
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

// freeze stops a process as a debugger, a paused container or a machine without
// memory does, and proves that it stands still.
func freeze(t *testing.T, process *exec.Cmd) {
	t.Helper()
	if err := process.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatalf("stop %s: %v", process.Path, err)
	}
	t.Cleanup(func() { thaw(process) }) // or it could not end
	eventually(t, "the process stands still", func() bool { return strings.HasPrefix(state(t, process), "T") })
}

// thaw lets a stopped process go on.
func thaw(process *exec.Cmd) { _ = process.Process.Signal(syscall.SIGCONT) }

// state is the letter that the system has for what a process does.
func state(t *testing.T, process *exec.Cmd) string {
	t.Helper()
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process.Process.Pid)); err == nil {
		return string(bytes.TrimSpace(text[bytes.LastIndexByte(text, ')')+1:]))
	}
	text, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(process.Process.Pid)).Output()
	if err != nil {
		t.Fatalf("ps: %v", err)
	}
	return string(bytes.TrimSpace(text))
}

// useUpFiles lets this process open no file or socket more than it has.
func useUpFiles() error {
	next, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer next.Close()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	limit.Cur = 0
	for range next.Fd() { // whose type differs between systems
		limit.Cur++
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if another, err := os.Open(os.DevNull); err == nil {
		_ = another.Close()
		return errors.New("there are files left to open")
	}
	return nil
}
