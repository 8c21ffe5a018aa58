package fault_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

// shy are two commands that keep their input to themselves: note drops pin from its log and gives a secret back, whisper
// logs nothing. What a note does is in its text.
const shy = `
update road.catalogue_command
set log_input = 'redacted', log_drop = '{pin}',
    input_schema = '{"type": "object", "additionalProperties": false, "required": ["text"],
        "properties": {"text": {"type": "string"}, "pin": {"type": "string", "maxLength": 60}}}'
where workflow = 'fixture' and code = 'note';
insert into road.catalogue_command (workflow, code, kind, level, handler, log_input, input_schema, example, summary)
values ('fixture', 'whisper', 'fixture', 'none', 'sport.fixture_whisper', 'none',
    '{"type": "object", "properties": {"text": {"type": "string"}}}', '{"text": "x"}', 'Says something that nobody hears.');
create table sport.pin (pin text unique, other text not null);
grant all on sport.pin to umpire_owner;
create function sport.fixture_whisper(cmd road.call) returns jsonb language sql as $$ select '{}'::jsonb $$;
grant execute on function sport.fixture_whisper(road.call) to umpire_owner;
create or replace function sport.fixture_note(cmd road.call) returns jsonb language plpgsql as $$
begin
    perform public.gate('handler', cmd.command_id);
    case cmd.input ->> 'text'
        when 'refuse' then perform road.refuse('no', 'No.');
        when 'row' then insert into sport.pin (pin) values (cmd.input ->> 'pin');
        else null;
    end case;
    return jsonb_build_object('result', '{}'::jsonb, 'note', cmd.input - 'pin',
        'secret', jsonb_build_object('token', '` + harness.Canary + `' || md5(random()::text)));
end
$$;
`

// life is one database's life with secrets in it.
type life struct {
	*bed
	program string
	secrets []string // everything that was a secret
}

// secret makes a value that must not be found anywhere afterwards.
func (l *life) secret(name string) string {
	s := harness.Canary + name
	l.secrets = append(l.secrets, s)
	return s
}

// umpire runs a command of the program and returns its standard output; the rest of what it says must hold no secret.
func (l *life) umpire(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), l.program, args...)
	cmd.Env = environment("UMPIRE_DATABASE_URL=" + l.URL())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("umpire %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	l.none(t, "what umpire "+strings.Join(args[:2], " ")+" says", errs.Bytes())
	return strings.TrimSpace(out.String())
}

// token keeps a token that a command has shown.
func (l *life) token(shown string) string {
	l.secrets = append(l.secrets, shown)
	return shown
}

// as sends with another token.
func (l *life) as(token string) *bed {
	other := *l.bed
	other.token = token
	return &other
}

func (l *life) find(text []byte) []string {
	var found []string
	for _, s := range l.secrets {
		if bytes.Contains(text, []byte(s)) {
			found = append(found, s)
		}
	}
	return found
}

func (l *life) none(t testing.TB, where string, text []byte) {
	t.Helper()
	if found := l.find(text); found != nil {
		t.Errorf("%s: %s", where, strings.Join(found, ", "))
	}
}

// commandLines are those of all processes.
func commandLines(t testing.TB) []byte {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, name := range names {
		line, _ := os.ReadFile(name) // it may have ended
		all = append(append(all, line...), '\n')
	}
	return all
}

// dump is the whole cluster as pg_dumpall writes it.
func (l *life) dump(t testing.TB) []byte {
	t.Helper()
	beside, err := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dumpall")
	if err != nil || len(beside) == 0 {
		t.Fatalf("no pg_dumpall: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), beside[len(beside)-1],
		"--host", l.Cluster().Socket, "--port", fmt.Sprint(l.Cluster().Port), "--username", "postgres")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("pg_dumpall: %v\n%s", err, errs.String())
	}
	return out.Bytes()
}

// files are the names of the files in the server's data folder that hold a secret: heap, indexes, WAL, whatever lies there.
func (l *life) files(t testing.TB) []string {
	t.Helper()
	l.exec(t, `checkpoint`)
	var found []string
	err := filepath.WalkDir(l.Cluster().Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && l.find(text) != nil {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// rows are the tables with a secret in a row.
func (l *life) rows(t testing.TB) []string {
	t.Helper()
	found, err := harness.LeakedRows(t.Context(), l.Conn(t))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (l *life) serverLog(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile(l.Cluster().Log)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// raw is a request as somebody sends it who has misunderstood something.
func (l *life) raw(t testing.TB, method, url, body string, header ...string) (int, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, text
}

// Tokens, secrets of answers and dropped input are shown once or not at all: after a life in which everything happens to
// them, no table, dump, log, session, command line or file of the cluster holds one. Postgres runs as docs/runbooks/secrets.md
// says.
func TestSecretsAreNowhere(t *testing.T) {
	l := &life{bed: newBed(t, harness.NewProcess(t, postgres.Options{Settings: map[string]string{"log_error_verbosity": "terse"}})), program: harness.Binary(t)}
	l.secrets = append(l.secrets, l.bed.token)
	dispatchers, err := os.ReadFile("../../functions/road/dispatchers.sql")
	if err != nil {
		t.Fatal(err)
	}
	l.exec(t, shy+string(dispatchers))
	u := l.serve(t, "--log-level", "debug")

	// Tokens: added, rotated twice, used, used too late, wrong, in the wrong place.
	first := l.token(l.umpire(t, "sender", "add", "canary", "--read-log"))
	second := l.token(l.umpire(t, "sender", "rotate", "canary", "--overlap", "1h"))
	send := func(token string, c command, want string) answer {
		t.Helper()
		a := l.as(token).post(t.Context(), u, c)
		if a.brief() != want {
			t.Errorf("%s %s: %v, want %s", c.key, c.input, a, want)
		}
		return a
	}
	note := func(key, text, pin string) command {
		input, _ := json.Marshal(map[string]string{"text": text, "pin": pin}) // strings: cannot fail
		c := line(key, "")
		c.input = string(input)
		return c
	}
	pin := l.secret("pin")
	send(first, note("k1", "plain", pin), "accepted")
	send(second, note("k2", "plain", pin), "accepted")
	third := l.token(l.umpire(t, "sender", "rotate", "canary", "--overlap", "0s"))
	send(first, note("k3", "plain", pin), "refused sender_unknown")
	wrong := l.token("umt_" + strings.Repeat("Canary7", 6) + "x")
	send(wrong, note("k3", "plain", pin), "refused sender_unknown")
	path := u.url() + "/workflows/fixture/subjects/fixture/final/commands"
	for _, header := range []string{wrong, "Basic " + third, "Bearer " + third + " " + third} {
		l.raw(t, http.MethodPost, path, `{"key": "k", "code": "note", "input": {"text": "x"}}`, "Content-Type", "application/json", "Authorization", header)
	}
	for _, address := range []string{path + "?token=" + third, u.url() + "/" + third, u.url() + "/commands/k1?access_token=" + third} {
		_, body := l.raw(t, http.MethodGet, address, "", "Authorization", "Bearer "+third)
		l.none(t, "a problem", body)
	}

	// The secret of an answer: in the first, never again.
	one := l.as(third)
	var body struct {
		Secret struct{ Token string }
		Shown  bool `json:"secret_shown"`
	}
	request := fmt.Sprintf(`{"key": "s1", "code": "note", "input": {"text": "plain", "pin": %q}}`, pin)
	headers := []string{"Content-Type", "application/json", "Authorization", "Bearer " + third}
	_, text := l.raw(t, http.MethodPost, path, request, headers...)
	if err := json.Unmarshal(text, &body); err != nil || !body.Shown || !strings.HasPrefix(body.Secret.Token, harness.Canary) {
		t.Fatalf("%v: %s", err, text)
	}
	l.secrets = append(l.secrets, body.Secret.Token)
	for what, again := range map[string]func() (int, []byte){
		"a duplicate":      func() (int, []byte) { return l.raw(t, http.MethodPost, path, request, headers...) },
		"the saved answer": func() (int, []byte) { return l.raw(t, http.MethodGet, u.url()+"/commands/s1", "", headers...) },
		"the log": func() (int, []byte) {
			return l.raw(t, http.MethodGet, u.url()+"/subjects/fixture/final/log", "", headers...)
		},
		"another payload": func() (int, []byte) {
			return l.raw(t, http.MethodPost, path, strings.Replace(request, "plain", "other", 1), headers...)
		},
	} {
		_, text := again()
		l.none(t, what, text)
	}

	// Every other answer, with the pin in the command.
	send(third, note("r1", "refuse", pin), "refused no")
	send(third, note("r1", "refuse", pin), "duplicate")
	send(third, note("r1", "refuse", pin+"2"), "refused key_reused")
	send(third, note("b1", "plain", strings.Repeat(pin, 9)), "refused bad_input")
	send(third, note("b2", "plain", pin).on("nobody"), "refused subject_not_found")
	whisper := note("w1", "plain", pin)
	whisper.code = "whisper"
	send(third, whisper, "accepted")
	send(third, command{workflow: "event", kind: "event", ref: "cup", code: "fixture_put", key: "c1",
		input: fmt.Sprintf(`{"fixture": "final", "sport": "football", "home": %q, "away": "B"}`, pin), saw: `{"rows": {"fixture/final/schedule": 99}}`}, "conflict version_moved")

	// An error of the database that holds the row, and a session that dies in the middle of the command: Postgres itself
	// writes what it was doing.
	send(third, note("e1", "row", pin), "try_again internal_error")
	send(third, note("e1", "row", pin), "try_again internal_error")
	open := l.closeGates(t)
	got := one.start(t.Context(), u, note("handler-1", "plain", pin))
	l.atGate(t)
	l.none(t, "pg_stat_activity", []byte(value[string](t, l.bed, `select string_agg(a::text, E'\n') from pg_stat_activity a`)))
	l.none(t, "a command line", commandLines(t))
	if err := syscall.Kill(value[int](t, l.bed, sessionOf), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	receive(t, got, "the answer of a killed session")
	open()
	until(t, "the cluster has recovered", func() (bool, error) {
		conn, err := pgx.Connect(t.Context(), l.URL())
		if err != nil {
			return false, err
		}
		return true, conn.Close(t.Context())
	})
	if a, _ := one.settle(t, u, note("handler-1", "plain", pin)); a.brief() != "accepted" {
		t.Error(a)
	}

	// Operators look around.
	for _, args := range [][]string{{"sender", "list"}, {"ops", "blocking"}, {"ops", "horizon"}, {"ops", "verify"}, {"consumer", "list"}} {
		l.none(t, "umpire "+strings.Join(args, " "), []byte(l.umpire(t, args...)))
	}
	l.umpire(t, "sender", "disable", "canary")
	send(third, note("k9", "plain", pin), "refused sender_unknown")

	if n := value[int](t, l.bed, `select attempts from road.command_failure where command_id = 'e1'`); n != 2 {
		t.Errorf("%d attempts recorded", n)
	}
	if found := l.rows(t); len(found) > 0 {
		t.Errorf("tables: %v", found)
	}
	l.none(t, "the dump", l.dump(t))
	l.none(t, "Postgres's log", l.serverLog(t))
	if found := l.files(t); found != nil {
		t.Errorf("files of the cluster: %v", found)
	}
	l.none(t, "a command line", commandLines(t))
	if !bytes.Contains(l.serverLog(t), []byte("was terminated by signal 9")) || !bytes.Contains(l.serverLog(t), []byte("null value in column")) {
		t.Error("Postgres's log does not say what happened: is this its log?")
	}

	// Each of the places that were searched is one where it would have been found.
	planted := l.secret("planted")
	defer func() { l.exec(t, `drop table public.planted`) }()
	l.exec(t, fmt.Sprintf(`create table public.planted as select '%s' as said`, planted))
	if len(l.rows(t)) == 0 || l.find(l.dump(t)) == nil || l.files(t) == nil {
		t.Error("a planted secret is not found in tables, dump and files")
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "sleep", "60")
	cmd.Args[0] = planted
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if l.find(commandLines(t)) == nil {
		t.Error("a planted secret is not found in a command line")
	}
}

// Why docs/runbooks/secrets.md asks for terse: with Postgres's own default its log has the whole row of a failed command.
func TestSecretsNeedATerseLog(t *testing.T) {
	db := harness.NewProcess(t, postgres.Options{Settings: map[string]string{"log_error_verbosity": "default"}})
	db.Conn(t) // the database is there
	const row = "the row of a failed command"
	execAt(t, db.URL(), `create table public.t (a text, b text not null)`)
	conn := db.Conn(t)
	if _, err := conn.Exec(t.Context(), `insert into public.t (a) values ($1)`, row); err == nil {
		t.Fatal("it was taken")
	}
	text, err := os.ReadFile(db.Cluster().Log)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("Failing row contains ("+row)) {
		t.Error("the log no longer holds the row: docs/runbooks/secrets.md says that it does")
	}
}
