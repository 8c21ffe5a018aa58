package postgres

import "syscall"

// detached puts a process into a session of its own, so that ctrl-C in a terminal, which goes to the whole foreground
// process group, reaches us and not it.
//
// onDeath, if not 0, is what the kernel sends it when the *thread* that started it ends (prctl(2), PR_SET_PDEATHSIG). Go
// sets it after the change of user, which would clear it, and closes the gap in which the parent dies first.
func detached(runAs *syscall.Credential, onDeath syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Credential: runAs, Pdeathsig: onDeath}
}
