package integration_test

import "syscall"

// dieWithParent has the kernel kill a child when this process is gone, however
// it went.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
