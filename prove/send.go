package prove

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"umpire/client"
)

// wire is the way to the servers: it sends each attempt to the next of them, as a load balancer would, counts what comes
// back, and keeps the bytes of the last answer for whoever asked.
type wire struct {
	urls []*url.URL
	next atomic.Uint64
	base http.RoundTripper

	mu       sync.Mutex
	attempts map[string]int // by what came back
	faults   []string
}

type capturedKey struct{}

// captured is where attempts leave their number and the bytes of the last answer.
type captured struct {
	attempts int
	body     []byte
}

func newWire(addresses []string) (*wire, error) {
	w := &wire{base: &http.Transport{MaxIdleConnsPerHost: 64, ResponseHeaderTimeout: 20 * time.Second}, attempts: map[string]int{}}
	for _, a := range addresses {
		u, err := url.Parse(a)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("%q is not a server's address", a)
		}
		w.urls = append(w.urls, u)
	}
	if len(w.urls) == 0 {
		return nil, errors.New("no server to send to")
	}
	return w, nil
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	to := w.urls[w.next.Add(1)%uint64(len(w.urls))]
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = to.Scheme, to.Host, to.Host
	keep, _ := r.Context().Value(capturedKey{}).(*captured)
	if keep != nil {
		keep.attempts++
	}
	response, err := w.base.RoundTrip(r)
	if err != nil {
		w.count(r, "no answer", nil)
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, 8<<20))
	_ = response.Body.Close()
	if err != nil {
		w.count(r, "no answer", nil)
		return nil, err
	}
	if keep != nil {
		keep.body = body
	}
	if r.Method == http.MethodPost {
		var answer client.Answer
		_ = json.Unmarshal(body, &answer)
		name := answer.Outcome
		if answer.Reason != nil && answer.Outcome == "try_again" {
			name += " " + answer.Reason.Code
		}
		w.count(r, name, nil)
	}
	if response.StatusCode == http.StatusInternalServerError {
		w.count(nil, "", fmt.Errorf("%s %s: %s: %s", r.Method, r.URL.Path, response.Status, body))
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

func (w *wire) count(r *http.Request, name string, fault error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r != nil && r.Method == http.MethodPost {
		w.attempts[name]++
	}
	if fault != nil {
		w.faults = append(w.faults, fault.Error())
	}
}

// client is one sender's. The address stands for all servers.
func (w *wire) client(token string) *client.Client {
	return &client.Client{BaseURL: w.urls[0].Scheme + "://umpire", Token: token, HTTP: &http.Client{Transport: w}}
}

// send sends the command until it is answered, for as long as ctx lets it. It gives back how often it tried.
func send(ctx context.Context, c *client.Client, cmd client.Command) (*client.Answer, json.RawMessage, int, error) {
	keep := &captured{}
	answer, err := c.Send(context.WithValue(ctx, capturedKey{}, keep), cmd)
	if err != nil {
		return nil, nil, keep.attempts, err
	}
	return answer, keep.body, keep.attempts, nil
}

// get reads a path until a server answers it, for as long as ctx lets it. A 404 is an answer.
func (w *wire) get(ctx context.Context, token, path string, target any) (found bool, err error) {
	for {
		found, err = w.getOnce(ctx, token, path, target)
		if err == nil {
			return found, nil
		}
		select {
		case <-ctx.Done():
			return false, errors.Join(ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (w *wire) getOnce(ctx context.Context, token, path string, target any) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.urls[0].Scheme+"://umpire"+path, nil)
	if err != nil {
		return false, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := w.RoundTrip(request)
	if err != nil {
		return false, err
	}
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return false, err
	case response.StatusCode == http.StatusNotFound:
		return false, nil
	case response.StatusCode != http.StatusOK:
		return false, fmt.Errorf("GET %s: %s: %s", path, response.Status, body)
	}
	if err := json.Unmarshal(body, target); err != nil {
		return false, fmt.Errorf("GET %s: %w", path, err)
	}
	return true, nil
}

func resultRow(result json.RawMessage, row string) int64 {
	var r struct {
		Rows map[string]int64 `json:"rows"`
	}
	_ = json.Unmarshal(result, &r)
	return r.Rows[row]
}

func lastChanged(changed json.RawMessage) int64 {
	var rows []struct {
		ChangedSeq int64 `json:"changed_seq"`
	}
	_ = json.Unmarshal(changed, &rows)
	var last int64
	for _, r := range rows {
		last = max(last, r.ChangedSeq)
	}
	return last
}
