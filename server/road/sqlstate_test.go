package road

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestReasonsAreOneTable(t *testing.T) {
	seen := map[string]string{}
	for _, r := range Reasons() {
		if r.Message == "" || !strings.HasSuffix(r.Message, ".") {
			t.Errorf("%s: no sentence", r.Code)
		}
		if was, twice := seen[r.Code]; twice {
			t.Errorf("%s is there twice: %s", r.Code, was)
		}
		seen[r.Code] = r.Message
		if (r.Outcome == TryAgain) != (r.RetryAfter > 0) {
			t.Errorf("%s: %s with delay %s", r.Code, r.Outcome, r.RetryAfter)
		}
		for _, s := range r.SQLStates {
			if was, twice := seen[s]; twice {
				t.Errorf("%s is there twice: %s", s, was)
			}
			seen[s] = r.Code
		}
	}
}

// The failures table of the design, state by state.
func TestFailureOf(t *testing.T) {
	reasons := newReasonTable()
	errorOf := func(state, severity string) error {
		return fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: state, Severity: severity, SeverityUnlocalized: severity})
	}
	for _, c := range []struct {
		err       error
		sent, row bool
		reason    string
	}{
		{errorOf("55P03", "ERROR"), true, false, "lock_timeout"},
		{errorOf("40P01", "ERROR"), true, false, "deadlock"},
		{errorOf("57014", "ERROR"), true, true, "statement_timeout"},
		{errorOf("25P02", "ERROR"), true, false, "broken_transaction"},
		{errorOf("25P03", "FATAL"), true, false, "idle_in_transaction"},
		{errorOf("25P04", "FATAL"), true, false, "transaction_timeout"},
		{errorOf("25006", "ERROR"), true, false, "read_only"},
		{errorOf("57P01", "FATAL"), true, false, "session_ended"},
		{errorOf("57P01", "FATAL"), true, true, "commit_unknown"},
		{errorOf("57P02", "FATAL"), true, false, "commit_unknown"},
		{errorOf("57P03", "FATAL"), false, false, "database_starting"},
		{errorOf("57P04", "FATAL"), true, false, "database_dropped"},
		{errorOf("57P05", "FATAL"), true, false, "session_ended"},
		{errorOf("53000", "ERROR"), true, false, "out_of_resources"},
		{errorOf("53100", "ERROR"), true, false, "disk_full"},
		{errorOf("53200", "ERROR"), true, false, "out_of_memory"},
		{errorOf("53300", "FATAL"), false, false, "too_many_connections"},
		{errorOf("53999", "ERROR"), true, false, "out_of_resources"},
		{errorOf("58030", "ERROR"), true, false, "io_error"},
		{errorOf("40001", "ERROR"), true, false, "serialization"},
		{errorOf("40003", "ERROR"), true, false, "commit_unknown"},
		{errorOf("08006", "ERROR"), true, false, "commit_unknown"},
		{errorOf("26000", "ERROR"), true, false, "code_replaced"},
		{errorOf("0A000", "ERROR"), true, false, "code_replaced"},
		{errorOf("42883", "ERROR"), true, false, "code_replaced"},
		{errorOf("42883", "ERROR"), false, false, "code_replaced"}, // preparing on a new connection
		{&pgconn.PgError{Code: "XX000", Severity: "ERROR", Message: "cache lookup failed for function 4711"}, true, false, "code_replaced"},
		{errorOf("XX000", "ERROR"), true, false, "internal_error"},
		{errorOf("UM001", "ERROR"), true, false, "internal_error"},
		{errorOf("UM002", "ERROR"), true, false, "not_found"},
		{errorOf("UM003", "ERROR"), true, false, "bad_argument"},
		{errorOf("UM004", "ERROR"), true, false, "wrong_isolation"},
		{errorOf("UM005", "ERROR"), true, false, "tuned_functions"},
		{errorOf("UM006", "ERROR"), true, false, "no_handler"},
		{errorOf("22012", "ERROR"), true, false, "internal_error"},
		{errorOf("23514", "ERROR"), true, true, "internal_error"},
		{errorOf("XX000", "FATAL"), true, false, "commit_unknown"},
		{errorOf("28P01", "FATAL"), false, false, "not_sent"},
		{&SettingsError{}, false, false, "not_sent"},
		{errors.New("network"), true, false, "commit_unknown"},
		{errors.New("network"), false, false, "not_sent"},
		{context.DeadlineExceeded, false, false, "busy"},
		{context.DeadlineExceeded, true, false, "commit_unknown"},
	} {
		if f := reasons.failureOf(c.err, c.sent, c.row); f.reason != c.reason {
			t.Errorf("%v sent %v row %v: %s, want %s", c.err, c.sent, c.row, f.reason, c.reason)
		}
	}
}

func TestWhereHoldsNoValue(t *testing.T) {
	where := newReasonTable().whereOf(&pgconn.PgError{
		Code: "22P02", Message: "invalid input syntax: \"geheim\"", Detail: "Token \"geheim\" is invalid.", Hint: "geheim",
		InternalQuery: "select 'geheim'",
		Where: "JSON data, line 1: {\"a\": geheim...\nunnamed portal with parameters: $1 = 'geheim'\nSQL statement \"select 'geheim'\n" +
			"PL/pgSQL function sport.goal(geheim line 1 at RAISE\n PL/pgSQL function geheim.geheim() line 1 at RAISE\n" +
			"PL/pgSQL function sport.fixture_note(road.call) line 5 at RAISE\nSQL function \"payload_hash\" statement 1\n" +
			"PL/pgSQL function road.dispatch(road.call) line 9 at RETURN\n" +
			"PL/pgSQL function road.execute(text,text,jsonb,timestamp with time zone) line 211 at assignment\n" +
			"PL/pgSQL function road.other(text) while casting return value to function's return type",
		SchemaName: "sport", TableName: "play", ColumnName: "ge heim", ConstraintName: "play_pkey", Routine: "exec_stmt_raise",
	})
	want := "sport.fixture_note line 5; payload_hash; road.dispatch line 9; road.execute line 211; road.other; schema sport; table play; constraint play_pkey; raised by exec_stmt_raise"
	if where != want {
		t.Errorf("got  %s\nwant %s", where, want)
	}
}

// The one body, whatever a sender puts into it.
func TestTryAgainBody(t *testing.T) {
	r := &Road{reasons: newReasonTable()}
	a := r.tryAgain(Command{Key: `k"<&>` + "\u2028", Workflow: "fixture", Code: "note", Kind: "fixture", Ref: "final"}, nil, reasonBusy, 0)
	var body map[string]any
	if err := json.Unmarshal(a.Body, &body); err != nil {
		t.Fatal(err)
	}
	reason := body["reason"].(map[string]any)
	subject := body["subject"].(map[string]any)
	if body["outcome"] != "try_again" || body["key"] != `k"<&>`+"\u2028" || body["retry_after_ms"] != 500.0 || len(body) != 7 ||
		reason["code"] != "busy" || reason["message"] == "" || len(reason["detail"].(map[string]any)) != 0 ||
		subject["kind"] != "fixture" || subject["id"] != nil || subject["ref"] != "final" {
		t.Fatalf("%s", a.Body)
	}
	if b := r.tryAgain(Command{}, nil, reasonInternal, 3); b.RetryAfter != 4*r.tryAgain(Command{}, nil, reasonInternal, 1).RetryAfter {
		t.Errorf("third attempt: %s", b.RetryAfter)
	}
	if b := r.tryAgain(Command{}, nil, reasonInternal, 1<<30); b.RetryAfter != maxRetryAfter {
		t.Errorf("after very many attempts: %s", b.RetryAfter)
	}
}
