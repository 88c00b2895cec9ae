// The tests pin processes.
//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/stats"
	"splitshop/loadtest/workload"
)

// watched is the trial of a design that has no part but this process.
func watched(t *testing.T) *trial {
	t.Helper()
	say := newProgress(t.Output())
	t.Cleanup(say.close)
	l := &lab{flags: &flags{SLOP99: 50 * time.Millisecond, SLOFailures: 0.001, SLODropped: 0.001}, say: say}
	return &trial{lab: l, running: runner.Attach(""), gen: kept{}, d: &result.Design{}}
}

// kept is a generator that offers nothing and records steps that keep the SLO, each as long as its load says.
type kept struct{}

func (kept) offer(ctx context.Context, _ int, o offering, _ *load.Progress, boundary func(int)) (load.Record, error) {
	took := o.Closed.Duration
	good := load.StepRecord{Step: load.Step{Rate: 1000, Duration: took}, Seconds: took.Seconds(), Offered: 5000, Started: 5000,
		Succeeded: 5000, Requests: 5000, RequestsSucceeded: 5000, Completed: 5000, FromDue: load.Latency{Count: 5000, P99: 1000}}
	boundary(0)
	select {
	case <-ctx.Done():
	case <-time.After(took):
	}
	boundary(1)
	return load.Record{Steps: []load.StepRecord{good}}, nil
}

func (kept) audit(context.Context, watching) (workload.Books, error) { return workload.Books{}, nil }

func (kept) close() []string { return nil }

func keptBy(took time.Duration) offering { return closedOffering(load.Mix{}, 1, took) }

// spin makes a process of no design use a core of its own until the test ends.
func spin(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "while :; do :; done")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	var mine, first unix.CPUSet
	if err := unix.SchedGetaffinity(os.Getpid(), &mine); err != nil {
		t.Fatal(err)
	}
	for core := 0; first.Count() == 0; core++ {
		if mine.IsSet(core) {
			first.Set(core)
		}
	}
	if err := unix.SchedSetaffinity(cmd.Process.Pid, &first); err != nil {
		t.Fatal(err)
	}
}

// rampOnce offers a trial a step and settles it.
func rampOnce(t *testing.T, tr *trial, first, again offering) {
	t.Helper()
	j := job{steps: make([]load.Step, 1), offer: first, again: func(int, int) offering { return again }}
	rec, facts, err := tr.run(t.Context(), "ramp", j)
	if err != nil {
		t.Fatal(err)
	}
	tr.d.Steps = rec.steps
	if err := tr.confirm(t.Context(), j, facts); err != nil {
		t.Fatal(err)
	}
}

// TestNoisyStepIsRunAgain measures beside a process that takes a core: its step is run once more, and marked, but valid.
func TestNoisyStepIsRunAgain(t *testing.T) {
	tr := watched(t)
	spin(t)
	rampOnce(t, tr, keptBy(500*time.Millisecond), keptBy(500*time.Millisecond))
	s := tr.d.Steps[0]
	if !s.Verdict.Noisy || s.Runs < 2 || len(tr.d.OtherRuns) != s.Runs-1 || !tr.d.OtherRuns[0].Run.Verdict.Noisy {
		t.Errorf("%d runs, %d others, %+v, background %g", s.Runs, len(tr.d.OtherRuns), s.Verdict, value(s.Machine.Background))
	}
	if value(s.Machine.Background) < 0.05 {
		t.Errorf("background %g cores beside a process that takes one", value(s.Machine.Background))
	}
}

// The negative control: of an address, where the shop is no part, what others use is not known and no noise.
func TestBackgroundOfAnAddressIsNotKnown(t *testing.T) {
	tr := watched(t)
	tr.flags.URL = "http://127.0.0.1:1"
	spin(t)
	rampOnce(t, tr, keptBy(200*time.Millisecond), keptBy(200*time.Millisecond))
	if b := tr.d.Steps[0].Machine.Background; b != nil {
		t.Errorf("background %g", *b)
	}
}

// TestSettledRuns follows runs by their verdicts alone: which stands, and which are kept beside.
func TestSettledRuns(t *testing.T) {
	t.Parallel()
	run := func(o result.Outcome, noisy bool, offered int64) attempt {
		return attempt{step: result.Step{Offered: offered, Runs: 1, Verdict: result.Verdict{Outcome: o, Noisy: noisy}},
			facts: stats.Facts{PinsMissed: []string{fmt.Sprint(offered)}}}
	}
	tests := []struct {
		name   string
		runs   attempts
		stands int64
	}{
		{"one", attempts{run(result.Pass, false, 1)}, 1},
		{"a quiet run for a noisy one", attempts{run(result.Pass, true, 1), run(result.Pass, false, 2)}, 2},
		{"the quiet one, whichever comes first", attempts{run(result.Fail, false, 1), run(result.Fail, true, 2), run(result.Fail, false, 3)}, 3},
	}
	for _, tt := range tests {
		tr := &trial{d: &result.Design{Steps: make([]result.Step, 1)}}
		facts := stats.Facts{}
		tr.settle(0, tt.runs, &facts)
		s := tr.d.Steps[0]
		if s.Offered != tt.stands || s.Runs != len(tt.runs) || facts.PinsMissed[0] != fmt.Sprint(tt.stands) || len(tr.d.OtherRuns) != s.Runs-1 {
			t.Errorf("%s: %+v, facts %+v, %d others", tt.name, s, facts, len(tr.d.OtherRuns))
		}
	}
}
