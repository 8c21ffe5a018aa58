package catalogue_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"umpire/tests/harness"
)

// TL-06: only what install.sql names is run.
func TestEveryFileIsNamedInTheManifest(t *testing.T) {
	files := sources(t)
	named := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^\{\{ template "([^"]+)" \. \}\}$`).FindAllStringSubmatch(files["install.sql"], -1) {
		named[m[1]]++
	}
	for name := range files {
		if name != "install.sql" && named[name] != 1 {
			t.Errorf("functions/%s is named %d times in install.sql", name, named[name])
		}
	}
	for name := range named {
		if _, there := files[name]; !there {
			t.Errorf("install.sql names %s, which is not there", name)
		}
	}
}

// TL-06: one function a file, named after it; nothing is installed that has no file.
func TestEveryFunctionHasItsFile(t *testing.T) {
	files := sources(t)
	all := installed(t, harness.New(t).Conn(t))
	owned := map[string]bool{}
	noFile := written(t)
	seen := map[string]bool{}
	for _, f := range all {
		if seen[f.Name] {
			t.Errorf("%s is overloaded; an old signature that an install left behind?", f.Name)
		}
		seen[f.Name] = true
		if slices.Contains(noFile, f.Name) {
			continue
		}
		found := false
		for _, file := range fileOf(f.Name) {
			if strings.Contains(files[file], "create or replace function "+f.Name+"(") {
				found, owned[file] = true, true
			}
		}
		if !found {
			t.Errorf("%s has no file %v; left by an earlier install? Then dropped.sql names it", f.Name, fileOf(f.Name))
		}
	}
	for _, name := range noFile {
		if !seen[name] {
			t.Errorf("road/dispatchers.sql should have written %s", name)
		}
	}
	for name, text := range files {
		switch n := strings.Count(text, "create or replace function "); {
		case name == "road/dispatchers.sql":
		case n > 1:
			t.Errorf("functions/%s holds %d functions", name, n)
		case n == 1 && !owned[name]:
			t.Errorf("functions/%s is not named after the function in it, or that is not installed", name)
		}
	}
}

func TestEverythingIsCommented(t *testing.T) {
	conn := harness.New(t).Conn(t)
	for _, f := range installed(t, conn) {
		if f.Comment == nil || *f.Comment == "" {
			t.Errorf("function %s has no comment", f.Signature)
		}
	}
	for what, sql := range map[string]string{
		"table, view or index": `
			select c.oid::regclass::text from pg_class c
			where c.relnamespace::regnamespace::text in ` + schemas + ` and c.relkind in ('r', 'p', 'v', 'm', 'i', 'f')
			    and not exists (select from pg_constraint k where k.conindid = c.oid) and obj_description(c.oid, 'pg_class') is null`,
		"column": `
			select c.oid::regclass || '.' || a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
			where c.relnamespace::regnamespace::text in ` + schemas + ` and c.relkind in ('r', 'p', 'v', 'm') and a.attnum > 0 and not a.attisdropped
			    and col_description(c.oid, a.attnum) is null`,
		"type": `
			select y.oid::regtype::text from pg_type y left join pg_class c on c.oid = y.typrelid
			where y.typnamespace::regnamespace::text in ` + schemas + ` and (y.typtype in ('e', 'd', 'r') or c.relkind = 'c') and obj_description(y.oid, 'pg_type') is null`,
		"schema": `select n.nspname from pg_namespace n where n.nspname in ` + schemas + ` and obj_description(n.oid, 'pg_namespace') is null`,
		"role":   `select r.rolname from pg_roles r where r.rolname in ('umpire_owner', 'umpire_app', 'umpire_reader', 'umpire_ops') and shobj_description(r.oid, 'pg_authid') is null`,
	} {
		for _, name := range list[string](t, conn, sql) {
			t.Errorf("%s %s has no comment", what, name)
		}
	}
}
