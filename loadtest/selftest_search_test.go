package main

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// searchFrom is what the command would do from 100 iterations/s on, with a claim that few arrivals suffice for.
func searchFrom100() *hunt {
	c := search{flags: flags{Scale: "quick", Seed: 1, SLOFailures: 0.01, SLODropped: 0.01}, Factor: 1.5, Max: 3000, Width: 0.05, Arrivals: "uniform"}
	return c.hunt(load.Mix{Name: "one", Weights: []int{load.DeckSize}}, 100)
}

// searchedServer searches a server of m workers on the virtual clock as the command does, until ctx is cancelled.
func searchedServer(ctx context.Context, t *testing.T, h *hunt, m int, takes time.Duration, note func(string)) (hunted, result.Design) {
	t.Helper()
	all, err := h.run(ctx, func(ctx context.Context, _ string, plan load.Plan) (attempt, error) {
		rec, err := load.Open(ctx, load.Config{Workload: oneRequest{}, Transport: workers{make(chan struct{}, m), takes},
			Clock: virtualClock{time.Now()}, Users: load.DefaultUsers, Timeout: load.DefaultTimeout, Drain: time.Minute}, plan)
		if err != nil || len(rec.Steps) == 0 {
			return attempt{facts: stats.Facts{Cut: true}}, err
		}
		s, facts := stepOf(rec.Steps[0], false), stats.Facts{Cut: rec.Steps[0].Cut}
		s.Verdict = stats.Judge(s, result.SLO{P99Ms: 50, Failures: 0.01, Dropped: 0.01}, facts)
		return attempt{s, facts}, nil
	}, note)
	if err != nil {
		t.Fatal(err)
	}
	var d result.Design
	all.runs.settle(&d)
	return all, d
}

func unheard(string) {}

// within says that a capacity was found at most 5 % from the true one.
func within5(c result.Capacity, want float64) bool {
	return c.Status == result.Found && math.Abs(*c.Low-want) <= 0.05*want && *c.High <= *c.Low*1.0501
}

// The search finds what m workers of a fixed service time can carry, m / S, within 5 %, and confirms it.
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
				all, d := searchedServer(t.Context(), t, searchFrom100(), test.workers, test.takes, unheard)
				if c := all.found; !all.ended || !within5(c, test.want) {
					t.Fatalf("%s %v to %v, the true capacity is %g", c.Status, value(c.Low), value(c.High), test.want)
				}
				if within5(all.found, 2*test.want) || within5(all.found, test.want/2) { // the negative control
					t.Error("any capacity would do")
				}
				runs := len(d.OtherRuns)
				for i, s := range d.Steps {
					runs++
					if i > 0 && s.OfferedPerSecond <= d.Steps[i-1].OfferedPerSecond {
						t.Errorf("step %d at %g does not follow %g", i+1, s.OfferedPerSecond, d.Steps[i-1].OfferedPerSecond)
					}
					if low := s.OfferedPerSecond == *all.found.Low; low && (!s.Longer || s.Seconds < 15 || s.Verdict.Outcome != result.Pass) {
						t.Errorf("%g was not confirmed by a longer run: %g s, %+v", *all.found.Low, s.Seconds, s.Verdict)
					}
				}
				for _, o := range d.OtherRuns {
					if at := d.Steps[o.Step-1].OfferedPerSecond; at != o.Run.OfferedPerSecond {
						t.Errorf("another run at %g stands beside the step at %g", o.Run.OfferedPerSecond, at)
					}
				}
				if runs != len(all.runs) {
					t.Errorf("%d runs are kept of %d", runs, len(all.runs))
				}
			})
		})
	}
}

// The negative control: what a search cannot know it does not claim, and it ends all the same.
func TestUnknownCapacityIsNotSearched(t *testing.T) {
	t.Parallel()
	fast, slow := time.Millisecond, 60*time.Millisecond
	ctrlC := func(h *hunt, cancel context.CancelFunc) {
		plan := h.plan
		h.plan = func(at stats.Trial, n int) load.Plan {
			if n == 2 {
				time.AfterFunc(time.Second, cancel)
			}
			return plan(at, n)
		}
	}
	for _, test := range []struct {
		name      string
		workers   int
		takes     time.Duration
		change    func(*hunt, context.CancelFunc)
		status    result.CapacityStatus
		low, high float64 // 0: none
		criterion string
		steps     int
	}{
		{"a server that copes with all", 64, fast, nil, result.AtLeast, 3000, 0, "", 10},
		{"one that is always too slow", 1, slow, nil, result.Below, 0, 100, stats.CriterionP99, 1},
		{"too few runs", 4, 5 * time.Millisecond, func(h *hunt, _ context.CancelFunc) { h.most = 3 }, result.NotValid, 225, 0, "gave up after 3 runs", 3},
		{"Ctrl-C", 4, 5 * time.Millisecond, ctrlC, result.NotValid, 150, 0, "interrupted", 3},
		{"Ctrl-C at once", 4, 5 * time.Millisecond, func(_ *hunt, cancel context.CancelFunc) { cancel() }, result.NotValid, 0, 0, "interrupted", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				h := searchFrom100()
				if test.change != nil {
					test.change(h, cancel)
				}
				all, d := searchedServer(ctx, t, h, test.workers, test.takes, unheard)
				c := all.found
				if c.Status != test.status || value(c.Low) != test.low || value(c.High) != test.high || !strings.Contains(c.Criterion, test.criterion) {
					t.Errorf("%s %g to %g (%s); want %+v", c.Status, value(c.Low), value(c.High), c.Criterion, test)
				}
				if len(d.Steps) != test.steps || all.ended != (test.status != result.NotValid) {
					t.Errorf("%d steps, ended %t; want %d", len(d.Steps), all.ended, test.steps)
				}
			})
		})
	}
}

// A reader of the progress learns what each run is for and what is known after it.
func TestSearchSaysWhatItDoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var said []string
		searchedServer(t.Context(), t, searchFrom100(), 4, 5*time.Millisecond, func(s string) { said = append(said, s) })
		if first := "run 1 at 100/s: PASS; 100/s passed"; said[0] != first {
			t.Errorf("%q, want %q", said[0], first)
		}
		if last := said[len(said)-1]; !strings.Contains(last, " over 15 s: PASS; the search has ended, found; ") {
			t.Errorf("%q does not say that it ended", last)
		}
	})
	low, high := 100.0, 150.0
	for want, got := range map[string]string{
		"run 1, climbing": inWords(stats.Trial{Rate: 100}, result.Capacity{}, 0, load.Step{}),
		"run 5, halving (100/s passed, 150/s did not)": inWords(stats.Trial{Rate: 122}, result.Capacity{Low: &low, High: &high}, 4, load.Step{}),
		"run 9, confirming over 15 s": inWords(stats.Trial{Rate: 122, Long: true}, result.Capacity{Low: &low, High: &high}, 8,
			load.Step{Duration: 15 * time.Second}),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
