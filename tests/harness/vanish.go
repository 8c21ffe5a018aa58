package harness

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// Vanish makes our end of a connection behave as if its host had lost its power: a filter drops whatever comes in before
// TCP sees it, so nothing is acknowledged, no FIN and no RST is sent, and no probe is answered. Nor does it send probes of its own.
func Vanish(c *net.TCPConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	nothing := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = errors.Join(
			unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_KEEPALIVE, 0),
			unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &nothing}))
	})
	if err := errors.Join(err, failed); err != nil {
		return fmt.Errorf("silencing a connection: %w", err)
	}
	return nil
}
