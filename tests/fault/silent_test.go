package fault_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"umpire/tests/harness"
)

// silentLink is a way to Postgres whose near end can vanish as a host does that loses its power: from then on nothing is
// sent and nothing is acknowledged, no FIN, no RST, no answer to a keepalive probe. New connections get no answer either.
type silentLink struct {
	listener net.Listener
	to       string
	// split is the beginning of the keys of commands whose last message, Sync, is kept back.
	split []byte

	mu     sync.Mutex
	silent bool
	far    []*net.TCPConn // to Postgres, never closed before the test's end
}

func newSilentLink(t testing.TB, database, split string) *silentLink {
	t.Helper()
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &silentLink{listener: listener, to: at.Host, split: []byte(split)}
	t.Cleanup(func() {
		_ = listener.Close()
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, c := range l.far {
			_ = c.Close()
		}
	})
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go l.carry(near)
		}
	}()
	return l
}

// through is a database's URL by way of the link, without TLS.
func (l *silentLink) through(t testing.TB, database string) string {
	t.Helper()
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	at.Host = l.listener.Addr().String()
	q := at.Query()
	q.Set("sslmode", "disable")
	at.RawQuery = q.Encode()
	return at.String()
}

func (l *silentLink) isSilent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.silent
}

// fallSilent makes the near end vanish.
func (l *silentLink) fallSilent(t testing.TB) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent = true
	for _, c := range l.far {
		if err := harness.Vanish(c); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Fatal(err)
		}
	}
}

func (l *silentLink) carry(near net.Conn) {
	defer func() { _ = near.Close() }()
	if l.isSilent() {
		_, _ = io.Copy(io.Discard, near)
		return
	}
	c, err := net.Dial("tcp4", l.to)
	if err != nil {
		return
	}
	far := c.(*net.TCPConn)
	l.mu.Lock()
	l.far = append(l.far, far)
	l.mu.Unlock()
	go func() {
		_, _ = io.Copy(near, far)
		if !l.isSilent() {
			_ = near.Close()
		}
	}()
	l.messages(far, near)
	if !l.isSilent() {
		_ = far.Close()
	}
}

// messages passes the frontend's messages on, one by one.
func (l *silentLink) messages(far io.Writer, near io.Reader) {
	split := false
	for typed := 0; ; typed = 1 {
		head := make([]byte, typed+4) // a startup packet has no type
		if _, err := io.ReadFull(near, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[typed:])-4)
		if _, err := io.ReadFull(near, body); err != nil {
			return
		}
		if typed == 1 && head[0] == 'B' {
			split = bytes.Contains(body, l.split)
		}
		if typed == 1 && head[0] == 'S' && split {
			_, _ = io.Copy(io.Discard, near)
			return
		}
		if l.isSilent() {
			continue
		}
		if _, err := far.Write(append(head, body...)); err != nil {
			return
		}
	}
}

// C-133: the host of a server falls silent (power, cable) while Postgres waits for the last message of a command, or
// for its answer to be taken. No limit of Postgres counts there; the kernel of the database's host gives the connection up. Until
// then the subject's commands are told try again and others go on; then the next one is accepted, with nobody's help.
func TestC133LockOfASilentHost(t *testing.T) {
	for _, c := range []struct {
		name, key, state string
		big, answers     bool
	}{
		{"before Sync", "split-1", "ClientRead", false, false},
		{"while the answer is written", "handler-1", "ClientWrite", true, false},
		// A frozen process, or a proxy in between: probes are answered. transaction_timeout ends that.
		{"before Sync while the kernel answers", "split-1", "ClientRead", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, harness.New(t), "semi")
			if c.answers && b.Cluster().Version < 170000 {
				t.Skip("transaction_timeout came with PostgreSQL 17")
			}
			far := newSilentLink(t, b.URL(), "split-")
			lost := serve(t, far.through(t, b.URL()))
			other := b.serve(t)
			if a, _ := b.settle(t, lost, line("before", "x")); a.brief() != "accepted" {
				t.Fatal(a)
			}
			if c.big {
				b.exec(t, `do $$ begin execute replace(pg_get_functiondef('sport.fixture_note'::regproc), 'return jsonb_build_object(',
					'return jsonb_build_object(''result'', jsonb_build_object(''big'', case when starts_with(cmd.command_id, ''handler-'') then repeat(''x'', 8000000) end),'); end $$`)
			}
			open := b.closeGates(t)
			first := b.start(t.Context(), lost, line(c.key, "x"))
			if c.big {
				b.atGate(t)
				far.fallSilent(t)
				open()
			} else {
				open()
			}
			const session = `select exists (select from pg_stat_activity where datname = current_database() and application_name like 'umpire:command fixture.note %'
				and state = 'active' and wait_event_type = 'Client' and wait_event = $1)`
			b.WaitFor(t, session, c.state)
			if !c.answers {
				far.fallSilent(t)
			}
			begun := time.Now()

			if a := b.post(t.Context(), other, line("waits", "x")); a.brief() != "try_again lock_timeout" {
				t.Errorf("while it is held: %v", a)
			}
			if a := b.post(t.Context(), other, line("elsewhere", "x").on("semi")); a.brief() != "accepted" {
				t.Errorf("another fixture: %v", a)
			}
			a, before := b.settle(t, other, line("waits", "x"))
			if a.brief() != "accepted" {
				t.Errorf("when it is free: %v", a)
			}
			t.Logf("held for %s at the most; try again %d times", time.Since(begun).Round(100*time.Millisecond), 1+len(before))
			if a := receive(t, first, "the answer of the silent host"); a.brief() != "try_again commit_unknown" {
				t.Errorf("on the silent host: %v", a)
			}
			if n := value[int](t, b, `select count(*)::int from road.command where command_id = $1`, c.key); n != 0 {
				t.Error("the lost command was saved")
			}
			if a, _ := b.settle(t, other, line(c.key, "x")); a.brief() != "accepted" {
				t.Errorf("the lost command, sent again: %v", a)
			}
			b.once(t, c.key)
			b.sound(t)
		})
	}
}

// C-133: a batch may run for half a minute. When its server is gone, it does not: the subject is free within seconds,
// although the batch still waits for something.
func TestC133BatchOfADeadServer(t *testing.T) {
	b := newBed(t, harness.New(t))
	b.exec(t, `update road.catalogue_command set pool = 'import' where workflow = 'fixture' and code = 'note'`)
	u := b.serve(t)
	b.closeGates(t)
	first := b.start(t.Context(), u, line("handler-1", "x"))
	b.atGate(t)
	const session = `select count(*) = $1 from pg_stat_activity where datname = current_database() and application_name like 'umpire:import fixture.note %'`
	b.WaitFor(t, session, 1)
	u.kill(t)
	if a := receive(t, first, "the answer of the dead server"); a.brief() != "lost" {
		t.Error(a)
	}
	b.WaitFor(t, session, 0)
	u.start(t)
	if a, _ := b.settle(t, u, line("next", "x")); a.brief() != "accepted" {
		t.Errorf("the next one: %v", a)
	}
	b.sound(t)
}
