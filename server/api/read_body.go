package api

import (
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"
)

// maxBody is the longest body: 1 MiB.
const maxBody = 1 << 20

// readBody takes the body of a command off the connection: of the right type, not too long, whole and in time.
func readBody(w http.ResponseWriter, r *http.Request, timeout time.Duration) ([]byte, *verdict) {
	if !isJSON(r) {
		return nil, refuse(http.StatusUnsupportedMediaType, reasonUnsupportedMedia, "The body must be application/json, in UTF-8 and not compressed.")
	}
	tooLarge := func() *verdict {
		return refuse(http.StatusRequestEntityTooLarge, reasonTooLarge, "The body is longer than 1 MiB.").with("Connection", "close")
	}
	if r.ContentLength > maxBody {
		return nil, tooLarge()
	}
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(timeout)) // not there in a test's recorder
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var exceeded *http.MaxBytesError
		if errors.As(err, &exceeded) {
			return nil, tooLarge()
		}
		var network net.Error
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &network) {
			return nil, bodyIncomplete()
		}
		// Chunks that are none: it will not be better the next time.
		return nil, badInput(http.StatusBadRequest, "The body cannot be taken off the connection.").with("Connection", "close")
	}
	// From here on the server only watches the connection for the client's going away; a deadline that passes while the
	// command runs would look like that, for this request and the next ones on the connection.
	_ = connection.SetReadDeadline(time.Time{})
	return content, nil
}

func isJSON(r *http.Request) bool {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return false
	}
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return false
	}
	charset, given := parameters["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}
