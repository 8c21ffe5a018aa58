// Package telemetry says what the server does: its logger, the id of each request and the one line that is logged for it.
//
// It knows nothing of the road. Handlers put what only they know (sender, subject, outcome) on the request's Line.
package telemetry
