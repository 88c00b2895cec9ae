package stats

import (
	"strings"
	"testing"
	"unicode"

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

// TestDecideEnds follows every order of outcomes: a decision comes after five runs at most.
func TestDecideEnds(t *testing.T) {
	t.Parallel()
	var verdicts []result.Verdict
	for _, o := range []result.Outcome{result.Pass, result.Fail, result.Invalid, result.Insufficient} {
		verdicts = append(verdicts, result.Verdict{Outcome: o}, result.Verdict{Outcome: o, Noisy: true})
	}
	var follow func(runs []result.Verdict)
	follow = func(runs []result.Verdict) {
		if len(runs) > mostRuns+mostInvalid-1+mostNoisy-1 {
			t.Fatalf("no decision after %v", runs)
		}
		for _, v := range verdicts {
			next := append(append([]result.Verdict{}, runs...), v)
			if stands, final := Decide(next); stands < 0 || stands >= len(next) {
				t.Fatalf("Decide(%v) chose run %d", next, stands)
			} else if !final {
				follow(next)
			}
		}
	}
	follow(nil)
}

// verdictsOf reads runs from letters: Pass, Fail, Invalid, inSufficient; small ones are noisy.
func verdictsOf(letters string) (runs []result.Verdict) {
	words := map[rune]result.Outcome{'P': result.Pass, 'F': result.Fail, 'I': result.Invalid, 'S': result.Insufficient}
	for _, l := range letters {
		upper := unicode.ToUpper(l)
		runs = append(runs, result.Verdict{Outcome: words[upper], Noisy: l != upper})
	}
	return runs
}

func TestDecideWithNoise(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, runs string
		stands     int
		final      bool
	}{
		{"a noisy pass is one", "p", 0, true},
		{"a quiet pass after a noisy one", "pP", 1, true},
		{"noisy again, it is shown", "pp", 1, true},
		{"a quiet failure after a noisy pass wants another", "pF", 1, false},
		{"a noisy failure counts for nothing", "fP", 1, true},
		{"also when a quiet one follows", "fF", 1, false},
		{"two quiet failures after it", "fFF", 2, true},
		{"noisy again it counts", "ff", 1, false},
		{"and two of three decide", "fff", 2, true},
		{"the quiet failures stand, not the noisy one between", "FfF", 2, true},
		{"a noisy INVALID run is an INVALID one", "iP", 1, true},
		{"INVALID and noisy never stand for a pass", "pII", 0, true},
		{"noise brings no more arrivals", "s", 0, true},
	} {
		if stands, final := Decide(verdictsOf(tc.runs)); stands != tc.stands || final != tc.final {
			t.Errorf("%s: Decide(%s) = %d, %v; want %d, %v", tc.name, tc.runs, stands, final, tc.stands, tc.final)
		}
	}
}

func TestAgain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, steps string
		step        int // -1: none
	}{
		{"nothing was measured", "", -1},
		{"all pass, quiet", "P P P", -1},
		{"a failure is made again", "P P F P", 2},
		{"and once more where they differ", "P P FP F", 2},
		{"then the next decides", "P P FPP F", 3},
		{"decided, quiet", "P PFP FF F", -1},
		{"noise below the last pass does not decide", "p p P FF", -1},
		{"nor above the first failure", "P FF p f", -1},
		{"a noisy last pass", "P p FF F", 1},
		{"once", "P pP FF F", -1},
		{"noisy again", "P pp FF F", -1},
		{"it fails when it is quiet", "P pF FF F", 1},
		{"then it is the first failure, and the one below the last pass", "p pFF FF F", 0},
		{"a noisy first failure", "P P f", 2},
		{"which is quiet then", "P P fF", 2},
		{"and decided", "P P fFF", -1},
		{"all pass, the last one noisy", "P p p", 2},
		{"all pass, the last one noisy again", "P p pp", -1},
		{"INVALID is no noise", "P P iI", -1},
		{"nor is too few arrivals", "P P s", -1},
		{"but what passed below it", "P p s", 1},
	} {
		var steps [][]result.Verdict
		for _, runs := range strings.Fields(tc.steps) {
			steps = append(steps, verdictsOf(runs))
		}
		step, more := Again(steps)
		if !more {
			step = -1
		}
		if step != tc.step {
			t.Errorf("%s: Again(%s) = %d, want %d", tc.name, tc.steps, step, tc.step)
		}
	}
}
