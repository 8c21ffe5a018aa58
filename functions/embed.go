// Package functions carries the SQL functions, one tern code package, inside the binary.
package functions

import "embed"

// FS holds install.sql at its root and one folder per schema. The pattern names no folder, so that a new one needs no
// change here; whatever is not an *.sql file is ignored by those who read it.
//
//go:embed *
var FS embed.FS
