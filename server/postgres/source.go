package postgres

import (
	"io/fs"

	"umpire/functions"
	"umpire/migrations"
)

// Source is what a binary carries: the migrations and the functions.
type Source struct {
	Migrations fs.FS // NNN_name.sql at its root
	Functions  fs.FS // a tern code package: install.sql at its root
}

// Embedded is what this binary carries.
func Embedded() Source {
	return Source{Migrations: migrations.FS, Functions: functions.FS}
}

func (s Source) orEmbedded() Source {
	embedded := Embedded()
	if s.Migrations == nil {
		s.Migrations = embedded.Migrations
	}
	if s.Functions == nil {
		s.Functions = embedded.Functions
	}
	return s
}
