package load

import (
	"context"
	"errors"
	"iter"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Config is what a run needs besides its plan.
type Config struct {
	Workload  Workload
	Transport Transport
	Clock     Clock
	Users     int           // virtual users at most (open loop) or exactly (closed loop)
	Timeout   time.Duration // the client's for one request, which the Transport applies: a failure counts as at least this
	Drain     time.Duration // how long unfinished iterations may take after the last step
	LateLimit time.Duration // an arrival later than this at the pacer is dropped
	Progress  *Progress     // nil: nobody watches

	// Boundary, if not nil, is called at the start of every step and at the end of the last, in order, on a goroutine of
	// its own: reading counters there does not delay the pacer.
	Boundary func(step int)
}

// Defaults of the engine's limits.
const (
	DefaultUsers     = 1024
	DefaultTimeout   = 10 * time.Second
	DefaultDrain     = 5 * time.Second
	DefaultLateLimit = 10 * time.Millisecond
)

// Progress may be read at any time of a run.
type Progress struct {
	Step                                         atomic.Int64
	Offered, Dropped, Finished, Failed, InFlight atomic.Int64
}

// Workload turns iterations into requests. It is used by many sessions at once.
type Workload interface {
	// Run does one iteration by calling s.Send for each of its requests. It returns false where it could not start for
	// want of a lease; then nothing was sent.
	Run(s *Session, it Iteration) bool
}

// lead is the time between the decision to start and the first due instant, for the pacer to get ready.
const lead = 20 * time.Millisecond

// run is one run in progress.
type run struct {
	Config
	shards   []*shard
	counters []*counters
	origin   time.Duration   // on the clock: due times count from here
	starts   []time.Duration // of the steps, from the origin; last the end
	busy     atomic.Int64    // users with an iteration
	ctx      context.Context // of requests: cancelled when draining ends
	giveUp   context.CancelFunc
}

func newRun(ctx context.Context, cfg Config, starts []time.Duration) *run {
	if cfg.Progress == nil {
		cfg.Progress = &Progress{}
	}
	r := &run{Config: cfg, starts: starts}
	for range shards {
		r.shards = append(r.shards, newShard(len(starts)-1))
	}
	for range len(starts) - 1 {
		r.counters = append(r.counters, &counters{pacerLag: NewHistogram()})
	}
	r.ctx, r.giveUp = context.WithCancel(context.WithoutCancel(ctx)) // an interrupted run still drains
	return r
}

// Open offers the plan's arrivals at their due instants, however the system under test copes. A cancelled ctx stops the
// offering; what was begun drains, and the record says "interrupted". An error means that nothing was offered.
func Open(ctx context.Context, cfg Config, plan Plan) (Record, error) {
	if err := errors.Join(plan.Check(), cfg.check()); err != nil {
		return Record{}, err
	}
	r := newRun(ctx, cfg, plan.Starts())
	defer r.giveUp()
	queue := make(chan Arrival, cfg.Users) // never full: the pacer hands over only where a user is free
	var users sync.WaitGroup
	for u := range cfg.Users {
		s := r.session(u)
		users.Go(func() {
			for a := range queue {
				s.open(a)
				r.busy.Add(-1)
			}
		})
	}
	boundaries, watched := r.watchBoundaries()
	r.origin = cfg.Clock.Now() + lead
	var scheduling string
	var paced sync.WaitGroup
	paced.Go(func() { // its own goroutine: it may end with its thread
		granted, release := cfg.Clock.Claim()
		defer release()
		scheduling = granted
		r.pace(ctx, plan, queue, boundaries)
	})
	paced.Wait()
	close(queue)
	close(boundaries)
	drained := r.drain(&users)
	<-watched
	return r.record(plan.offered(), Record{Scheduling: scheduling, Interrupted: ctx.Err() != nil, Drained: drained}), nil
}

func (cfg Config) check() error {
	if cfg.Users < 1 || cfg.Timeout <= 0 || cfg.Workload == nil || cfg.Transport == nil || cfg.Clock == nil {
		return errors.New("a run needs a workload, a transport, a clock, users and a client timeout")
	}
	return nil
}

// watchBoundaries runs Config.Boundary for what is sent on the first channel; the second closes after the last.
func (r *run) watchBoundaries() (chan<- int, <-chan struct{}) {
	boundaries, done := make(chan int, len(r.starts)), make(chan struct{})
	go func() {
		defer close(done)
		for step := range boundaries {
			if r.Boundary != nil {
				r.Boundary(step)
			}
		}
	}()
	return boundaries, done
}

// pace hands every arrival to a free user at its due instant, and notes the boundaries of steps.
func (r *run) pace(ctx context.Context, plan Plan, queue chan<- Arrival, boundaries chan<- int) {
	if !r.sleep(ctx, 0) {
		return
	}
	boundaries <- 0
	for step, c := range r.counters {
		r.Progress.Step.Store(int64(step))
		c.inFlightStart.Store(r.busy.Load())
		done := r.offer(ctx, c, plan.Step(step), queue) && r.sleep(ctx, r.starts[step+1])
		c.inFlightEnd.Store(r.busy.Load())
		c.seconds, c.cut = plan.Steps[step].Duration.Seconds(), !done
		if !done {
			c.seconds = (r.Clock.Now() - r.origin - r.starts[step]).Seconds()
		}
		boundaries <- step + 1
		if !done {
			return
		}
	}
}

// offer hands over the arrivals of one step; false where the run was cancelled meanwhile.
func (r *run) offer(ctx context.Context, c *counters, arrivals iter.Seq[Arrival], queue chan<- Arrival) bool {
	for a := range arrivals {
		if !r.sleep(ctx, a.Due) {
			return false
		}
		r.arrive(c, a, queue)
	}
	return true
}

// arrive hands one due arrival to a free user, or counts it as dropped.
func (r *run) arrive(c *counters, a Arrival, queue chan<- Arrival) {
	lag := r.Clock.Now() - r.origin - a.Due
	c.pacerLag.Record(lag)
	c.offered.Add(1)
	r.Progress.Offered.Add(1)
	switch {
	case r.LateLimit > 0 && lag > r.LateLimit:
		c.generator.Add(1)
		r.Progress.Dropped.Add(1)
	case r.busy.Load() >= int64(r.Users): // only the pacer adds, so it cannot be exceeded
		c.busy.Add(1)
		r.Progress.Dropped.Add(1)
	default:
		r.Progress.InFlight.Store(r.busy.Add(1))
		queue <- a
	}
}

// sleep waits until an instant of the run, waking now and then to see whether the run was cancelled: then it is false.
func (r *run) sleep(ctx context.Context, until time.Duration) bool {
	const nap = 100 * time.Millisecond
	for {
		now := r.Clock.Now() - r.origin
		if ctx.Err() != nil {
			return false
		}
		if now >= until {
			return true
		}
		r.Clock.SleepUntil(r.origin + min(until, now+nap))
	}
}

// drain waits for the iterations under way, at most Config.Drain; then it ends them as unfinished.
func (r *run) drain(users *sync.WaitGroup) time.Duration {
	from := r.Clock.Now()
	limit := time.AfterFunc(r.Drain, r.giveUp)
	users.Wait()
	limit.Stop()
	return r.Clock.Now() - from
}

func (r *run) record(steps []Step, rec Record) Record {
	for i, s := range steps {
		if r.counters[i].seconds > 0 { // else the run ended before it
			rec.Steps = append(rec.Steps, collect(s, r.counters[i], r.shards, i))
		}
	}
	return rec
}

// stepAt returns the step in whose time an instant of the run lies, or -1 where that is past the last.
func (r *run) stepAt(at time.Duration) int {
	i := sort.Search(len(r.starts), func(i int) bool { return r.starts[i] > at }) - 1
	if i >= len(r.starts)-1 {
		return -1
	}
	return max(i, 0)
}

// Closed lets every user do one iteration after the other for a time. A cancelled ctx ends it early.
func Closed(ctx context.Context, cfg Config, mix Mix, seed uint32, duration time.Duration) (Record, error) {
	if err := errors.Join(mix.Check(), cfg.check()); err != nil {
		return Record{}, err
	}
	r := newRun(ctx, cfg, []time.Duration{0, duration})
	defer r.giveUp()
	boundaries, watched := r.watchBoundaries()
	boundaries <- 0
	r.origin = cfg.Clock.Now()
	var next atomic.Uint32
	var users sync.WaitGroup
	ended, end := context.WithTimeout(ctx, duration)
	defer end()
	for u := range cfg.Users {
		s := r.session(u)
		users.Go(func() {
			for ended.Err() == nil {
				s.closed(mix.Iteration(seed, next.Add(1)-1))
			}
		})
	}
	<-ended.Done()
	c := r.counters[0]
	c.seconds, c.cut = (cfg.Clock.Now() - r.origin).Seconds(), ctx.Err() != nil
	c.inFlightEnd.Store(r.busy.Load())
	boundaries <- 1
	close(boundaries)
	drained := r.drain(&users)
	<-watched
	offered := r.Progress.Offered.Load()
	step := Step{Rate: float64(offered) / c.seconds, Duration: duration}
	return r.record([]Step{step}, Record{Interrupted: ctx.Err() != nil, Drained: drained}), nil
}
