package api

import (
	"net/http"

	"umpire/server/road"
)

// reasons knows the engine's own reasons: their sentences, and which are failures of the server's own.
type reasons map[string]road.Reason

func engineReasons() reasons {
	known := reasons{}
	for _, r := range road.Reasons() {
		known[r.Code] = r
	}
	return known
}

// status maps the engine's answers to HTTP.
func (k reasons) status(a road.Answer) int {
	if a.Outcome == road.Duplicate {
		return k.statusOf(a.First, "")
	}
	return k.statusOf(a.Outcome, a.Reason)
}

func (k reasons) statusOf(outcome road.Outcome, code string) int {
	switch outcome {
	case road.Accepted:
		return http.StatusOK
	case road.Conflict:
		return http.StatusConflict
	case road.Refused:
		switch code {
		case reasonSenderUnknown:
			return http.StatusUnauthorized
		case reasonNotAllowed:
			return http.StatusForbidden
		case reasonUnknownCommand, reasonSubjectNotFound:
			return http.StatusNotFound
		}
		return http.StatusUnprocessableEntity
	}
	if code == reasonInternal || k[code].Internal {
		return http.StatusInternalServerError
	}
	return http.StatusServiceUnavailable
}

// tryAgain is the answer to a command that did not get as far as the engine because the database did not answer.
func (k reasons) tryAgain(cause *road.UnavailableError) *verdict {
	message := "The database could not answer; nothing was done. Send the command again."
	if r, ok := k[cause.Reason]; ok {
		message = r.Message
	}
	return &verdict{
		status: http.StatusServiceUnavailable, outcome: road.TryAgain, retry: cause.RetryAfter,
		reason: reason{Code: cause.Reason, Message: message, Detail: map[string]any{}},
	}
}

// ownReasons are the engine's reasons and those that this package gives before the engine is asked.
func ownReasons() []road.Reason {
	return append(road.Reasons(),
		road.Reason{Code: reasonTooLarge, Outcome: road.Refused, Message: "The body is longer than 1 MiB."},
		road.Reason{Code: reasonUnsupportedMedia, Outcome: road.Refused, Message: "The body must be application/json, in UTF-8 and not compressed."},
		road.Reason{Code: reasonWrongMethod, Outcome: road.Refused, Message: "Commands are sent with POST."},
		road.Reason{Code: reasonBodyIncomplete, Outcome: road.TryAgain, Message: "The body did not arrive whole or in time; nothing was done. Send the command again."},
	)
}
