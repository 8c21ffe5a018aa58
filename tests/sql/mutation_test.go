package sql_test

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"umpire/tests/harness"
)

// Each mutation breaks one line of one function; the file must then fail. What needs two sessions is in tests/race.
var mutations = []struct{ function, from, to, file string }{
	{"sport.football_goal(jsonb,jsonb)", "coalesce(p_play ->> 'kind', 'goal') = 'own'", "p_play ->> 'kind' = 'own'", "football_goal/without_kind.sql"},
	{"sport.football_goal(jsonb,jsonb)", "in ('second', 'red')", "in ('red')", "football_goal/second_yellow.sql"},
	{"sport.football_goal(jsonb,jsonb)", "::integer + 1", "::integer + 2", "football_goal/counts.sql"},
	{"sport.football_goal(jsonb,jsonb)", "p_state ->> 'period' = 'PSO'", "false", "football_goal/refuses.sql"},
	{"sport.football_card(jsonb,jsonb)", "v_card = 'second' and v_has is null", "false", "football_card/refuses.sql"},
	{"sport.football_minute_fits(text,integer)", "between 46 and 90", "between 45 and 90", "football_minute_fits/periods.sql"},
	{"sport.football_period_start(jsonb,jsonb)", "v_period = 'PSO' and v_last = 'H2' and v_extra_time", "false", "football_period_start/order.sql"},
	{"sport.football_period_start(jsonb,jsonb)", "p_state #> '{score,home}' <> p_state #> '{score,away}'", "false", "football_period_start/not_level.sql"},
	{"sport.football_period_end(jsonb,jsonb)", "not v_level or not (v_extra_time or v_shootout)", "not v_level", "football_period_end/finished_or_not.sql"},
	{"sport.football_kick(jsonb,jsonb)", "coalesce(to_jsonb(v_taker), '[]')", "to_jsonb(v_taker)", "football_kick/unknown_taker.sql"},
	{"sport.football_kick(jsonb,jsonb)", "greatest(5, v_taken, v_other_taken) - v_other_taken", "5 - v_other_taken", "football_kick/decided.sql"},
	{"sport.football_kick(jsonb,jsonb)", "v_round > v_taken / v_eligible", "v_round > 0", "football_kick/decided.sql"},
	{"sport.football_kick(jsonb,jsonb)", "greatest(7, 11 -", "greatest(0, 11 -", "football_kick/eligible.sql"},
	{"sport.event_fixture_put(road.call)", "v_now.status in ('running', 'suspended', 'abandoned', 'finished')", "false", "event_fixture_put/refuses.sql"},
	{"sport.event_fixture_put(road.call)", "v_now.event_id <> cmd.subject_id", "false", "event_fixture_put/refuses.sql"},
	{"sport.event_fixture_put(road.call)", "and c.level = 'play'", "", "event_fixture_put/unknown_sport.sql"},
	{"sport.fixture_play(road.call)", "if v_before = '{}' then", "if true then", "fixture_play/settings.sql"},
	{"sport.fixture_play(road.call)", "if v_sport <> cmd.workflow then", "if false then", "fixture_play/wrong_workflow.sql"},
	{"sport.fixture_verify(uuid)", "if v_replay.state is distinct from v_shown then", "if false then", "fixture_verify/finds.sql"},
	{"sport.football_goal(jsonb,jsonb)", "not sport.football_on_pitch(p_state, p_play -> 'lineup', v_scorer_side, v_scorer)", "false", "football_goal/line_up.sql"},
	{"sport.football_card(jsonb,jsonb)", "p_play -> 'lineup' ? (p_play ->> 'side') and", "false and", "football_card/line_up.sql"},
	{"sport.football_kick(jsonb,jsonb)", "and coalesce(sport.football_on_pitch", "and true or coalesce(sport.football_on_pitch", "football_kick/line_up.sql"},
	{"sport.football_sub(jsonb,jsonb)", "v_minute not in (1, 46, 91, 106)", "true", "football_sub/limits.sql"},
	{"sport.football_sub(jsonb,jsonb)", "p_state -> 'pitch' ? v_on", "false", "football_sub/refuses.sql"},
	{"sport.football_var(jsonb,jsonb)", "when v_stage in ('confirmed', 'changed') then", "when false then", "football_var/changes.sql"},
	{"sport.fixture_play(road.call)", "set voided_by = cmd.seq, changed_seq = cmd.seq", "set changed_seq = cmd.seq", "football_var/changes.sql"},
	{"sport.fixture_play_void(road.call)", "or p.voided_by = v_play.seq", "", "football_var/changes.sql"},
	{"sport.fixture_replay(uuid,text,jsonb,bigint,bigint,jsonb)", "(p.voided_by is null or p.voided_by = p_void)", "true", "fixture_play_void/voids.sql"},
	{"sport.fixture_play_correct(road.call)", "if v_replay.illegal is not null then", "if false then", "fixture_play_correct/corrects.sql"},
	{"sport.fixture_refolded(road.call,jsonb,jsonb,jsonb)", "if p_after ->> 'status' is distinct from p_before ->> 'status' then", "if true then", "fixture_refolded/keeps_status.sql"},
	{"sport.fixture_lineup_set(road.call)", "o.side <> v_side", "false", "fixture_lineup_set/sets.sql"},
	{"sport.fixture_result_status(road.call)", "not v_now.shown -> 'value' @> v_now.fold", "false", "fixture_result_status/moves.sql"},
	{"sport.fixture_candidates(uuid,text)", "c.observed_at desc, c.seq desc", "c.seq desc", "fixture_source_claim/keeps.sql"},
	{"sport.fixture_conflicting(uuid)", "(c.source = 'plays') desc, c.rank", "c.rank", "fixture_source_claim/keeps.sql"},
	{"sport.fixture_missed_plays(road.call)", "p.seq > coalesce", "p.seq >= coalesce", "fixture_missed_plays/after.sql"},
	{"sport.fixture_missed_plays(road.call)", "limit 501", "", "fixture_missed_plays/many.sql"},
	{"sport.fixture_missed_plays(road.call)", "p.seq desc", "p.seq", "fixture_missed_plays/many.sql"},
	{"sport.fixture_result_status(road.call)", "l.note ->> 'to' = 'official'", "l.seq = 0", "fixture_result_status/downstream.sql"},
	{"sport.fixture_result_status(road.call)", "'was', v_now.result_status", "'was', null", "fixture_result_status/downstream.sql"},
	{"sport.fixture_winner(jsonb,jsonb)", "p_score @> (p_played - '{periods,shootout}'::text[])", "true", "fixture_winner/sides.sql"},
	{"sport.fixture_source_claim(road.call)", "not v_senders ? cmd.sender", "false", "fixture_source_claim/senders.sql"},
	{"sport.event_sources_set(road.call)", "cmd.input - 'senders'", "cmd.input", "event_sources_set/senders.sql"},
	{"sport.event_sources_set(road.call)", "senders = excluded.senders", "senders = event_sources.senders", "event_sources_set/senders.sql"},
	{"sport.fixture_candidates(uuid,text)", "jsonb_build_object('periods', c.state -> 'periods')", "'{}'::jsonb", "fixture_conflicting/half_time.sql"},
	{"road.decision_tree(text[],text[],text)", "p_keys[v_half + 1],", "p_keys[v_half],", "decision_tree/finds.sql"},
	{"road.payload_hash(text,text,text,jsonb)", "', \"subject\": \"', p_subject, '\", ", "', ", "payload_hash/canonical.sql"},
	{"road.compare_rows(road.call)", "is distinct from s.changed_seq", "<> s.changed_seq", "compare_rows/moved.sql"},
	{"road.valid_version(jsonb)", "'^[0-9]{1,18}$'", "'^[0-9.]{1,18}$'", "valid_version/form.sql"},
	{"road.execute(text,text,text,text,text,text,jsonb,jsonb,text,timestamptz,bytea)", " and k.expires_at > road.now()", "", "execute/expired_key.sql"},
	{"road.execute(text,text,text,text,text,text,jsonb,jsonb,text,timestamptz,bytea)", " and k.expires_at <= road.now()", " and false", "execute/expired_key.sql"},
	{"road.execute(text,text,text,text,text,text,jsonb,jsonb,text,timestamptz,bytea)", "case when k.expires_at > road.now() then k.answer end", "k.answer", "execute/expired_key.sql"},
	{"road.execute(text,text,text,text,text,text,jsonb,jsonb,text,timestamptz,bytea)", "if cmd.seq % 64 = 0 then", "if false then", "prune_commands/by_the_road.sql"},
	{"road.execute(text,text,text,text,text,text,jsonb,jsonb,text,timestamptz,bytea)", "answer := answer || '{\"secret_shown\": true}';", "answer := answer || jsonb_build_object('secret', v_handled -> 'secret');", "execute/secret.sql"},
	{"road.execute(text,text,text,text,text,text,jsonb,jsonb,text,timestamptz,bytea)", "elsif v_traits.level = 'revision' then", "elsif false then", "execute/revision.sql"},
	{"road.saved_command(text,text,text)", " and k.expires_at > road.now()", "", "execute/expired_key.sql"},
	{"road.prune_commands(integer)", "limit p_limit", "", "prune_commands/expired_only.sql"},
	{"road.prune_commands(integer)", "k.expires_at <= v_now", "true", "prune_commands/expired_only.sql"},
	{"road.valid_ref(text)", "and p_ref !~", "and '' !~", "valid_ref/form.sql"},
	{"road.dispatch_current(road.call)", "if v_key = 'football.card' then", "if v_key = 'football.nothing' then", "dispatch_current/plays.sql"},
	{"road.notes(xid8,bigint,integer)", "order by n.xid, n.id", "order by n.xid::text, n.id", "notes/all_digits.sql"},
	{"road.notes(xid8,bigint,integer)", "(n.xid, n.id) > (p_after_xid, p_after_id)", "n.xid > p_after_xid", "notes/order.sql"},
	{"road.read(text,text,text,text,integer,text)", "d.disabled_at is null and d.may_read_log", "d.may_read_log", "read/log_scope.sql"},
	{"road.read(text,text,text,text,integer,text)", "elsif not v_open and", "elsif false and", "read/log_scope.sql"},
	{"road.saved_command(text,text,text)", "k.sender = p_sender and", "", "saved_command/own_keys.sql"},
	{"road.sender_by_token(bytea)", "d.old_token_until > road.now()", "true", "sender_rotate/overlap.sql"},
	{"road.sender_by_token(bytea)", "d.disabled_at is null", "true", "sender_disable/shuts_out.sql"},
	{"road.may_touch(text[],uuid,text)", "when p_parent_id is null then p_ref = any (p_events)", "when true then true", "execute/not_allowed.sql"},
	{"road.record_failure(text,text,text,text,text,text,text)", "f.attempts + 1", "1", "record_failure/attempts.sql"},
	{"road.last_position()", "m.xid < pg_catalog", "m.xid >= pg_catalog", "last_position/below_horizon.sql"},
	{"road.parse_position(text)", "v_part[1] <> v_here", "false", "parse_position/refuses.sql"},
	{"road.consumer_page(text,text,integer,text,text)", "d.events is null or", "true or", "consumer_page/pages.sql"},
	{"road.consumer_acknowledge(text,text,text)", "and (c.xid, c.id) < (v_xid, v_id)", "", "consumer_acknowledge/forward.sql"},
	{"road.consumer_expire()", "n.xid < pg_snapshot_xmin(pg_current_snapshot())", "true", "consumer_expire/dead.sql"},
	{"road.prune_notes(interval,integer)", "where c.expired_at is null", "where false", "prune_notes/watermark.sql"},
	{"road.page_number(text)", "'^[0-9]{1,18}$'", "'^[0-9]+$'", "page_number/cursor.sql"},
}

func TestMutations(t *testing.T) {
	psql := findPsql(t)
	db := harness.New(t)
	conn := db.Conn(t)
	for _, m := range mutations {
		t.Run(m.function+" "+m.to, func(t *testing.T) {
			var before string
			if err := conn.QueryRow(t.Context(), "select pg_get_functiondef(to_regprocedure($1))", m.function).Scan(&before); err != nil {
				t.Fatal(err)
			}
			after := strings.ReplaceAll(before, m.from, m.to)
			if after == before {
				t.Fatalf("%s does not hold this text any more: %s", m.function, m.from)
			}
			define(t, conn, after)
			t.Cleanup(func() { define(t, conn, before) })
			if passes(t, psql, db.URL(), m.file) {
				t.Errorf("%s does not notice", m.file)
			}
		})
	}
}

func define(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(context.WithoutCancel(t.Context()), sql); err != nil {
		t.Fatal(err)
	}
}

func passes(t *testing.T, psql, url, file string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), fileLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, psql, "--no-psqlrc", "--dbname", url, "--file", file)
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatal(ctx.Err())
	}
	return err == nil && !strings.Contains(out.String(), "\nnot ok") && strings.Contains(out.String(), "\nok 1")
}
