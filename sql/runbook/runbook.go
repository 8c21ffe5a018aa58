// Package runbook holds the statements that an operator runs at night, for psql and for `umpire ops`.
package runbook

import (
	_ "embed"
	"strings"
)

// Blocking lists who blocks whom (blocking.sql).
//
//go:embed blocking.sql
var Blocking string

//go:embed unblock.sql
var unblock string

// Unblock ends one session; $1 is its pid, $2 its backend start (unblock.sql, with psql's variables as parameters).
func Unblock() string {
	return strings.NewReplacer(":pid", "$1", ":'backend_start'", "$2").Replace(unblock)
}

// Horizon lists the open transactions that readers wait for, the oldest first (horizon.sql).
//
//go:embed horizon.sql
var Horizon string
