package road

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// errBusy says that there is no place, or that none came free in time.
var errBusy = errors.New("no place")

type subjectKey struct{ kind, ref string }

type commandKey struct{ sender, actor, key string }

// admission lets a few commands of each subject go to Postgres and keeps the others waiting in memory, in order and
// without a connection (C-037). Copies of one command use one place between them: each waits until the one before it is
// through (ID-03). Nothing correct depends on any of this.
type admission struct {
	options AdmissionOptions

	mu       sync.Mutex
	subjects map[subjectKey]*crowd // only those with somebody in it
	waiting  int                   // in all crowds
}

// crowd is what goes on with one subject.
type crowd struct {
	inside map[commandKey]struct{} // those that have a place
	queue  list.List               // of *waiter, first come first
	queued map[commandKey]int      // how many of each command are in the queue
}

type waiter struct {
	key  commandKey
	turn chan struct{} // closed when it has a place
}

func newAdmission(o AdmissionOptions) *admission {
	return &admission{options: o, subjects: map[subjectKey]*crowd{}}
}

// enter returns when the command has a place, with the function that gives it back; that may be called more than once.
// errBusy: the queue is full, or ctx ended first.
func (a *admission) enter(ctx context.Context, s subjectKey, k commandKey) (leave func(), err error) {
	if ctx.Err() != nil {
		return nil, errBusy
	}
	w, element, err := a.join(s, k)
	if err != nil {
		return nil, err
	}
	var left sync.Once
	leave = func() { left.Do(func() { a.leave(s, k) }) }
	if element == nil {
		return leave, nil
	}
	select {
	case <-w.turn:
		return leave, nil
	case <-ctx.Done():
	}
	if !a.abandon(s, w, element) { // its turn came at the same moment
		leave()
	}
	return nil, errBusy
}

// join takes a place (no element) or a position in the queue.
func (a *admission) join(s subjectKey, k commandKey) (*waiter, *list.Element, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.subjects[s]
	if c == nil {
		c = &crowd{inside: map[commandKey]struct{}{}, queued: map[commandKey]int{}}
		a.subjects[s] = c
	}
	_, copyInside := c.inside[k]
	// Whoever waits in the queue while a place is free waits for a copy of itself, and is passed.
	if !copyInside && c.queued[k] == 0 && len(c.inside) < a.options.PerSubject {
		c.inside[k] = struct{}{}
		return nil, nil, nil
	}
	copies := c.queued[k]
	if copyInside {
		copies++
	}
	switch {
	case a.waiting >= a.options.QueueTotal,
		copies > a.options.CopiesPerKey,
		copies == 0 && len(c.queued) >= a.options.QueuePerSubject:
		return nil, nil, errBusy
	}
	w := &waiter{key: k, turn: make(chan struct{})}
	c.queued[k]++
	a.waiting++
	return w, c.queue.PushBack(w), nil
}

// leave gives a place back and hands it on.
func (a *admission) leave(s subjectKey, k commandKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.subjects[s]
	delete(c.inside, k)
	a.handOn(s, c)
}

// abandon takes a waiter out of the queue; false when it has a place by now.
func (a *admission) abandon(s subjectKey, w *waiter, e *list.Element) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-w.turn:
		return false
	default:
	}
	c := a.subjects[s]
	a.unqueue(c, e)
	a.handOn(s, c)
	return true
}

func (a *admission) unqueue(c *crowd, e *list.Element) {
	w := c.queue.Remove(e).(*waiter)
	if c.queued[w.key]--; c.queued[w.key] == 0 {
		delete(c.queued, w.key)
	}
	a.waiting--
}

// handOn gives free places to the first in the queue of whom no copy has a place, and forgets a subject nobody waits for.
func (a *admission) handOn(s subjectKey, c *crowd) {
	for e := c.queue.Front(); e != nil && len(c.inside) < a.options.PerSubject; {
		next := e.Next()
		w := e.Value.(*waiter)
		if _, copyInside := c.inside[w.key]; !copyInside {
			a.unqueue(c, e)
			c.inside[w.key] = struct{}{}
			close(w.turn)
		}
		e = next
	}
	if len(c.inside) == 0 && c.queue.Len() == 0 {
		delete(a.subjects, s)
	}
}

// counts returns how many subjects have commands, how many commands have a place, and how many wait.
func (a *admission) counts() (subjects, inside, waiting int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.subjects {
		inside += len(c.inside)
	}
	return len(a.subjects), inside, a.waiting
}
