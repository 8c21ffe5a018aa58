//go:build unix

package race_test

import (
	"context"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

const lastXID = 4294967295

// The savepoint's 32-bit xid is widened with the epoch of its transaction, one epoch on when the counter wraps between
// the two. Without that the note lies four billion in the past, and no reader ever sees it. The counter of a server of
// our own is set near its end for this.
func TestNotesAcrossTheWrapOfTheXIDCounter(t *testing.T) {
	t.Parallel()
	db := harness.NewProcess(t, postgres.Options{Settings: map[string]string{"autovacuum": "off"}})
	layOut(t, db.URL())
	if notes, seen := acrossTheWrap(t, db, &bed{url: db.URL()}); seen != notes {
		t.Errorf("a reader that was up to date saw %d of %d notes", seen, notes)
	}
}

// A server's counter wraps but once, so the mutation needs one of its own.
func TestNotesAcrossTheWrapMutation(t *testing.T) {
	t.Parallel()
	db := harness.NewProcess(t, postgres.Options{Settings: map[string]string{"autovacuum": "off"}})
	layOut(t, db.URL())
	b := clone(t, db.URL())
	mutation{
		function: execute,
		from:     "case when v_sub_xid < (v_xid & x'ffffffff'::bigint) then x'100000000'::bigint else 0 end",
		to:       "0",
	}.apply(t, b)
	if notes, seen := acrossTheWrap(t, db, b); seen == notes {
		t.Error("without the epoch's step nothing is lost: the case was not made")
	}
}

// acrossTheWrap sends three commands, the second of which is wrapped in the middle, and says how many notes they made
// and how many of them came to a reader that had read all before.
func acrossTheWrap(t *testing.T, db *harness.DB, b *bed) (notes, seen int) {
	t.Helper()
	nearWrap(t, db)
	a := b.session(t)
	before := value[int](t, a.Conn, "select count(*)::int from road.note")
	a.want(t, note("final"), "accepted")
	for {
		xid := value[int64](t, a.Conn, "select pg_current_xact_id()::text::bigint") & lastXID
		if xid < 1000 {
			t.Fatal("the counter wrapped before its time")
		}
		if xid == lastXID-1 {
			break
		}
	}
	r := newReader(t, b, 10)
	for r.read(t) > 0 {
	}
	if len(r.seen) != before+1 {
		t.Fatalf("read %d notes before the wrap, want %d", len(r.seen), before+1)
	}
	a.want(t, touch("final", a.subject(t, "semi")).under("wrap"), "accepted")
	a.want(t, note("final"), "accepted")

	// Was it really this command? Its command row has the transaction's xid, its log row the savepoint's.
	wrapped := value[bool](t, a.Conn, "select k.xmin::text::bigint = 4294967295 and l.xmin::text::bigint < 10 from road.command k join road.log l using (sender, actor, command_id, subject_id) where k.command_id = 'wrap'")
	if !wrapped {
		t.Fatal("the counter did not wrap within the command")
	}
	for r.read(t) > 0 {
	}
	return before + 4, len(r.seen)
}

// nearWrap stops the server, sets its counter to some xids before the end, and starts it.
func nearWrap(t *testing.T, db *harness.DB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cluster := db.Cluster()
	admin := connect(t, db.URL(), nil)
	databases := values[string](t, admin, "select datname from pg_database where datallowconn")
	// What old transactions wrote must not be asked for any more: the wrap makes their xids new ones.
	for _, name := range databases {
		conn := connect(t, cluster.URLFor(name), nil)
		exec(t, conn, "vacuum (freeze)")
		exec(t, conn, "checkpoint")
		_ = conn.Close(ctx)
	}
	_ = admin.Close(ctx)

	pidFile, err := os.ReadFile(filepath.Join(cluster.Dir, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(string(pidFile), "\n", 2)[0]))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for cluster.Running() {
		if ctx.Err() != nil {
			t.Fatal("the server does not stop")
		}
	}

	started, err := os.ReadFile(filepath.Join(cluster.Dir, "postmaster.opts"))
	if err != nil {
		t.Fatal(err)
	}
	program, _, _ := strings.Cut(string(started), " ")
	var owner syscall.Stat_t
	if err := syscall.Stat(cluster.Dir, &owner); err != nil {
		t.Fatal(err)
	}
	// The commit log's page of the new counter; all its transactions are still to come.
	segment := filepath.Join(cluster.Dir, "pg_xact", "0FFF")
	if err := os.WriteFile(segment, make([]byte, 256*1024), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(segment, int(owner.Uid), int(owner.Gid)); err != nil {
		t.Fatal(err)
	}
	reset := osexec.CommandContext(ctx, filepath.Join(filepath.Dir(strings.Trim(program, `"`)), "pg_resetwal"), "--oldest-transaction-id=4294000000", "--next-transaction-id=4294967240", cluster.Dir)
	reset.Dir = cluster.Dir
	if os.Geteuid() == 0 {
		reset.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	if out, err := reset.CombinedOutput(); err != nil {
		t.Fatalf("pg_resetwal: %v\n%s", err, out)
	}
	if err := cluster.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, db.URL())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close(ctx)
}
