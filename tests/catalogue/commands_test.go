package catalogue_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"umpire/tests/harness"
)

type catalogued struct {
	Workflow, Code, Kind, Level string
	Creates                     bool
	Handler                     string
	Locks, Current              *string
	LogInput                    string
	LogDrop                     []string
	Schema, Example             json.RawMessage
	Refusals                    map[string]string
	Summary                     string
}

func (c catalogued) name() string { return c.Workflow + "." + c.Code }

func commands(t *testing.T, conn *pgx.Conn) []catalogued {
	t.Helper()
	rows, err := conn.Query(t.Context(), `
		select workflow, code, kind, level, creates, handler, locks, current, log_input, log_drop, input_schema, example, refusals, summary
		from road.catalogue_command order by workflow, code`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[catalogued])
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("the catalogue is empty")
	}
	return all
}

func TestExamplesFitTheirSchemas(t *testing.T) {
	for _, c := range commands(t, harness.New(t).Conn(t)) {
		t.Run(c.name(), func(t *testing.T) {
			schema := compile(t, c)
			example := decode(t, c.Example)
			if err := schema.Validate(example); err != nil {
				t.Errorf("the example does not fit: %v", err)
			}
			members, isObject := example.(map[string]any)
			if !isObject {
				t.Fatalf("the example is no object: %s", c.Example)
			}
			// Strict input: a member that nobody knows is refused, and every member the schema requires is really required.
			extra := maps.Clone(members)
			extra["no_such_member"] = true
			if schema.Validate(extra) == nil {
				t.Error("a member that nobody knows is let through")
			}
			var says struct {
				Required   []string
				Properties map[string]json.RawMessage
			}
			if err := json.Unmarshal(c.Schema, &says); err != nil {
				t.Fatal(err)
			}
			for _, name := range says.Required {
				less := maps.Clone(members)
				delete(less, name)
				if schema.Validate(less) == nil {
					t.Errorf("without %s it is let through", name)
				}
			}
			for name := range says.Properties {
				// TL-04: null is refused, or the schema says that it has a meaning.
				null := maps.Clone(members)
				null[name] = nil
				if err := schema.Validate(null); err == nil && !strings.Contains(string(says.Properties[name]), `"null"`) {
					t.Errorf("%s may be null although the schema does not say so", name)
				}
			}
			for _, dropped := range c.LogDrop {
				if _, known := says.Properties[dropped]; !known {
					t.Errorf("log_drop names %s, which is no member", dropped)
				}
			}
			if (c.LogInput == "redacted") != (len(c.LogDrop) > 0) {
				t.Errorf("log_input is %s, log_drop %v", c.LogInput, c.LogDrop)
			}
		})
	}
}

func compile(t *testing.T, c catalogued) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	const url = "schema.json"
	if err := compiler.AddResource(url, decode(t, c.Schema)); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(url)
	if err != nil {
		t.Fatalf("no JSON Schema: %v", err)
	}
	return schema
}

func decode(t *testing.T, raw []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEverythingTheCatalogueNamesExists(t *testing.T) {
	conn := harness.New(t).Conn(t)
	signatures := map[string]string{}
	for _, s := range list[string](t, conn, `
		select n.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ') ' || pg_get_function_result(p.oid)
		from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in `+schemas) {
		name, _, _ := strings.Cut(s, "(")
		signatures[name] = strings.TrimPrefix(s, name)
	}
	want := func(who, name, signature string) {
		if got := signatures[name]; got != signature {
			t.Errorf("%s: function %s is %q, want %q", who, name, got, signature)
		}
	}
	kinds := list[string](t, conn, "select kind from road.kind")
	workflows := list[string](t, conn, "select workflow from road.workflow")
	for _, c := range commands(t, conn) {
		want(c.name(), c.Handler, "(cmd road.call) jsonb")
		if c.Locks != nil {
			want(c.name(), *c.Locks, "(cmd road.call) road.lock_request")
		}
		if c.Current != nil {
			want(c.name(), *c.Current, "(cmd road.call) SETOF road.current_row")
		}
		if !slices.Contains(kinds, c.Kind) {
			t.Errorf("%s: there is no kind %s", c.name(), c.Kind)
		}
		if !slices.Contains(workflows, c.Workflow) {
			t.Errorf("%s: there is no workflow %s", c.name(), c.Workflow)
		}
		if strings.HasPrefix(c.Code, c.Workflow+"_") {
			t.Errorf("%s: the code says the workflow again", c.name())
		}
		sentence(t, c.name(), c.Summary)
		for code, text := range c.Refusals {
			sentence(t, c.name()+" "+code, text)
		}
	}
	type view struct{ Kind, View, Handler, Summary string }
	rows, err := conn.Query(t.Context(), "select kind, view, handler, summary from road.catalogue_view")
	if err != nil {
		t.Fatal(err)
	}
	views, err := pgx.CollectRows(rows, pgx.RowToStructByPos[view])
	if err != nil {
		t.Fatal(err)
	}
	haveState := map[string]bool{}
	for _, v := range views {
		want(v.Kind+"/"+v.View, v.Handler, "(q road.query) jsonb")
		sentence(t, v.Kind+"/"+v.View, v.Summary)
		haveState[v.Kind] = haveState[v.Kind] || v.View == "state"
	}
	for _, kind := range kinds {
		if !haveState[kind] {
			t.Errorf("kind %s has no view state", kind)
		}
	}
	for _, verifier := range list[string](t, conn, "select verifier from road.kind where verifier is not null") {
		want("road.kind", verifier, "(p_fixture_id uuid) text")
	}
	ranks := list[string](t, conn, "select kind from road.kind order by lock_rank")
	if i, j := slices.Index(ranks, "event"), slices.Index(ranks, "fixture"); i != 0 || j <= i {
		t.Errorf("C-032: locked in the order %v, want event, then fixture", ranks)
	}
	for _, same := range list[string](t, conn, "select string_agg(kind, ', ') from road.kind group by lock_rank having count(*) > 1") {
		t.Errorf("C-032: %s have one rank", same)
	}
}

func sentence(t *testing.T, what, text string) {
	t.Helper()
	if text == "" || !strings.ContainsAny(text[len(text)-1:], ".?") || strings.ToUpper(text[:1]) != text[:1] {
		t.Errorf("%s: %q is no sentence", what, text)
	}
}

// Every code that a rule gives is in the catalogue of each command that can get it, and nothing else is.
func TestRefusalCodesAreCatalogued(t *testing.T) {
	conn := harness.New(t).Conn(t)
	gives := regexp.MustCompile(`road\.refuse\(\s*'(\w+)'`)
	anyRefuse := regexp.MustCompile(`road\.refuse\(`)
	direct := map[string][]string{}
	for _, f := range installed(t, conn) {
		matches := gives.FindAllStringSubmatch(f.Body, -1)
		if len(matches) != len(anyRefuse.FindAllString(f.Body, -1)) {
			t.Errorf("%s refuses with a code that is not written out", f.Signature)
		}
		for _, m := range matches {
			direct[f.Name] = append(direct[f.Name], m[1])
		}
	}
	// What a function refuses through those of its domain that it calls; the fold calls every play, and is followed play by play.
	calls := regexp.MustCompile(`\bsport\.\w+\(`)
	bodies := map[string]string{}
	for _, f := range installed(t, conn) {
		bodies[f.Name] = f.Body
	}
	var through func(name string, seen map[string]bool) []string
	through = func(name string, seen map[string]bool) []string {
		if seen[name] || name == "sport.fixture_fold" {
			return nil
		}
		seen[name] = true
		codes := slices.Clone(direct[name])
		for _, called := range calls.FindAllString(bodies[name], -1) {
			codes = append(codes, through(strings.TrimSuffix(called, "("), seen)...)
		}
		return codes
	}
	listed := map[string]bool{}
	for _, c := range commands(t, conn) {
		// A play's rules are in the function that is named after it; what they share is in the handler.
		must := map[string]bool{}
		for _, code := range append(through("sport."+c.Workflow+"_"+c.Code, map[string]bool{}), direct[c.Handler]...) {
			must[code] = true
		}
		may := maps.Clone(must)
		for _, code := range through(c.Handler, map[string]bool{}) {
			may[code] = true
		}
		if c.Creates || c.Locks != nil {
			for _, code := range direct["road.create_subjects"] {
				may[code] = true
			}
		}
		for code := range must {
			if _, said := c.Refusals[code]; !said {
				t.Errorf("%s may be refused %s, which the catalogue does not say", c.name(), code)
			}
		}
		for code := range c.Refusals {
			listed[code] = true
			if !may[code] {
				t.Errorf("%s is never refused %s, which the catalogue says", c.name(), code)
			}
		}
	}
	for f, codes := range direct {
		for _, code := range codes {
			if !listed[code] {
				t.Errorf("%s refuses %s, which no command of the catalogue says", f, code)
			}
		}
	}
}

// The line `-- refuses:` above a function says what it refuses.
func TestHeadersSayWhatIsRefused(t *testing.T) {
	gives := regexp.MustCompile(`road\.refuse\(\s*'(\w+)'`)
	header := regexp.MustCompile(`(?m)^--.*refuses: (.*)$`)
	for name, text := range sources(t) {
		given := map[string]bool{}
		for _, m := range gives.FindAllStringSubmatch(text, -1) {
			given[m[1]] = true
		}
		m := header.FindStringSubmatch(text)
		if len(given) > 0 && m == nil {
			t.Errorf("functions/%s refuses %v and does not say so", name, slices.Sorted(maps.Keys(given)))
			continue
		}
		for code := range given {
			if !slices.Contains(strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' }), code) {
				t.Errorf("functions/%s refuses %s and does not say so", name, code)
			}
		}
	}
}

// The engine knows no domain, and the domains do not know each other.
func TestWhoMayKnowWhom(t *testing.T) {
	forbidden := map[string]*regexp.Regexp{
		"road":  regexp.MustCompile(`\b(sport|game)\.\w+`),
		"sport": regexp.MustCompile(`\bgame\.\w+`),
		"game":  regexp.MustCompile(`\bsport\.\w+`),
	}
	own := written(t)
	for _, f := range installed(t, harness.New(t).Conn(t)) {
		schema, _, _ := strings.Cut(f.Name, ".")
		if re := forbidden[schema]; re != nil && !slices.Contains(own, f.Name) {
			if m := re.FindString(f.Body); m != "" {
				t.Errorf("%s knows %s", f.Signature, m)
			}
		}
	}
}

// Everything is named with its schema: no function relies on search_path for a table of ours.
func TestTablesAreNamedWithTheirSchema(t *testing.T) {
	conn := harness.New(t).Conn(t)
	tables := list[string](t, conn, `select c.relname from pg_class c where c.relnamespace::regnamespace::text in `+schemas+` and c.relkind = 'r'`)
	bare := regexp.MustCompile(fmt.Sprintf(`(?i)\b(from|join|into|update)\s+(%s)\b`, strings.Join(tables, "|")))
	for _, f := range installed(t, conn) {
		if m := bare.FindString(f.Body); m != "" {
			t.Errorf("%s: %q without a schema", f.Signature, m)
		}
	}
}
