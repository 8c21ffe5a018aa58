package road

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
)

// DefaultLimit is how many items a page has when nothing is said; MaxLimit is the most it can have.
const (
	DefaultLimit = 100
	MaxLimit     = 500
)

// ErrNotAllowed: the view is not open to this sender.
var ErrNotAllowed = errors.New("not allowed")

// ErrNotFound: there is no such subject, view, sender or saved command.
var ErrNotFound = errors.New("not found")

// BadArgumentError is an argument that cannot be. Its message holds no value that was given.
type BadArgumentError struct {
	Message string // one sentence for people
}

func (e *BadArgumentError) Error() string { return e.Message }

// UnavailableError says that the database could not answer now.
type UnavailableError struct {
	Reason     string        // a reason code of Reasons
	RetryAfter time.Duration // the least delay
}

func (e *UnavailableError) Error() string { return "the database could not answer: " + e.Reason }

// DatabaseError is an unexpected error of the database without its text, which may hold values.
type DatabaseError struct {
	SQLState string
	Where    string // functions and lines
}

func (e *DatabaseError) Error() string {
	return fmt.Sprintf("unexpected database error, SQLSTATE %s (%s)", e.SQLState, e.Where)
}

// Read reads a view of a subject (uuid or reference) from one snapshot. cursor is empty, or data.next of the page before;
// limit is 1 to MaxLimit, 0 for DefaultLimit. sender is who reads, empty for anybody: a view that is not open asks for one
// that may read logs. Errors: ErrNotFound, ErrNotAllowed, *BadArgumentError, *UnavailableError, *DatabaseError.
func (r *Road) Read(ctx context.Context, sender, kind, ref, view, cursor string, limit int) (json.RawMessage, error) {
	if limit == 0 {
		limit = DefaultLimit
	}
	if limit < 1 || limit > MaxLimit {
		return nil, &BadArgumentError{Message: fmt.Sprintf("limit is a number from 1 to %d", MaxLimit)}
	}
	if !isText(kind) || !isText(ref) || !isText(view) {
		return nil, ErrNotFound
	}
	var after *string
	if cursor != "" {
		a, err := decodeCursor(cursor)
		if err != nil {
			return nil, err
		}
		after = &a
	}
	var body []byte
	var reader *string
	if sender != "" {
		reader = &sender
	}
	err := r.readRow(ctx, readStatement, []any{kind, ref, view, after, limit, reader}, &body)
	var pg *pgconn.PgError
	switch {
	case err == nil:
		return withOpaqueNext(body)
	case !errors.As(err, &pg):
	case pg.Code == "UM002":
		return nil, fmt.Errorf("%w: %s", ErrNotFound, pg.Message)
	case pg.Code == "UM007":
		return nil, fmt.Errorf("%w: %s", ErrNotAllowed, pg.Message)
	case pg.Code == "UM003":
		return nil, &BadArgumentError{Message: pg.Message}
	case after != nil && (strings.HasPrefix(pg.Code, "22")):
		// A view casts the cursor to what it pages by.
		return nil, errCursor()
	}
	return nil, fmt.Errorf("reading a view: %w", r.readError(ctx, err))
}

// SavedCommand answers "was it saved?": the outcome, the times and the first answer that is kept under a sender's own key.
// actor is empty when the sender acted for itself. Errors: ErrNotFound when nothing is saved (yet), *UnavailableError,
// *DatabaseError.
func (r *Road) SavedCommand(ctx context.Context, sender, key, actor string) (json.RawMessage, error) {
	if !isText(sender) || !isText(key) || !isText(actor) {
		return nil, ErrNotFound
	}
	var body []byte
	if err := r.readRow(ctx, savedStatement, []any{sender, key, actor}, &body); err != nil {
		return nil, fmt.Errorf("looking up a saved command: %w", r.readError(ctx, err))
	}
	if body == nil {
		return nil, ErrNotFound
	}
	return body, nil
}

// readRow runs a named statement that gives one row on the read pool. The reader's ctx ends it; so do the pool's limits.
func (r *Road) readRow(ctx context.Context, statement string, args []any, into ...any) error {
	p := r.pools[ReadPool]
	wait, cancel := context.WithTimeout(ctx, p.options.Patience)
	defer cancel()
	conn, err := p.Acquire(wait)
	if err != nil {
		return &acquireError{err: err, timedOut: wait.Err() != nil}
	}
	defer conn.Release()
	ctx, cancel = context.WithTimeout(ctx, p.callTime())
	defer cancel()
	err = conn.QueryRow(ctx, statement, args...).Scan(into...)
	if err != nil && ctx.Err() == nil {
		r.resetAfter(p, conn.Conn().PgConn(), r.reasons.failureOf(err, true, false))
	}
	return err
}

// acquireError is why there was no connection.
type acquireError struct {
	err      error
	timedOut bool
}

func (e *acquireError) Error() string { return "getting a connection: " + e.err.Error() }
func (e *acquireError) Unwrap() error { return e.err }

// readError turns an error of a read into one of the typed ones. The reader's own end stays what it is.
func (r *Road) readError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var acquire *acquireError
	sent := !errors.As(err, &acquire)
	f := r.reasons.failureOf(err, sent, false)
	switch {
	case !sent && acquire.timedOut:
		f.reason = reasonBusy
	case f.reason == reasonCommitUnknown:
		// A read has nothing to commit.
		f.reason = reasonNotSent
	}
	reason := r.reasons.byCode[f.reason]
	r.log.LogAttrs(ctx, slog.LevelWarn, "read failed", slog.String("reason", f.reason), slog.String("sqlstate", f.state), slog.String("where", f.where))
	if reason.Internal {
		return &DatabaseError{SQLState: f.state, Where: f.where}
	}
	return &UnavailableError{Reason: f.reason, RetryAfter: reason.RetryAfter}
}

// isText says whether Postgres can take it as text.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

func encodeCursor(next string) string { return base64.RawURLEncoding.EncodeToString([]byte(next)) }

func decodeCursor(cursor string) (string, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) == 0 || !isText(string(b)) {
		return "", errCursor()
	}
	return string(b), nil
}

func errCursor() error {
	return &BadArgumentError{Message: "The cursor is not one that this view gave; take it from data.next of the page before, or leave it out."}
}

// withOpaqueNext makes data.next of a page the cursor that clients get: what is inside is the view's own affair.
func withOpaqueNext(body []byte) (json.RawMessage, error) {
	var top, data map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return nil, fmt.Errorf("reading a view's body: %w", err)
	}
	if raw := bytes.TrimSpace(top["data"]); len(raw) == 0 || raw[0] != '{' {
		return body, nil
	}
	if err := json.Unmarshal(top["data"], &data); err != nil {
		return nil, fmt.Errorf("reading a view's data: %w", err)
	}
	if _, paged := data["items"]; !paged {
		return body, nil
	}
	var next *string
	if err := json.Unmarshal(data["next"], &next); err != nil || next == nil {
		return body, nil
	}
	var err error
	if data["next"], err = json.Marshal(encodeCursor(*next)); err != nil {
		return nil, fmt.Errorf("writing a cursor: %w", err)
	}
	if top["data"], err = marshal(data); err != nil {
		return nil, fmt.Errorf("writing a page: %w", err)
	}
	out, err := marshal(top)
	if err != nil {
		return nil, fmt.Errorf("writing a page: %w", err)
	}
	return out, nil
}

// marshal is json.Marshal without the escaping for HTML pages.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
