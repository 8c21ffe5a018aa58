package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"umpire/tests/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// wrote is what one statement changed, as far as a floor must change it too.
type wrote struct {
	rows   map[string]string // table: rows inserted, updated, deleted
	values string            // score, input, and the members of note and answer
}

// Section 8 of the design: a floor does exactly its command's writes, with values of the same shape. A goal names people
// by the line-ups, and without them is refused.
func TestFloorsWriteWhatTheirCommandsWrite(t *testing.T) {
	db := harness.New(t)
	b := &bed{options: options{scripts: "../../sql/bench"}, last: lastFixture}
	if err := b.script(t.Context(), db.URL(), "setup.sql", nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"note", "goal"} {
		t.Run(name, func(t *testing.T) {
			command, floor := write(t, db, name+".sql"), write(t, db, name+"_floor.sql")
			if !maps.Equal(command.rows, floor.rows) {
				t.Errorf("the command wrote %v, its floor %v", command.rows, floor.rows)
			}
			if command.values != floor.values {
				t.Errorf("the command wrote\n%s\nits floor\n%s", command.values, floor.values)
			}
			if command.rows["road.command"] == "" {
				t.Errorf("wrote only %v", command.rows)
			}
		})
	}
	t.Run("without line-ups", func(t *testing.T) {
		tx, err := db.Conn(t).Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(t.Context()) }()
		if _, err := tx.Exec(t.Context(), `update sport.fixture_lineup set people = people - 'Home Player 9'`); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), script(t, "goal.sql")); err == nil || !strings.Contains(err.Error(), "division by zero") {
			t.Errorf("somebody who is not on the pitch scores: %v", err)
		}
	})
}

// What fills the large database keeps pace with the tables, and its fixtures take a goal.
func TestBigFills(t *testing.T) {
	db := harness.New(t)
	b := &bed{options: options{scripts: "../../sql/bench"}, last: lastFixture}
	if err := b.script(t.Context(), db.URL(), "setup.sql", nil); err != nil {
		t.Fatal(err)
	}
	tx, err := db.Conn(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	fill, _, _ := strings.Cut(script(t, "big.sql"), "vacuum analyze")
	if _, err := tx.Exec(t.Context(), fill); err != nil {
		t.Fatal(err)
	}
	var outcome string
	if err := tx.QueryRow(t.Context(), `
		select outcome from road.execute('bench', 'football', 'fixture', 'bench-66', 'goal', 'k', '{"side": "home", "minute": 24}', '{"play": 20}')`).Scan(&outcome); err != nil || outcome != "accepted" {
		t.Errorf("a goal in the large database: %s %v", outcome, err)
	}
}

// script is a file of sql/bench with pgbench's variables filled in.
func script(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../sql/bench", name))
	if err != nil {
		t.Fatal(err)
	}
	var sql []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, `\set`) {
			sql = append(sql, line)
		}
	}
	return strings.NewReplacer(":fixtures", "3", ":client_id", "3", ":f", "20").Replace(strings.Join(sql, ""))
}

// write runs a script in a transaction of a session of its own, whose counts are then all there is; looks, and rolls back.
func write(t *testing.T, db *harness.DB, name string) wrote {
	t.Helper()
	ctx := t.Context()
	tx, err := db.Conn(t).Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, script(t, name)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var w wrote
	var rows []byte
	if err := tx.QueryRow(ctx, `
		select jsonb_object_agg(x.relid::regclass::text, concat_ws(' ', x.n_tup_ins, x.n_tup_upd, x.n_tup_del))
		from pg_stat_xact_user_tables x where x.n_tup_ins + x.n_tup_upd + x.n_tup_del > 0`).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(rows, &w.rows); err != nil {
		t.Fatal(err)
	}
	if err := tx.QueryRow(ctx, `
		select concat_ws(E'\n', c.state, l.input, (select string_agg(k, ' ' order by k) from jsonb_object_keys(l.note) k), n.body = l.note,
		    (select string_agg(k, ' ' order by k) from jsonb_object_keys(d.answer) k),
		    (select string_agg(k, ' ' order by k) from jsonb_object_keys(d.answer -> 'result') k),
		    s.last_seq = l.seq, s.last_play_seq = l.seq, p.input = l.input)
		from road.log l
		join road.subject s on s.subject_id = l.subject_id
		join road.command d on d.subject_id = l.subject_id and d.seq = l.seq
		join road.note n on n.subject_id = l.subject_id and n.seq = l.seq
		join sport.fixture_score c on c.fixture_id = l.subject_id
		left join sport.play p on p.fixture_id = l.subject_id and p.seq = l.seq
		where l.at >= all (select at from road.log)`).Scan(&w.values); err != nil {
		t.Fatal(err)
	}
	return w
}
