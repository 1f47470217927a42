package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// dieWithParent has the kernel kill a child when this process is gone, however
// it went.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// isStopped reports whether a process does nothing since a SIGSTOP: of its name
// and its state, in brackets and behind them, the name can hold anything.
func isStopped(pid int) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	i := bytes.LastIndexByte(text, ')')
	return i >= 0 && bytes.HasPrefix(text[i:], []byte(") T"))
}
