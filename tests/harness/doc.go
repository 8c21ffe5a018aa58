// Package harness gives every Go test a PostgreSQL database of its own.
//
// A test package says, once:
//
//	func TestMain(m *testing.M) { harness.Main(m) }
//
// and every test:
//
//	db := harness.New(t)
//	conn := db.Conn(t)
//
// One server runs per test process: the one that UMPIRE_TEST_DATABASE_URL names, or one of our own, which starts at the
// first New and ends with the process however that ends. UMPIRE_TEST_IMAGE makes the latter a container of that image. It holds one migrated template; New clones that (some 40 ms).
// After each test road.invariants() must be empty, and no table may hold a secret: a bearer token, or a value that begins
// with Canary. After the last one the server's log is searched for them too.
package harness
