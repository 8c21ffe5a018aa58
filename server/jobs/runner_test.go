package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"umpire/server/jobs"
	"umpire/tests/harness"
)

// limit bounds what is waited for; reaching it is a failure.
const limit = 30 * time.Second

func logger(l *harness.Log) *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// A run that fails or panics is logged, without what it panicked with, and the job goes on.
func TestAJobGoesOn(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func() error
		says []string
		not  string
	}{
		{"it fails", func() error { return errors.New("no luck") }, []string{"a job failed; it will run again", "job=work", "no luck"}, "stack="},
		{"it panics", func() error { panic("the token is secret") }, []string{"a job panicked", "a job failed", "panic: string", "stack="}, "the token is secret"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said harness.Log
			var runs atomic.Int64
			r := jobs.Start(t.Context(), logger(&said), jobs.Job{Name: "work", Every: time.Millisecond, Limit: limit, Do: func(context.Context) error {
				if runs.Add(1)%2 == 1 {
					return c.do()
				}
				return nil
			}})
			eventually(t, "three runs", func() bool { return runs.Load() >= 3 })
			r.Stop()
			for _, want := range c.says {
				if !strings.Contains(said.String(), want) {
					t.Errorf("the log lacks %q:\n%s", want, said.String())
				}
			}
			if strings.Contains(said.String(), c.not) {
				t.Errorf("the log says %q:\n%s", c.not, said.String())
			}
		})
	}
}

// A job never runs beside itself, another job does not wait for it, and a run that takes too long is told to end.
func TestASlowJob(t *testing.T) {
	var said harness.Log
	var inside, beside, ended, quick atomic.Int64
	r := jobs.Start(t.Context(), logger(&said),
		jobs.Job{Name: "slow", Every: time.Millisecond, Limit: 20 * time.Millisecond, Do: func(ctx context.Context) error {
			if inside.Add(1) > 1 {
				beside.Add(1)
			}
			defer inside.Add(-1)
			<-ctx.Done()
			ended.Add(1)
			return ctx.Err()
		}},
		jobs.Job{Name: "quick", Every: time.Millisecond, Limit: limit, Do: func(context.Context) error { quick.Add(1); return nil }})
	defer r.Stop()
	eventually(t, "three runs of the slow job, and of the other meanwhile", func() bool { return ended.Load() >= 3 && quick.Load() >= 3 })
	if beside.Load() > 0 {
		t.Errorf("%d runs began while another one was under way", beside.Load())
	}
	if !strings.Contains(said.String(), "deadline exceeded") {
		t.Errorf("nobody is told that the job took too long:\n%s", said.String())
	}
}

// Stop tells the run under way to end and returns only when it has; that is no failure, and nothing begins afterwards.
func TestStopWaitsForTheRunUnderWay(t *testing.T) {
	var said harness.Log
	var runs, through atomic.Int64
	begun, mayEnd := make(chan struct{}), make(chan struct{})
	r := jobs.Start(t.Context(), logger(&said), jobs.Job{Name: "work", Every: time.Millisecond, Limit: limit, Do: func(ctx context.Context) error {
		runs.Add(1)
		close(begun)
		<-ctx.Done()
		<-mayEnd
		through.Add(1)
		return ctx.Err()
	}})
	<-begun
	stopped := make(chan struct{})
	go func() { r.Stop(); close(stopped) }()
	select {
	case <-stopped:
		t.Fatal("Stop did not wait")
	case mayEnd <- struct{}{}: // the job has seen that it is to end
	}
	<-stopped
	if runs.Load() != 1 || through.Load() != 1 || said.String() != "" {
		t.Errorf("%d runs began, %d ended; the log: %s", runs.Load(), through.Load(), said.String())
	}
}
