package feed

import (
	"context"
	"fmt"
	"time"
)

// stuck watches the horizon. It only reports: no clock ever lets a reader pass an open transaction.
type stuck struct {
	after   time.Duration
	horizon uint64
	since   time.Time
	asked   time.Time
	pid     int32
	name    string
}

// report says how long the horizon has been held and by whom, zero while that is not worth a word.
func (s *stuck) report(now time.Time) (time.Duration, int32, string) {
	if s.since.IsZero() || s.name == "" {
		return 0, 0, ""
	}
	return now.Sub(s.since), s.pid, s.name
}

// holderSQL finds who holds the horizon: a session or a prepared transaction, of any database. What another user's session
// does is not for umpire_reader to see; its pid and transaction id are. sql/runbook/horizon.sql says more.
const holderSQL = `
	select coalesce(h.pid, 0), h.name, coalesce(extract(epoch from clock_timestamp() - h.since), 0)::float8
	from (
	    select a.pid, format('session %s of database %s, application %s', a.pid, a.datname, coalesce(nullif(a.application_name, ''), 'not said')) as name, a.xact_start as since, a.backend_xid as xid
	    from pg_stat_activity a where a.backend_xid is not null
	    union all
	    select null, format('prepared transaction %L of database %s', p.gid, p.database), p.prepared, p.transaction
	    from pg_prepared_xacts p
	) h
	order by age(h.xid) desc
	limit 1`

// watchHorizon logs who holds the horizon, once when it is stuck, every half minute while it is, and when it moves again.
func (h *Hub) watchHorizon(ctx context.Context, p *page) {
	now := time.Now()
	h.mu.Lock()
	s := &h.stuck
	if p.horizon != s.horizon || p.horizon == p.next {
		moved := s.name != ""
		held := now.Sub(s.since)
		*s = stuck{after: s.after, horizon: p.horizon, since: now}
		h.mu.Unlock()
		if moved {
			h.log.InfoContext(ctx, "the horizon moves again", "held", held.Round(time.Millisecond))
		}
		return
	}
	due := now.Sub(s.since) >= s.after && now.Sub(s.asked) >= 30*time.Second
	if due {
		s.asked = now
	}
	h.mu.Unlock()
	if !due {
		return
	}
	var pid int32
	var name string
	var age float64
	if err := h.pool.QueryRow(ctx, holderSQL).Scan(&pid, &name, &age); err != nil {
		h.log.WarnContext(ctx, "the horizon is stuck, and who holds it cannot be read", "cause", err)
		return
	}
	h.mu.Lock()
	s.pid, s.name = pid, name
	observed := now.Sub(s.since)
	h.mu.Unlock()
	h.log.WarnContext(ctx, "the horizon is stuck: readers wait for an open transaction (umpire ops horizon)",
		"pid", pid, "holder", name, "age", fmt.Sprintf("%.0fs", max(age, observed.Seconds())), "notes_wait", p.moreAbove)
}
