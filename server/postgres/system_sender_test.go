package postgres

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// A sender that is named system from before is not taken over: the migration says what to do, and changes nothing.
func TestMigrateMeetsASenderNamedSystem(t *testing.T) {
	source, earlier := Embedded(), fstest.MapFS{}
	names, err := fs.Glob(source.Migrations, "00[1-8]_*.sql")
	if err != nil || len(names) != 8 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(source.Migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		earlier[name] = &fstest.MapFile{Data: text}
	}
	url := database(t, "")
	migrated(t, url, Source{Migrations: earlier, Functions: source.Functions})
	conn := connect(t, url)
	must(t, conn, `insert into road.sender (sender, token_sha256) values ('system', sha256('x'))`)
	_, err = Migrate(t.Context(), url, MigrateOptions{})
	if err == nil || !strings.Contains(err.Error(), "there is a sender named system") || !strings.Contains(err.Error(), "009_system_sender.sql") {
		t.Errorf("%v", err)
	}
	if n := query[int](t, conn, `select count(*)::int from road.sender where sender = 'system' and token_sha256 = sha256('x')`); n != 1 {
		t.Error("it was changed")
	}
	must(t, conn, `delete from road.sender where sender = 'system'`)
	migrated(t, url, source)
	if n := query[int](t, conn, `select count(*)::int from road.sender where sender = 'system' and token_sha256 is null`); n != 1 {
		t.Error("there is no system")
	}
}
