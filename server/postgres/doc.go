// Package postgres brings the database: it connects to, or finds and starts, a PostgreSQL server (open.go and one file
// per way), migrates it and installs the SQL functions (migrate.go, code.go, drift.go), and says whether a database and
// this binary belong together (check.go).
//
// It knows nothing of what the migrations and functions contain, except the two tables in which an install is recorded:
// road.installed_code and road.installed_function.
package postgres
