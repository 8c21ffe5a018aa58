package road

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/jackc/pgx/v5/pgconn"
)

// Fact is something that background work found (a job, an importer, a follower of the notes) and the command that
// follows from it.
type Fact struct {
	// Found says what was found: a JSON object that is the same whoever finds it and however often, such as
	// {"fixture": "semi-1", "official_at": 123}. What makes it another fact is in it: a log number, a run, a generation.
	Found json.RawMessage

	Workflow string
	Kind     string
	Ref      string // uuid or reference
	Code     string
	Input    json.RawMessage // as the command's schema asks for; nobody checks it on the way
	Saw      json.RawMessage // nil: not stated
}

// ExecuteFact sends a fact's command as SystemSender, under a key that road.fact_key makes of the fact. Of all who find it,
// at once or again after a crash, one is accepted and the others are duplicates. The five answers are those of Execute:
//
//   - try again: nothing is kept. Find the fact again at the next run.
//   - conflict: nothing is kept. What was seen moved; look again, and send again if the fact still holds, under the same
//     key by itself.
//   - refused by a rule: kept with the key like an acceptance. This fact is through, also when the state changes later; what
//     is to be tried again then is another fact.
//   - refused otherwise (key_reused: the fact was sent before with another command; bad_input, subject_not_found, ...):
//     somebody's program is wrong. It is logged as an error and recorded in road.command_failure.
//
// A key is forgotten after the command's key_ttl (30 days): who looks for facts must not look further back than that, or
// the command's rules must know that it was done.
func (r *Road) ExecuteFact(ctx context.Context, f Fact) Answer {
	c := Command{Sender: SystemSender, Workflow: f.Workflow, Kind: f.Kind, Ref: f.Ref, Code: f.Code, Input: f.Input, Saw: f.Saw}
	log := r.log.With(slog.String("workflow", c.Workflow), slog.String("code", c.Code), slog.String("subject", c.Kind+"/"+c.Ref))

	work := r.pools[WorkPool]
	wait, cancel := context.WithTimeout(ctx, work.options.Patience)
	defer cancel()
	if err := work.QueryRow(wait, factKeyStatement, c.Workflow, c.Code, c.Kind, c.Ref, jsonParam(f.Found)).Scan(&c.Key); err != nil {
		// Of the command nothing was sent.
		var pg *pgconn.PgError
		failed := r.reasons.failureOf(err, errors.As(err, &pg), false)
		log.LogAttrs(ctx, slog.LevelError, "no key could be made of a fact; nothing was done",
			slog.String("reason", failed.reason), slog.String("sqlstate", failed.state), slog.String("where", failed.where))
		return r.tryAgain(c, nil, failed.reason, 0)
	}

	a := r.Execute(ctx, c)
	if a.Outcome != Refused {
		return a
	}
	if known, ours := r.reasons.byCode[a.Reason]; !ours || known.Stored {
		log.LogAttrs(ctx, slog.LevelWarn, "the rules refuse what the system found", slog.String("reason", a.Reason), slog.String("key", c.Key))
		return a
	}
	attempts := r.recordFailure(context.WithoutCancel(ctx), c, failure{where: "refused " + a.Reason + ": the system's own command cannot be right"})
	log.LogAttrs(ctx, slog.LevelError, "the system's own command is refused: a fact was found twice with different commands, or its program is wrong (road.command_failure)",
		slog.String("reason", a.Reason), slog.String("key", c.Key), slog.Int("attempts", attempts))
	return a
}
