package restyfetch

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"

	"github.com/polite-crawler/polite/domain/policy"
)

// A SYN that nobody answers, as from a firewall that drops it: the queue of the
// listener is full. F11, "time-out".
func TestDialTimeout(t *testing.T) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", bound.(*syscall.SockaddrInet4).Port)
	for tries := 0; ; tries++ {
		conn, err := net.DialTimeout("tcp", address, short)
		if err != nil {
			break
		}
		t.Cleanup(func() { _ = conn.Close() })
		if tries == 10 {
			t.Fatal("the queue is never full, so nothing is dropped")
		}
	}
	_, err = made(t, Options{DialTimeout: short}).Fetch(t.Context(), policy.Request{URL: "http://" + address})
	expect(t, err, policy.FailedTimeout, false, 0)
}
