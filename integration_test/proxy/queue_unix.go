//go:build unix

package proxy

import (
	"errors"
	"net"
	"syscall"
)

// shorten sets the length of a listener's queue: a socket that listens already
// may be told to listen again.
func shorten(listener *net.TCPListener, length int) error {
	raw, err := listener.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = syscall.Listen(int(fd), length) })
	return errors.Join(err, failed)
}
