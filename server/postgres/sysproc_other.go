//go:build unix && !linux

package postgres

import "syscall"

// detached puts a process into a session of its own, so that ctrl-C in a terminal does not reach it. There is no parent
// death signal here: the keeper does that work alone.
func detached(runAs *syscall.Credential, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Credential: runAs}
}
