package stats

import (
	"math"

	"splitshop/loadtest/result"
)

// Search looks for a capacity one step at a time: a geometric climb to the first failure, a bisection between it and the
// last pass, and a longer run that confirms what was found.
type Search struct {
	From   float64 // iterations/s of the first step, above 0
	Factor float64 // from one step of the climb to the next, above 1
	Max    float64 // iterations/s that the climb does not go beyond, at least From
	Width  float64 // the search ends where the first failure is at most this share above the last pass; above 0
}

// Trial is what to run: a step at a rate, or the longer run that confirms one.
type Trial struct {
	Rate float64 // iterations/s
	Long bool
}

// Tried is one run of a trial.
type Tried struct {
	Trial
	Verdict result.Verdict
}

// Next says what to run after all the runs so far, or, if done, what was found; until then found is what is known so far, of
// status NotValid. Each trial is run until Decide is sure of it, and a noisy one once more. A longer run that fails takes the
// search down by Width; the capacity is non-monotonic where shorter steps above a longer one's failure had passed.
func (s Search) Next(runs []Tried) (next Trial, found result.Capacity, done bool) {
	passed, failed := 0.0, 0.0
	for at := (Trial{Rate: s.From}); ; at.Rate = s.after(passed, failed) {
		v, final := decided(runs, at)
		switch {
		case !final:
			return at, soFar(passed, failed), false
		case v.Outcome == result.Pass:
			passed = at.Rate
		case v.Outcome == result.Fail:
			failed, found.Criterion = at.Rate, v.Criterion
		default:
			return at, unknown(passed, at.Rate, v), true
		}
		if failed == 0 && passed >= s.Max || failed > 0 && failed <= max(passed*(1+s.Width), s.From) {
			break
		}
	}
	for at := (Trial{Rate: passed, Long: true}); at.Rate >= s.From; at.Rate /= 1 + s.Width {
		v, final := decided(runs, at)
		switch {
		case !final:
			return at, soFar(passed, failed), false
		case v.Outcome == result.Pass:
			return at, bracketOf(at.Rate, failed, passed > failed && failed > 0, found.Criterion), true
		case v.Outcome == result.Fail:
			failed, found.Criterion = at.Rate, v.Criterion
		default:
			return at, unknown(0, at.Rate, v), true
		}
	}
	return Trial{}, bracketOf(0, failed, passed > failed, found.Criterion), true
}

// after is the rate that follows: further up, or the geometric middle of the bracket.
func (s Search) after(passed, failed float64) float64 {
	if failed == 0 {
		return min(passed*s.Factor, s.Max)
	}
	return math.Sqrt(passed * failed)
}

// decided returns the verdict that stands for a trial, and whether it is final.
func decided(runs []Tried, at Trial) (result.Verdict, bool) {
	var verdicts []result.Verdict
	for _, r := range runs {
		if r.Trial == at {
			verdicts = append(verdicts, r.Verdict)
		}
	}
	if len(verdicts) == 0 {
		return result.Verdict{}, false
	}
	stands, final := Decide(verdicts)
	return verdicts[stands], final && !onlyNoisy(verdicts)
}

// soFar is what is known of a capacity whose search has not ended. Where a longer run failed below the last pass, that is not one.
func soFar(passed, failed float64) result.Capacity {
	if failed > 0 && failed <= passed {
		passed = 0
	}
	return result.Capacity{Status: result.NotValid, Low: known(passed), High: known(failed), Criterion: "the search has not ended"}
}

// bracketOf is the capacity between two rates, of which 0 is none.
func bracketOf(low, high float64, above bool, criterion string) result.Capacity {
	c := result.Capacity{Low: known(low), High: known(high), Criterion: criterion}
	c.Status = statusOf(c.Low, c.High, above)
	return c
}

// statusOf says what the bracket of a search's result means; above says that something above it had passed.
func statusOf(low, high *float64, above bool) result.CapacityStatus {
	switch {
	case low == nil && high == nil:
		return result.NotValid
	case above:
		return result.NonMonotonic
	case high == nil:
		return result.AtLeast
	case low == nil:
		return result.Below
	}
	return result.Found
}

// unknown is the capacity where the step at a rate could not be judged.
func unknown(low, high float64, v result.Verdict) result.Capacity {
	status, why := unjudged(v)
	return result.Capacity{Status: status, Low: known(low), High: known(high), Criterion: why}
}

func known(rate float64) *float64 {
	if rate == 0 {
		return nil
	}
	return &rate
}
