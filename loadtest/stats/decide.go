package stats

import "splitshop/loadtest/result"

// The runs of a deciding step: three at most, and one more in the place of one that was INVALID.
const (
	mostRuns    = 3
	mostInvalid = 2
)

// Decide says which of a step's runs, in their order, stands for it, and whether that is final. An INVALID run counts for
// nothing: it is made again once, and a second INVALID one is final. Of the others a PASS at the first is final; after a FAIL two
// of three decide, and the last that agrees stands. INSUFFICIENT is final: a further run offers as few arrivals.
func Decide(runs []result.Verdict) (stands int, final bool) {
	last := map[result.Outcome]int{}
	times := map[result.Outcome]int{}
	for i, v := range runs {
		last[v.Outcome] = i
		times[v.Outcome]++
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
	return len(runs) - 1, len(runs) >= mostRuns+mostInvalid-1
}
