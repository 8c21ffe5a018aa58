//go:build !linux

package main

import "syscall"

// dropVanished does nothing here: TCP_USER_TIMEOUT is Linux's.
func dropVanished(_, _ string, _ syscall.RawConn) error { return nil }
