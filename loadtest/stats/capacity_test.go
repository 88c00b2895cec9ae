package stats

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/result"
)

// ramp judges steps of 5,000 arrivals at 100, 200, ... /s by one letter each: Pass, Fail, Invalid, inSufficient.
func ramp(outcomes string) (steps []result.Step) {
	words := map[rune]result.Outcome{'P': result.Pass, 'F': result.Fail, 'I': result.Invalid, 'S': result.Insufficient}
	for i, o := range outcomes {
		s := step(5000, 5)
		s.OfferedPerSecond = float64(100 * (i + 1))
		s.Verdict = result.Verdict{Outcome: words[o], Reasons: []string{"why"}}
		if o == 'F' {
			s.Verdict.Criterion, s.Limiter = CriterionP99, "core 1"
		}
		steps = append(steps, s)
	}
	return steps
}

func TestCapacity(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, outcomes string
		status         result.CapacityStatus
		low, high      float64 // 0: none
		criterion      string
	}{
		{"found", "PPPFF", result.Found, 300, 400, "p99"},
		{"all passed", "PPP", result.AtLeast, 300, 0, ""},
		{"the first failed", "FFF", result.Below, 0, 100, "p99"},
		{"a pass above a failure", "PPFPF", result.NonMonotonic, 200, 300, "p99"},
		{"a pass above the first failure", "FP", result.NonMonotonic, 0, 100, "p99"},
		{"invalid below the first failure", "PIPF", result.NotValid, 100, 200, "why"},
		{"invalid at once", "IPF", result.NotValid, 0, 100, "why"},
		{"invalid instead of a failure", "PPI", result.NotValid, 200, 300, "why"},
		{"invalid above the first failure does not matter", "PPFI", result.Found, 200, 300, "p99"},
		{"too few arrivals below", "SPPF", result.TooFewArrivals, 0, 100, "why"},
		{"too few arrivals above the first failure", "PFS", result.Found, 100, 200, "p99"},
		{"one step", "P", result.AtLeast, 100, 0, ""},
		{"none", "", result.NotValid, 0, 0, "no step was measured"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			steps := ramp(test.outcomes)
			c := CapacityOf(steps, slo, make([]Facts, len(steps)))
			want := result.Capacity{Status: test.status, Criterion: test.criterion, ByP99: c.ByP99}
			if test.low > 0 {
				want.Low = &test.low
			}
			if test.high > 0 {
				want.High = &test.high
			}
			if test.criterion == CriterionP99 {
				want.Limiter = "core 1"
			}
			if diff := cmp.Diff(want, c); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCapacityByOtherLimits(t *testing.T) {
	t.Parallel()
	var steps []result.Step
	for i, p99 := range []int64{5, 20, 40, 80, 200} {
		s := step(5000, p99)
		s.OfferedPerSecond = float64(100 * (i + 1))
		s.Verdict = Judge(s, slo, Facts{})
		steps = append(steps, s)
	}
	c := CapacityOf(steps, slo, make([]Facts, len(steps)))
	want := []result.CapacityAt{
		{P99Ms: 10, Status: result.Found, Low: ptr(100.0), High: ptr(200.0)},
		{P99Ms: 25, Status: result.Found, Low: ptr(200.0), High: ptr(300.0)},
		{P99Ms: 100, Status: result.Found, Low: ptr(400.0), High: ptr(500.0)},
	}
	if diff := cmp.Diff(want, c.ByP99); diff != "" || *c.Low != 300 {
		t.Errorf("at 50 ms %g: %s", *c.Low, diff)
	}
}

// More drops or failures anywhere never raise a capacity.
func TestWorseNeverRaisesCapacity(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	judged := func(steps []result.Step) float64 {
		for i := range steps {
			steps[i].Verdict = Judge(steps[i], slo, Facts{})
		}
		c := CapacityOf(steps, slo, make([]Facts, len(steps)))
		if c.Low == nil {
			return 0
		}
		return *c.Low
	}
	for range 300 {
		var steps []result.Step
		for i := range 6 {
			s := step(2500+r.Int64N(5000), 5+r.Int64N(60))
			s.OfferedPerSecond = float64(100 * (i + 1))
			s.Dropped.UsersBusy, s.Failed = r.Int64N(4), r.Int64N(4)
			steps = append(steps, s)
		}
		before := judged(steps)
		i := r.IntN(len(steps))
		steps[i].Dropped.UsersBusy += r.Int64N(20)
		steps[i].Failed += r.Int64N(20)
		if after := judged(steps); after > before {
			t.Fatalf("capacity rose from %g to %g by a worse step %d: %+v", before, after, i+1, steps[i])
		}
	}
}
