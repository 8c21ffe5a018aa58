// Package road is the Go side of the road: the pools with their limits, the one call that carries a command into
// Postgres, the map from SQLSTATEs to answers, admission per subject, senders, the catalogue and reads.
//
// It knows no sport and no game, and of the server only package postgres. What HTTP makes of an answer is package api's.
package road
