//go:build !linux

package main

import "syscall"

// dieWithParent asks for nothing where the kernel has nothing of the kind; a
// worker still ends with its standard input.
func dieWithParent() *syscall.SysProcAttr { return nil }

// isStopped takes the signal's word for it.
func isStopped(int) bool { return true }
