package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

// A program is umpire, built: prove starts servers from its own program, which a test's is not.
type program string

func build(t *testing.T) program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "umpire")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("building umpire: %v\n%s", err, out)
	}
	return program(path)
}

// proves runs umpire prove and returns what it printed.
func (p program) proves(t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var out, progress bytes.Buffer
	cmd := exec.CommandContext(ctx, string(p), append([]string{"prove"}, args...)...)
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "UMPIRE_") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	cmd.Stdout, cmd.Stderr = &out, &progress
	err := cmd.Run()
	if err != nil {
		t.Logf("%s\n%s", out.String(), lastOf(progress.String()))
	}
	return out.String(), err
}

func lastOf(text string) string {
	text = text[strings.LastIndex(text, "\r")+1:]
	return text[max(0, len(text)-2000):]
}

func TestProve(t *testing.T) {
	p := build(t)
	t.Run("servers", p.servers)
	t.Run("with_kills", p.withKills)
	t.Run("somebody_elses_server", p.somebodyElsesServer)
	t.Run("finds", p.finds)
}

// C-132, end to end: a throwaway Postgres and two servers, each killed once while eight senders send.
func (p program) withKills(t *testing.T) {
	out, err := p.proves(t, "--seed", "11", "--minutes", "0.15", "--senders", "8", "--kills", "3")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`seed 11`, `kills\s+1 of Postgres, 2 of servers`, `\d+ accepted, \d+ conflict, \d+ duplicate, \d+ refused`,
		`linearizable\s+holds\s+[1-9]`, `Nothing was lost, nothing was counted twice. Seed 11.`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("does not print %s:\n%s", want, out)
		}
	}
}

// A server that is already there, on a database that is in use: nothing is killed, and the senders are shut out again.
func (p program) somebodyElsesServer(t *testing.T) {
	db := harness.New(t)
	fixture(t, db.Conn(t))
	s := serving(t, db, func(c *config) { c.CommandConns, c.ReadConns = 8, 4 })
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.serveUntil(ctx) }()
	out, err := p.proves(t, "--seed", "12", "--minutes", "0.03", "--senders", "4", "--url", s.url(), "--database-url", db.URL(), "--prefix", "mine")
	if err != nil {
		t.Error(err)
	}
	if !strings.Contains(out, "none: nothing here is ours") {
		t.Errorf("what was killed?\n%s", out)
	}
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	var open, ours int
	err = db.Conn(t).QueryRow(t.Context(), `
		select count(*) filter (where sender like 'mine-%' and disabled_at is null),
		    (select count(*) from road.subject where ref not like 'mine-%' and ref not in ('cup', 'final'))
		from road.sender`).Scan(&open, &ours)
	if err != nil || open > 0 || ours > 0 {
		t.Errorf("%d senders are left open, %d subjects are not under the prefix: %v", open, ours, err)
	}
}

// What is broken in the database is found, and the seed is named. A run draws its commands from the seed; who meets whom
// is chance, so each of these meets hundreds of times.
func (p program) finds(t *testing.T) {
	const execute = "road.execute(text,text,text,text,text,text,jsonb,jsonb,text,timestamptz,bytea)"
	for name, m := range map[string]struct{ function, from, to, found string }{
		"no second look at the key": {
			execute,
			"into v_first, v_first_hash, v_expired\n    from road.command k\n    where k.sender", "into v_first, v_first_hash, v_expired\n    from road.command k\n    where false and k.sender",
			`linearizable: .*answered conflict version_moved, allowed is duplicate of`,
		},
		"no lock on the subject": {
			execute, "for no key update of s;", ";",
			`no_fault: .*internal_error|linearizable: .*answered`,
		},
		"readers do not wait for the horizon": {
			"road.notes(xid8,bigint,integer)", "and n.xid < pg_snapshot_xmin(pg_current_snapshot())", "",
			`readers: reader .* came where number`,
		},
		"a goal counts twice": {
			"sport.football_goal(jsonb,jsonb)", "::integer + 1", "::integer + 2",
			`score: fixture/.* shown .*"score"`,
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			db := harness.New(t)
			conn := db.Conn(t)
			var before string
			if err := conn.QueryRow(t.Context(), "select pg_get_functiondef($1::regprocedure)", m.function).Scan(&before); err != nil {
				t.Fatal(err)
			}
			after := strings.ReplaceAll(before, m.from, m.to)
			if after == before {
				t.Fatalf("%s does not hold this text any more: %s", m.function, m.from)
			}
			if _, err := conn.Exec(t.Context(), after); err != nil {
				t.Fatal(err)
			}
			pictures := t.TempDir()
			out, err := p.proves(t, "--seed", "13", "--minutes", "0.05", "--kills", "0", "--patience", "20s", "--database-url", db.URL(), "--pictures", pictures)
			if err == nil {
				t.Error("the exit code says that all is well")
			}
			if !regexp.MustCompile(m.found).MatchString(out) {
				t.Errorf("does not print %s", m.found)
			}
			if !strings.Contains(out, "Again: umpire prove --seed 13 --minutes 0.05 --senders 12 --kills 0 --servers 2 --database-url ...") {
				t.Error("does not say how to run it again")
			}
			pages, err := filepath.Glob(filepath.Join(pictures, "prove-13-*.html"))
			if err != nil || strings.Contains(out, "linearizable: prove-") != (len(pages) > 0) {
				t.Errorf("pictures: %v %v", pages, err)
			}
			if kept := regexp.MustCompile(`What the servers said: (\S+)`).FindStringSubmatch(out); kept == nil {
				t.Error("does not say where the servers' logs are")
			} else if err := os.RemoveAll(kept[1]); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestProveSaysWhatIsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"a server without its database":    {[]string{"--url", "http://x"}, "--url needs --database-url"},
		"kills of others' servers":         {[]string{"--url", "http://x", "--database-url", "postgres://x", "--kills", "2"}, "--kills is for servers of our own"},
		"no time":                          {[]string{"--minutes", "0"}, "--minutes is more than 0"},
		"nobody sends":                     {[]string{"--senders", "0"}, "--senders is 1 to 100"},
		"no server":                        {[]string{"--servers", "0"}, "--servers is 1 to 16"},
		"a prefix that no sender can have": {[]string{"--prefix", "A b"}, "--prefix has 1 to 41"},
		"no patience":                      {[]string{"--patience", "0s"}, "--patience is more than 0s"},
		"a database that is not there":     {[]string{"--database-url", "postgres://127.0.0.1:1/x?connect_timeout=1"}, "finding a Postgres"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), append([]string{"prove"}, c.args...), nil, &bytes.Buffer{})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want an error that says %q", err, c.says)
			}
		})
	}
}

// A server that ends and was not killed by us is a finding; one that cannot start says where its log is.
func (p program) servers(t *testing.T) {
	db := harness.New(t)
	c := proveCommand{Servers: 1, binary: string(p)}
	h, err := c.open(t.Context(), &postgres.Cluster{URL: db.URL(), Origin: postgres.OriginURL})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	s := h.servers[0]
	s.kill()
	if err := s.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if faults := h.faults(); len(faults) > 0 {
		t.Errorf("killed by us, and a fault: %v", faults)
	}
	if err := s.process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.exited
	if faults := h.faults(); len(faults) != 1 || !strings.Contains(faults[0], "server 0 ended by itself: signal: killed") {
		t.Errorf("ended by itself: %v", faults)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	s.binary = "/bin/false"
	if err := s.start(ctx); err == nil || !strings.Contains(err.Error(), "does not get ready") || !strings.Contains(err.Error(), "server-0.log") {
		t.Errorf("a server that cannot start: %v", err)
	}
	killed := <-h.killAtRandom(t.Context(), 1, time.Millisecond, 0)
	if killed.err != nil || !killed.allowed || killed.servers+killed.postgres > 0 {
		t.Errorf("no kills: %+v", killed)
	}
}
