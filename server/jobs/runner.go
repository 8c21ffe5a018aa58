package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"
)

// Job is periodic work.
type Job struct {
	Name  string
	Every time.Duration // from the end of one run to the begin of the next, with a tenth of chance in it
	Limit time.Duration // how long one run may take
	Do    func(ctx context.Context) error
}

// Runner runs jobs until Stop.
type Runner struct {
	cancel context.CancelFunc
	busy   sync.WaitGroup
}

// Start runs each job at once and then periodically. A run that fails or panics is logged; the job goes on.
func Start(ctx context.Context, log *slog.Logger, jobs ...Job) *Runner {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &Runner{cancel: cancel}
	for _, j := range jobs {
		r.busy.Go(func() { j.repeat(ctx, log) })
	}
	return r
}

// Stop ends the jobs and waits for the run under way.
func (r *Runner) Stop() {
	r.cancel()
	r.busy.Wait()
}

func (j Job) repeat(ctx context.Context, log *slog.Logger) {
	for ctx.Err() == nil {
		begun := time.Now()
		if err := j.run(ctx, log); err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx, "a job failed; it will run again", "job", j.Name, "cause", err, "took", time.Since(begun).Round(time.Millisecond))
		}
		timer := time.NewTimer(j.Every - j.Every/20 + rand.N(j.Every/10+1))
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (j Job) run(ctx context.Context, log *slog.Logger) (err error) {
	ctx, cancel := context.WithTimeout(ctx, j.Limit)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			log.ErrorContext(ctx, "a job panicked", "job", j.Name, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %T", cause)
		}
	}()
	return j.Do(ctx)
}
