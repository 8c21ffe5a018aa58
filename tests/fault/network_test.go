package fault_test

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

// lose adds a fault to what the server sends; see toxiproxy's toxics.
func (l *link) lose(t testing.TB, kind, attributes string) {
	t.Helper()
	toxic := fmt.Sprintf(`{"name": "sent", "type": %q, "stream": "upstream", "attributes": {%s}}`, kind, attributes)
	if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
		t.Fatal(err)
	}
}

// PG-01, the other direction: the command is lost on its way to Postgres, whole or from some byte on. Nobody knows, nothing
// is there, the resend is accepted.
func TestPG01CommandLost(t *testing.T) {
	b := newBed(t, harness.New(t))
	u := b.serve(t)
	for _, c := range []struct{ name, kind, attributes string }{
		{"whole", "timeout", `"timeout": 1`},
		{"after-40-bytes", "limit_data", `"bytes": 40`},
		{"after-400-bytes", "limit_data", `"bytes": 400`},
		{"after-1900-bytes", "limit_data", `"bytes": 1900`},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Now the pool has a sound connection, and the sender is known.
			if a, _ := b.settle(t, u, line("before-"+c.name, "x")); a.brief() != "accepted" {
				t.Fatal(a)
			}
			b.link.lose(t, c.kind, c.attributes)
			a := b.post(t.Context(), u, line(c.name, strings.Repeat("x", 2000)))
			b.link.mend(t)
			if a.brief() != "try_again commit_unknown" {
				t.Errorf("lost: %v", a)
			}
			b.WaitFor(t, `select not exists (select from pg_stat_activity where datname = current_database() and application_name like 'umpire:command%' and state <> 'idle')`)
			if n := value[int](t, b, `select count(*)::int from road.command where command_id = $1`, c.name); n != 0 {
				t.Error("it is there")
			}
			if a, before := b.settle(t, u, line(c.name, strings.Repeat("x", 2000))); a.brief() != "accepted" {
				t.Errorf("again: %v after %v", a, before)
			}
			b.once(t, c.name)
		})
	}
}

// detour is an address that leads somewhere else from now on for new connections only, as a name does.
type detour struct {
	listener net.Listener
	mu       sync.Mutex
	to       string
}

func newDetour(t testing.TB, database string) *detour {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	d := &detour{listener: l}
	d.leadTo(t, database)
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			d.mu.Lock()
			address := d.to
			d.mu.Unlock()
			to, err := net.Dial("tcp", address)
			if err != nil {
				_ = from.Close()
				continue
			}
			forward := func(into, out net.Conn) {
				_, _ = io.Copy(into, out)
				_ = into.Close()
				_ = out.Close()
			}
			go forward(to, from)
			go forward(from, to)
		}
	}()
	return d
}

func (d *detour) leadTo(t testing.TB, database string) {
	t.Helper()
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.to = at.Host
}

// C-132: the primary is demoted and lives on, with the server's connections open. The first command that meets 25006 makes
// the server give all of them up; from then on commands and reads go to the new primary, with no restart.
func TestC132DemotedPrimaryLivesOn(t *testing.T) {
	b := newBed(t, harness.NewOwn(t, postgres.Options{}))
	s := newStandby(t, b)
	d := newDetour(t, b.URL())
	at, err := url.Parse(b.URL())
	if err != nil {
		t.Fatal(err)
	}
	at.Host = d.listener.Addr().String()
	u := serve(t, at.String())
	b.waitForStandby(t)
	for i := range 5 {
		if a := b.post(t.Context(), u, line(fmt.Sprint("old-", i), "x")); a.brief() != "accepted" {
			t.Fatal(a)
		}
	}
	connected := func(where string) int {
		return valueAt[int](t, where, `select count(*)::int from pg_stat_activity where application_name like 'umpire:%'`)
	}
	if connected(b.URL()) == 0 {
		t.Fatal("the server has no connection to the old primary")
	}

	b.exec(t, `alter system set default_transaction_read_only = on`)
	b.exec(t, `select pg_reload_conf()`)
	b.WaitFor(t, `select current_setting('default_transaction_read_only') = 'on'`)
	d.leadTo(t, s.url)
	if !valueAt[bool](t, s.url, `select pg_promote()`) {
		t.Fatal("the standby was not promoted")
	}
	execAt(t, s.url, `alter system reset synchronous_standby_names`)
	execAt(t, s.url, `select pg_reload_conf()`)

	a := b.post(t.Context(), u, line("new", "x"))
	if a.brief() != "try_again read_only" {
		t.Errorf("on the demoted one: %v", a)
	}
	again, before := b.settle(t, u, line("new", "x"))
	if again.brief() != "accepted" {
		t.Errorf("again: %v after %v", again, before)
	}
	until(t, "no connection is left to the old primary", func() (bool, error) { return connected(b.URL()) == 0, nil })
	u.ready(t)
	for _, key := range []string{"new", "old-0", "old-4"} {
		if a := b.post(t.Context(), u, line(key, "x")); a.brief() != "duplicate" {
			t.Errorf("%s: %v", key, a)
		}
		onceAt(t, s.url, key)
	}
	if n := value[int](t, b, `select count(*)::int from road.command where command_id = 'new'`); n != 0 {
		t.Error("the old primary took it too")
	}
}
