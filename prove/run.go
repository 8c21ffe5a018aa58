package prove

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"umpire/client"
)

// Options for Run.
type Options struct {
	URLs        []string // servers of one database
	DatabaseURL string   // that database, for somebody who may read notes and verify
	Prefix      string   // begins every reference
	Seed        uint64
	Duration    time.Duration
	Senders     []Sender
	Patience    time.Duration // how long one command may take, with all its retries
	Progress    func(elapsed time.Duration, commands int64)
	Sent        func() error      // after the last answer, before anything is read: whoever kills stops, and brings back what is dead
	Doing       func(what string) // what is being done after that
}

// Sender is a sender that may act for others and read logs.
type Sender struct {
	Name  string
	Token string
}

// Stats are counts of what was done.
type Stats struct {
	Commands int            // sent at least once, keys used again included
	Resends  int            // sent twice on purpose
	HungUp   int            // given up by their sender, who came back later
	Looks    int            // reads of a fixture
	Outcomes map[string]int // last answers
	Attempts map[string]int // what came back, attempt by attempt
}

// Run sends random commands for as long as the options say, then reads what came of them. The seed decides what each
// sender does; how the senders meet is the machine's.
func Run(ctx context.Context, o Options) (*History, Stats, error) {
	w, err := newWire(o.URLs)
	if err != nil {
		return nil, Stats{}, err
	}
	r := &run{Options: o, wire: w, world: &world{prefix: o.Prefix}, began: time.Now(), clients: map[string]*client.Client{}, sharing: map[string]string{}}
	for _, s := range o.Senders {
		r.clients[s.Name] = w.client(s.Token)
		r.sharing[s.Name] = s.Token
	}
	readers, err := startReaders(ctx, o.DatabaseURL, o.Prefix)
	if err != nil {
		return nil, Stats{}, err
	}
	r.send(ctx)
	if err := ctx.Err(); err != nil {
		readers.stop()
		return nil, Stats{}, err
	}
	if o.Sent != nil {
		if err := o.Sent(); err != nil {
			readers.stop()
			return nil, Stats{}, err
		}
	}
	h, err := r.collect(ctx, readers)
	return h, r.stats(), err
}

type run struct {
	Options
	wire    *wire
	world   *world
	began   time.Time
	clients map[string]*client.Client
	sharing map[string]string // tokens

	sent    atomic.Int64
	mu      sync.Mutex
	ops     []Op
	looks   []Look
	resends int
	hungUp  int
}

// send runs the senders until the time is over and every command has its answer.
func (r *run) send(ctx context.Context) {
	until := r.began.Add(r.Duration)
	var working sync.WaitGroup
	for i, s := range r.Senders {
		working.Go(func() { r.sender(ctx, i, s, until) })
	}
	done := make(chan struct{})
	go func() { working.Wait(); close(done) }()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if r.Progress != nil {
			r.Progress(min(time.Since(r.began), r.Duration), r.sent.Load())
		}
		select {
		case <-done:
			return
		case <-tick.C:
		}
	}
}

// unfinished is a command whose sender hung up: when it was first sent, and after how many others it is sent again.
type unfinished struct {
	family *Family
	op     Op
	after  int
}

func (r *run) sender(ctx context.Context, number int, s Sender, until time.Time) {
	rng := newRand(r.Seed, number)
	var waiting []unfinished
	for i := 0; ctx.Err() == nil && time.Now().Before(until); i++ {
		d := choose(rng)
		f := r.world.take(d.slot)
		f.opened.Do(func() { r.open(ctx, number, s, f) })

		if d.look {
			r.look(ctx, number, s, f, d.fixture)
		}
		c := f.Command(d.Dice, s.Name, fmt.Sprintf("%d-%d", number, i))
		switch {
		case d.hangUp:
			short, cancel := context.WithTimeout(ctx, d.patience)
			op := Op{Family: f.name, Client: number, Command: c, Call: r.now()}
			err := op.send(short, r.clients[c.Sender])
			cancel()
			if err == nil {
				r.record(f, op)
			} else {
				waiting = append(waiting, unfinished{f, op, i + d.after})
				r.mu.Lock()
				r.hungUp++
				r.mu.Unlock()
			}
		case i%everyNthTwice == everyNthTwice-1:
			r.twice(ctx, number, f, c, d.later)
		default:
			r.once(ctx, number, f, c)
		}
		for len(waiting) > 0 && waiting[0].after <= i {
			r.finish(ctx, waiting[0].family, waiting[0].op)
			waiting = waiting[1:]
		}
	}
	for _, u := range waiting {
		r.finish(ctx, u.family, u.op)
	}
}

// twice sends a command once more: at the same time by another way, or after its answer.
func (r *run) twice(ctx context.Context, number int, f *Family, c Command, later bool) {
	r.mu.Lock()
	r.resends++
	r.mu.Unlock()
	if later {
		r.once(ctx, number, f, c)
		r.once(ctx, number, f, c)
		return
	}
	var both sync.WaitGroup
	both.Go(func() { r.once(ctx, number+len(r.Senders), f, c) })
	r.once(ctx, number, f, c)
	both.Wait()
}

// open creates the family's events, before anybody uses them.
func (r *run) open(ctx context.Context, number int, s Sender, f *Family) {
	for _, c := range f.Open(s.Name) {
		r.once(ctx, number, f, c)
	}
}

// once sends a command until it is answered.
func (r *run) once(ctx context.Context, number int, f *Family, c Command) {
	r.finish(ctx, f, Op{Family: f.name, Client: number, Command: c, Call: r.now()})
}

// finish sends what was not answered yet until it is.
func (r *run) finish(ctx context.Context, f *Family, op Op) {
	r.sent.Add(1)
	patient, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	_ = op.send(patient, r.clients[op.Command.Sender]) // no answer is recorded as such
	r.record(f, op)
}

// send sends the command and notes its answer, when there is one.
func (op *Op) send(ctx context.Context, c *client.Client) (err error) {
	var attempts int
	op.Answer, op.Raw, attempts, err = send(ctx, c, op.Command.Command)
	op.Attempts += attempts
	return err
}

func (r *run) record(f *Family, op Op) {
	op.Return = r.now()
	r.mu.Lock()
	r.ops = append(r.ops, op)
	r.mu.Unlock()
	if op.Answer != nil {
		f.Learn(op.Command, op.Answer)
	}
}

func (r *run) look(ctx context.Context, number int, s Sender, f *Family, which int) {
	f.mu.Lock()
	exists := f.known[which].schedule > 0
	f.mu.Unlock()
	if !exists {
		return
	}
	ref := f.fixtures[which]
	look := Look{Family: f.name, Client: number, Ref: ref, Call: r.now()}
	patient, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	found, err := r.wire.get(patient, s.Token, "/subjects/fixture/"+ref, &look.View)
	look.Return = r.now()
	if err != nil {
		return // a server that does not come back shows in the commands
	}
	if found {
		f.see(ref, look.View)
	}
	// One that is not found is kept, empty: no order has room for it.
	r.mu.Lock()
	r.looks = append(r.looks, look)
	r.mu.Unlock()
}

func (r *run) now() int64 { return int64(time.Since(r.began)) }

func (r *run) stats() Stats {
	s := Stats{Commands: len(r.ops), Resends: r.resends, HungUp: r.hungUp, Looks: len(r.looks), Outcomes: map[string]int{}, Attempts: r.wire.attempts}
	for _, op := range r.ops {
		switch {
		case op.Answer == nil:
			s.Outcomes["no answer"]++
		default:
			s.Outcomes[op.Answer.Outcome]++
		}
	}
	return s
}
