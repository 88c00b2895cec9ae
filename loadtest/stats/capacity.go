package stats

import (
	"slices"

	"splitshop/loadtest/result"
)

// OtherP99s are the limits of p99, in ms, for which a ramp's capacity is given besides its SLO's.
var OtherP99s = []float64{10, 25, 100}

// CapacityOf reads a capacity off a ramp's judged steps, which are in the order of rising rates.
func CapacityOf(steps []result.Step, slo result.SLO, facts []Facts) result.Capacity {
	verdicts := make([]result.Verdict, len(steps))
	for i, s := range steps {
		verdicts[i] = s.Verdict
	}
	c := capacity(steps, verdicts)
	for _, limit := range OtherP99s {
		other := slo
		other.P99Ms = limit
		for i, s := range steps {
			if s.Verdict.Outcome != result.Invalid { // whatever the limit
				verdicts[i] = Judge(s, other, facts[i])
			}
		}
		at := capacity(steps, verdicts)
		c.ByP99 = append(c.ByP99, result.CapacityAt{P99Ms: limit, Status: at.Status, Low: at.Low, High: at.High})
	}
	return c
}

// capacity applies the rule: the highest rate such that it and every lower step passes.
func capacity(steps []result.Step, verdicts []result.Verdict) (c result.Capacity) {
	passed := func(v result.Verdict) bool { return v.Outcome == result.Pass }
	first := slices.IndexFunc(verdicts, func(v result.Verdict) bool { return !passed(v) })
	if first < 0 {
		if len(steps) == 0 {
			return result.Capacity{Status: result.NotValid, Criterion: "no step was measured"}
		}
		c.Status, c.Low = result.AtLeast, rate(steps[len(steps)-1])
		return c
	}
	if first > 0 {
		c.Low = rate(steps[first-1])
	}
	v := verdicts[first]
	c.High, c.Criterion, c.Limiter = rate(steps[first]), v.Criterion, steps[first].Limiter
	switch {
	case v.Outcome != result.Fail:
		c.Status, c.Criterion = unjudged(v)
	case slices.ContainsFunc(verdicts[first:], passed):
		c.Status = result.NonMonotonic
	case first == 0:
		c.Status = result.Below
	default:
		c.Status = result.Found
	}
	return c
}

// unjudged is the status of a capacity where a step that decides neither passed nor failed, and what kept it from that.
func unjudged(v result.Verdict) (status result.CapacityStatus, why string) {
	status, why = result.NotValid, v.Criterion
	if v.Outcome == result.Insufficient {
		status = result.TooFewArrivals
	}
	if len(v.Reasons) > 0 {
		why = v.Reasons[0]
	}
	return status, why
}

func rate(s result.Step) *float64 {
	r := s.OfferedPerSecond
	return &r
}
