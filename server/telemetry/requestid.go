package telemetry

import (
	"crypto/rand"
	"net/http"
)

// RequestIDHeader carries a request's id, in both directions.
const RequestIDHeader = "X-Request-Id"

const maxRequestID = 100

// requestID takes the caller's id when it is one that can go into a log and a header as it is; otherwise it makes one.
func requestID(r *http.Request) string {
	given := r.Header.Values(RequestIDHeader)
	if len(given) == 1 && sane(given[0]) {
		return given[0]
	}
	return rand.Text()
}

func sane(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == ':':
		default:
			return false
		}
	}
	return true
}
