package road

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Execute carries a command to its answer. The end of ctx does not end the command: it runs to its own deadline, and its
// answer waits under its key. One round trip to the database, unless the engine asks for another try.
//
// What is not an answer of the engine is try again: with the reason why nothing was done, or commit_unknown.
func (r *Road) Execute(ctx context.Context, c Command) Answer {
	ctx = context.WithoutCancel(ctx)
	if !r.gate.enter() {
		return r.tryAgain(c, nil, reasonStopping, 0)
	}
	defer r.gate.leave()

	p := r.poolFor(c)
	d := r.decide(ctx, p, c)
	if d.failure == nil {
		return r.answer(c, d)
	}
	f := *d.failure
	attempts := 0
	if r.reasons.byCode[f.reason].Internal || f.reason == reasonCodeReplaced && f.inside {
		attempts = r.recordFailure(ctx, c, f)
	}
	if f.state != "" || f.reason == reasonCommitUnknown || f.reason == reasonNotSent {
		r.log.LogAttrs(ctx, slog.LevelWarn, "command gave no answer",
			slog.String("reason", f.reason), slog.String("sqlstate", f.state), slog.String("where", f.where),
			slog.String("pool", string(p.kind.name)), slog.String("sender", c.Sender),
			slog.String("workflow", c.Workflow), slog.String("code", c.Code), slog.Int("attempts", attempts))
	}
	return r.tryAgain(c, nil, f.reason, attempts)
}

// decision is what became of the calls of one command.
type decision struct {
	outcome Outcome
	body    json.RawMessage
	failure *failure // set: there is no answer
}

// decide waits for the command's turn and calls the road, again where that helps. It holds a place of admission for the
// whole time, and a connection during a call only.
func (r *Road) decide(ctx context.Context, p *pool, c Command) decision {
	wait, cancel := context.WithTimeout(ctx, p.options.Patience)
	defer cancel()
	leave, err := r.admission.enter(wait, subjectKey{c.Kind, c.Ref}, commandKey{c.Sender, c.Actor, c.Key})
	if err != nil {
		return decision{failure: &failure{reason: reasonBusy}}
	}
	defer leave()

	var repeated bool
	for attempt := 1; ; attempt++ {
		d := r.call(ctx, wait, p, c)
		switch d.again() {
		case never:
			return d
		case once:
			if repeated {
				return d
			}
			repeated = true
		case untilDeadline:
			if !pause(wait, attempt) {
				return d
			}
		}
	}
}

type again int

const (
	never again = iota
	once
	untilDeadline
)

// again says whether the same call may be made once more right away, without asking the sender.
func (d decision) again() again {
	f := d.failure
	switch {
	case f == nil && d.outcome == TryAgain: // locks_changed
		return untilDeadline
	case f == nil || f.ended:
		return never
	case f.reason == reasonLockTimeout && (strings.Contains(f.where, "road.lock_subjects ") || strings.Contains(f.where, "road.lock_key ") || strings.Contains(f.where, "road.create_subjects ")):
		// The short wait for a second lock. Any other has waited for the pool's lock_timeout.
		return untilDeadline
	case f.reason == reasonDeadlock || f.reason == reasonSerialization:
		return untilDeadline
	case f.reason == reasonCodeReplaced || f.keyTaken:
		return once
	}
	return never
}

// pause sleeps for 20 ms times two per attempt, up to 200 ms, give or take a half; false when patience has run out.
func pause(wait context.Context, attempt int) bool {
	d := min(20*time.Millisecond<<min(attempt-1, 8), 200*time.Millisecond)
	timer := time.NewTimer(d/2 + rand.N(d))
	defer timer.Stop()
	select {
	case <-timer.C:
		return wait.Err() == nil
	case <-wait.Done():
		return false
	}
}

// call makes the one call on a connection of its own. wait bounds getting the connection; the call has its own limit,
// which begins when it is sent.
func (r *Road) call(ctx, wait context.Context, p *pool, c Command) decision {
	conn, err := p.Acquire(wait)
	if err != nil {
		f := r.reasons.failureOf(err, false, false)
		if wait.Err() != nil {
			f = failure{reason: reasonBusy}
		}
		return decision{failure: &f}
	}
	defer conn.Release()
	ctx, cancel := context.WithTimeout(ctx, p.callTime())
	defer cancel()

	pg := conn.Conn().PgConn()
	delete(pg.CustomData(), syncWaitKey)
	var d decision
	var row bool
	rows, err := conn.Query(ctx, executeStatement,
		c.Sender, c.Workflow, c.Kind, c.Ref, c.Code, c.Key, jsonParam(c.Input), jsonParam(c.Saw), c.Actor, c.SentAt, c.TokenSHA256)
	if err == nil {
		for rows.Next() {
			row = true
			if err = rows.Scan(&d.outcome, (*[]byte)(&d.body)); err != nil {
				break
			}
		}
		// The row came before the commit. Only now is it known whether that failed.
		rows.Close()
		if err == nil {
			err = rows.Err()
		}
	}
	switch {
	case err != nil:
		f := r.reasons.failureOf(err, true, row)
		r.resetAfter(p, pg, f)
		return decision{failure: &f}
	case pg.CustomData()[syncWaitKey] != nil || !row:
		return decision{failure: &failure{reason: reasonCommitUnknown}}
	}
	return d
}

func jsonParam(j json.RawMessage) any {
	if j == nil {
		return nil
	}
	return []byte(j)
}

// answer makes an Answer of the engine's row. The body is passed on as it came, but for a try again, whose delay only
// this side knows.
func (r *Road) answer(c Command, d decision) Answer {
	a := Answer{Outcome: d.outcome, Body: d.body}
	if d.outcome == Accepted {
		if r.accepted != nil {
			r.accepted(c.Kind, c.Ref)
		}
		return a
	}
	var body struct {
		Subject struct {
			ID *string `json:"id"`
		} `json:"subject"`
		Reason struct {
			Code string `json:"code"`
		} `json:"reason"`
		First struct {
			Outcome Outcome `json:"outcome"`
		} `json:"first"`
	}
	if err := json.Unmarshal(d.body, &body); err != nil {
		r.log.LogAttrs(context.Background(), slog.LevelError, "the engine's answer is not the one body",
			slog.String("workflow", c.Workflow), slog.String("code", c.Code), slog.String("outcome", string(d.outcome)))
		return r.tryAgain(c, nil, reasonCommitUnknown, 0)
	}
	a.Reason = body.Reason.Code
	switch {
	case d.outcome == TryAgain:
		return r.tryAgain(c, body.Subject.ID, body.Reason.Code, 0)
	case d.outcome == Duplicate:
		a.First = body.First.Outcome
	case a.Reason == "sender_unknown":
		r.senders.drop(c.TokenSHA256)
	}
	return a
}

// tryAgain builds the one body for an answer that the engine did not give.
func (r *Road) tryAgain(c Command, subjectID *string, code string, attempts int) Answer {
	reason, ok := r.reasons.byCode[code]
	if !ok {
		reason = r.reasons.byCode[reasonInternal]
	}
	after := reason.RetryAfter
	for i := 1; i < attempts && after < maxRetryAfter; i++ {
		after = min(2*after, maxRetryAfter)
	}
	type subject struct {
		Kind string  `json:"kind"`
		ID   *string `json:"id"`
		Ref  string  `json:"ref"`
	}
	type because struct {
		Code    string   `json:"code"`
		Message string   `json:"message"`
		Detail  struct{} `json:"detail"`
	}
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	// Strings and numbers only: this cannot fail.
	_ = e.Encode(struct {
		Outcome      Outcome `json:"outcome"`
		Key          string  `json:"key"`
		Workflow     string  `json:"workflow"`
		Code         string  `json:"code"`
		Subject      subject `json:"subject"`
		Reason       because `json:"reason"`
		RetryAfterMS int64   `json:"retry_after_ms"`
	}{TryAgain, c.Key, c.Workflow, c.Code, subject{c.Kind, subjectID, c.Ref},
		because{Code: reason.Code, Message: reason.Message}, after.Milliseconds()})
	return Answer{Outcome: TryAgain, Reason: reason.Code, RetryAfter: after, Body: bytes.TrimSpace(body.Bytes())}
}

// maxRetryAfter is the longest delay that a sender is asked to keep, however often its command broke.
const maxRetryAfter = 5 * time.Minute

// recordFailure notes for the operator that a command broke, and returns how often it has; 0 when that cannot be noted,
// which changes nothing for the sender.
func (r *Road) recordFailure(ctx context.Context, c Command, f failure) int {
	work := r.pools[WorkPool]
	ctx, cancel := context.WithTimeout(ctx, work.options.Patience)
	defer cancel()
	where := f.where
	if where == "" {
		where = "in the calling statement"
	}
	var attempts int
	err := work.QueryRow(ctx, failureStatement, c.Sender, c.Actor, c.Key, c.Workflow, c.Code, f.state, where).Scan(&attempts)
	if err != nil {
		f := r.reasons.failureOf(err, true, false)
		r.log.LogAttrs(ctx, slog.LevelError, "a failed command could not be recorded",
			slog.String("sender", c.Sender), slog.String("workflow", c.Workflow), slog.String("code", c.Code),
			slog.String("reason", f.reason), slog.String("sqlstate", f.state))
		return 0
	}
	return attempts
}

// poolFor is the pool that the catalogue names for the command. What the catalogue does not know goes to the command
// pool, where the engine refuses it.
func (r *Road) poolFor(c Command) *pool {
	if slices.Contains((*r.imports.Load())[c.Workflow], c.Code) {
		return r.pools[ImportPool]
	}
	return r.pools[CommandPool]
}
