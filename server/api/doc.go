// Package api is the road over HTTP: one POST that gives each command one of five answers, reads, "was it saved?", the
// catalogue, health, and the OpenAPI document that is built from the catalogue.
//
// It checks what can be checked without the database and leaves every decision to it. It knows no sport and no game: what
// a command looks like comes from the catalogue. Answers to commands have one body whatever became of them; everything
// else speaks RFC 9457. Neither ever repeats a value of a body, a token or a driver's text.
package api
