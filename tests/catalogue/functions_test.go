package catalogue_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"umpire/tests/harness"
)

// PL-02: what runs with the owner's rights looks nowhere but where it should, and in the temporary schema last.
func TestDefinersPinTheSearchPath(t *testing.T) {
	definers := 0
	for _, f := range installed(t, harness.New(t).Conn(t)) {
		if !f.Definer {
			continue
		}
		definers++
		if !slices.Contains(f.Settings, "search_path=pg_catalog, pg_temp") {
			t.Errorf("%s is SECURITY DEFINER with %v; it needs set search_path = pg_catalog, pg_temp", f.Signature, f.Settings)
		}
	}
	if definers < 10 {
		t.Errorf("only %d functions are SECURITY DEFINER: is this still asked the right way?", definers)
	}
}

// PL-02: a caller's temporary tables, views, types and functions named like ours change nothing.
func TestDefinersAreNotFooledByTemporaryObjects(t *testing.T) {
	db := harness.New(t)
	owner := db.Conn(t)
	const setup = `
		select road.sender_add('scorer', sha256('scorer'), p_may_read_log => true);
		select road.execute('scorer', 'event', 'event', 'cup', 'create', 'k1', '{"name": "Cup"}');
		select road.execute('scorer', 'event', 'event', 'cup', 'fixture_put', 'k2', '{"fixture": "final", "sport": "football", "home": "a", "away": "b"}', '{"rows": {"fixture/final/schedule": null}}');`
	if _, err := owner.PgConn().Exec(t.Context(), setup).ReadAll(); err != nil {
		t.Fatal(err)
	}
	tables := list[string](t, owner, `select c.relname from pg_class c where c.relnamespace::regnamespace::text in `+schemas+` and c.relkind = 'r'`)
	for role, calls := range map[string][]string{
		"umpire_app": {
			`select r.outcome from road.execute('scorer', 'fixture', 'fixture', 'final', 'note', 'k-' || $1, '{"text": "x"}') r`,
			`select r.outcome from road.execute('scorer', 'football', 'fixture', 'final', 'goal', 'g-' || $1, '{"side": "home", "minute": 1}', '{"play": null}') r`,
			`select r.outcome from road.execute('scorer', 'event', 'event', 'cup', 'fixture_put', 'f-' || $1, '{"fixture": "f-" , "sport": "football", "home": "a", "away": "b"}', '{"rows": {"fixture/f-/schedule": null}}') r`,
			`select left((road.saved_command('scorer', 'k1') || jsonb_build_object('x', left($1, 0)))::text, 5)`,
			`select d.sender || left($1, 0) from road.sender_by_token(sha256('scorer')) d`,
			`select (road.read('event', 'cup') ->> 'view') || left($1, 0)`,
			`select (road.read('fixture', 'final', 'log', null, 1, 'scorer') #>> '{data,items,0,seq}') || left($1, 0)`,
		},
		"umpire_ops": {
			`select string_agg(l.sender, ' ') || left($1, 0) from road.sender_list() l`,
			`select count(*)::text || left($1, 0) from road.invariants()`,
			`select count(*)::text || left($1, 0) from road.verify() v where v.problem is not null`,
		},
	} {
		clean, fooled := db.ConnAs(t, role), db.ConnAs(t, role)
		for _, table := range append(tables, "pg_class", "pg_proc", "pg_settings") {
			if _, err := fooled.Exec(t.Context(), fmt.Sprintf("create temp table %q (sender text, kind text, ref text, note text, level text, at text)", table)); err != nil {
				t.Fatal(err)
			}
		}
		for _, sql := range []string{
			"create function pg_temp.clock_timestamp() returns timestamptz language sql as $$select '1999-01-01'::timestamptz$$",
			"create function pg_temp.now() returns timestamptz language sql as $$select '1999-01-01'::timestamptz$$",
			"create function pg_temp.sha256(bytea) returns bytea language sql as $$select null::bytea$$",
			"create function pg_temp.execute() returns text language sql as $$select 'fooled'$$",
			"create function pg_temp.dispatch(road.call) returns jsonb language sql as $$select '{}'::jsonb$$",
			"create type pg_temp.call as (x text)",
			"create domain pg_temp.jsonb as text",
			"create domain pg_temp.bigint as text",
			"set search_path = pg_temp, public",
		} {
			if _, err := fooled.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		for _, call := range calls {
			var want, got *string
			if err := clean.QueryRow(t.Context(), call, "clean").Scan(&want); err != nil {
				t.Fatalf("%s: %v", call, err)
			}
			// What the caller's own statement does with its search_path is its own affair: so sha256 is named whole.
			if err := fooled.QueryRow(t.Context(), strings.ReplaceAll(call, "sha256(", "pg_catalog.sha256("), "fooled").Scan(&got); err != nil {
				t.Errorf("as %s, with temporary objects: %s: %v", role, call, err)
				continue
			}
			same := want != nil && got != nil && (*want == *got || strings.Contains(call, "'f-'") && *got == "conflict")
			if !same {
				t.Errorf("as %s: %s gives %s, with temporary objects %s", role, call, show(want), show(got))
			}
		}
	}
}

func show(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}

var (
	dynamic   = regexp.MustCompile(`(?i)\bexecute\s+(format|'|\$|v_|p_|\()`)
	others    = regexp.MustCompile(`(?i)\bwhen\s+others\b`)
	nothing   = regexp.MustCompile(`(?is)insert\s+into\s+(\w+\.\w+)[^;]*?on\s+conflict[^;]*?do\s+nothing`)
	setLocal  = regexp.MustCompile(`(?i)\bset\s+local\b|set_config\('(lock_timeout|statement_timeout|synchronous_commit)`)
	notify    = regexp.MustCompile(`(?im)\bpg_notify\b|^\s*notify\b`)
	locking   = regexp.MustCompile(`(?i)\bfor\s+(no\s+key\s+update|key\s+share|update|share)\b|\block\s+table\b|pg_(try_)?advisory`)
	engine    = regexp.MustCompile(`(?i)\b(insert\s+into|update|delete\s+from|truncate)\s+road\.`)
	exception = regexp.MustCompile(`(?i)\bexception\s+when\b`)
	control   = regexp.MustCompile(`(?i)\b(commit|rollback|savepoint)\s*;`)
)

// forbidden is what no function does.
func forbidden(f function) []string {
	var faults []string
	if dynamic.MatchString(f.Body) {
		faults = append(faults, "builds SQL at run time")
	}
	if others.MatchString(f.Body) {
		faults = append(faults, "catches others")
	}
	for _, m := range nothing.FindAllStringSubmatch(f.Body, -1) {
		if m[1] != "road.subject" {
			faults = append(faults, "on conflict do nothing on "+m[1])
		}
	}
	if setLocal.MatchString(f.Body) {
		faults = append(faults, "sets a limit of its own (C-090)")
	}
	if notify.MatchString(f.Body) {
		faults = append(faults, "notifies")
	}
	if slices.ContainsFunc(f.Settings, func(s string) bool { return strings.HasPrefix(s, "synchronous_commit") }) {
		faults = append(faults, "changes synchronous_commit")
	}
	return faults
}

// leftToTheRoad is what a command's own functions do not do.
func leftToTheRoad(f function) []string {
	var faults []string
	if m := locking.FindString(f.Body); m != "" {
		faults = append(faults, "locks: "+m)
	}
	if m := engine.FindString(f.Body); m != "" {
		faults = append(faults, "writes the engine's tables: "+m)
	}
	// What is stable cannot write, so its block gets no xid.
	if exception.MatchString(f.Body) && f.Volatility != "s" {
		faults = append(faults, "has an EXCEPTION block: a subtransaction of its own")
	}
	if m := control.FindString(f.Body); m != "" {
		faults = append(faults, "ends a transaction: "+m)
	}
	if f.Definer {
		faults = append(faults, "is SECURITY DEFINER; only the API is")
	}
	return faults
}

func TestForbiddenConstructs(t *testing.T) {
	for _, f := range installed(t, harness.New(t).Conn(t)) {
		for _, fault := range forbidden(f) {
			t.Errorf("%s %s", f.Signature, fault)
		}
	}
	for name, text := range sources(t) {
		if strings.Contains(strings.ToLower(text), "set local ") && name != "install.sql" && name != "road/guard.sql" {
			t.Errorf("functions/%s sets something locally", name)
		}
	}
}

func TestHandlersKeepToTheirOwnRows(t *testing.T) {
	conn := harness.New(t).Conn(t)
	n := 0
	for _, f := range installed(t, conn) {
		if strings.HasPrefix(f.Name, "road.") {
			continue
		}
		n++
		for _, fault := range leftToTheRoad(f) {
			t.Errorf("%s %s", f.Signature, fault)
		}
	}
	if n < 20 {
		t.Errorf("only %d functions outside road: is this still asked the right way?", n)
	}
}

// The two tests above would notice each of these.
func TestFaultsAreNoticed(t *testing.T) {
	for _, body := range []string{
		"execute format('select %I', p_x);", "execute v_sql;", "exception when others then", "exception when sqlstate 'UM001' or others then null; when others then",
		"insert into road.log (a) values (1) on conflict do nothing;", "insert into road.command (a)\nvalues (1)\non conflict (a) do nothing;",
		"perform set_config('lock_timeout', '1s', true);", "set local statement_timeout = 0;", "perform pg_notify('a', 'b');", "begin\n    notify a;",
	} {
		if len(forbidden(function{Body: body})) == 0 {
			t.Errorf("not noticed: %s", body)
		}
	}
	for _, body := range []string{
		"select 1 from sport.fixture for update;", "select 1 from sport.fixture f for no key update of f;", "for share", "lock table sport.play;", "perform pg_advisory_xact_lock(1);",
		"update road.subject set last_seq = 1;", "insert into road.note values (1);", "delete from road.log;", "begin exception when sqlstate 'UM001' then end;", "commit;",
	} {
		if len(leftToTheRoad(function{Body: body})) == 0 {
			t.Errorf("not noticed: %s", body)
		}
	}
	if faults := forbidden(function{Body: "insert into road.subject (kind) values ('x') on conflict (kind, ref) do nothing;"}); len(faults) > 0 {
		t.Errorf("a create may meet another: %v", faults)
	}
	for _, body := range []string{
		"return road.execute_many(p_x);", "select 'for sharing' from sport.play;",
		"update sport.play set seq = 1;", "raise exception using errcode = 'UM003';",
	} {
		if faults := append(forbidden(function{Body: body}), leftToTheRoad(function{Body: body})...); len(faults) > 0 {
			t.Errorf("no fault, but noticed: %s: %v", body, faults)
		}
	}
}

// A function that reads says stable, one that only computes immutable, one that writes or looks again volatile.
func TestVolatility(t *testing.T) {
	conn := harness.New(t).Conn(t)
	want := map[string]string{}
	for _, name := range list[string](t, conn, "select handler from road.catalogue_command union select locks from road.catalogue_command where locks is not null") {
		want[name] = "v"
	}
	for _, name := range list[string](t, conn, "select handler from road.catalogue_view union select verifier from road.kind where verifier is not null union select current from road.catalogue_command where current is not null") {
		want[name] = "s"
	}
	for name, v := range map[string]string{
		"road.execute": "v", "road.dispatch": "v", "road.dispatch_locks": "v", "road.dispatch_current": "v", "road.lock_subjects": "v", "road.lock_key": "v",
		"road.compare_rows": "v", "road.create_subjects": "v", "road.create_further": "v", "road.now": "v", "road.record_failure": "v",
		"road.feed_page": "s", "road.consumer_page": "s", "road.consumer_of": "s", "road.last_position": "s", "road.feed_rebase": "v", "road.prune_notes": "v",
		"road.read": "s", "road.notes": "s", "road.saved_command": "s", "road.dispatch_view": "s", "road.dispatch_verify": "s", "road.invariants": "s",
		"road.refuse": "i", "road.seq_of": "i", "road.reason": "i", "road.early_answer": "i", "sport.fixture_fold": "i", "sport.fixture_replay": "s",
	} {
		want[name] = v
	}
	// The rules and the fold of every sport are pure: a replay calls them.
	for _, name := range list[string](t, conn, `
		select 'sport.' || c.workflow || '_' || x from road.catalogue_command c, unnest(array[c.code, 'fold']) x
		where c.handler = 'sport.fixture_play' and to_regproc('sport.' || c.workflow || '_' || x) is not null`) {
		want[name] = "i"
	}
	writes := regexp.MustCompile(`(?i)\b(insert\s+into|update|delete\s+from)\s+\w+\.`)
	for _, f := range installed(t, conn) {
		if strings.HasPrefix(f.Name, "sport.football_") {
			want[f.Name] = "i"
		}
		if v, said := want[f.Name]; said && f.Volatility != v {
			t.Errorf("%s has volatility %s, want %s", f.Signature, f.Volatility, v)
		}
		if f.Volatility != "v" && writes.MatchString(f.Body) {
			t.Errorf("%s writes and is not volatile", f.Signature)
		}
		delete(want, f.Name)
	}
	for name := range want {
		t.Errorf("there is no %s", name)
	}
}

func TestPublicMayDoNothing(t *testing.T) {
	conn := harness.New(t).Conn(t)
	for _, f := range installed(t, conn) {
		if f.Public {
			t.Errorf("PUBLIC may execute %s", f.Signature)
		}
	}
	for _, what := range list[string](t, conn, `
		select 'table ' || c.oid::regclass || ' ' || a.privilege_type from pg_class c, aclexplode(c.relacl) a where c.relnamespace::regnamespace::text in `+schemas+` and a.grantee = 0
		union all
		select 'column ' || c.attrelid::regclass || '.' || c.attname from pg_attribute c, aclexplode(c.attacl) a where c.attrelid::regclass::text ~ '^(road|sport|game|ops)\.' and a.grantee = 0
		union all
		select 'schema ' || n.nspname || ' ' || a.privilege_type from pg_namespace n, aclexplode(n.nspacl) a where n.nspname in `+schemas+` and a.grantee = 0
		union all
		select 'type ' || y.oid::regtype from pg_type y left join pg_class c on c.oid = y.typrelid
		where y.typnamespace::regnamespace::text in `+schemas+` and (c.relkind = 'c' or y.typtype in ('e', 'd'))
		    and (y.typacl is null or exists (select from aclexplode(y.typacl) a where a.grantee = 0))`) {
		t.Errorf("PUBLIC has %s", what)
	}
	for _, name := range list[string](t, conn, `
		select c.oid::regclass::text from pg_class c where c.relnamespace::regnamespace::text in `+schemas+` and c.relowner::regrole::text <> 'umpire_owner'
		union all select p.oid::regprocedure::text from pg_proc p where p.pronamespace::regnamespace::text in `+schemas+` and p.proowner::regrole::text <> 'umpire_owner'`) {
		t.Errorf("%s does not belong to umpire_owner", name)
	}
}

// accepted are warnings of plpgsql_check that are meant to be there.
var accepted = []struct{ function, sqlstate, level, why string }{
	{"*", "UM001", "error", "road.refuse is immutable, so that pure rules may say no: the checker plans the call, which evaluates it"},
	{"*", "42804", "warning", "a text from ->> is read as number, date or boolean at an assignment: what does not fit is an error, as meant"},
	{"*", "42804", "performance", "the same"},
	{"sport.event_fixture_put_locks", "00000", "performance", "volatile, so that its second call sees what the lock waited for"},
	{"road.dispatch_current", "00000", "performance", "volatile, for the same reason"},
	{"sport.fixture_note", "00000", "performance", "a handler is volatile, also one that writes nothing yet"},
	{"sport.fixture_fold", "2F005", "warning extra", "a CASE without ELSE ends in an error of its own"},
	{"sport.football_fold", "2F005", "warning extra", "the same"},
}

// stableInImmutable is said by newer versions of plpgsql_check; 2.3 does not look for it. jsonb_build_object and format
// are stable because of types whose text depends on settings, such as timestamptz. The folds give them text,
// numbers and jsonb only, so that the same play on the same state always gives the same.
const stableInImmutable = "routine is marked as IMMUTABLE, but expression is STABLE"

var foldsThatBuildJSON = []string{
	"sport.football_card", "sport.football_goal", "sport.football_kick", "sport.football_period_end", "sport.football_period_start",
	"sport.football_sub", "sport.football_var",
}

func TestPlpgsqlCheck(t *testing.T) {
	db := harness.New(t)
	conn := db.Conn(t)
	if !db.HasExtension(t, "plpgsql_check") {
		t.Fatalf("the server lacks plpgsql_check. It helps to run\n    apt-get install postgresql-%d-plpgsql-check", db.Cluster().Version/10000)
	}
	used := make([]bool, len(accepted))
	checked := 0
	rows, err := conn.Query(t.Context(), `
		select n.nspname || '.' || p.proname, coalesce(c.lineno, 0), coalesce(c.sqlstate, ''), coalesce(c.level, ''), coalesce(c.message, '')
		from pg_proc p
		join pg_language l on l.oid = p.prolang and l.lanname = 'plpgsql'
		join pg_namespace n on n.oid = p.pronamespace and n.nspname in `+schemas+`
		left join lateral plpgsql_check_function_tb(p.oid, fatal_errors => false, other_warnings => true, extra_warnings => true,
		    performance_warnings => true, security_warnings => true) c on true
		where p.prorettype <> 'trigger'::regtype`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var name, sqlstate, level, message string
		var line int
		if err := rows.Scan(&name, &line, &sqlstate, &level, &message); err != nil {
			t.Fatal(err)
		}
		checked++
		if level == "" {
			continue
		}
		if message == stableInImmutable && slices.Contains(foldsThatBuildJSON, name) {
			continue
		}
		i := slices.IndexFunc(accepted, func(a struct{ function, sqlstate, level, why string }) bool {
			return (a.function == "*" || a.function == name) && a.sqlstate == sqlstate && a.level == level
		})
		if i < 0 {
			t.Errorf("%s line %d: %s %s: %s", name, line, level, sqlstate, message)
			continue
		}
		used[i] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if checked < 20 {
		t.Errorf("only %d functions were checked", checked)
	}
	for i, a := range accepted {
		if !used[i] {
			t.Errorf("nothing warns %s %s about %s any more: take it off the list", a.level, a.sqlstate, a.function)
		}
	}
}
