package road

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Road carries commands into Postgres and reads out of it. Safe for concurrent use.
type Road struct {
	log       *slog.Logger
	reasons   reasonTable
	pools     map[PoolName]*pool
	admission *admission
	senders   *senderCache
	accepted  func(kind, ref string)
	demoted   func()
	imports   atomic.Pointer[map[string][]string] // workflow -> codes that run on the import pool
	gate      gate
}

// Open opens the four pools, checks on a connection of each that its settings arrived, and loads the catalogue. ctx bounds
// the opening only. Errors: a *SettingsError when something between here and Postgres drops settings; an option that
// cannot be; a database that cannot be reached or lacks the functions.
func Open(ctx context.Context, o Options) (_ *Road, err error) {
	pools, err := o.pools()
	if err != nil {
		return nil, fmt.Errorf("opening the road: %w", err)
	}
	bounds, err := o.Admission.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("opening the road: %w", err)
	}
	if o.SenderTTL == 0 {
		o.SenderTTL = 30 * time.Second
	}
	if o.SenderTTL < 0 {
		return nil, errors.New("opening the road: SenderTTL is not negative")
	}
	r := &Road{
		log: o.Log, reasons: newReasonTable(), pools: map[PoolName]*pool{},
		admission: newAdmission(bounds), senders: newSenderCache(o.SenderTTL), accepted: o.Accepted, demoted: o.Demoted,
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	r.imports.Store(&map[string][]string{})
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	for _, k := range poolKinds() {
		p, err := openPool(context.WithoutCancel(ctx), o, k, pools[k.name])
		if err != nil {
			return nil, fmt.Errorf("opening the road: pool %s: %w", k.name, err)
		}
		r.pools[k.name] = p
		if err := p.try(ctx); err != nil {
			return nil, fmt.Errorf("opening the road: %w", err)
		}
	}
	if _, err := r.LoadCatalogue(ctx); err != nil {
		return nil, fmt.Errorf("opening the road: %w", err)
	}
	return r, nil
}

// Close closes the pools. It waits for connections that are in use, so Drain first.
func (r *Road) Close() {
	r.gate.close()
	for _, p := range r.pools {
		p.Close()
	}
}

// Drain lets no new command in (try again, stopping) and waits until those under way have their answers. Error: ctx's.
// Reads go on.
func (r *Road) Drain(ctx context.Context) error {
	select {
	case <-r.gate.close():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the commands under way: %w", ctx.Err())
	}
}

// Ready says whether commands and reads may be sent here: not draining, the database answers and takes changes.
func (r *Road) Ready(ctx context.Context) error {
	if r.gate.isClosed() {
		return errors.New("stopping")
	}
	var recovering, readOnly bool
	if err := r.readRow(ctx, recoveryStatement, nil, &recovering); err != nil {
		return fmt.Errorf("asking the database: %w", r.readError(ctx, err))
	}
	if recovering {
		return errors.New("the database is in recovery and takes no changes")
	}
	work := r.pools[WorkPool]
	wait, cancel := context.WithTimeout(ctx, work.options.Patience)
	defer cancel()
	conn, err := work.Acquire(wait)
	switch {
	case err != nil && wait.Err() != nil && ctx.Err() == nil:
		return nil // all at work, which is not unready
	case err != nil:
		return fmt.Errorf("asking the database: %w", r.readError(ctx, &acquireError{err: err}))
	}
	defer conn.Release()
	if err := conn.QueryRow(wait, readOnlyStatement).Scan(&readOnly); err != nil {
		return fmt.Errorf("asking the database: %w", r.readError(ctx, err))
	}
	if readOnly {
		return errors.New("the database is read only")
	}
	return nil
}

// Pool is one of the pools, for the parts of the server that read the outbox or do periodic work.
func (r *Road) Pool(name PoolName) *pgxpool.Pool { return r.pools[name].Pool }

// Stats is a picture of the pools and of what waits.
type Stats struct {
	Pools    map[PoolName]PoolStats
	Subjects int // subjects with a command under way or waiting
	Inside   int // commands with a place in Postgres
	Waiting  int // commands waiting in memory
	UnderWay int // commands without an answer yet
}

// PoolStats is a picture of one pool. Connections are now, the others since Open.
type PoolStats struct {
	Max, Total, Idle, Acquired int32
	Acquires                   int64         // connections handed out
	Waits                      int64         // of those, how many were waited for
	WaitTime                   time.Duration // all waits together
	Resets                     uint64        // times that all connections were given up
}

// Stats returns a picture of this moment.
func (r *Road) Stats() Stats {
	s := Stats{Pools: map[PoolName]PoolStats{}, UnderWay: r.gate.count()}
	s.Subjects, s.Inside, s.Waiting = r.admission.counts()
	for name, p := range r.pools {
		st := p.Stat()
		s.Pools[name] = PoolStats{
			Max: st.MaxConns(), Total: st.TotalConns(), Idle: st.IdleConns(), Acquired: st.AcquiredConns(),
			Acquires: st.AcquireCount(), Waits: st.EmptyAcquireCount(), WaitTime: st.EmptyAcquireWaitTime(),
			Resets: p.generation.Load(),
		}
	}
	return s
}

// resetAfter gives up connections that a failure shows to be no good: those of the pool, or of all pools when the
// database is no longer the primary.
func (r *Road) resetAfter(p *pool, c *pgconn.PgConn, f failure) {
	if !f.resetsPool() || !p.resetFrom(c) || f.reason != reasonReadOnly {
		return
	}
	for _, other := range r.pools {
		if other != p {
			other.resetNow()
		}
	}
	if r.demoted != nil {
		r.demoted()
	}
}

// gate counts the commands under way and can be closed for new ones.
type gate struct {
	mu     sync.Mutex
	inside int
	empty  chan struct{} // not nil: closed for new ones; closed: nobody inside
}

func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.empty != nil {
		return false
	}
	g.inside++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.inside == 0 && g.empty != nil {
		close(g.empty)
	}
}

// close lets nobody in any more and returns what is closed when the last one has left.
func (g *gate) close() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.empty == nil {
		g.empty = make(chan struct{})
		if g.inside == 0 {
			close(g.empty)
		}
	}
	return g.empty
}

func (g *gate) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.empty != nil
}

func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inside
}
