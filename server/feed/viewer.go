package feed

import (
	"context"
	"fmt"
	"sort"
)

// Reload is why a viewer has to read the state again.
type Reload string

// The reasons for a reload.
const (
	ReloadUnknown Reload = "unknown_position" // the text is not a position of ours, or lies ahead of all notes
	ReloadCluster Reload = "other_cluster"    // it is from another cluster or timeline
	ReloadPruned  Reload = "pruned"           // notes after it were pruned
	ReloadFar     Reload = "too_far_behind"   // there are more notes after it than are replayed
)

// Viewer is one reader of the stream, with a place of its own. For one goroutine.
type Viewer struct {
	hub      *Hub
	epoch    uint64
	identity Identity
	place    Place
	replayed int
}

// View begins at a position, or with "" at what comes next. A position that cannot be served gives a reason to reload; the
// viewer then begins at what comes next. Errors: ErrRebase, that the database has not answered yet, ctx's.
func (h *Hub) View(ctx context.Context, position string) (*Viewer, Reload, error) {
	p, parsed := ParsePosition(position)
	if parsed == nil && h.ahead(p) {
		// A read may have seen more than the poller has. The database knows what it has not given out yet.
		now, err := h.ask(ctx, p.Place, 0)
		if err != nil {
			return nil, "", err
		}
		h.mu.Lock()
		h.ceiling = max(h.ceiling, now.next)
		h.mu.Unlock()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fault != nil {
		return nil, "", h.fault
	}
	v := &Viewer{hub: h, epoch: h.epoch, identity: h.identity, place: h.last}
	if h.viewers++; h.viewers == 1 {
		h.nudge() // while nobody looked, nobody woke the poller
	}
	switch {
	case position == "":
		return v, "", nil
	case parsed != nil:
		return v, ReloadUnknown, nil
	case p.Identity != h.identity:
		return v, ReloadCluster, nil
	case p.XID >= h.ceiling:
		return v, ReloadUnknown, nil
	case p.Place.Compare(h.pruned) < 0:
		return v, ReloadPruned, nil
	}
	v.place = p.Place
	return v, "", nil
}

// ahead says whether a position of this cluster lies above all that the poller has seen given out.
func (h *Hub) ahead(p Position) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.fault == nil && p.Identity == h.identity && p.XID >= h.ceiling
}

// ask reads a page for one viewer. Two at a time, so that a thousand of them do not take what others need.
func (h *Hub) ask(ctx context.Context, after Place, limit int) (*page, error) {
	select {
	case h.replays <- struct{}{}:
		defer func() { <-h.replays }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p, err := readPage(ctx, h.pool, after, limit)
	switch {
	case err != nil:
		return nil, fmt.Errorf("catching up: %w", err)
	case p.home != p.identity.System:
		return nil, ErrRebase
	}
	return p, nil
}

// Close gives the viewer up.
func (v *Viewer) Close() {
	v.hub.mu.Lock()
	v.hub.viewers--
	v.hub.mu.Unlock()
}

// Position is up to where the viewer has been given notes.
func (v *Viewer) Position() Position { return Position{v.identity, v.place} }

// Next gives the notes after the viewer's place, at most a page, and moves it there. Without any it returns a channel that
// is closed when there may be some. A reason to reload means that the viewer now begins at what comes next. Errors: ctx's,
// the database's, ErrRebase.
func (v *Viewer) Next(ctx context.Context) (notes []*Note, more <-chan struct{}, reload Reload, err error) {
	h := v.hub
	h.mu.Lock()
	switch {
	case h.fault == ErrRebase:
		h.mu.Unlock()
		return nil, nil, "", ErrRebase
	case h.identity == (Identity{}):
		more = h.changed
		h.mu.Unlock()
		return nil, more, "", nil
	case h.epoch != v.epoch:
		v.toTheEnd()
		h.mu.Unlock()
		return nil, nil, ReloadCluster, nil
	}
	if v.place.Compare(h.floor) >= 0 {
		i := sort.Search(len(h.notes), func(i int) bool { return h.notes[i].Place.Compare(v.place) > 0 })
		notes = h.notes[i:min(len(h.notes), i+pageSize)]
		more = h.changed
		h.mu.Unlock()
		v.replayed = 0
		if len(notes) > 0 {
			v.place = notes[len(notes)-1].Place
		}
		return notes, more, "", nil
	}
	h.mu.Unlock()
	return v.replay(ctx)
}

// toTheEnd moves the viewer to what comes next. hub.mu is held.
func (v *Viewer) toTheEnd() {
	v.epoch, v.identity, v.place, v.replayed = v.hub.epoch, v.hub.identity, v.hub.last, 0
}

// replay reads a page from the database, for a viewer that is further back than what is kept in memory.
func (v *Viewer) replay(ctx context.Context) ([]*Note, <-chan struct{}, Reload, error) {
	h := v.hub
	reloadNow := func(why Reload) ([]*Note, <-chan struct{}, Reload, error) {
		h.mu.Lock()
		v.toTheEnd()
		h.mu.Unlock()
		return nil, nil, why, nil
	}
	if v.replayed >= h.maxReplay {
		return reloadNow(ReloadFar)
	}
	p, err := h.ask(ctx, v.place, pageSize)
	switch {
	case err != nil:
		return nil, nil, "", err
	case p.identity != v.identity:
		return reloadNow(ReloadCluster)
	case v.place.Compare(p.pruned) < 0:
		return reloadNow(ReloadPruned)
	}
	v.replayed += len(p.notes)
	if len(p.notes) > 0 {
		v.place = p.notes[len(p.notes)-1].Place
	} else {
		// Nothing is left after this place up to the floor, which was a note and is a pruned one by now, or the start.
		h.mu.Lock()
		if v.epoch == h.epoch && v.place.Compare(h.floor) < 0 && h.floor.Compare(p.last) <= 0 {
			v.place = h.floor
		}
		h.mu.Unlock()
	}
	return p.notes, nil, "", nil
}
