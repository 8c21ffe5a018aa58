// Package migrations carries the numbered migrations inside the binary.
package migrations

import "embed"

// FS holds the migration files at its root, as tern wants them.
//
//go:embed *.sql
var FS embed.FS
