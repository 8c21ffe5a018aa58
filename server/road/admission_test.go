package road

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

func defaultAdmission(t *testing.T, change func(*AdmissionOptions)) *admission {
	t.Helper()
	var o AdmissionOptions
	if change != nil {
		change(&o)
	}
	o, err := o.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	return newAdmission(o)
}

func mustEnter(t *testing.T, a *admission, s subjectKey, k commandKey) func() {
	t.Helper()
	leave, err := a.enter(t.Context(), s, k)
	if err != nil {
		t.Fatal(err)
	}
	return leave
}

func mustBeEmpty(t *testing.T, a *admission) {
	t.Helper()
	if subjects, inside, waiting := a.counts(); subjects != 0 || inside != 0 || waiting != 0 {
		t.Fatalf("left over: %d subjects, %d inside, %d waiting", subjects, inside, waiting)
	}
}

func waitQueued(t *testing.T, a *admission, n int) {
	t.Helper()
	until(t, fmt.Sprintf("%d waiting", n), func() bool { _, _, waiting := a.counts(); return waiting == n })
}

var final = subjectKey{"fixture", "final"}

func number(i int) commandKey { return commandKey{"desk", "", fmt.Sprint(i)} }

// C-037: two have a place, the others come in order.
func TestAdmissionIsInOrder(t *testing.T) {
	a := defaultAdmission(t, nil)
	first, second := mustEnter(t, a, final, number(1)), mustEnter(t, a, final, number(2))
	order := make(chan int, 20)
	leaves := make(chan func(), 20)
	for i := range 20 {
		go func() {
			leave, err := a.enter(context.Background(), final, number(100+i))
			if err != nil {
				t.Error(err)
			}
			order <- i
			leaves <- leave
		}()
		waitQueued(t, a, i+1)
	}
	if _, inside, _ := a.counts(); inside != 2 {
		t.Fatalf("%d inside", inside)
	}
	first()
	for i := range 20 {
		if got := receive(t, order); got != i {
			t.Fatalf("%d came as number %d", got, i)
		}
		receive(t, leaves)()
	}
	first() // a second time changes nothing
	second()
	mustBeEmpty(t, a)
}

// PG-08: 10,000 waiters that give up, then one that does not; many subjects; panics.
func TestAdmissionGivesEveryPlaceBack(t *testing.T) {
	a := defaultAdmission(t, func(o *AdmissionOptions) { o.QueuePerSubject, o.QueueTotal = 20_000, 20_000 })
	leave1, leave2 := mustEnter(t, a, final, number(1)), mustEnter(t, a, final, number(2))
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range 10_000 {
		all.Go(func() {
			if _, err := a.enter(ctx, final, number(10+i)); !errors.Is(err, errBusy) {
				t.Errorf("waiter %d: %v", i, err)
			}
		})
	}
	waitQueued(t, a, 10_000)
	cancel()
	all.Wait()
	waitQueued(t, a, 0)
	leave1()
	mustEnter(t, a, final, number(1))()
	leave2()
	mustBeEmpty(t, a)

	for i := range 100_000 {
		mustEnter(t, a, subjectKey{"fixture", fmt.Sprint(i)}, number(i))()
	}
	mustBeEmpty(t, a)

	func() {
		defer func() { _ = recover() }()
		defer mustEnter(t, a, final, number(1))()
		panic("in the middle")
	}()
	mustBeEmpty(t, a)
}

// PG-08: leaving and giving up at the same moment loses no place.
func TestAdmissionUnderChurn(t *testing.T) {
	a := defaultAdmission(t, nil)
	var all sync.WaitGroup
	var inside, most atomic.Int64
	for g := range 32 {
		all.Go(func() {
			for i := range 300 {
				ctx, cancel := context.WithCancel(context.Background())
				if (g+i)%3 == 0 {
					go cancel()
				}
				leave, err := a.enter(ctx, final, number(i%5+10*g))
				if err == nil {
					n := inside.Add(1)
					for {
						m := most.Load()
						if n <= m || most.CompareAndSwap(m, n) {
							break
						}
					}
					inside.Add(-1)
					leave()
				}
				cancel()
			}
		})
	}
	all.Wait()
	if most.Load() > 2 {
		t.Fatalf("%d had a place at once", most.Load())
	}
	mustBeEmpty(t, a)
}

// ID-03: copies of one command use one place; the other scorer is not held up by them.
func TestAdmissionOfCopies(t *testing.T) {
	a := defaultAdmission(t, func(o *AdmissionOptions) { o.CopiesPerKey, o.QueuePerSubject = 3, 1 })
	leave := mustEnter(t, a, final, number(1))
	through := make(chan func(), 3)
	for i := range 3 {
		go func() {
			l, err := a.enter(context.Background(), final, number(1))
			if err != nil {
				t.Error(err)
			}
			through <- l
		}()
		waitQueued(t, a, i+1)
	}
	if _, err := a.enter(t.Context(), final, number(1)); !errors.Is(err, errBusy) {
		t.Fatalf("a fourth copy: %v", err)
	}
	other := mustEnter(t, a, final, number(2)) // the second place is free for another, past the queue
	other()
	if _, inside, waiting := a.counts(); inside != 1 || waiting != 3 {
		t.Fatalf("the other's place went to a copy: %d inside, %d waiting", inside, waiting)
	}
	other = mustEnter(t, a, final, number(2))
	leave()
	for i := range 3 {
		l := receive(t, through)
		if _, inside, waiting := a.counts(); inside != 2 || waiting != 2-i {
			t.Fatalf("%d inside, %d waiting", inside, waiting)
		}
		l()
	}
	other()
	mustBeEmpty(t, a)
}

// PG-07: what is too much is turned away at once.
func TestAdmissionIsBounded(t *testing.T) {
	a := defaultAdmission(t, func(o *AdmissionOptions) { o.PerSubject, o.QueuePerSubject, o.QueueTotal = 1, 2, 3 })
	ctx, cancel := context.WithCancel(t.Context())
	other := subjectKey{"fixture", "other"}
	leave, leaveOther := mustEnter(t, a, final, number(1)), mustEnter(t, a, other, number(1))
	var all sync.WaitGroup
	wait := func(s subjectKey, k commandKey, n int) {
		all.Go(func() { _, _ = a.enter(ctx, s, k) })
		waitQueued(t, a, n)
	}
	wait(final, number(2), 1)
	wait(final, number(3), 2)
	if _, err := a.enter(ctx, final, number(4)); !errors.Is(err, errBusy) {
		t.Fatalf("over the subject's bound: %v", err)
	}
	wait(other, number(2), 3)
	if _, err := a.enter(ctx, other, number(3)); !errors.Is(err, errBusy) {
		t.Fatalf("over the process's bound: %v", err)
	}
	if _, err := a.enter(ctx, subjectKey{"fixture", "third"}, number(1)); err != nil {
		t.Fatalf("a free subject: %v", err)
	}
	cancel()
	all.Wait()
	leave()
	leaveOther()
	a.leave(subjectKey{"fixture", "third"}, number(1))
	mustBeEmpty(t, a)
}
