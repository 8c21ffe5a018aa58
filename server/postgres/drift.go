package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/diff"
)

// How a function differs from the last install.
const (
	Tuned   = "tuned"   // changed in the database
	Dropped = "dropped" // gone from the database
	Foreign = "foreign" // in our schemas, but not installed by us
)

// FunctionChange is one function of the database that is not as the last install left it.
type FunctionChange struct {
	Kind      string // Tuned, Dropped or Foreign
	Signature string
	Diff      string // unified, installed -> now; empty for Foreign
}

// TunedError refuses an install that would lose what somebody changed in the database.
type TunedError struct {
	Changes []FunctionChange
}

func (e *TunedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d function(s) in the database are not as they were installed; an install would lose that. "+
		"Bring the change into functions/, or use --force to lose it:", len(e.Changes))
	for _, c := range e.Changes {
		fmt.Fprintf(&b, "\n%s: %s", c.Kind, c.Signature)
		if c.Diff != "" {
			fmt.Fprintf(&b, "\n%s", strings.TrimRight(c.Diff, "\n"))
		}
	}
	return b.String()
}

// functionsNow reads every function of our schemas, written just as road.record_install writes them: both depend on the
// search path.
const functionsNow = `
	select p.oid::regprocedure::text, pg_catalog.pg_get_functiondef(p.oid)
	from pg_catalog.pg_proc p
	join pg_catalog.pg_namespace n on n.oid = p.pronamespace
	where n.nspname in ('road', 'sport', 'game') and p.prokind in ('f', 'p')`

type snapshot struct {
	installed map[string]string // nil before the first install
	now       map[string]string
}

// takeSnapshot runs inside tx, whose search path it sets.
func takeSnapshot(ctx context.Context, tx pgx.Tx) (snapshot, error) {
	var s snapshot
	var known bool
	err := tx.QueryRow(ctx, `
		select pg_catalog.to_regclass('road.installed_function') is not null
		from pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)`).Scan(&known)
	if err != nil {
		return s, err
	}
	if s.now, err = pairs(ctx, tx, functionsNow); err != nil {
		return s, err
	}
	if known {
		if s.installed, err = pairs(ctx, tx, "select signature, definition from road.installed_function"); err != nil {
			return s, err
		}
	}
	return s, nil
}

func pairs(ctx context.Context, tx pgx.Tx, sql string) (map[string]string, error) {
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	var name, text string
	_, err = pgx.ForEachRow(rows, []any{&name, &text}, func() error {
		all[name] = text
		return nil
	})
	return all, err
}

// changes lists tuned and dropped functions first, then foreign ones. Before the first install there are none.
func (s snapshot) changes() []FunctionChange {
	if len(s.installed) == 0 {
		return nil
	}
	var list []FunctionChange
	for _, signature := range slices.Sorted(maps.Keys(s.installed)) {
		was := s.installed[signature]
		is, exists := s.now[signature]
		kind := Tuned
		switch {
		case !exists:
			kind = Dropped
		case is == was:
			continue
		}
		list = append(list, FunctionChange{
			Kind: kind, Signature: signature,
			Diff: string(diff.Diff("installed/"+signature, []byte(was), "database/"+signature, []byte(is))),
		})
	}
	for _, signature := range slices.Sorted(maps.Keys(s.now)) {
		if _, ok := s.installed[signature]; !ok {
			list = append(list, FunctionChange{Kind: Foreign, Signature: signature})
		}
	}
	return list
}

// lossy are those changes that an install would undo.
func lossy(changes []FunctionChange) []FunctionChange {
	return slices.DeleteFunc(slices.Clone(changes), func(c FunctionChange) bool { return c.Kind == Foreign })
}

// adopt writes into road.installed_function what migrations changed, so that a migration's own work does not look as if
// somebody had tuned it.
func adopt(ctx context.Context, tx pgx.Tx, before, after snapshot) error {
	for signature, was := range before.installed {
		old, had := before.now[signature]
		now, has := after.now[signature]
		if !had || old != was {
			continue // was not as installed before the migrations: still somebody's
		}
		var err error
		switch {
		case !has:
			_, err = tx.Exec(ctx, "delete from road.installed_function where signature = $1", signature)
		case now != was:
			_, err = tx.Exec(ctx, "update road.installed_function set definition = $2 where signature = $1", signature, now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// overwritten are foreign functions that an install has changed.
func overwritten(before, after snapshot) []FunctionChange {
	var list []FunctionChange
	if len(before.installed) == 0 {
		return nil
	}
	for _, signature := range slices.Sorted(maps.Keys(before.now)) {
		if _, ours := before.installed[signature]; ours {
			continue
		}
		was, is := before.now[signature], after.now[signature]
		if was != is {
			list = append(list, FunctionChange{
				Kind: Foreign, Signature: signature,
				Diff: string(diff.Diff("database/"+signature, []byte(was), "functions/"+signature, []byte(is))),
			})
		}
	}
	return list
}
