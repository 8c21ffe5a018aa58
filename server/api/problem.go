package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// problem is RFC 9457, with a code for programs. What went wrong is said in sentences of our own.
type problem struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Status int     `json:"status"`
	Detail string  `json:"detail"`
	Code   string  `json:"code"`
	Errors []fault `json:"errors,omitempty"`
}

// Error is for huma, which hands errors on as such.
func (p *problem) Error() string { return p.Code }

// GetStatus is the HTTP status.
func (p *problem) GetStatus() int { return p.Status }

// ContentType names the media type of problems.
func (p *problem) ContentType(string) string { return problemType }

const problemType = "application/problem+json"

func newProblem(status int, code, detail string) *problem {
	return &problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Code: code}
}

// setUpHuma replaces what huma keeps in package variables: its errors carry err.Error() and the values they complain of,
// and there is no other place to say otherwise. Once for the process, with the same functions for every API in it.
var setUpHuma = sync.OnceFunc(func() {
	huma.NewError = func(status int, message string, causes ...error) huma.StatusError {
		return problemOf(status, causes)
	}
	huma.NewErrorWithContext = func(_ huma.Context, status int, message string, causes ...error) huma.StatusError {
		return problemOf(status, causes)
	}
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
})

// problemOf makes a problem of what huma found, without its words for 5xx and without the values in any case.
func problemOf(status int, causes []error) *problem {
	switch {
	case status >= http.StatusInternalServerError:
		return newProblem(status, reasonInternal, "The server failed.")
	case status == http.StatusUnprocessableEntity || status == http.StatusBadRequest:
		p := newProblem(http.StatusBadRequest, reasonBadInput, "A parameter is not as it must be.")
		for _, cause := range causes {
			if detailer, ok := cause.(huma.ErrorDetailer); ok && detailer.ErrorDetail() != nil {
				detail := detailer.ErrorDetail()
				p.Errors = append(p.Errors, fault{Path: "/" + strings.ReplaceAll(detail.Location, ".", "/"), Message: parameterMessage(detail.Message)})
			}
		}
		return p
	}
	return newProblem(status, strings.ReplaceAll(strings.ToLower(http.StatusText(status)), " ", "_"), http.StatusText(status)+".")
}

// parameterMessage lets through what huma says of a schema, and nothing that a parser says of a value.
func parameterMessage(message string) string {
	for _, safe := range []string{"expected ", "required "} {
		if strings.HasPrefix(message, safe) {
			return strings.ToUpper(message[:1]) + message[1:] + "."
		}
	}
	return "Not as it must be."
}

func writeProblem(w http.ResponseWriter, p *problem) {
	answer, err := json.Marshal(p)
	if err != nil { // strings and numbers only: cannot be
		panic(err)
	}
	w.Header().Set("Content-Type", problemType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(answer, '\n'))
}
