//go:build !linux

package main

import "syscall"

// endsWithUs: only Linux ends a child with us.
func endsWithUs() *syscall.SysProcAttr { return nil }
