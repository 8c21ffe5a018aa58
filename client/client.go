// Package client sends commands to an Umpire server the way docs/contract.md asks of every client: one key per command,
// made once; the same key on every retry; only "try again" and network errors are retried.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

// Client sends for one sender. Its fields are set before the first use.
type Client struct {
	BaseURL string // such as http://127.0.0.1:8080
	Token   string // the sender's bearer token
	HTTP    *http.Client
	// Pause is how long to wait before the next try, counted from 0; Backoff when nil.
	Pause func(attempt int) time.Duration
}

// Command is one command. Key is made once, before the first send, and kept with the command.
type Command struct {
	Workflow string
	Kind     string
	Ref      string
	Key      string
	Code     string
	Input    any
	Saw      any    // nil: not stated; see docs/contract.md
	Actor    string // empty: the sender acts for itself
}

// Answer is the body of every answer. First is set on a duplicate: the answer that was given first.
type Answer struct {
	Outcome      string          `json:"outcome"`
	Key          string          `json:"key"`
	Workflow     string          `json:"workflow"`
	Code         string          `json:"code"`
	Subject      Subject         `json:"subject"`
	Seq          int64           `json:"seq"`
	Result       json.RawMessage `json:"result"`
	Reason       *Reason         `json:"reason"`
	Changed      json.RawMessage `json:"changed"`
	First        *Answer         `json:"first"`
	RetryAfterMS int64           `json:"retry_after_ms"`
}

// Subject is the thing a command changes.
type Subject struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Ref  string `json:"ref"`
}

// Reason says why a command was not accepted.
type Reason struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Errors  json.RawMessage `json:"errors"`
}

// Decided is the answer that counts: a duplicate's first answer, else the answer itself.
func (a *Answer) Decided() *Answer {
	if a.Outcome == "duplicate" && a.First != nil {
		return a.First
	}
	return a
}

// Send sends the command until it is answered with something other than "try again", or ctx ends. An error means that the
// outcome is not known: send the same command under the same key again.
func (c *Client) Send(ctx context.Context, cmd Command) (*Answer, error) {
	body, err := json.Marshal(struct {
		Key   string `json:"key"`
		Code  string `json:"code"`
		Input any    `json:"input"`
		Saw   any    `json:"saw,omitempty"`
		Actor string `json:"actor,omitempty"`
	}{cmd.Key, cmd.Code, cmd.Input, cmd.Saw, cmd.Actor})
	if err != nil {
		return nil, fmt.Errorf("writing the command's body: %w", err)
	}
	address := c.BaseURL + "/workflows/" + url.PathEscape(cmd.Workflow) + "/subjects/" + url.PathEscape(cmd.Kind) + "/" + url.PathEscape(cmd.Ref) + "/commands"
	pause := c.Pause
	if pause == nil {
		pause = Backoff
	}
	for attempt := 0; ; attempt++ {
		answer, err := c.post(ctx, address, body)
		if err == nil && answer.Outcome != "try_again" {
			return answer, nil
		}
		var asked int64
		if err == nil {
			asked = answer.RetryAfterMS
			err = fmt.Errorf("the server says try again: %s: %s", answer.Reason.Code, answer.Reason.Message)
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), err)
		case <-time.After(longer(pause(attempt), asked)):
		}
	}
}

// longer is the pause, or what the server asks for if that is more.
func longer(pause time.Duration, askedMS int64) time.Duration {
	return max(pause, time.Duration(askedMS)*time.Millisecond)
}

// Backoff is min(30 s, 200 ms * 2^attempt) * (0.5 .. 1.5) (C-111).
func Backoff(attempt int) time.Duration {
	wait := 30 * time.Second
	if attempt < 8 {
		wait = min(wait, 200*time.Millisecond<<attempt)
	}
	return time.Duration(float64(wait) * (0.5 + rand.Float64()))
}

func (c *Client) post(ctx context.Context, address string, body []byte) (*Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	var answer Answer
	if err := c.do(request, &answer); err != nil {
		return nil, err
	}
	if answer.Outcome == "" || answer.Outcome == "try_again" && answer.Reason == nil {
		return nil, errors.New("the answer is not an Umpire server's: it has no outcome or no reason")
	}
	return &answer, nil
}

// Read reads a view of a subject into target; view "state" is the subject itself.
func (c *Client) Read(ctx context.Context, kind, ref, view string, target any) error {
	return c.ReadPage(ctx, kind, ref, view, "", target)
}

// ReadPage reads the page of a view that comes after a cursor, the "next" of the page before; empty is the first page.
func (c *Client) ReadPage(ctx context.Context, kind, ref, view, after string, target any) error {
	address := c.BaseURL + "/subjects/" + url.PathEscape(kind) + "/" + url.PathEscape(ref)
	if view != "state" {
		address += "/" + url.PathEscape(view)
	}
	if after != "" {
		address += "?" + url.Values{"cursor": {after}}.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("making the request: %w", err)
	}
	return c.do(request, target)
}

func (c *Client) do(request *http.Request, target any) error {
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	doer := c.HTTP
	if doer == nil {
		doer = http.DefaultClient
	}
	response, err := doer.Do(request)
	if err != nil {
		return fmt.Errorf("%s %s: %w", request.Method, request.URL.Path, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, 8<<20))
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	if request.Method == http.MethodGet && response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", request.Method, request.URL.Path, response.Status, body)
	}
	if err := json.Unmarshal(body, target); err != nil {
		return fmt.Errorf("%s %s: %s: the answer is not the JSON expected: %w", request.Method, request.URL.Path, response.Status, err)
	}
	return nil
}
