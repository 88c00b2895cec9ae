package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/workload"
)

// The conversation between the lab and a generator in another process: JSON values, one a line. The lab sends a task with its
// preparation, then any number of tasks with a run or an audit, one after the other; both can be cancelled. The end of the lab's stream
// ends the generator. The generator answers; each task ends with an answer that says prepared, or has a record, books or
// an error.
//
// It is a conversation and not one job, because what is run next may depend on what was measured: a step that decides is run
// again, and a search goes where the last step sent it. The carts and connections stay meanwhile.

// protocol is the version of the conversation. Both ends refuse another.
const protocol = "splitshop-generate/2"

// task is what the lab sends.
type task struct {
	Protocol string       `json:"protocol,omitempty"` // with the preparation
	Prepare  *preparation `json:"prepare,omitempty"`
	Run      *runTask     `json:"run,omitempty"`
	Audit    bool         `json:"audit,omitempty"`  // of the runs so far
	Cancel   bool         `json:"cancel,omitempty"` // what is under way
}

// runTask is a load and how many users do it.
type runTask struct {
	Users int      `json:"users"`
	Load  offering `json:"load"`
}

// answer is what the generator sends.
type answer struct {
	Protocol string          `json:"protocol,omitempty"` // of the first
	Stage    *stage          `json:"stage,omitempty"`    // of preparing or an audit
	Prepared bool            `json:"prepared,omitempty"`
	Boundary *boundary       `json:"boundary,omitempty"` // a step begins, or the last one ends
	Live     *live           `json:"live,omitempty"`     // about once a second
	Record   *load.Record    `json:"record,omitempty"`
	Books    *workload.Books `json:"books,omitempty"`
	Warnings []string        `json:"warnings,omitempty"` // so far, with each record
	Error    string          `json:"error,omitempty"`
}

type stage struct {
	What string `json:"what"`
	Done int    `json:"done"`
	Of   int    `json:"of"`
}

// boundary says when it was, on the kernel's clock that all processes of a machine share: how late it is heard of can be told.
type boundary struct {
	Step int           `json:"step"`
	At   time.Duration `json:"at_ns"`
}

// live is load.Progress.
type live struct {
	Step     int64 `json:"step"`
	Offered  int64 `json:"offered"`
	Dropped  int64 `json:"dropped"`
	Finished int64 `json:"finished"`
	Failed   int64 `json:"failed"`
	InFlight int64 `json:"in_flight"`
}

func liveOf(p *load.Progress) *live {
	return &live{p.Step.Load(), p.Offered.Load(), p.Dropped.Load(), p.Finished.Load(), p.Failed.Load(), p.InFlight.Load()}
}

func (l *live) store(p *load.Progress) {
	p.Step.Store(l.Step)
	p.Offered.Store(l.Offered)
	p.Dropped.Store(l.Dropped)
	p.Finished.Store(l.Finished)
	p.Failed.Store(l.Failed)
	p.InFlight.Store(l.InFlight)
}

const (
	liveEvery   = time.Second
	lateLimit   = 100 * time.Millisecond // a boundary that is heard of later is noted
	recordLimit = 10 * time.Second       // from the end of draining to the record
)

// errNoRecord says that the generator ended, or ended its stream, in the middle of something.
var errNoRecord = errors.New("the generator ended before it had said what it recorded")

// farUsers is the generator at the other end of a conversation.
type farUsers struct {
	in       io.WriteCloser
	tasks    *json.Encoder
	answers  chan answer // closed at the end of the generator's stream
	ended    error       // why, once that is closed
	clock    load.Clock
	drain    time.Duration
	warnings []string
	late     time.Duration // the latest boundary
	stop     chan struct{} // nobody takes answers any more
	once     sync.Once
}

var _ generator = (*farUsers)(nil)

// converse has a generator at the other end of two streams prepare itself.
func converse(ctx context.Context, in io.WriteCloser, out io.Reader, clock load.Clock, p preparation, watch watching) (*farUsers, error) {
	f := &farUsers{in: in, tasks: json.NewEncoder(in), answers: make(chan answer), clock: clock, drain: p.Drain, stop: make(chan struct{})}
	go f.read(out)
	if err := f.prepare(ctx, p, watch); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *farUsers) prepare(ctx context.Context, p preparation, watch watching) error {
	if err := f.tasks.Encode(task{Protocol: protocol, Prepare: &p}); err != nil {
		return fmt.Errorf("%w: %w", errNoRecord, err)
	}
	for first := true; ; first = false {
		r, err := f.next(ctx)
		switch {
		case err != nil:
			return err
		case first && r.Protocol != protocol:
			return fmt.Errorf("the generator speaks %q and this lab %q: make its image again (make images)", r.Protocol, protocol)
		case r.Error != "":
			return errors.New(r.Error)
		case r.Prepared:
			return nil
		case r.Stage != nil && watch != nil:
			watch(r.Stage.What, r.Stage.Done, r.Stage.Of)
		}
	}
}

// read passes answers on until the stream ends.
func (f *farUsers) read(out io.Reader) {
	defer close(f.answers)
	for d := json.NewDecoder(out); ; {
		var a answer
		if err := d.Decode(&a); err != nil {
			f.ended = err
			return
		}
		select {
		case f.answers <- a:
		case <-f.stop:
			return
		}
	}
}

// next is the next answer; an error where there is none, or ctx is done.
func (f *farUsers) next(ctx context.Context) (answer, error) {
	select {
	case r, more := <-f.answers:
		if !more {
			return r, f.cutOff()
		}
		return r, nil
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	}
}

func (f *farUsers) cutOff() error {
	if errors.Is(f.ended, io.EOF) {
		return errNoRecord
	}
	return fmt.Errorf("%w: %w", errNoRecord, f.ended)
}

func (f *farUsers) offer(ctx context.Context, users int, o offering, progress *load.Progress, boundary func(int)) (load.Record, error) {
	patience, done, err := f.begin(ctx, task{Run: &runTask{Users: users, Load: o}})
	if err != nil {
		return load.Record{}, err
	}
	defer done()
	for {
		r, err := f.next(patience)
		switch {
		case err != nil:
			return load.Record{}, err
		case r.Error != "":
			return load.Record{}, errors.New(r.Error)
		case r.Record != nil:
			f.warnings = r.Warnings
			return *r.Record, nil
		case r.Boundary != nil:
			f.late = max(f.late, f.clock.Now()-r.Boundary.At)
			if boundary != nil {
				boundary(r.Boundary.Step)
			}
		case r.Live != nil:
			r.Live.store(progress)
		}
	}
}

// begin sends a task that ctx can cut short. Where it is cut it still ends by itself, and only where it does not is patience
// lost. done is to be called when it has ended.
func (f *farUsers) begin(ctx context.Context, t task) (patience context.Context, done func(), err error) {
	if err := f.tasks.Encode(t); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNoRecord, err)
	}
	patience, giveUp := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = f.tasks.Encode(task{Cancel: true}) // where it has ended, its stream says so
		time.AfterFunc(f.drain+recordLimit, func() { giveUp(errors.New("the generator did not end when it was told to")) })
	})
	return patience, func() {
		stop()
		giveUp(nil)
	}, nil
}

func (f *farUsers) audit(ctx context.Context, watch watching) (workload.Books, error) {
	patience, done, err := f.begin(ctx, task{Audit: true})
	if err != nil {
		return workload.Books{}, err
	}
	defer done()
	for {
		r, err := f.next(patience)
		switch {
		case err != nil:
			return workload.Books{}, err
		case r.Error != "":
			return workload.Books{}, errors.New(r.Error)
		case r.Books != nil:
			return *r.Books, nil
		case r.Stage != nil && watch != nil:
			watch(r.Stage.What, r.Stage.Done, r.Stage.Of)
		}
	}
}

func (f *farUsers) close() []string {
	f.once.Do(func() {
		f.in.Close()
		close(f.stop)
	})
	if f.late > lateLimit {
		return append(f.warnings, fmt.Sprintf("the counters at the boundary of a step were read %d ms after it", f.late.Milliseconds()))
	}
	return f.warnings
}

// speaker writes answers, from several goroutines.
type speaker struct {
	mu sync.Mutex
	to *json.Encoder
}

func (s *speaker) say(r answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.to.Encode(r) // where the lab has gone, its stream has ended too
}

// serve is the generator's end of the conversation. It returns when the lab's stream ends; an error only where what it was sent
// cannot be understood.
func serve(ctx context.Context, in io.Reader, out io.Writer, clock load.Clock) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	s := &speaker{to: json.NewEncoder(out)}
	tasks, cancels, wrong := make(chan task), make(chan struct{}, 1), make(chan error, 1)
	go func() {
		defer end() // the lab has gone
		for d := json.NewDecoder(in); ; {
			var t task
			if err := d.Decode(&t); err != nil {
				if !errors.Is(err, io.EOF) {
					wrong <- fmt.Errorf("a task cannot be read: %w", err)
				}
				return
			}
			if t.Cancel {
				select {
				case cancels <- struct{}{}:
				default:
				}
				continue
			}
			select {
			case tasks <- t:
			case <-ctx.Done():
				return
			}
		}
	}()
	for users := (*ourUsers)(nil); ; {
		select {
		case <-ctx.Done():
			if users != nil {
				users.close()
			}
			select {
			case err := <-wrong:
				return err
			default:
				return nil
			}
		case t := <-tasks:
			var err error
			if users, err = s.do(ctx, t, users, cancels, clock); err != nil {
				s.say(answer{Protocol: protocol, Error: err.Error()})
			}
		}
	}
}

// do does one task. It returns the users, who are there once there was a preparation.
func (s *speaker) do(ctx context.Context, t task, users *ourUsers, cancels <-chan struct{}, clock load.Clock) (*ourUsers, error) {
	switch {
	case t.Prepare != nil && users == nil:
		if t.Protocol != protocol {
			return nil, fmt.Errorf("the lab speaks %q and this generator %q", t.Protocol, protocol)
		}
		s.say(answer{Protocol: protocol})
		made, err := t.Prepare.prepare(ctx, clock, s.watch())
		if err == nil {
			s.say(answer{Prepared: true})
		}
		return made, err
	case t.Run != nil && users != nil:
		return users, s.run(ctx, *t.Run, users, cancels, clock)
	case t.Audit && users != nil:
		return users, s.audit(ctx, users, cancels)
	}
	return users, errors.New("a task must be one preparation, and then runs and audits")
}

// watch reports the stages of preparing, now and then.
func (s *speaker) watch() watching {
	var mu sync.Mutex
	last := time.Time{}
	return func(what string, done, of int) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < liveEvery/4 {
			return
		}
		last = time.Now()
		s.say(answer{Stage: &stage{what, done, of}})
	}
}

func (s *speaker) run(ctx context.Context, t runTask, users *ourUsers, cancels <-chan struct{}, clock load.Clock) error {
	var progress load.Progress
	var rec load.Record
	err := cancellable(ctx, cancels, func() { s.say(answer{Live: liveOf(&progress)}) }, func(ctx context.Context) (err error) {
		rec, err = users.offer(ctx, t.Users, t.Load, &progress, func(step int) {
			s.say(answer{Boundary: &boundary{step, clock.Now()}})
		})
		return err
	})
	if err != nil {
		return err
	}
	s.say(answer{Live: liveOf(&progress)})
	s.say(answer{Record: &rec, Warnings: users.warnings()})
	return nil
}

func (s *speaker) audit(ctx context.Context, users *ourUsers, cancels <-chan struct{}) error {
	return cancellable(ctx, cancels, func() {}, func(ctx context.Context) error {
		books, err := users.audit(ctx, s.watch())
		if err == nil {
			s.say(answer{Books: &books})
		}
		return err
	})
}

// cancellable does something that ends early when a cancellation comes, and says how far it is once a second.
func cancellable(ctx context.Context, cancels <-chan struct{}, say func(), do func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel()
	beside.Go(func() {
		tick := time.NewTicker(liveEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-cancels:
				cancel()
			case <-tick.C:
				say()
			}
		}
	})
	return do(ctx)
}
