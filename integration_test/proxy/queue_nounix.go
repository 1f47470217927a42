//go:build !unix

package proxy

import (
	"errors"
	"net"
)

// shorten is what Fault.Stall takes.
func shorten(*net.TCPListener, int) error { return errors.ErrUnsupported }
