package stats

import (
	"slices"

	"splitshop/loadtest/result"
)

// The runs of a deciding step: three at most, one more in the place of one that was INVALID, and one in that of a noisy one.
const (
	mostRuns    = 3
	mostInvalid = 2
	mostNoisy   = 2
)

// Decide says which of a step's runs, in their order, stands for it, and whether that is final. An INVALID run counts for
// nothing: it is made again once, and a second INVALID one is final. The first noisy run counts for nothing as soon as there
// is another; a second noisy one counts like any. Of the others a PASS at the first is final; after a FAIL two of three
// decide, and the last that agrees stands. INSUFFICIENT is final: a further run offers as few arrivals.
func Decide(runs []result.Verdict) (stands int, final bool) {
	last := map[result.Outcome]int{}
	times := map[result.Outcome]int{}
	aside := setAside(runs)
	for i, v := range runs {
		if i != aside {
			last[v.Outcome] = i
			times[v.Outcome]++
		}
	}
	passed, failed := times[result.Pass], times[result.Fail]
	switch {
	case passed == 1 && failed == 0, passed >= 2:
		return last[result.Pass], true
	case failed >= 2:
		return last[result.Fail], true
	case times[result.Insufficient] > 0:
		return last[result.Insufficient], true
	case times[result.Invalid] >= mostInvalid:
		return last[result.Invalid], true
	}
	return len(runs) - 1, len(runs) >= mostRuns+mostInvalid-1+mostNoisy-1
}

// setAside returns the first noisy run, where there is another that passed or failed; else -1.
func setAside(runs []result.Verdict) int {
	first := slices.IndexFunc(runs, loud)
	others := 0
	for i, v := range runs {
		if i != first && speaks(v) {
			others++
		}
	}
	if others == 0 {
		return -1
	}
	return first
}

// speaks says that a run speaks for or against the system.
func speaks(v result.Verdict) bool { return v.Outcome == result.Pass || v.Outcome == result.Fail }

// loud says that a run speaks for or against a system which others disturbed.
func loud(v result.Verdict) bool { return v.Noisy && speaks(v) }

// Again says which step of a ramp, in the order of rising rates, is to be run once more, given the runs of each so far: the
// lowest that is not decided; then, of the two that decide the capacity (the last pass and the first step that did not
// pass), one whose only run that speaks was noisy. It is false where everything is known.
func Again(steps [][]result.Verdict) (step int, more bool) {
	for i, runs := range steps {
		stands, final := Decide(runs)
		if !final {
			return i, true
		}
		passed := runs[stands].Outcome == result.Pass
		switch {
		case passed && i < len(steps)-1:
			continue
		case !passed && i > 0 && onlyNoisy(steps[i-1]):
			return i - 1, true
		}
		return i, onlyNoisy(runs)
	}
	return 0, false
}

// onlyNoisy says that a step rests on a noisy run that was not made again yet.
func onlyNoisy(runs []result.Verdict) bool {
	stands, _ := Decide(runs)
	again := 0
	for _, v := range runs {
		if loud(v) {
			again++
		}
	}
	return loud(runs[stands]) && again < mostNoisy
}

// Repeated says which of the runs of one repeat, in their order, stands for it, and whether it is to be run once more. The
// rule is Decide's, but for a rate or a latency it does not matter whether the SLO was kept: an INVALID run is made again once, a
// noisy one too, and what is so again stands, marked. It is never run more than three times.
func Repeated(runs []result.Verdict) (stands int, again bool) {
	spoken := slices.Clone(runs)
	for i, v := range spoken {
		if v.Outcome != result.Invalid {
			spoken[i].Outcome = result.Pass
		}
	}
	stands, final := Decide(spoken)
	return stands, (!final || onlyNoisy(spoken)) && len(runs) < 1+(mostInvalid-1)+(mostNoisy-1)
}
