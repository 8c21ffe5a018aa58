package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"

	"github.com/jackc/pgx/v5"
)

const line = `{"text": "A long ball over the top finds the winger, whose cross is cleared.", "minute": 12}`

func (b *bed) fixture() string { return fmt.Sprintf("bench-%d", 16+mathrand.N(b.last-15)) }

// calling is a plain command as the server makes it: one prepared statement.
func (b *bed) calling(function string) func(context.Context, *pgx.Conn, int) (one, error) {
	return func(ctx context.Context, conn *pgx.Conn, _ int) (one, error) {
		sql := "select outcome, answer from " + function + "('bench', 'fixture', 'fixture', $1, 'note', $2, $3)"
		if _, err := conn.Prepare(ctx, "one", sql); err != nil {
			return nil, fmt.Errorf("preparing: %w", err)
		}
		return func(ctx context.Context) error {
			var outcome string
			var answer []byte
			if err := conn.QueryRow(ctx, "one", b.fixture(), rand.Text(), []byte(line)).Scan(&outcome, &answer); err != nil {
				return err
			}
			if outcome != "accepted" {
				return fmt.Errorf("%s: %s", outcome, answer)
			}
			return nil
		}, nil
	}
}

// theSteps is the road for a plain command, statement by statement, as a client without the function would send it: the
// same rows and columns, the same questions of token and expiry, the same name of the session for who looks at it. It has no
// savepoint, for it does not save a rule's no; it prunes nothing; and the payload's hash and the answer are made here.
var theSteps = []struct{ name, sql string }{
	{"look", `select d.workflows, d.events, d.may_act, s.subject_id, s.parent_id, k.answer, k.payload_hash,
			set_config('application_name', concat_ws(' ', 'bench', 'fixture.note', 'bench', $1), true)
		from road.sender d
		left join road.subject s on s.kind = 'fixture' and s.ref = $1
		left join road.command k on k.sender = 'bench' and k.actor = '' and k.command_id = $2 and k.expires_at > clock_timestamp()
		where d.sender = 'bench' and d.disabled_at is null
			and ($3::bytea is null or d.token_sha256 = $3 or (d.old_token_sha256 = $3 and d.old_token_until > clock_timestamp()))`},
	{"lock", `select s.last_seq, s.last_play_seq from road.subject s where s.subject_id = $1 for no key update of s`},
	{"lock_key", `select pg_advisory_xact_lock(hashtextextended($1, 0))`},
	{"look_again", `select case when k.expires_at > clock_timestamp() then k.answer end, k.payload_hash from road.command k where k.sender = 'bench' and k.actor = '' and k.command_id = $1`},
	{"log", `insert into road.log (subject_id, seq, at, sender, actor, command_id, workflow, code, input, note)
		values ($1, $2, clock_timestamp(), 'bench', '', $3, 'fixture', 'note', $4, $4)`},
	{"number", `update road.subject set last_seq = $2, last_xid = pg_current_xact_id() where subject_id = $1`},
	{"note", `insert into road.note (xid, subject_id, seq, at, workflow, code, body)
		values (pg_current_xact_id(), $1, $2, clock_timestamp(), 'fixture', 'note', $3)`},
	{"command", `insert into road.command (sender, actor, command_id, subject_id, seq, outcome, received_at, finished_at, expires_at, payload_hash, answer)
		values ('bench', '', $1, $2, $3, 'accepted', clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '30 days', $4, $5)`},
}

// nineStatements: begin and the eight above, then commit; each a trip of its own, all prepared.
func (b *bed) nineStatements(ctx context.Context, conn *pgx.Conn, _ int) (one, error) {
	for _, s := range theSteps {
		if _, err := conn.Prepare(ctx, s.name, s.sql); err != nil {
			return nil, fmt.Errorf("preparing %s: %w", s.name, err)
		}
	}
	return func(ctx context.Context) error {
		key, ref := rand.Text(), b.fixture()
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			var workflows, events []string
			var mayAct bool
			var id string
			var parent *string
			var first, firstHash []byte
			var name string
			if err := tx.QueryRow(ctx, "look", ref, key, nil).Scan(&workflows, &events, &mayAct, &id, &parent, &first, &firstHash, &name); err != nil {
				return err
			}
			var seq, play int64
			if err := tx.QueryRow(ctx, "lock", id).Scan(&seq, &play); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "lock_key", key); err != nil {
				return err
			}
			if err := tx.QueryRow(ctx, "look_again", key).Scan(&first, &firstHash); !errors.Is(err, pgx.ErrNoRows) {
				return fmt.Errorf("the key was there: %w", err)
			}
			seq++
			payload, err := json.Marshal(map[string]any{"workflow": "fixture", "code": "note", "subject": id, "input": json.RawMessage(line)})
			if err != nil {
				return err
			}
			hash := sha256.Sum256(payload)
			answer, err := json.Marshal(map[string]any{"outcome": "accepted", "key": key, "workflow": "fixture", "code": "note", "seq": seq,
				"subject": map[string]string{"kind": "fixture", "id": id, "ref": ref}, "result": struct{}{}})
			if err != nil {
				return err
			}
			for _, s := range []struct {
				name string
				args []any
			}{
				{"log", []any{id, seq, key, []byte(line)}},
				{"number", []any{id, seq}},
				{"note", []any{id, seq, []byte(line)}},
				{"command", []any{key, id, seq, hash[:], answer}},
			} {
				if _, err := tx.Exec(ctx, s.name, s.args...); err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
			}
			return nil
		})
	}, nil
}
