package main

import (
	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
)

// stepOf puts what the engine recorded of a step into the document's form.
func stepOf(r load.StepRecord, closedLoop bool) result.Step {
	s := result.Step{
		OfferedPerSecond:  r.Step.Rate,
		Seconds:           r.Seconds,
		Offered:           r.Offered,
		Started:           r.Started,
		Succeeded:         r.Succeeded,
		AchievedPerSecond: float64(r.GoodWithin) / r.Seconds,
		Requests:          r.Requests,
		Completed:         r.Completed,
		RequestsPerSecond: float64(r.CompletedWithin) / r.Seconds,
		Dropped:           result.Dropped(r.Dropped),
		Failed:            r.Requests - r.RequestsSucceeded,
		Failures:          []result.Failure{},
		FromDue:           latencyOf(r.FromDue),
		FromSend:          latencyOf(r.FromSend),
		SuccessesFromDue:  latencyOf(r.SuccessesFromDue),
		SuccessesFromSend: latencyOf(r.SuccessesFromSend),
		InFlightStart:     r.InFlightStart,
		InFlightEnd:       r.InFlightEnd,
		Generator:         result.Generator{Lag: latencyOf(r.Lag), PacerLag: latencyOf(r.PacerLag)},
		Parts:             []result.Usage{},
		Pools:             []result.Pool{},
		Verdict:           result.Verdict{Reasons: []string{}},
		Runs:              1,
	}
	if closedLoop { // nothing was due, so nothing was late
		s.FromDue, s.SuccessesFromDue, s.Generator = nil, nil, result.Generator{}
	}
	for _, f := range r.Failures {
		s.Failures = append(s.Failures, result.Failure{Route: f.Route, Reason: string(f.Reason), Count: f.Count})
	}
	return s
}

func latencyOf(l load.Latency) *result.Latency {
	if l.Count == 0 {
		return nil
	}
	return &result.Latency{Count: l.Count, P50: l.P50, P90: l.P90, P95: l.P95, P99: l.P99, P999: l.P999,
		Max: l.Max, Overflow: l.Overflow}
}
