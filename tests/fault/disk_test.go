package fault_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

// smallDisk mounts a file system of some megabytes that the database server may use.
func smallDisk(t *testing.T, megabytes int) (dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("a small disk is a tmpfs, and mounting one needs root")
	}
	dir, err := os.MkdirTemp("", "umpire-disk-")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0777", megabytes)); err != nil {
		_ = os.Remove(dir)
		t.Skipf("a small disk is a tmpfs, which cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
		_ = os.Remove(dir)
	})
	return dir
}

// fill leaves no byte; empty makes room again.
func fill(t testing.TB, dir string) (empty func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

// C-132: the disk is full under the table that a step writes. Nothing of the command stays, the sender is told to try
// again, and once there is room it is accepted under the same key.
func TestC132DiskFull(t *testing.T) {
	dir := smallDisk(t, 8)
	b := newBed(t, harness.NewOwn(t, postgres.Options{}))
	owner, err := os.Stat(b.Cluster().Dir)
	if err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(dir, "place")
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	account := owner.Sys().(*syscall.Stat_t)
	if err := os.Chown(place, int(account.Uid), int(account.Gid)); err != nil {
		t.Fatal(err)
	}
	b.exec(t, `create tablespace small location '`+place+`'`)
	u := b.serve(t)
	for _, table := range []string{"road.log", "road.note", "road.command"} {
		t.Run(table, func(t *testing.T) {
			b.exec(t, `alter table `+table+` set tablespace small`)
			empty := fill(t, dir)
			var key string
			var first answer
			for i := 0; first.Outcome != "try_again"; i++ {
				if i > 200 {
					t.Fatal("the disk never is full")
				}
				key = fmt.Sprintf("%s-%d", table, i)
				if first = b.post(t.Context(), u, line(key, "x")); first.Outcome != "accepted" && first.Outcome != "try_again" {
					t.Fatal(first)
				}
			}
			if first.brief() != "try_again disk_full" {
				t.Errorf("with the disk full: %v", first)
			}
			if n := value[int](t, b, `select (select count(*) from road.log where command_id = $1)::int + (select count(*) from road.command where command_id = $1)::int`, key); n != 0 {
				t.Errorf("%d rows of it are there", n)
			}
			b.sound(t)
			empty()
			if a, _ := b.settle(t, u, line(key, "x")); a.brief() != "accepted" {
				t.Errorf("again: %v", a)
			}
			if a := b.post(t.Context(), u, line(key, "y")); a.brief() != "refused key_reused" {
				t.Errorf("another body: %v", a)
			}
			b.once(t, key)
			b.exec(t, `alter table `+table+` set tablespace pg_default`)
		})
	}
}

// C-132: there is no room for the write-ahead log. Postgres goes down; nothing that was accepted is lost.
func TestC132LogDiskFull(t *testing.T) {
	dir := smallDisk(t, 64)
	b := newBed(t, harness.NewOwn(t, postgres.Options{Settings: map[string]string{"min_wal_size": "32MB", "max_wal_size": "32MB", "wal_recycle": "off"}}))
	u := b.serve(t)
	if err := b.Cluster().Kill(); err != nil {
		t.Fatal(err)
	}
	wal, place := filepath.Join(b.Cluster().Dir, "pg_wal"), filepath.Join(dir, "pg_wal")
	if err := moveTree(wal, place); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(place, wal); err != nil {
		t.Fatal(err)
	}
	if err := b.Cluster().Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	var accepted []string
	if a, _ := b.settle(t, u, line("room", "x")); a.brief() != "accepted" {
		t.Fatal(a)
	}
	b.exec(t, `select pg_switch_wal(); create table public.filler (t text)`)
	empty := fill(t, dir)
	var key string
	var first answer
	for i := 0; ; i++ {
		if i > 200 {
			t.Fatal("the disk never is full")
		}
		key = fmt.Sprint("wal-", i)
		if first = b.post(t.Context(), u, line(key, "x")); first.brief() != "accepted" {
			break
		}
		accepted = append(accepted, key)
		// The rest of the segment is used up by somebody else; whether that succeeds is not the matter.
		b.tryExec(t, `insert into public.filler select repeat(md5(g::text), 60) from generate_series(1, 500) g`)
	}
	if first.Outcome != "try_again" {
		t.Errorf("with the log's disk full: %v", first)
	}
	empty()
	if err := b.Cluster().Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, k := range accepted {
		if a, _ := b.settle(t, u, line(k, "x")); a.brief() != "duplicate" {
			t.Errorf("%s: %v", k, a)
		}
		b.once(t, k)
	}
	again, before := b.settle(t, u, line(key, "x"))
	if again.Decided().Outcome != "accepted" {
		t.Errorf("again: %v", again)
	}
	if a := b.post(t.Context(), u, line(key, "y")); a.brief() != "refused key_reused" {
		t.Errorf("another body: %v", a)
	}
	b.once(t, key)
	t.Logf("%d accepted before; first %s; again %s after %v", len(accepted), first.brief(), again.brief(), before)
}

// moveTree moves a folder to another file system, with the owners of its files.
func moveTree(from, to string) error {
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, path[len(from):])
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.IsDir() {
			err = os.Mkdir(target, info.Mode().Perm())
		} else {
			var content []byte
			if content, err = os.ReadFile(path); err == nil {
				err = os.WriteFile(target, content, info.Mode().Perm())
			}
		}
		if err != nil {
			return err
		}
		account := info.Sys().(*syscall.Stat_t)
		return os.Chown(target, int(account.Uid), int(account.Gid))
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(from)
}
