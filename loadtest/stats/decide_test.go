package stats

import (
	"testing"

	"splitshop/loadtest/result"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	const (
		pass, fail    = result.Pass, result.Fail
		invalid, less = result.Invalid, result.Insufficient
	)
	for _, tc := range []struct {
		name   string
		runs   []result.Outcome
		stands int
		final  bool
	}{
		{"a pass is final", []result.Outcome{pass}, 0, true},
		{"a failure wants another run", []result.Outcome{fail}, 0, false},
		{"two failures", []result.Outcome{fail, fail}, 1, true},
		{"one each wants a third", []result.Outcome{fail, pass}, 1, false},
		{"two of three pass", []result.Outcome{fail, pass, pass}, 2, true},
		{"two of three fail", []result.Outcome{fail, pass, fail}, 2, true},
		{"an invalid run is made again", []result.Outcome{invalid}, 0, false},
		{"a second invalid run is final", []result.Outcome{invalid, invalid}, 1, true},
		{"an invalid run counts for nothing", []result.Outcome{invalid, pass}, 1, true},
		{"a failure after an invalid run wants another", []result.Outcome{invalid, fail}, 1, false},
		{"three beside an invalid one", []result.Outcome{invalid, fail, pass, fail}, 3, true},
		{"a pass after a failure wants a third", []result.Outcome{fail, invalid, pass}, 2, false},
		{"invalid at last", []result.Outcome{fail, invalid, pass, invalid}, 3, true},
		{"too few arrivals stay too few", []result.Outcome{less}, 0, true},
		{"a failure and too few arrivals", []result.Outcome{fail, less}, 1, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var runs []result.Verdict
			for _, o := range tc.runs {
				runs = append(runs, result.Verdict{Outcome: o})
			}
			if stands, final := Decide(runs); stands != tc.stands || final != tc.final {
				t.Errorf("Decide(%v) = %d, %v; want %d, %v", tc.runs, stands, final, tc.stands, tc.final)
			}
		})
	}
}

// TestDecideEnds follows every order of outcomes: a decision comes after four runs at most.
func TestDecideEnds(t *testing.T) {
	t.Parallel()
	var follow func(runs []result.Verdict)
	follow = func(runs []result.Verdict) {
		if len(runs) > mostRuns+mostInvalid-1 {
			t.Fatalf("no decision after %v", runs)
		}
		for _, o := range []result.Outcome{result.Pass, result.Fail, result.Invalid, result.Insufficient} {
			next := append(append([]result.Verdict{}, runs...), result.Verdict{Outcome: o})
			if stands, final := Decide(next); stands < 0 || stands >= len(next) {
				t.Fatalf("Decide(%v) chose run %d", next, stands)
			} else if !final {
				follow(next)
			}
		}
	}
	follow(nil)
}
