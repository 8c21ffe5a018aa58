package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Options say how a Hub is opened. URL is required.
type Options struct {
	// URL is the database's connection string. Its user must be a member of umpire_reader.
	URL string

	// Log is told when the database does not answer, when the horizon is stuck and by whom; nil: nothing is logged.
	Log *slog.Logger

	// Interval is the longest pause between two looks; 75 ms when 0. Wake ends it early.
	Interval time.Duration

	// Keep is how many notes stay in memory for viewers; 4096 when 0. Whoever is further back reads from the database.
	Keep int

	// MaxReplay is how many notes behind a viewer may be and still catch up; 20,000 when 0.
	MaxReplay int

	// StuckAfter is how long the horizon may stand still before it is reported; 5 s when 0.
	StuckAfter time.Duration
}

// Hub follows the outbox once for this process and hands it to any number of viewers. Safe for concurrent use.
type Hub struct {
	log       *slog.Logger
	pool      *pgxpool.Pool
	interval  time.Duration
	keep      int
	maxReplay int
	stuck     stuck
	wake      chan struct{}
	replays   chan struct{} // places for viewers that read from the database
	stop      context.CancelFunc
	stopped   chan struct{}
	stopping  chan struct{}
	stopOnce  sync.Once

	mu       sync.Mutex
	epoch    uint64 // grows when the cluster is another one: what was before means nothing
	identity Identity
	fault    error // why nothing can be served now
	notes    []*Note
	floor    Place // notes holds everything after floor up to last
	last     Place
	ceiling  uint64        // no position can lie at or above it yet
	pruned   Place         // what lies before it is gone
	changed  chan struct{} // closed when there is something new
	viewers  int
	polls    uint64
}

// ErrRebase: the notes are numbered in another cluster's transaction ids.
var ErrRebase = errors.New("the notes came from another database cluster; move them with: umpire ops rebase")

// errNotReady: nothing was read yet.
var errNotReady = errors.New("the database has not answered yet")

// Open opens the feed's pool and begins to follow the outbox. ctx bounds the opening only. When the database cannot be
// read yet, the hub keeps trying and says so.
func Open(ctx context.Context, o Options) (*Hub, error) {
	if o.Interval == 0 {
		o.Interval = 75 * time.Millisecond
	}
	if o.Keep == 0 {
		o.Keep = 4096
	}
	if o.MaxReplay == 0 {
		o.MaxReplay = 20_000
	}
	if o.StuckAfter == 0 {
		o.StuckAfter = 5 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Interval < 0 || o.Keep < 1 || o.MaxReplay < 1 || o.StuckAfter < 0 {
		return nil, errors.New("opening the feed: Interval, Keep, MaxReplay and StuckAfter are not negative")
	}
	const replays = 2
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	pool, err := openPool(running, o.URL, 1+replays)
	if err != nil {
		stop()
		return nil, fmt.Errorf("opening the feed: %w", err)
	}
	h := &Hub{
		log: o.Log, pool: pool, interval: o.Interval, keep: o.Keep, maxReplay: o.MaxReplay, stuck: stuck{after: o.StuckAfter},
		wake: make(chan struct{}, 1), replays: make(chan struct{}, replays), stop: stop, stopped: make(chan struct{}), stopping: make(chan struct{}),
		fault: errNotReady, changed: make(chan struct{}),
	}
	go h.follow(running)
	return h, nil
}

// Reset lets go of every connection, once it is not in use: after a failover the old primary may live on, and its notes are
// not the ones to read.
func (h *Hub) Reset() { h.pool.Reset() }

// Wake makes the poller look at once, or a moment after its last look: something was committed in this process. Without a
// viewer there is no hurry. It never blocks.
func (h *Hub) Wake() {
	h.mu.Lock()
	idle := h.viewers == 0
	h.mu.Unlock()
	if !idle {
		h.nudge()
	}
}

// nudge is Wake, whoever views.
func (h *Hub) nudge() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// Stop ends all streams, with a hint to come back, and lets no new ones in.
func (h *Hub) Stop() { h.stopOnce.Do(func() { close(h.stopping) }) }

// Stopping is closed by Stop.
func (h *Hub) Stopping() <-chan struct{} { return h.stopping }

// Close ends the poller and closes its connections.
func (h *Hub) Close() {
	h.Stop()
	h.stop()
	<-h.stopped
	h.pool.Close()
}

// Stats is a picture of this moment.
type Stats struct {
	Viewers    int
	Polls      uint64 // statements that the poller sent
	Kept       int    // notes in memory
	Fault      error  // why nothing can be served; nil: all is well
	HeldFor    time.Duration
	HeldByPID  int32 // 0: a prepared transaction, or nobody that can be seen
	HeldByName string
}

// Stats returns a picture of this moment; Held... say since when the horizon has not moved, and who holds it, once that
// is longer than StuckAfter.
func (h *Hub) Stats() Stats {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := Stats{Viewers: h.viewers, Polls: h.polls, Kept: len(h.notes), Fault: h.fault}
	s.HeldFor, s.HeldByPID, s.HeldByName = h.stuck.report(time.Now())
	return s
}

// apart is the least time from the beginning of a look to one that somebody wakes the poller for: many commands a second
// wake it together, not one by one.
const apart = 10 * time.Millisecond

// follow is the one poller. After a full page it looks again at once; with notes above the horizon it looks again soon and
// then ever later, up to the interval; without, after the interval or when it is woken.
func (h *Hub) follow(ctx context.Context) {
	defer close(h.stopped)
	const shortest = 5 * time.Millisecond
	soon := shortest
	failing := false
	for ctx.Err() == nil {
		begun := time.Now()
		p, err := h.poll(ctx)
		pause := h.interval
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if !failing {
				h.log.WarnContext(ctx, "the feed cannot read the outbox; it keeps trying", "cause", err)
			}
			failing = true
			pause = max(h.interval, 250*time.Millisecond)
			h.fail(err)
		default:
			if failing {
				h.log.InfoContext(ctx, "the feed reads the outbox again")
			}
			failing = false
			h.watchHorizon(ctx, p)
			if len(p.notes) > 0 {
				soon = shortest
			}
			switch {
			case len(p.notes) == pageSize:
				pause = 0
			case p.moreAbove:
				pause = min(soon, h.interval)
				soon *= 2
			default:
				soon = shortest
			}
		}
		if pause == 0 {
			continue
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-h.wake:
			soon = shortest
			timer.Reset(apart - time.Since(begun))
			select {
			case <-ctx.Done():
			case <-timer.C:
			}
		case <-timer.C:
		}
		timer.Stop()
	}
}

const pageSize = 500

// poll asks once and takes what came.
func (h *Hub) poll(ctx context.Context) (*page, error) {
	h.mu.Lock()
	after, limit, known := h.last, pageSize, h.identity
	if known == (Identity{}) {
		limit = 0 // only where we are
	}
	h.polls++
	h.mu.Unlock()
	p, err := readPage(ctx, h.pool, after, limit)
	if err != nil {
		return nil, err
	}
	if p.home != p.identity.System {
		return nil, ErrRebase
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ceiling, h.pruned = p.next, p.pruned
	h.fault = nil
	if p.identity != known {
		// The first look, or another cluster or timeline behind the same address: begin anew at what is there now.
		h.epoch++
		h.identity, h.notes, h.floor, h.last = p.identity, nil, p.last, p.last
		p.notes = nil
		h.announce()
		return p, nil
	}
	if len(p.notes) == 0 {
		return p, nil
	}
	h.notes = append(h.notes, p.notes...)
	h.last = h.notes[len(h.notes)-1].Place
	if over := len(h.notes) - h.keep; over > 0 {
		h.floor = h.notes[over-1].Place
		h.notes = slices.Clone(h.notes[over:]) // so that the old ones can go
	}
	h.announce()
	return p, nil
}

// fail says why nothing new comes. Viewers stay: what they have is not wrong. A rebase ends what they had.
func (h *Hub) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if errors.Is(err, ErrRebase) {
		h.identity, h.notes, h.floor, h.last = Identity{}, nil, Place{}, Place{}
		h.fault = ErrRebase
	} else if h.identity == (Identity{}) {
		h.fault = errNotReady
	}
	h.announce()
}

// announce wakes all viewers. h.mu is held.
func (h *Hub) announce() {
	close(h.changed)
	h.changed = make(chan struct{})
}
