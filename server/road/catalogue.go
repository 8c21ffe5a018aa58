package road

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Catalogue is what the installed SQL says there is: everything that the API documents, checks and offers.
type Catalogue struct {
	// CodeHash is the hash of the functions package in force; empty when none was recorded.
	CodeHash  string
	Kinds     []Kind             // in the order in which they are locked
	Workflows []Workflow         // by name
	Commands  []CatalogueCommand // by workflow and code
	Views     []CatalogueView    // by kind and view
}

// Kind is a kind of subject.
type Kind struct {
	Kind     string
	LockRank int
	Summary  string
}

// Workflow is a set of commands that belong together.
type Workflow struct {
	Workflow string
	Summary  string
}

// CatalogueCommand is one command: what it asks, and what it may refuse.
type CatalogueCommand struct {
	Workflow    string
	Code        string
	Kind        string
	Level       string // none, rows or play: the versions that the sender must state
	Creates     bool   // the command creates its own subject
	Pool        PoolName
	KeyTTL      time.Duration   // how long its key is remembered
	LogInput    string          // full, redacted or none
	InputSchema json.RawMessage // JSON Schema 2020-12
	Example     json.RawMessage // an input that is valid
	Refusals    json.RawMessage // object: code -> sentence; the rules' own
	Summary     string
}

// CatalogueView is one read.
type CatalogueView struct {
	Kind    string
	View    string // "state" is the subject itself
	Paged   bool   // takes limit and cursor
	Open    bool   // anybody may read it; else a sender with MayReadLog
	Summary string
}

// LoadCatalogue reads the catalogue, from one snapshot, on the read pool, and from now on sends each command to the pool
// that it names. Call it again after an install. Errors: *UnavailableError, or what the database said, redacted.
func (r *Road) LoadCatalogue(ctx context.Context) (*Catalogue, error) {
	c := &Catalogue{}
	p := r.pools[ReadPool]
	wait, cancel := context.WithTimeout(ctx, p.options.Patience+p.callTime())
	defer cancel()
	err := pgx.BeginTxFunc(wait, p, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		err := tx.QueryRow(wait, `select coalesce((select i.code_hash from road.installed_code i order by i.installed_at desc limit 1), '')`).Scan(&c.CodeHash)
		if err != nil {
			return err
		}
		if c.Kinds, err = collect[Kind](wait, tx, `select kind, lock_rank, summary from road.kind order by lock_rank, kind`); err != nil {
			return err
		}
		if c.Workflows, err = collect[Workflow](wait, tx, `select workflow, summary from road.workflow order by workflow`); err != nil {
			return err
		}
		if c.Commands, err = collect[CatalogueCommand](wait, tx, `
			select workflow, code, kind, level, creates, pool, make_interval(secs => extract(epoch from key_ttl)::float8),
			       log_input, input_schema, example, refusals, summary
			from road.catalogue_command
			order by workflow, code`); err != nil {
			return err
		}
		c.Views, err = collect[CatalogueView](wait, tx, `select kind, view, paged, open, summary from road.catalogue_view order by kind, view`)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("loading the catalogue: %w", r.readError(ctx, err))
	}
	imports := map[string][]string{}
	for _, cmd := range c.Commands {
		if cmd.Pool == ImportPool {
			imports[cmd.Workflow] = append(imports[cmd.Workflow], cmd.Code)
		}
	}
	r.imports.Store(&imports)
	return c, nil
}

func collect[T any](ctx context.Context, tx pgx.Tx, sql string) ([]T, error) {
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}
