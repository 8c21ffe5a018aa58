package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Note is a note as viewers get it.
type Note struct {
	Place     Place           `json:"-"`
	Kind      string          `json:"-"`
	Ref       string          `json:"-"`
	SubjectID string          `json:"-"`
	Event     string          `json:"-"` // reference of the subject without a parent that it belongs to
	Seq       int64           `json:"-"`
	At        time.Time       `json:"-"`
	Workflow  string          `json:"-"`
	Code      string          `json:"-"`
	Body      json.RawMessage `json:"-"`

	position string // its place's text, and
	data     []byte // its JSON: made once for all viewers
}

// page is one answer of road.feed_page: everything in it is of one snapshot.
type page struct {
	notes     []*Note
	horizon   uint64 // the oldest transaction that is still running, or next
	next      uint64 // the transaction id that is given out next
	moreAbove bool   // committed notes wait above the horizon
	identity  Identity
	home      int64 // the cluster that the notes are numbered in
	pruned    Place
	last      Place // the last note below the horizon
}

const pageStatement = "feed_page"

// The limits of every connection of the feed; they ride on the startup packet.
func feedParameters() map[string]string {
	return map[string]string{
		"application_name":                    "umpire:feed",
		"role":                                "umpire_reader",
		"search_path":                         "pg_catalog, pg_temp",
		"default_transaction_isolation":       "read committed",
		"default_transaction_read_only":       "on",
		"timezone":                            "UTC",
		"statement_timeout":                   "10000",
		"idle_in_transaction_session_timeout": "5000",
	}
}

// openPool makes the feed's own small pool: one connection for the poller, the others for viewers that catch up.
func openPool(ctx context.Context, url string, conns int32) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database URL cannot be read") // the driver's error quotes it
	}
	c.MaxConns = conns
	c.MinConns = 0
	c.MaxConnIdleTime = time.Minute
	c.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	parameters := feedParameters()
	for name, value := range parameters {
		c.ConnConfig.RuntimeParams[name] = value
	}
	c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		// A pooler in between may drop what the startup packet asks for; the role is what must not be missing.
		var role string
		if err := conn.QueryRow(ctx, "select current_user").Scan(&role); err != nil {
			return fmt.Errorf("reading the role back: %w", err)
		}
		if role != parameters["role"] {
			return fmt.Errorf("the connection's role is %s, not %s: something between here and Postgres drops settings", role, parameters["role"])
		}
		_, err := conn.Prepare(ctx, pageStatement, `select horizon::text, next_xid::text, more_above, system_identifier, timeline, `+
			`home_system_identifier, pruned_xid::text, pruned_id, last_xid::text, last_id, notes::text from road.feed_page($1::text::xid8, $2, $3)`)
		return err
	}
	return pgxpool.NewWithConfig(ctx, c)
}

// noteRow is a note as road.feed_page writes it.
type noteRow struct {
	XID       string          `json:"xid"`
	ID        int64           `json:"id"`
	Kind      string          `json:"kind"`
	Ref       string          `json:"ref"`
	SubjectID string          `json:"subject_id"`
	Event     string          `json:"event"`
	Seq       int64           `json:"seq"`
	At        time.Time       `json:"at"`
	Workflow  string          `json:"workflow"`
	Code      string          `json:"code"`
	Body      json.RawMessage `json:"body"`
}

// readPage asks for the notes after a place.
func readPage(ctx context.Context, pool *pgxpool.Pool, after Place, limit int) (*page, error) {
	ctx, cancel := context.WithTimeout(ctx, 12*time.Second)
	defer cancel()
	var p page
	var horizon, next, prunedXID, lastXID, notes string
	err := pool.QueryRow(ctx, pageStatement, strconv.FormatUint(after.XID, 10), after.ID, limit).Scan(
		&horizon, &next, &p.moreAbove, &p.identity.System, &p.identity.Timeline, &p.home, &prunedXID, &p.pruned.ID, &lastXID, &p.last.ID, &notes)
	if err != nil {
		return nil, fmt.Errorf("asking for the next notes: %w", err)
	}
	for _, n := range []struct {
		text string
		into *uint64
	}{{horizon, &p.horizon}, {next, &p.next}, {prunedXID, &p.pruned.XID}, {lastXID, &p.last.XID}} {
		if *n.into, err = strconv.ParseUint(n.text, 10, 64); err != nil {
			return nil, fmt.Errorf("reading a transaction id: %w", err)
		}
	}
	var rows []noteRow
	if err := json.Unmarshal([]byte(notes), &rows); err != nil {
		return nil, fmt.Errorf("reading the notes: %w", err)
	}
	p.notes = make([]*Note, 0, len(rows))
	for _, r := range rows {
		xid, err := strconv.ParseUint(r.XID, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("reading a note's transaction id: %w", err)
		}
		n := &Note{
			Place: Place{xid, r.ID}, Kind: r.Kind, Ref: r.Ref, SubjectID: r.SubjectID, Event: r.Event, Seq: r.Seq, At: r.At,
			Workflow: r.Workflow, Code: r.Code, Body: r.Body,
		}
		n.position = Position{p.identity, n.Place}.String()
		if n.data, err = n.marshal(); err != nil {
			return nil, fmt.Errorf("writing a note: %w", err)
		}
		p.notes = append(p.notes, n)
	}
	return &p, nil
}

// marshal writes the note as one line of JSON.
func (n *Note) marshal() ([]byte, error) {
	type subject struct {
		Kind string `json:"kind"`
		ID   string `json:"id"`
		Ref  string `json:"ref"`
	}
	return json.Marshal(struct {
		Subject  subject         `json:"subject"`
		Event    string          `json:"event"`
		Seq      int64           `json:"seq"`
		At       time.Time       `json:"at"`
		Workflow string          `json:"workflow"`
		Code     string          `json:"code"`
		Note     json.RawMessage `json:"note"`
	}{subject{n.Kind, n.SubjectID, n.Ref}, n.Event, n.Seq, n.At, n.Workflow, n.Code, n.Body})
}

// Position is the text of the position after the note.
func (n *Note) Position() string { return n.position }

// Data is the note's JSON, without a line break.
func (n *Note) Data() []byte { return n.data }
