package postgres

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// maxSocketDir leaves room for "/.s.PGSQL.65535.lock" in the 107 bytes (103 on macOS) of a socket's path.
const maxSocketDir = 80

// runFolder makes the short temp folder for the socket and, for a throwaway server, everything else.
func runFolder(runAs *syscall.Credential) (string, error) {
	parent := os.TempDir()
	if len(parent)+len("/umpire-pg-1234567890") > maxSocketDir || reachable(parent, runAs) != nil {
		parent = "/tmp"
	}
	dir, err := os.MkdirTemp(parent, "umpire-pg-")
	if err != nil {
		return "", err
	}
	// The server compares and prints real paths.
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		err = giveTo(real, runAs)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(dir))
	}
	return real, nil
}

// reachable says whether an account that owns nothing on the way can enter dir.
func reachable(dir string, runAs *syscall.Credential) error {
	if runAs == nil {
		return nil
	}
	for d := dir; ; d = filepath.Dir(d) {
		info, err := os.Stat(d)
		if err != nil {
			return err
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		owns := ok && st.Uid == runAs.Uid && info.Mode()&0o100 != 0
		if !owns && info.Mode()&0o001 == 0 {
			return fmt.Errorf("the server's user %q cannot enter %s (chmod o+x %s, or choose another folder)", superuser, d, d)
		}
		if d == filepath.Dir(d) {
			return nil
		}
	}
}

// dataMajor is the major version that made a data folder; ok is false when dir is missing or empty.
func dataMajor(dir string) (major int, ok bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		empty, err := missingOrEmpty(dir)
		if err != nil {
			return 0, false, fmt.Errorf("data folder %s: %w", dir, err)
		}
		if !empty {
			return 0, false, fmt.Errorf("the folder %s is not empty and holds no PostgreSQL data: name an empty one", dir)
		}
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("data folder %s: %w", dir, err)
	}
	major, err = strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, false, fmt.Errorf("%s/PG_VERSION says %q, which is no version", dir, strings.TrimSpace(string(text)))
	}
	return major, true, nil
}

func missingOrEmpty(dir string) (bool, error) {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = d.Close() }()
	if _, err = d.Readdirnames(1); errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}

// keptFolder prepares a data folder that outlives us and returns its real path.
func keptFolder(dir string, runAs *syscall.Credential) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	created, err := missingOrEmpty(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	if created {
		if err := giveTo(dir, runAs); err != nil {
			return "", err
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			return "", err
		}
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	want := uint32(os.Geteuid())
	if runAs != nil {
		want = runAs.Uid
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != want {
		return "", fmt.Errorf("the data folder %s belongs to uid %d, the server runs as uid %d: chown -R %d %s", dir, st.Uid, want, want, dir)
	}
	if err := reachable(filepath.Dir(dir), runAs); err != nil {
		return "", err
	}
	if pid, port, ok := served(dir); ok {
		return "", fmt.Errorf("the data folder %s is already served by process %d on port %s: "+
			"stop that one, give its URL instead, or name another folder", dir, pid, port)
	}
	return dir, nil
}

// served reads a data folder's lock file. A lock whose process is gone, or is not that server, does not count.
func served(dir string) (pid int, port string, ok bool) {
	f, err := os.Open(filepath.Join(dir, "postmaster.pid"))
	if err != nil {
		return 0, "", false
	}
	defer func() { _ = f.Close() }()
	var lines []string
	for s := bufio.NewScanner(f); len(lines) < 4 && s.Scan(); {
		lines = append(lines, strings.TrimSpace(s.Text()))
	}
	if len(lines) < 4 {
		return 0, "", false
	}
	if pid, err = strconv.Atoi(lines[0]); err != nil || pid <= 0 {
		return 0, "", false
	}
	if err := syscall.Kill(pid, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return 0, "", false
	}
	// A server's working directory is its data folder; the number alone may belong to anybody by now.
	if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err == nil && cwd != dir {
		return 0, "", false
	}
	return pid, lines[3], true
}
