package road

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// mustHaveLimits borrows every connection that a pool can have and reads its settings.
func mustHaveLimits(t *testing.T, r *Road, name PoolName) {
	t.Helper()
	p := r.pools[name]
	want := p.kind.runtimeParams(p.options)
	for range p.options.MaxConns {
		conn, err := p.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Release()
		for setting, value := range want {
			var is string
			err := conn.QueryRow(t.Context(), `select coalesce((select s.setting from pg_settings s where lower(s.name) = $1), current_setting($1))`, setting).Scan(&is)
			if err != nil {
				t.Fatal(err)
			}
			if is != value {
				t.Errorf("pool %s: %s is %q, not %q", name, setting, is, value)
			}
		}
		var user string
		if err := conn.QueryRow(t.Context(), `select current_user`).Scan(&user); err != nil || user != p.kind.role {
			t.Errorf("pool %s: is %q, not %q (%v)", name, user, p.kind.role, err)
		}
	}
}

// PG-09: the limits are on every connection of every pool: at first, after use, after failures, after a reset.
func TestLimitsAreOnEveryConnection(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, func(o *Options) {
		o.Command.MaxConns, o.Import.MaxConns, o.Read.MaxConns, o.Work.MaxConns = 3, 2, 3, 2
	})
	all := func() {
		for _, k := range poolKinds() {
			mustHaveLimits(t, r, k.name)
		}
	}
	all()
	w.expect(t, r.Execute(t.Context(), w.line("k1", "x")), Accepted, "")
	put := w.command("event", "event", "cup", "fixture_put", "f2", `{"fixture":"semi","sport":"football","home":"A","away":"B"}`)
	put.Saw = []byte(`{"rows":{"fixture/semi/schedule":null}}`)
	w.expect(t, r.Execute(t.Context(), put), Accepted, "") // its locks have a lock_timeout of their own
	w.exec(t, `create or replace function sport.fixture_note(cmd road.call) returns jsonb language plpgsql as $$ begin perform 1 / 0; return null; end $$`)
	w.expect(t, r.Execute(t.Context(), w.line("k2", "x")), TryAgain, "internal_error")
	if _, err := r.Read(t.Context(), "", "fixture", "final", "state", "", 0); err != nil {
		t.Fatal(err)
	}
	all()
	for _, p := range r.pools {
		p.resetNow()
	}
	all()
}

// The limits differ as the design says.
func TestDefaultLimits(t *testing.T) {
	pools, err := Options{}.pools()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name                                  PoolName
		lock, stmt, idle, orphan, transaction string
	}{
		{CommandPool, "2000", "5000", "5000", "", "5500"}, {ImportPool, "5000", "30000", "30000", "2000", "30500"},
		{ReadPool, "0", "5000", "5000", "", "5500"}, {WorkPool, "2000", "30000", "30000", "2000", "30500"},
	} {
		for _, k := range poolKinds() {
			if k.name != c.name {
				continue
			}
			p := k.runtimeParams(pools[k.name])
			if p["lock_timeout"] != c.lock || p["statement_timeout"] != c.stmt || p["idle_in_transaction_session_timeout"] != c.idle ||
				p["application_name"] != "umpire:"+string(c.name) ||
				// C-133: a silent host's connection is given up after 4 s, at the most 5.
				p["tcp_keepalives_idle"] != "2" || p["tcp_keepalives_interval"] != "1" || p["tcp_keepalives_count"] != "3" ||
				p["tcp_user_timeout"] != "4000" || p["client_connection_check_interval"] != c.orphan ||
				k.laterParams(pools[k.name])["transaction_timeout"] != c.transaction {
				t.Errorf("%s: %v", c.name, p)
			}
		}
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for _, o := range []Options{
		{Command: PoolOptions{MaxConns: -1}},
		{Command: PoolOptions{MaxConns: 5000}},
		{Import: PoolOptions{LockTimeout: time.Minute}},
		{Work: PoolOptions{StatementTimeout: time.Microsecond}},
		{Work: PoolOptions{StatementTimeout: -time.Second}},
		{Read: PoolOptions{LockTimeout: time.Second}},
		{Command: PoolOptions{Patience: -1}},
		{Admission: AdmissionOptions{PerSubject: -1}},
		{SenderTTL: -1},
		{URL: "postgres://u:geheim@:::/"},
	} {
		r, err := Open(t.Context(), o)
		if err == nil {
			r.Close()
			t.Errorf("%+v was opened", o)
		} else if strings.Contains(err.Error(), "geheim") {
			t.Errorf("the error holds the password: %v", err)
		}
	}
}

// A pooler that drops what the startup packet asks for stops the start.
func TestDroppedStartupParametersStopTheStart(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"lock_timeout", "role", "synchronous_commit", "tcp_keepalives_idle", "tcp_user_timeout"} {
		// synchronous_commit is on unless somebody turned it off
		w.exec(t, `alter role postgres in database `+w.admin.Config().Database+` set synchronous_commit = off`)
		r, err := Open(t.Context(), Options{URL: w.URL(), configure: func(_ PoolName, c *pgxpool.Config) {
			delete(c.ConnConfig.RuntimeParams, name)
		}})
		if err == nil {
			r.Close()
		}
		var settings *SettingsError
		if !errors.As(err, &settings) || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// C-133: what only a newer server has is set there, and an older one is not asked for it.
func TestC133LimitsThatOnlySomeServersHave(t *testing.T) {
	w := newWorld(t)
	r := w.open(t, nil)
	for _, k := range poolKinds() {
		conn, err := r.pools[k.name].Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var is *string
		err = conn.QueryRow(t.Context(), `select (select setting from pg_settings where name = 'transaction_timeout')`).Scan(&is)
		conn.Release()
		if err != nil {
			t.Fatal(err)
		}
		want := k.laterParams(r.pools[k.name].options)["transaction_timeout"]
		if newer := w.Cluster().Version >= 170000; newer != (is != nil) || newer && *is != want {
			t.Errorf("pool %s: transaction_timeout is %v, not %s", k.name, is, want)
		}
	}
	conn := w.Conn(t)
	set, err := setParams(t.Context(), conn, map[string]string{"work_mem": "12345", "no_such_setting": "1"})
	if err != nil || len(set) != 1 || set["work_mem"] != "12345" {
		t.Errorf("set: %v, %v", set, err)
	}
	if err := checkParams(t.Context(), conn, set); err != nil {
		t.Error(err)
	}
}

// On a Unix socket there is no TCP to ask for: the kernel tells the backend that its peer is gone.
func TestUnixSocket(t *testing.T) {
	w := newWorld(t)
	socket := w.Cluster().Socket
	if socket == "" {
		t.Skip("the server has no Unix socket here")
	}
	url := fmt.Sprintf("host=%s port=%d user=postgres dbname=%s", socket, w.Cluster().Port, w.admin.Config().Database)
	r := w.open(t, func(o *Options) { o.URL = url })
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), Accepted, "")
}

// One round trip per command, also after an error of Postgres and for every outcome; a connection is prepared beforehand.
func TestOneRoundTripPerCommand(t *testing.T) {
	w := newWorld(t)
	var wire wire
	r := w.open(t, func(o *Options) { o.configure = wire.configure(CommandPool) })
	one := func(what string, c Command, outcome Outcome, reason string) {
		t.Helper()
		before := wire.trips.Load()
		a := r.Execute(t.Context(), c)
		if n := wire.trips.Load() - before; n != 1 {
			t.Errorf("%s: %d round trips", what, n)
		}
		w.expect(t, a, outcome, reason)
	}
	for i := range 10 {
		one("accepted", w.line(fmt.Sprint("k", i), "x"), Accepted, "")
	}
	one("duplicate", w.line("k1", "x"), Duplicate, "")
	one("refused", w.line("k1", "y"), Refused, "key_reused")
	w.onInsert(t, false, `perform 1 / 0;`)
	one("broken", w.line("b1", "x"), TryAgain, "internal_error")
	w.noTrigger(t)
	one("after it", w.line("b1", "x"), Accepted, "")
	w.onInsert(t, true, `perform 1 / 0;`)
	one("broken at commit", w.line("b2", "x"), TryAgain, "internal_error")
	w.noTrigger(t)
	one("after it", w.line("b2", "x"), Accepted, "")
}

// A connection cannot be had: not_sent, nothing is waited for.
func TestDatabaseOutOfReach(t *testing.T) {
	w := newWorld(t)
	var refuse atomic.Bool
	r := w.open(t, func(o *Options) {
		o.configure = func(_ PoolName, c *pgxpool.Config) {
			dial := c.ConnConfig.DialFunc
			c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
				if refuse.Load() {
					return nil, errors.New("refused")
				}
				return dial(ctx, network, addr)
			}
		}
	})
	refuse.Store(true)
	for _, p := range r.pools {
		p.resetNow()
	}
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), TryAgain, "not_sent")
	var unavailable *UnavailableError
	if _, err := r.Read(t.Context(), "", "fixture", "final", "state", "", 0); !errors.As(err, &unavailable) || unavailable.Reason != "not_sent" || unavailable.RetryAfter <= 0 {
		t.Errorf("read: %v", err)
	}
	if _, err := r.Authenticate(t.Context(), w.token); !errors.As(err, &unavailable) {
		t.Errorf("authenticate: %v", err)
	}
	if err := r.Ready(t.Context()); err == nil {
		t.Error("ready")
	}
	refuse.Store(false)
	w.expect(t, r.Execute(t.Context(), w.line("k", "x")), Accepted, "")
}
