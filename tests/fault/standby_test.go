package fault_test

import (
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// standby is a second server that follows the bed's.
type standby struct {
	*process
	url  string // its superuser, and the bed's database
	link *link  // to the bed's server
}

// newStandby copies the bed's server and lets the copy follow it. The bed's server is the bed's alone.
func newStandby(t testing.TB, b *bed) *standby {
	t.Helper()
	cluster := b.Cluster()
	owner, err := os.Stat(cluster.Dir)
	if err != nil {
		t.Fatal(err)
	}
	account := owner.Sys().(*syscall.Stat_t)
	var runAs *syscall.Credential
	if os.Geteuid() == 0 {
		runAs = &syscall.Credential{Uid: account.Uid, Gid: account.Gid}
	}
	programs := value[string](t, b, `select setting from pg_config where name = 'BINDIR'`)
	dir, err := os.MkdirTemp("", "umpire-standby-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chown(dir, int(account.Uid), int(account.Gid)); err != nil {
		t.Fatal(err)
	}

	data := filepath.Join(dir, "data")
	link := newLink(t, b.URL())
	from := link.through(t, b.URL()) + "&application_name=standby"
	copying := exec.CommandContext(t.Context(), filepath.Join(programs, "pg_basebackup"), "-D", data, "-d", from, "-R", "-X", "stream", "-c", "fast", "-N")
	copying.Dir, copying.Env = dir, environment("LC_ALL=C")
	copying.SysProcAttr = &syscall.SysProcAttr{Credential: runAs}
	if out, err := copying.CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %v\n%s", err, out)
	}

	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	at, err := url.Parse(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	at.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(filepath.Join(programs, "postgres"), "-D", data, "-p", strconv.Itoa(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+dir, "-c", "fsync=off", "-c", "cluster_name=standby")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = data, environment("LC_ALL=C"), log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: runAs}
	p, err := launch(cmd, syscall.SIGQUIT)
	if err != nil {
		t.Fatal(err)
	}
	s := &standby{p, at.String(), link}
	t.Cleanup(func() {
		p.kill(t)
		if t.Failed() {
			said, _ := os.ReadFile(log.Name())
			t.Logf("the standby said:\n%s", said)
		}
	})
	until(t, "the standby takes connections", func() (bool, error) {
		conn, err := pgx.Connect(t.Context(), s.url)
		if err != nil {
			return false, err
		}
		return true, conn.Close(t.Context())
	})
	b.WaitFor(t, `select exists (select from pg_stat_replication where application_name = 'standby' and state = 'streaming')`)
	return s
}

// freeze stops every process of the standby as they are; thaw lets them go on.
func (s *standby) freeze(t testing.TB) (thaw func()) {
	t.Helper()
	pids := valueAt[[]int32](t, s.url, `select array_agg(pid) from pg_stat_activity where pid <> pg_backend_pid()`)
	signal := func(to syscall.Signal) {
		s.signal(t, to)
		for _, pid := range pids {
			if err := syscall.Kill(int(pid), to); err != nil {
				t.Fatalf("the standby's process %d: %v", pid, err)
			}
		}
	}
	// A test that fails meanwhile must not leave stopped processes, which notice nobody's death.
	t.Cleanup(func() {
		for _, pid := range append(pids, int32(s.cmd.Process.Pid)) {
			_ = syscall.Kill(int(pid), syscall.SIGCONT)
		}
	})
	signal(syscall.SIGSTOP)
	return func() { signal(syscall.SIGCONT) }
}

// waitFor lets the bed's commits wait for the standby.
func (b *bed) waitForStandby(t testing.TB) {
	t.Helper()
	b.exec(t, `alter system set synchronous_standby_names = 'standby'`)
	b.exec(t, `select pg_reload_conf()`)
	b.WaitFor(t, `select exists (select from pg_stat_replication where sync_state = 'sync')`)
}
