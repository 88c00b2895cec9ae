package load

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Failure counts one way in which the requests of one route failed.
type Failure struct {
	Route  string
	Reason Reason
	Count  int64
}

// Dropped counts the arrivals that could not start, by cause.
type Dropped struct {
	UsersBusy int64 // every virtual user was busy: the system is too slow
	Generator int64 // the generator was later than Config.LateLimit
	Leases    int64 // no cart was left to lease: the lab made too few
}

// Total is all of them.
func (d Dropped) Total() int64 { return d.UsersBusy + d.Generator + d.Leases }

// StepRecord is what became of the arrivals due in one step. What is counted "within" happened inside the step's own
// time, whenever it was due; rates and CPU per request are made of those.
type StepRecord struct {
	Step    Step
	Seconds float64 // the step's own time, shorter than planned where the run was cut
	Cut     bool    // the run was interrupted in this step

	Offered, Started              int64 // arrivals due; iterations begun
	Dropped                       Dropped
	Finished, Succeeded           int64 // iterations ended; those without any failure
	Requests, Completed           int64 // requests sent; answered with a status, whichever
	RequestsSucceeded             int64
	FinishedWithin, GoodWithin    int64 // iterations that ended within the step; those of them that succeeded
	CompletedWithin, Non2xxWithin int64 // requests that ended within the step with a status; those without a 2xx and right body
	Failures                      []Failure

	// A failure's latency counts as the client timeout where it was quicker. The second pair is of successes alone. In a
	// closed loop, where nothing is due before it is sent, FromDue has no samples. In JSON there are the histograms only.
	FromDue           Latency `json:"-"`
	FromSend          Latency `json:"-"`
	SuccessesFromDue  Latency `json:"-"`
	SuccessesFromSend Latency `json:"-"`

	Lag      Latency `json:"-"` // from due to the instant the iteration's first request was sent, where a user was free
	PacerLag Latency `json:"-"` // the part of it up to the hand-over by the pacer

	Histograms Histograms // what these latencies sum up

	InFlightStart, InFlightEnd int64 // iterations
}

// Histograms are a step's latencies in full.
type Histograms struct {
	FromDue, FromSend                   *Histogram
	SuccessesFromDue, SuccessesFromSend *Histogram
	Lag, PacerLag                       *Histogram
}

// sumUp makes the latencies of the histograms.
func (r *StepRecord) sumUp() {
	h := r.Histograms
	r.FromDue, r.FromSend, r.Lag, r.PacerLag = h.FromDue.Summary(), h.FromSend.Summary(), h.Lag.Summary(), h.PacerLag.Summary()
	r.SuccessesFromDue, r.SuccessesFromSend = h.SuccessesFromDue.Summary(), h.SuccessesFromSend.Summary()
}

// UnmarshalJSON reads a step that was recorded in another process.
func (r *StepRecord) UnmarshalJSON(data []byte) error {
	type plain StepRecord // without this method
	if err := json.Unmarshal(data, (*plain)(r)); err != nil {
		return err
	}
	h := r.Histograms
	if slices.Contains([]*Histogram{h.FromDue, h.FromSend, h.SuccessesFromDue, h.SuccessesFromSend, h.Lag, h.PacerLag}, nil) {
		return errors.New("a step's record lacks a histogram")
	}
	r.sumUp()
	return nil
}

// Record is a whole run.
type Record struct {
	Steps       []StepRecord
	Scheduling  string // what the pacer's thread was granted; "" in a closed loop
	Interrupted bool
	Drained     time.Duration // how long the draining after the last step took
}

// shards is over how many locks users spread their recording: few, because each holds its own histograms.
const shards = 4

type shard struct {
	mu    sync.Mutex
	steps []tally
}

type failureKey struct {
	route  string
	reason Reason
}

// tally is one shard's part of a step.
type tally struct {
	started, finished, succeeded  int64
	requests, completed, ok       int64
	finishedWithin, goodWithin    int64
	completedWithin, non2xxWithin int64
	leasesDry                     int64
	failures                      map[failureKey]int64
	due, send, okDue, okSend, lag *Histogram
}

func newShard(steps int) *shard {
	s := &shard{steps: make([]tally, steps)}
	for i := range s.steps {
		t := &s.steps[i]
		t.failures = map[failureKey]int64{}
		t.due, t.send, t.okDue, t.okSend, t.lag = NewHistogram(), NewHistogram(), NewHistogram(), NewHistogram(), NewHistogram()
	}
	return s
}

// counters is what only the pacer writes, and what it and the users share.
type counters struct {
	offered, busy, generator   atomic.Int64
	inFlightStart, inFlightEnd atomic.Int64
	pacerLag                   *Histogram // the pacer's alone until it has ended
	seconds                    float64
	cut                        bool
}

// collect adds the shards of one step up.
func collect(step Step, c *counters, all []*shard, i int) StepRecord {
	r := StepRecord{Step: step, Seconds: c.seconds, Cut: c.cut, Offered: c.offered.Load(),
		Dropped:       Dropped{UsersBusy: c.busy.Load(), Generator: c.generator.Load()},
		InFlightStart: c.inFlightStart.Load(), InFlightEnd: c.inFlightEnd.Load(),
		Histograms: Histograms{FromDue: NewHistogram(), FromSend: NewHistogram(), SuccessesFromDue: NewHistogram(),
			SuccessesFromSend: NewHistogram(), Lag: NewHistogram(), PacerLag: c.pacerLag}}
	failures := map[failureKey]int64{}
	for _, s := range all {
		t := &s.steps[i]
		r.Started += t.started
		r.Finished += t.finished
		r.Succeeded += t.succeeded
		r.Requests += t.requests
		r.Completed += t.completed
		r.RequestsSucceeded += t.ok
		r.FinishedWithin += t.finishedWithin
		r.GoodWithin += t.goodWithin
		r.CompletedWithin += t.completedWithin
		r.Non2xxWithin += t.non2xxWithin
		r.Dropped.Leases += t.leasesDry
		for k, n := range t.failures {
			failures[k] += n
		}
		r.Histograms.FromDue.Merge(t.due)
		r.Histograms.FromSend.Merge(t.send)
		r.Histograms.SuccessesFromDue.Merge(t.okDue)
		r.Histograms.SuccessesFromSend.Merge(t.okSend)
		r.Histograms.Lag.Merge(t.lag)
	}
	r.sumUp()
	for k, n := range failures {
		r.Failures = append(r.Failures, Failure{Route: k.route, Reason: k.reason, Count: n})
	}
	slices.SortFunc(r.Failures, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.Route, b.Route), cmp.Compare(a.Reason, b.Reason))
	})
	return r
}
