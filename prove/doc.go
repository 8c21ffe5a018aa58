// Package prove sends random commands to an Umpire server from many senders at once, records what was sent and what was
// answered, and asks afterwards whether all of it can be true (C-132; docs/proving.md).
//
//   - model.go and football.go say, in Go and apart from the SQL, what each answer may be;
//   - generate.go draws the commands from a seed;
//   - run.go sends them and records the history; collect.go reads what is stored and shown;
//   - oracles.go and linear.go judge the history. They touch nothing, so a test can hand them a broken one.
package prove
