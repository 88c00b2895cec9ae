package main

import (
	"testing"
	"testing/synctest"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// atRate offers one rate to a server of m workers on the virtual clock, and judges it as the commands do.
func atRate(t *testing.T, m int, takes time.Duration, at stats.Trial) result.Verdict {
	t.Helper()
	lasts := 5 * time.Second
	if at.Long {
		lasts *= 3
	}
	rec, err := load.Open(t.Context(), load.Config{Workload: oneRequest{}, Transport: workers{make(chan struct{}, m), takes},
		Clock: virtualClock{time.Now()}, Users: load.DefaultUsers, Timeout: load.DefaultTimeout, Drain: time.Minute},
		load.Plan{Mix: load.Mix{Name: "one", Weights: []int{load.DeckSize}}, Arrivals: load.Uniform, Seed: 1,
			Steps: []load.Step{{Rate: at.Rate, Duration: lasts}}})
	if err != nil {
		t.Fatal(err)
	}
	return stats.Judge(stepOf(rec.Steps[0], false), result.SLO{P99Ms: 50, Failures: 0.01, Dropped: 0.01}, stats.Facts{})
}

// The search finds what m workers of a fixed service time can carry, m / S, within 5 %.
func TestKnownCapacityIsSearched(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		workers int
		takes   time.Duration
		want    float64 // per second: workers / takes
	}{
		{"four workers of 5 ms", 4, 5 * time.Millisecond, 800},
		{"one of 1 ms", 1, time.Millisecond, 1000},
		{"twenty of 20 ms", 20, 20 * time.Millisecond, 1000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := stats.Search{From: 100, Factor: 1.5, Max: 3000, Width: 0.05}
				var runs []stats.Tried
				for range 100 {
					at, c, done := s.Next(runs)
					if !done {
						runs = append(runs, stats.Tried{Trial: at, Verdict: atRate(t, test.workers, test.takes, at)})
						continue
					}
					if c.Status != result.Found || *c.Low > test.want || *c.Low < test.want*0.95 {
						t.Errorf("%s %v to %v, the true capacity is %g", c.Status, value(c.Low), value(c.High), test.want)
					}
					return
				}
				t.Error("the search did not end")
			})
		})
	}
}
