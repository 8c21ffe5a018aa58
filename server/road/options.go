package road

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Options say how a Road is opened. Everything but URL has a default.
type Options struct {
	// URL is the database's connection string. Its user must be a member of the pools' roles.
	URL string

	// Log is told about failures: sqlstate, where, never a body, a token or a driver's text. nil: nothing is logged.
	Log *slog.Logger

	// Limits of the four pools. A zero value in one of them means its default (DefaultPools).
	Command, Import, Read, Work PoolOptions

	// Admission bounds what waits in this process.
	Admission AdmissionOptions

	// SenderTTL is how long a token's sender, or that it has none, is remembered; 30 s when 0. Only reads rely on it:
	// every command has its token checked by the database.
	SenderTTL time.Duration

	// Accepted is called after a command was accepted and committed, with its subject's kind and its reference as the
	// sender gave it. It must not block; it is there to wake readers of the outbox. May be nil.
	Accepted func(kind, ref string)

	// Demoted is called when the database turned out to take no changes any more (25006) and all pools were opened anew:
	// whoever keeps connections of its own to the old primary does the same. It must not block. May be nil.
	Demoted func()

	// configure is for this package's tests: the last word on a pool's configuration.
	configure func(name PoolName, c *pgxpool.Config)
}

// PoolOptions are one pool's size and limits.
type PoolOptions struct {
	// MaxConns is the pool's size, 1 to 1000.
	MaxConns int32

	// LockTimeout, StatementTimeout and IdleInTransaction are the limits of the same names in Postgres, in whole
	// milliseconds. LockTimeout is shorter than StatementTimeout. The read pool has no LockTimeout.
	LockTimeout, StatementTimeout, IdleInTransaction time.Duration

	// Patience is how long a command may wait in memory and for a connection before it is answered busy. Its deadline is
	// Patience plus the call's own time: StatementTimeout and one second.
	Patience time.Duration
}

// AdmissionOptions bound the commands that wait. Zero values mean the defaults.
type AdmissionOptions struct {
	// PerSubject commands of one subject wait in Postgres at the same time; 2.
	PerSubject int

	// QueuePerSubject more wait in memory; 64. Further copies of a key that already waits do not count here.
	QueuePerSubject int

	// CopiesPerKey of one command may wait behind it; 8.
	CopiesPerKey int

	// QueueTotal wait in memory in the whole process; 4096.
	QueueTotal int
}

// DefaultPools are the pools' sizes and limits where Options say nothing.
func DefaultPools() map[PoolName]PoolOptions {
	return map[PoolName]PoolOptions{
		CommandPool: {MaxConns: 16, LockTimeout: 2 * time.Second, StatementTimeout: 5 * time.Second, IdleInTransaction: 5 * time.Second, Patience: 4 * time.Second},
		ImportPool:  {MaxConns: 4, LockTimeout: 5 * time.Second, StatementTimeout: 30 * time.Second, IdleInTransaction: 30 * time.Second, Patience: 15 * time.Second},
		ReadPool:    {MaxConns: 8, StatementTimeout: 5 * time.Second, IdleInTransaction: 5 * time.Second, Patience: 2 * time.Second},
		WorkPool:    {MaxConns: 4, LockTimeout: 2 * time.Second, StatementTimeout: 30 * time.Second, IdleInTransaction: 30 * time.Second, Patience: 2 * time.Second},
	}
}

// pools returns the options of each pool with the defaults filled in.
func (o Options) pools() (map[PoolName]PoolOptions, error) {
	given := map[PoolName]PoolOptions{CommandPool: o.Command, ImportPool: o.Import, ReadPool: o.Read, WorkPool: o.Work}
	all := DefaultPools()
	for name, p := range all {
		g := given[name]
		if g.MaxConns != 0 {
			p.MaxConns = g.MaxConns
		}
		for _, d := range []struct{ to, from *time.Duration }{
			{&p.LockTimeout, &g.LockTimeout}, {&p.StatementTimeout, &g.StatementTimeout},
			{&p.IdleInTransaction, &g.IdleInTransaction}, {&p.Patience, &g.Patience},
		} {
			if *d.from != 0 {
				*d.to = *d.from
			}
		}
		if err := p.validate(name); err != nil {
			return nil, fmt.Errorf("pool %s: %w", name, err)
		}
		all[name] = p
	}
	return all, nil
}

func (p PoolOptions) validate(name PoolName) error {
	if p.MaxConns < 1 || p.MaxConns > 1000 {
		return fmt.Errorf("MaxConns is from 1 to 1000, not %d", p.MaxConns)
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"StatementTimeout", p.StatementTimeout}, {"IdleInTransaction", p.IdleInTransaction}, {"Patience", p.Patience}} {
		if d.value <= 0 || d.value%time.Millisecond != 0 || d.value > time.Hour {
			return fmt.Errorf("%s is a number of milliseconds, at most an hour, not %s", d.name, d.value)
		}
	}
	if name == ReadPool {
		if p.LockTimeout != 0 {
			return errors.New("the read pool has no LockTimeout")
		}
		return nil
	}
	if p.LockTimeout <= 0 || p.LockTimeout%time.Millisecond != 0 || p.LockTimeout >= p.StatementTimeout {
		return fmt.Errorf("LockTimeout is a number of milliseconds, shorter than StatementTimeout (%s), not %s", p.StatementTimeout, p.LockTimeout)
	}
	return nil
}

func (a AdmissionOptions) withDefaults() (AdmissionOptions, error) {
	for _, f := range []struct {
		name     string
		value    *int
		standard int
	}{
		{"PerSubject", &a.PerSubject, 2}, {"QueuePerSubject", &a.QueuePerSubject, 64},
		{"CopiesPerKey", &a.CopiesPerKey, 8}, {"QueueTotal", &a.QueueTotal, 4096},
	} {
		if *f.value == 0 {
			*f.value = f.standard
		}
		if *f.value < 0 {
			return a, fmt.Errorf("admission: %s is not negative", f.name)
		}
	}
	return a, nil
}
