package api

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"umpire/server/road"
)

// body is the one body of every answer to a command. Those from the database come as bytes and are passed on untouched;
// this is for the answers that are given before it is asked. Members that are not known are null, never absent.
type body struct {
	Outcome      road.Outcome `json:"outcome"`
	Key          *string      `json:"key"`
	Workflow     *string      `json:"workflow"`
	Code         *string      `json:"code"`
	Subject      subject      `json:"subject"`
	Reason       reason       `json:"reason"`
	RetryAfterMS *int64       `json:"retry_after_ms,omitempty"` // of a try again
}

type subject struct {
	Kind *string `json:"kind"`
	ID   *string `json:"id"`
	Ref  *string `json:"ref"`
}

type reason struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Detail  map[string]any `json:"detail"`
	Errors  []fault        `json:"errors,omitempty"`
}

// Reason codes that this package gives itself, and others that it must tell apart.
const (
	reasonBadInput         = "bad_input"
	reasonSenderUnknown    = "sender_unknown"
	reasonNotAllowed       = "not_allowed"
	reasonUnknownCommand   = "unknown_command"
	reasonSubjectNotFound  = "subject_not_found"
	reasonTooLarge         = "too_large"
	reasonUnsupportedMedia = "unsupported_media_type"
	reasonWrongMethod      = "method_not_allowed"
	reasonBodyIncomplete   = "body_incomplete"
	reasonInternal         = "internal_error"
)

// verdict is an answer that needs no database.
type verdict struct {
	status  int
	outcome road.Outcome
	reason  reason
	retry   time.Duration
	header  http.Header
}

func refuse(status int, code, message string) *verdict {
	return &verdict{status: status, outcome: road.Refused, reason: reason{Code: code, Message: message, Detail: map[string]any{}}}
}

func (v *verdict) with(name, value string) *verdict {
	if v.header == nil {
		v.header = http.Header{}
	}
	v.header.Set(name, value)
	return v
}

func (v *verdict) scope(name string) *verdict {
	v.reason.Detail["scope"] = name
	return v
}

func badInput(status int, message string, faults ...fault) *verdict {
	v := refuse(status, reasonBadInput, message)
	v.reason.Errors = faults
	return v
}

func unknownCommand() *verdict {
	return refuse(http.StatusNotFound, reasonUnknownCommand, "There is no such workflow, code or kind of subject; GET /workflows lists what there is.")
}

func internalError() *verdict {
	return &verdict{
		status: http.StatusInternalServerError, outcome: road.TryAgain, retry: time.Second,
		reason: reason{Code: reasonInternal, Message: "The server failed. Send the command again later, under the same key, to learn what became of it.", Detail: map[string]any{}},
	}
}

func bodyIncomplete() *verdict {
	return &verdict{
		status: http.StatusServiceUnavailable, outcome: road.TryAgain, retry: time.Second,
		reason: reason{Code: reasonBodyIncomplete, Message: "The body did not arrive whole or in time; nothing was done. Send the command again.", Detail: map[string]any{}},
		// What is left of the body is not to be taken for the next request.
		header: http.Header{"Connection": {"close"}},
	}
}

// challenge is what a 401 asks for.
const challenge = `Bearer realm="umpire"`

// retryAfter is the header's value: whole seconds, rounded up, at least 1.
func retryAfter(d time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(d.Seconds()))))
}

func writeAnswer(w http.ResponseWriter, status int, answer []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(answer) // the client may be gone; the answer waits under its key
}

// writeVerdict sends an answer that needed no database.
func writeVerdict(w http.ResponseWriter, v *verdict, about named) {
	for name, values := range v.header {
		w.Header()[name] = values
	}
	var delay *int64
	if v.outcome == road.TryAgain {
		milliseconds := v.retry.Milliseconds()
		delay = &milliseconds
		w.Header().Set("Retry-After", retryAfter(v.retry))
	}
	answer, err := json.Marshal(body{
		Outcome: v.outcome, Key: known(about.key), Workflow: known(about.workflow), Code: known(about.code),
		Subject: subject{Kind: known(about.kind), Ref: known(about.ref)},
		Reason:  v.reason, RetryAfterMS: delay,
	})
	if err != nil { // strings and numbers only: cannot be
		panic(err)
	}
	writeAnswer(w, v.status, answer)
}

// named is what a request says it is about, as far as that is well-formed; empty where it is not.
type named struct {
	workflow, kind, ref, key, code string
	revision                       bool // the command states a revision: a conflict is 412
}

func known(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
