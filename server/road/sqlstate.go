package road

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Reason codes of the road's own try again answers.
const (
	reasonBusy          = "busy"
	reasonStopping      = "stopping"
	reasonNotSent       = "not_sent"
	reasonCommitUnknown = "commit_unknown"
	reasonInternal      = "internal_error"
	reasonLockTimeout   = "lock_timeout"
	reasonLocksChanged  = "locks_changed"
	reasonDeadlock      = "deadlock"
	reasonSerialization = "serialization"
	reasonReadOnly      = "read_only"
	reasonCodeReplaced  = "code_replaced"
)

// Reason is one of the engine's own reasons; a command's rules have theirs in the catalogue.
type Reason struct {
	// Code is for programs.
	Code string
	// Message is one sentence for people.
	Message string
	// Outcome is the answer that it comes with.
	Outcome Outcome
	// Stored says whether the answer is kept under the command's key.
	Stored bool
	// RetryAfter is the least delay a sender is asked to keep; 0 unless the outcome is try again.
	RetryAfter time.Duration
	// Internal marks a failure of the server's own: HTTP 500 instead of 503, and recorded for the operator.
	Internal bool
	// SQLStates that are answered with it.
	SQLStates []string
}

// Reasons lists every reason that the engine itself gives, for the API document. The SQLSTATEs are the one table from
// which answers are made: a state that is not listed is internal_error, except for classes 53 (out_of_resources) and 08
// (commit_unknown).
func Reasons() []Reason {
	try := func(code string, after time.Duration, message string, states ...string) Reason {
		return Reason{Code: code, Message: message, Outcome: TryAgain, RetryAfter: after, SQLStates: states}
	}
	broken := func(code, message string, states ...string) Reason {
		return Reason{Code: code, Message: message, Outcome: TryAgain, RetryAfter: time.Second, Internal: true, SQLStates: states}
	}
	refused := func(code, message string) Reason {
		return Reason{Code: code, Message: message, Outcome: Refused}
	}
	const ms = time.Millisecond
	return []Reason{
		refused("unknown_command", "There is no such workflow, code or kind of subject; GET /workflows lists what there is."),
		refused("sender_unknown", "The sender is unknown or disabled, or its token is no longer valid."),
		refused("not_allowed", "The sender may not do this."),
		refused("bad_input", "The command is not formed as it must be."),
		refused("subject_not_found", "There is no such subject; create it first, or mend the reference."),
		refused("key_reused", "This key was used for another command; a new command needs a new key."),
		refused("version_missing", "State the version you saw of what the command changes."),
		{Code: "exists", Message: "A subject of this kind already has this reference.", Outcome: Refused, Stored: true},
		{Code: "version_moved", Message: "What you saw has moved on; look at what changed and decide again.", Outcome: Conflict},

		try(reasonBusy, 500*ms, "Too many commands are waiting for this subject or this server; send it again."),
		try(reasonStopping, 1000*ms, "This server is stopping; send the command again."),
		try(reasonNotSent, 500*ms, "The database could not be reached; nothing was done. Send the command again."),
		try(reasonCommitUnknown, 200*ms, "It is not known whether the command was saved; send it again with the same key to learn what became of it.", "40003", "57P02"),
		try(reasonLockTimeout, 500*ms, "Another command held the subject for too long; nothing was done. Send the command again.", "55P03"),
		try(reasonLocksChanged, 200*ms, "What the command has to lock changed while it waited; nothing was done. Send it again.", "UM008"),
		try(reasonDeadlock, 200*ms, "Two commands waited for each other and this one gave way; nothing was done. Send it again.", "40P01"),
		try(reasonSerialization, 200*ms, "The command ran into another one; nothing was done. Send it again.", "40001"),
		try("statement_timeout", 1000*ms, "The command took too long and was ended; nothing was done. Send it again.", "57014"),
		try("broken_transaction", 500*ms, "The command's transaction had failed; nothing was done. Send it again.", "25P02"),
		try("idle_in_transaction", 500*ms, "The command's transaction stood still for too long and was ended; nothing was done. Send it again.", "25P03"),
		try("transaction_timeout", 1000*ms, "The command's transaction took too long and was ended; nothing was done. Send it again.", "25P04"),
		try(reasonReadOnly, 2000*ms, "The database takes no changes at the moment; nothing was done. Send the command again.", "25006"),
		try("session_ended", 500*ms, "The command's session was ended; nothing was done. Send it again.", "57P01", "57P05"),
		try("database_starting", 2000*ms, "The database is starting or stopping; nothing was done. Send the command again.", "57P03"),
		try("database_dropped", 5000*ms, "The database is gone; nothing was done.", "57P04"),
		try("disk_full", 5000*ms, "The database has no room left; nothing was done. Send the command again.", "53100"),
		try("out_of_memory", 2000*ms, "The database has no memory left; nothing was done. Send the command again.", "53200"),
		try("too_many_connections", 2000*ms, "The database has no connection left; nothing was done. Send the command again.", "53300"),
		try("out_of_resources", 2000*ms, "The database has run out of something it needs; nothing was done. Send the command again.", "53000", "53400"),
		try("io_error", 5000*ms, "The database's storage failed; nothing was done. Send the command again.", "58030"),
		try(reasonCodeReplaced, 200*ms, "The database's functions were being replaced; nothing was done. Send the command again.", "26000", "0A000", "42883"),

		broken(reasonInternal, "The server failed; nothing was done. The failure is recorded; send the command again later.", "UM001"),
		broken("not_found", "A function of the command asked for something that is not there; nothing was done. The failure is recorded.", "UM002"),
		broken("bad_argument", "A function of the command was given something that cannot be; nothing was done. The failure is recorded.", "UM003"),
		broken("wrong_isolation", "The database runs commands at the wrong isolation level; nothing was done. The failure is recorded.", "UM004"),
		broken("tuned_functions", "Functions were changed in the database; nothing was done. The failure is recorded.", "UM005"),
		broken("no_handler", "The command has no function; nothing was done. The failure is recorded.", "UM006"),
	}
}

// reasonTable finds reasons by code and by SQLSTATE.
type reasonTable struct {
	byCode       map[string]Reason
	byState      map[string]string
	functionLine *regexp.Regexp
}

func newReasonTable() reasonTable {
	t := reasonTable{
		byCode:  map[string]Reason{},
		byState: map[string]string{},
		// "PL/pgSQL function road.execute(text,...) line 7 at RAISE", and nothing that only looks like it
		functionLine: regexp.MustCompile(`^(?:PL/pgSQL|SQL) function "?([A-Za-z_][A-Za-z0-9_]{0,62}(?:\.[A-Za-z_][A-Za-z0-9_]{0,62})?)"?` +
			`(?:\([^()]*\))?(?: line (\d{1,6}) at [A-Za-z /]+| statement \d+| (?:during|while) [a-z' ]+)\n?$`),
	}
	for _, r := range Reasons() {
		t.byCode[r.Code] = r
		for _, s := range r.SQLStates {
			t.byState[s] = r.Code
		}
	}
	return t
}

func (t reasonTable) ofState(state string) string {
	if code, ok := t.byState[state]; ok {
		return code
	}
	switch {
	case strings.HasPrefix(state, "53"):
		return "out_of_resources"
	case strings.HasPrefix(state, "08"):
		return reasonCommitUnknown
	}
	return reasonInternal
}

// failure is why a call gave no answer.
type failure struct {
	reason string
	state  string // SQLSTATE; empty when Postgres said nothing
	where  string // function and line, or what the error names; no value of the input
	inside bool   // raised in a function that the call went through, not by the statement itself
	ended  bool   // the session is gone
	// keyTaken: the key's primary key said no, the last guard (C-057)
	keyTaken bool
}

// failureOf judges an error. sent: the call may have reached Postgres; row: a row had arrived, so that the statement was
// over and only the commit can have failed.
func (t reasonTable) failureOf(err error, sent, row bool) failure {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		switch {
		case !sent && errors.Is(err, context.DeadlineExceeded):
			return failure{reason: reasonBusy}
		case !sent || pgconn.SafeToRetry(err):
			return failure{reason: reasonNotSent, ended: true}
		}
		return failure{reason: reasonCommitUnknown, ended: true}
	}
	f := failure{reason: t.ofState(pg.Code), state: pg.Code, where: t.whereOf(pg), inside: pg.Where != "", ended: isFatal(pg),
		keyTaken: pg.Code == "23505" && pg.SchemaName == "road" && pg.TableName == "command"}
	switch {
	case pg.Code == "XX000" && !f.ended && strings.HasPrefix(pg.Message, "cache lookup failed for "):
		// A function was dropped while the call was in it, or between the call's plan and its start. (Postgres
		// translates no message of this kind.)
		f.reason = reasonCodeReplaced
	case !sent && t.byCode[f.reason].Internal:
		// Not the command's fault: a connection could not be had.
		f.reason = reasonNotSent
	case !sent && f.reason == reasonCommitUnknown:
		f.reason = reasonNotSent
	case sent && f.ended && (row || f.reason == reasonInternal):
		// The session ended with its transaction over or under way, and nobody says which.
		f.reason = reasonCommitUnknown
	}
	return f
}

func isFatal(pg *pgconn.PgError) bool {
	severity := pg.SeverityUnlocalized
	if severity == "" {
		severity = pg.Severity
	}
	return severity == "FATAL" || severity == "PANIC"
}

// whereOf says where an error was raised. Messages, details and much of the context can hold values of the input; names
// of functions, line numbers, and the names of tables and constraints cannot.
func (t reasonTable) whereOf(pg *pgconn.PgError) string {
	var parts []string
	for line := range strings.Lines(pg.Where) {
		if m := t.functionLine.FindStringSubmatch(line); m != nil && len(parts) < 8 {
			at := m[1]
			if m[2] != "" {
				at += " line " + m[2]
			}
			parts = append(parts, at)
		}
	}
	for _, n := range []struct{ what, name string }{
		{"schema", pg.SchemaName}, {"table", pg.TableName}, {"column", pg.ColumnName}, {"type", pg.DataTypeName}, {"constraint", pg.ConstraintName},
	} {
		if isName(n.name) {
			parts = append(parts, n.what+" "+n.name)
		}
	}
	if pg.Routine != "" && isName(pg.Routine) {
		parts = append(parts, "raised by "+pg.Routine)
	}
	return strings.Join(parts, "; ")
}

func isName(s string) bool {
	return s != "" && len(s) <= 63 && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	})
}

// resetsPool says whether a failure means that the pool's other connections are no good either.
func (f failure) resetsPool() bool {
	return f.reason == reasonReadOnly ||
		f.reason == reasonCodeReplaced && !f.inside ||
		f.reason == reasonCommitUnknown && f.state == "" ||
		slices.Contains([]string{"57P01", "57P02", "57P03"}, f.state)
}
