package main

import (
	"fmt"
	"syscall"
)

// tcpUserTimeout is TCP_USER_TIMEOUT (tcp(7)), which package syscall does not name.
const tcpUserTimeout = 18

// dropVanished makes the kernel give a connection up when what was sent to it stays unacknowledged for half a minute: a
// phone that lost its network says no goodbye, and a stream would write to it for a quarter of an hour. Connections take
// the option over from their listener.
func dropVanished(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, 30_000)
	})
	if err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("setting TCP_USER_TIMEOUT: %w", failed)
	}
	return nil
}
