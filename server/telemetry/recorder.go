package telemetry

import "net/http"

// recorder remembers the status that was sent.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the first final status; 1xx may come before it.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write sends 200 when nothing was sent before, as net/http does.
func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach deadlines and Flush.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// sent is what the client got: net/http sends 200 for a handler that wrote nothing.
func (w *recorder) sent() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
