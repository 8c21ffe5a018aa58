package road

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// MaxBatch is how many commands go into one transaction at the most.
const MaxBatch = 25

// ExecuteMany carries up to MaxBatch commands in one transaction, in one round trip on the import pool, and gives each its
// answer, in their order. A refusal, a duplicate or a conflict ends that command only. When the transaction as a whole
// does not come through, whatever the reason, the commands are executed one by one: none is lost, and what was committed
// after all is found as a duplicate. Admission does not count a batch.
func (r *Road) ExecuteMany(ctx context.Context, commands []Command) ([]Answer, error) {
	if len(commands) < 1 || len(commands) > MaxBatch {
		return nil, fmt.Errorf("a batch has 1 to %d commands, not %d", MaxBatch, len(commands))
	}
	ctx = context.WithoutCancel(ctx)
	if decisions, err := r.batch(ctx, commands); err == nil {
		answers := make([]Answer, len(commands))
		for i, d := range decisions {
			answers[i] = r.answer(commands[i], d)
		}
		return answers, nil
	}
	answers := make([]Answer, len(commands))
	for i, c := range commands {
		answers[i] = r.Execute(ctx, c)
	}
	return answers, nil
}

// errBatch says that a batch gave no answers; why is in the log.
var errBatch = errors.New("the batch gave no answers")

// batch makes the one call. Its error says only that there are no answers to trust.
func (r *Road) batch(ctx context.Context, commands []Command) ([]decision, error) {
	if !r.gate.enter() {
		return nil, errBatch
	}
	defer r.gate.leave()
	body, err := batchBody(commands)
	if err != nil {
		return nil, err
	}
	p := r.pools[ImportPool]
	wait, cancel := context.WithTimeout(ctx, p.options.Patience)
	defer cancel()
	conn, err := p.Acquire(wait)
	if err != nil {
		return nil, errBatch
	}
	defer conn.Release()
	ctx, cancel = context.WithTimeout(ctx, p.callTime())
	defer cancel()

	pg := conn.Conn().PgConn()
	delete(pg.CustomData(), syncWaitKey)
	decisions := make([]decision, 0, len(commands))
	rows, err := conn.Query(ctx, batchStatement, body)
	if err == nil {
		for rows.Next() {
			var item int
			var d decision
			if err = rows.Scan(&item, &d.outcome, (*[]byte)(&d.body)); err != nil {
				break
			}
			decisions = append(decisions, d)
		}
		// The rows came before the commit. Only now is it known whether that failed.
		rows.Close()
		if err == nil {
			err = rows.Err()
		}
	}
	if err != nil {
		f := r.reasons.failureOf(err, true, len(decisions) > 0)
		r.resetAfter(p, pg, f)
		r.log.LogAttrs(ctx, slog.LevelWarn, "a batch gave no answers; its commands go one by one",
			slog.String("reason", f.reason), slog.String("sqlstate", f.state), slog.String("where", f.where), slog.Int("commands", len(commands)))
		return nil, errBatch
	}
	if pg.CustomData()[syncWaitKey] != nil || len(decisions) != len(commands) {
		return nil, errBatch
	}
	return decisions, nil
}

// batchBody is the commands as road.execute_many takes them.
func batchBody(commands []Command) ([]byte, error) {
	type item struct {
		Sender      string          `json:"sender"`
		TokenSHA256 *string         `json:"token_sha256"`
		Workflow    string          `json:"workflow"`
		Kind        string          `json:"kind"`
		Ref         string          `json:"ref"`
		Code        string          `json:"code"`
		Key         string          `json:"key"`
		Actor       string          `json:"actor"`
		Input       json.RawMessage `json:"input"`
		Saw         json.RawMessage `json:"saw,omitempty"`
		SentAt      *time.Time      `json:"sent_at,omitempty"`
	}
	items := make([]item, len(commands))
	for i, c := range commands {
		items[i] = item{c.Sender, nil, c.Workflow, c.Kind, c.Ref, c.Code, c.Key, c.Actor, c.Input, c.Saw, c.SentAt}
		if c.TokenSHA256 != nil {
			token := hex.EncodeToString(c.TokenSHA256)
			items[i].TokenSHA256 = &token
		}
	}
	body, err := json.Marshal(items)
	if err != nil {
		return nil, fmt.Errorf("writing a batch: %w", err)
	}
	return body, nil
}
