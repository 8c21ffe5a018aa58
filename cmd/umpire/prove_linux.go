package main

import "syscall"

// endsWithUs lets the kernel end a child when we are gone, however we went. Its own session keeps a Ctrl-C to us.
func endsWithUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
