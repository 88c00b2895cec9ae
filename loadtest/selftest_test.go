package main

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// The lab against servers whose answer is known, on a virtual clock: exact, whatever machine this runs on.

type virtualClock struct{ origin time.Time }

func (v virtualClock) Now() time.Duration         { return time.Since(v.origin) }
func (v virtualClock) SleepUntil(t time.Duration) { time.Sleep(t - v.Now()) }
func (virtualClock) Claim() (string, func())      { return "virtual", func() {} }

// workers is a server of so many workers, each of which takes its time for a request; the others queue.
type workers struct {
	free  chan struct{}
	takes time.Duration
}

func (w workers) Exchanger() load.Exchanger { return w }

func (w workers) Exchange(ctx context.Context, _ *load.Request, resp *load.Response) error {
	resp.Status = 0
	select {
	case w.free <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	time.Sleep(w.takes)
	<-w.free
	resp.Status = 200
	return nil
}

type oneRequest struct{}

func (oneRequest) Run(s *load.Session, _ load.Iteration) bool {
	s.Send(&load.Request{Route: "GET /"})
	return true
}

// rampOf ramps a server of m workers with a plan around a base, and judges it as the commands do.
func rampOf(t *testing.T, m int, takes time.Duration, base float64) (result.Capacity, []result.Step) {
	t.Helper()
	rec, err := load.Open(t.Context(), load.Config{Workload: oneRequest{}, Transport: workers{make(chan struct{}, m), takes},
		Clock: virtualClock{time.Now()}, Users: load.DefaultUsers, Timeout: load.DefaultTimeout, Drain: time.Minute},
		load.Plan{Mix: load.Mix{Name: "one", Weights: []int{load.DeckSize}}, Arrivals: load.Uniform, Seed: 1,
			Steps: load.Ramp(base, 14, 5*time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	slo := result.SLO{P99Ms: 50, Failures: 0.01, Dropped: 0.01} // 300 arrivals suffice
	var steps []result.Step
	for _, r := range rec.Steps {
		s := stepOf(r, false)
		s.Verdict = stats.Judge(s, slo, stats.Facts{})
		steps = append(steps, s)
	}
	return stats.CapacityOf(steps, slo, make([]stats.Facts, len(steps))), steps
}

func TestKnownCapacityIsFound(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		workers int
		takes   time.Duration
		base    float64
		want    float64 // per second: workers / takes
	}{
		{"four workers of 5 ms", 4, 5 * time.Millisecond, 850, 800},
		{"one of 1 ms", 1, time.Millisecond, 1050, 1000},
		{"twenty of 20 ms", 20, 20 * time.Millisecond, 930, 1000},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, steps := rampOf(t, test.workers, test.takes, test.base)
				if c.Status != result.Found || *c.Low > test.want || *c.High <= test.want {
					t.Errorf("%s %v to %v, the true capacity is %g", c.Status, value(c.Low), value(c.High), test.want)
				}
				for _, s := range steps {
					if s.OfferedPerSecond <= test.want && int64(s.AchievedPerSecond+0.5) < int64(s.OfferedPerSecond)-1 {
						t.Errorf("asked for %g, achieved %g", s.OfferedPerSecond, s.AchievedPerSecond)
					}
				}
			})
		})
	}
}

// The negative control: what cannot be found is not claimed.
func TestUnknownCapacityIsNotClaimed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		if c, _ := rampOf(t, 64, 5*time.Millisecond, 850); c.Status != result.AtLeast || math.Abs(*c.Low-1275) > 0.01 || c.High != nil {
			t.Errorf("a server that copes with all: %+v", c)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		if c, _ := rampOf(t, 1, 60*time.Millisecond, 1000); c.Status != result.Below || c.Low != nil || *c.High != 200 {
			t.Errorf("a server that is always too slow: %+v", c)
		}
	})
}

func value(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}
