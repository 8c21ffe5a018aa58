package main

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/jackc/pgx/v5"
)

// shownSchemas are those that the page shows, in this order. A schema that a later domain adds belongs here.
var shownSchemas = []string{"road", "sport"}

// reader collects the first error, so that the queries can be read in a row.
type reader struct {
	ctx context.Context
	tx  pgx.Tx
	err error
}

// read takes everything from one transaction, whose search path and interval style it sets: both are seen in what
// Postgres prints. What has no order of its own is sorted as bytes, whatever the database's collation.
func read(ctx context.Context, tx pgx.Tx, files fs.FS) (*database, error) {
	r := &reader{ctx: ctx, tx: tx}
	_, r.err = tx.Exec(ctx, `set local search_path = pg_catalog, pg_temp; set local intervalstyle = postgres; set local quote_all_identifiers = off`)
	sources, err := functionFiles(files)
	if err != nil {
		return nil, err
	}
	db := &database{Roles: r.roles()}
	for _, name := range shownSchemas {
		db.Schemas = append(db.Schemas, r.schema(name, sources))
	}
	db.Strange = all[string](r, `
		select format('%s.%s', n.nspname, c.relname)
		from pg_class c
		join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = any ($1) and c.relkind not in ('r', 'p', 'v', 'm', 'i', 'I', 'c', 't')
			and not (c.relkind = 'S' and exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i')))
		union all
		select format('%s.%s', n.nspname, t.typname)
		from pg_type t
		join pg_namespace n on n.oid = t.typnamespace
		where n.nspname = any ($1) and t.typtype not in ('c', 'b') and t.typelem = 0
		union all
		select format('%s.%s', n.nspname, p.proname)
		from pg_proc p
		join pg_namespace n on n.oid = p.pronamespace
		where n.nspname = any ($1) and p.prokind not in ('f', 'p')`, shownSchemas)
	slices.Sort(db.Strange)
	db.Catalogue = r.catalogue()
	return db, r.err
}

func (r *reader) roles() []role {
	return all[role](r, `
		select r.rolname::text, r.rolcanlogin, coalesce(shobj_description(r.oid, 'pg_authid'), ''),
			array(
				select distinct g.rolname::text collate "C" as granted
				from pg_auth_members m
				join pg_roles g on g.oid = m.roleid
				where m.member = r.oid
				order by granted)
		from pg_roles r
		where r.rolname in ('umpire_owner', 'umpire_app', 'umpire_reader', 'umpire_ops')
		order by r.rolname`)
}

func (r *reader) schema(name string, sources map[string]string) schema {
	type found struct {
		OID     uint32
		Name    string
		Comment string
	}
	s := schema{Name: name}
	for _, f := range all[found](r, `
		select n.oid, n.nspname::text, coalesce(obj_description(n.oid, 'pg_namespace'), '')
		from pg_namespace n where n.nspname = $1`, name) {
		s.Comment, s.Grants = f.Comment, r.grants("pg_namespace", "nsp", "n", f.OID)
	}
	const relations = `
		select c.oid, c.relname::text, coalesce(obj_description(c.oid, 'pg_class'), '')
		from pg_class c
		join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = $1 and c.relkind = any ($2::"char"[]) order by c.relname`
	for _, f := range all[found](r, relations, name, []string{"r", "p"}) {
		s.Tables = append(s.Tables, r.table(f.OID, name, f.Name, f.Comment))
	}
	for _, f := range all[found](r, relations, name, []string{"v", "m"}) {
		s.Views = append(s.Views, r.table(f.OID, name, f.Name, f.Comment))
	}
	for _, f := range all[found](r, `
		select t.oid, t.typname::text, coalesce(obj_description(t.oid, 'pg_type'), '')
		from pg_type t
		join pg_class c on c.oid = t.typrelid and c.relkind = 'c'
		join pg_namespace n on n.oid = t.typnamespace
		where n.nspname = $1 order by t.typname`, name) {
		s.Types = append(s.Types, composite{
			Name: name + "." + f.Name, Comment: f.Comment, Grants: r.grants("pg_type", "typ", "T", f.OID),
			Attributes: r.columns(`(select t.typrelid from pg_type t where t.oid = $1)`, f.OID),
		})
	}
	s.Functions = r.functions(name, sources)
	return s
}

func (r *reader) table(oid uint32, schema, name, comment string) table {
	return table{
		Name: schema + "." + name, Comment: comment,
		Columns: r.columns("$1", oid),
		Constraints: all[constraint](r, `
			select c.conname::text, c.contype::text, pg_get_constraintdef(c.oid, true)
			from pg_constraint c
			where c.conrelid = $1 and c.contype in ('p', 'u', 'f', 'c', 'x')
			order by position(c.contype::text in 'pufxc'), c.conname`, oid),
		Indexes: all[index](r, `
			select i.relname::text, pg_get_indexdef(i.oid), coalesce(c.conname::text, ''), coalesce(obj_description(i.oid, 'pg_class'), '')
			from pg_index x
			join pg_class i on i.oid = x.indexrelid
			left join pg_constraint c on c.conindid = i.oid and c.conrelid = x.indrelid and c.contype in ('p', 'u', 'x')
			where x.indrelid = $1
			order by i.relname`, oid),
		Triggers: all[string](r, `
			select pg_get_triggerdef(t.oid, true) from pg_trigger t where t.tgrelid = $1 and not t.tgisinternal order by t.tgname`, oid),
		Storage: all[string](r, `
			select o.option from pg_class c cross join unnest(c.reloptions) o (option) where c.oid = $1 order by o.option collate "C"`, oid),
		Grants: append(r.grants("pg_class", "rel", "r", oid), r.columnGrants(oid)...),
	}
}

// columns reads the columns of the relation that an expression over $1 gives.
func (r *reader) columns(relation string, oid uint32) []column {
	return all[column](r, fmt.Sprintf(`
		select a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull,
			coalesce(pg_get_expr(d.adbin, d.adrelid, true), ''),
			case a.attgenerated when 's' then 'stored' when 'v' then 'virtual' else '' end,
			case a.attidentity when 'a' then 'always' when 'd' then 'by default' else '' end,
			coalesce(col_description(a.attrelid, a.attnum), '')
		from pg_attribute a
		left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
		where a.attrelid = %s and a.attnum > 0 and not a.attisdropped
		order by a.attnum`, relation), oid)
}

func (r *reader) functions(schema string, sources map[string]string) []function {
	type found struct {
		OID      uint32
		Name     string
		Result   string
		Language string
		Volatile string
		Definer  bool
		Strict   bool
		Settings []string
		Comment  string
	}
	var list []function
	for _, f := range all[found](r, `
		select p.oid, p.proname::text, coalesce(pg_get_function_result(p.oid), ''), l.lanname::text,
			case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
			p.prosecdef, p.proisstrict, coalesce(p.proconfig, '{}'), coalesce(obj_description(p.oid, 'pg_proc'), '')
		from pg_proc p
		join pg_namespace n on n.oid = p.pronamespace
		join pg_language l on l.oid = p.prolang
		where n.nspname = $1 and p.prokind in ('f', 'p')
		order by p.proname, pg_get_function_identity_arguments(p.oid) collate "C"`, schema) {
		name := schema + "." + f.Name
		list = append(list, function{
			Name: name, Result: f.Result, Language: f.Language, Volatile: f.Volatile, Definer: f.Definer, Strict: f.Strict,
			Settings: f.Settings, Comment: f.Comment, File: sources[name],
			Grants: r.grants("pg_proc", "pro", "f", f.OID),
			Arguments: all[argument](r, `
				select coalesce(p.proargnames[t.i], ''), format_type(t.type, null), coalesce(p.proargmodes[t.i]::text, 'i'),
					coalesce(pg_get_function_arg_default(p.oid, t.i::integer), '')
				from pg_proc p
				cross join unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality t (type, i)
				where p.oid = $1
				order by t.i`, f.OID),
		})
	}
	return list
}

// grants reads who may do what with an object of a catalog whose columns begin with prefix; kind is acldefault's.
func (r *reader) grants(catalog, prefix, kind string, oid uint32) []grant {
	return all[grant](r, fmt.Sprintf(`
		select %[4]s, lower(a.privilege_type), null::text[], bool_or(a.is_grantable)
		from %[1]s o
		cross join aclexplode(coalesce(o.%[2]sacl, acldefault('%[3]s', o.%[2]sowner))) a
		where o.oid = $1 and a.grantee <> o.%[2]sowner
		group by 1, 2
		order by 1, 2`, catalog, prefix, kind, grantee), oid)
}

func (r *reader) columnGrants(oid uint32) []grant {
	return all[grant](r, fmt.Sprintf(`
		select %s, lower(a.privilege_type), array_agg(c.attname::text order by c.attnum), bool_or(a.is_grantable)
		from pg_attribute c
		join pg_class o on o.oid = c.attrelid
		cross join aclexplode(c.attacl) a
		where o.oid = $1 and not c.attisdropped and a.grantee <> o.relowner
		group by 1, 2
		order by 1, 2`, grantee), oid)
}

const grantee = `(case a.grantee when 0 then 'public' else pg_get_userbyid(a.grantee)::text end) collate "C"`

func (r *reader) catalogue() catalogue {
	c := catalogue{
		Kinds: all[kind](r, `
			select k.kind, k.lock_rank::integer, coalesce(k.verifier, ''), k.summary from road.kind k order by k.lock_rank, k.kind collate "C"`),
		Views: all[view](r, `
			select v.kind, v.view, v.handler, v.paged, v.open, v.summary
			from road.catalogue_view v order by v.kind collate "C", v.view <> 'state', v.view collate "C"`),
	}
	type found struct{ Workflow, Summary string }
	for _, w := range all[found](r, `select w.workflow, w.summary from road.workflow w order by w.workflow collate "C"`) {
		one := workflow{Workflow: w.Workflow, Summary: w.Summary}
		rows := all[commandRow](r, `
			select c.workflow, c.code, c.kind, c.level, c.creates, c.pool, c.key_ttl::text, c.log_input, c.log_drop,
				c.handler, coalesce(c.locks, ''), coalesce(c.current, ''), c.summary
			from road.catalogue_command c where c.workflow = $1 order by c.code collate "C"`, w.Workflow)
		for _, c := range rows {
			refusals := all[refusal](r, `
				select e.key, e.value
				from road.catalogue_command c
				cross join jsonb_each_text(c.refusals) e
				where c.workflow = $1 and c.code = $2
				order by e.key collate "C"`, c.Workflow, c.Code)
			one.Commands = append(one.Commands, command{
				Workflow: c.Workflow, Code: c.Code, Kind: c.Kind, Level: c.Level, Creates: c.Creates, Pool: c.Pool, KeyTTL: c.KeyTTL,
				LogInput: c.LogInput, LogDrop: c.LogDrop, Handler: c.Handler, Locks: c.Locks, Current: c.Current,
				Refusals: refusals, Summary: c.Summary,
			})
		}
		c.Workflows = append(c.Workflows, one)
	}
	return c
}

type commandRow struct {
	Workflow, Code, Kind, Level string
	Creates                     bool
	Pool, KeyTTL, LogInput      string
	LogDrop                     []string
	Handler, Locks, Current     string
	Summary                     string
}

// all runs a query and collects its rows, of one column each or into a struct by position.
func all[T any](r *reader, sql string, args ...any) []T {
	if r.err != nil {
		return nil
	}
	rows, err := r.tx.Query(r.ctx, sql, args...)
	if err != nil {
		r.err = err
		return nil
	}
	collect := pgx.RowToStructByPos[T]
	if _, plain := any(*new(T)).(string); plain {
		collect = pgx.RowTo[T]
	}
	list, err := pgx.CollectRows(rows, collect)
	if err != nil {
		r.err = fmt.Errorf("%w, in%s", err, sql)
	}
	return list
}
