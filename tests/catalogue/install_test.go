package catalogue_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/tern/v2/migrate"

	"umpire/functions"
	"umpire/tests/harness"
)

// TL-06: installing twice changes nothing.
func TestInstallTwiceChangesNothing(t *testing.T) {
	conn := harness.New(t).Conn(t)
	before := picture(t, conn)
	install(t, conn)
	after := picture(t, conn)
	if len(before) != len(after) {
		t.Errorf("%d things before, %d after", len(before), len(after))
	}
	for i := range min(len(before), len(after)) {
		if before[i] != after[i] {
			t.Fatalf("before: %s\nafter:  %s", before[i], after[i])
		}
	}
	if n := list[int](t, conn, "select count(*)::int from road.installed_code"); n[0] != 2 {
		t.Errorf("%d installs were recorded, want 2", n[0])
	}
}

func install(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	code, err := migrate.LoadCodePackage(functions.FS)
	if err != nil {
		t.Fatal(err)
	}
	sql, err := code.Eval(map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(sql, "<no value>") {
		t.Fatal("the package has a template without a value")
	}
	if err := migrate.LockExecTx(t.Context(), conn, sql); err != nil {
		t.Fatal(err)
	}
}

// picture is all that an install may touch, in one order.
func picture(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	return list[string](t, conn, `
		select x.thing from (
		    select 'function ' || pg_get_functiondef(p.oid) || coalesce(p.proacl::text, 'default') || p.proowner::regrole || coalesce(obj_description(p.oid, 'pg_proc'), '')
		    from pg_proc p where p.pronamespace::regnamespace::text in `+schemas+`
		    union all
		    select 'table ' || c.oid::regclass || coalesce(c.relacl::text, 'default') || c.relowner::regrole from pg_class c where c.relnamespace::regnamespace::text in `+schemas+`
		    union all
		    select 'column ' || a.attrelid::regclass || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || coalesce(a.attacl::text, '')
		    from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace::regnamespace::text in `+schemas+` and a.attnum > 0
		    union all select 'kind ' || k::text from road.kind k
		    union all select 'workflow ' || w::text from road.workflow w
		    union all select 'command ' || c::text from road.catalogue_command c
		    union all select 'view ' || v::text from road.catalogue_view v
		    union all select 'remembered ' || f::text from road.installed_function f
		    union all select 'default ' || d.defaclobjtype::text || d.defaclacl::text from pg_default_acl d
		) x (thing)
		order by x.thing collate "C"`)
}
