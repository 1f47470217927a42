//go:build !linux

package integration_test

import "syscall"

// dieWithParent asks for nothing where the kernel has nothing of the kind; a
// worker still ends with its standard input.
func dieWithParent() *syscall.SysProcAttr { return nil }
