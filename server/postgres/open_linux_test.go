package postgres

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"testing"
)

func TestTerminalInterruptLeavesTheServer(t *testing.T) {
	owner, says := startHelper(t, OriginBinaries, "")
	conn := connect(t, says.URL)
	if err := syscall.Kill(-owner.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	// A fast shutdown would refuse new sessions from its first moment and end this one.
	if n := query[int](t, conn, "select 1"); n != 1 {
		t.Error(n)
	}
	connect(t, says.URL)
	if sid, err := getsid(says.Process); err != nil || sid != says.Process {
		t.Errorf("the server's session is %d (%v), want its own", sid, err)
	}
}

func getsid(pid int) (int, error) {
	sid, _, errno := syscall.Syscall(syscall.SYS_GETSID, uintptr(pid), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(sid), nil
}

// The parent death signal is the thread's: a server must survive the thread that asked for it.
func TestServerSurvivesTheCallersThread(t *testing.T) {
	type result struct {
		c      *Cluster
		thread int
		err    error
	}
	opened := make(chan result)
	var doomed func()
	doomed = func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if syscall.Gettid() == syscall.Getpid() {
			// The main thread never ends; while this goroutine holds it, another gets another.
			done := make(chan struct{})
			go func() { defer close(done); doomed() }()
			<-done
			return
		}
		c, err := Open(context.Background(), Options{})
		opened <- result{c, syscall.Gettid(), err}
	}
	go doomed()
	r := <-opened
	if r.err != nil {
		t.Fatal(r.err)
	}
	defer func() { _ = r.c.Close(context.Background()) }()
	eventually(t, "the thread ends", func() bool { return missing(fmt.Sprintf("/proc/self/task/%d", r.thread)) })
	if !r.c.Running() {
		t.Fatal("the server ended with the thread")
	}
	connect(t, r.c.URL)
}
