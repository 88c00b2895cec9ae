package main

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/stats"
)

// observed is two observations, four seconds apart, of a monolith on core 1 and this process on core 0.
func observed() []observation {
	sample := func(at time.Duration, monolith, generator, others, busy0, softirq0, busy1 time.Duration) runner.Sample {
		return runner.Sample{At: time.Unix(0, 0).Add(at), Others: others,
			Parts: []runner.PartSample{
				{Name: "monolith", PID: 7, CPU: monolith, RSS: 100 << 20},
				{Name: "generator", PID: 8, CPU: generator, RSS: 50 << 20, RunQueueWait: &others},
			},
			Cores: []runner.CoreTime{
				{Core: 0, Busy: busy0, SoftIRQ: softirq0, Idle: at - busy0},
				{Core: 1, Busy: busy1, Idle: at - busy1},
			}}
	}
	return []observation{
		{sample: sample(0, 0, 0, 0, 0, 0, 0)},
		{sample: sample(4*time.Second, 2*time.Second, time.Second, 400*time.Millisecond, 2*time.Second, 200*time.Millisecond, 3*time.Second)},
	}
}

func TestSampledStep(t *testing.T) {
	t.Parallel()
	s := &sampler{own: []int{0}, samples: observed()}
	step, facts := result.Step{}, stats.Facts{}
	s.addTo(&step, load.StepRecord{CompletedWithin: 1000}, &facts, 0)
	ptr := func(v float64) *float64 { return &v }
	size := func(v int64) *int64 { return &v }
	want := result.Step{
		Generator: result.Generator{CoreBusy: ptr(0.5), Taken: ptr(0.2), RunWait: ptr(0.1)},
		Parts: []result.Usage{
			{Name: "monolith", Cores: ptr(0.5), CPUMs: ptr(2), RSS: size(100 << 20)},
			{Name: "generator", Cores: ptr(0.25), CPUMs: ptr(1), RSS: size(50 << 20), RunWait: ptr(0.1)},
		},
		Pools:   []result.Pool{},
		Machine: &result.Busy{Cores: []float64{0.5, 0.75}, Background: ptr(0.1), Steal: ptr(0)},
	}
	near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
	if diff := cmp.Diff(want, step, near); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(stats.Facts{}, facts); diff != "" {
		t.Error(diff)
	}
}

func TestSampledStepThatIsNotWhatWasPlanned(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*observation)
		record load.StepRecord
		check  func(result.Step, stats.Facts) bool
	}{
		{"a part died", func(o *observation) { o.died = errors.New("orders ended") }, load.StepRecord{},
			func(_ result.Step, f stats.Facts) bool { return len(f.Died) == 1 }},
		{"a pin was missed", func(o *observation) { o.pins = errors.New("cart on core 0") }, load.StepRecord{},
			func(_ result.Step, f stats.Facts) bool { return len(f.PinsMissed) == 1 }},
		{"one request was not good", func(*observation) {}, load.StepRecord{CompletedWithin: 1000, Non2xxWithin: 1},
			func(s result.Step, _ stats.Facts) bool { return s.Parts[0].CPUMs == nil && s.Parts[0].Cores != nil }},
		{"nothing was answered", func(*observation) {}, load.StepRecord{},
			func(s result.Step, _ stats.Facts) bool { return s.Parts[0].CPUMs == nil }},
		{"counters could not be read", func(o *observation) { o.err = errors.New("no /proc") }, load.StepRecord{CompletedWithin: 1},
			func(s result.Step, _ stats.Facts) bool { return s.Machine == nil && len(s.Parts) == 0 }},
		{"a part was started again", func(o *observation) { o.sample.Parts[0].PID = 99 }, load.StepRecord{CompletedWithin: 1},
			func(s result.Step, _ stats.Facts) bool { return s.Parts[0].Cores == nil && s.Parts[1].Cores != nil }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &sampler{own: []int{0}, samples: observed()}
			test.change(&s.samples[1])
			step, facts := result.Step{}, stats.Facts{}
			s.addTo(&step, test.record, &facts, 0)
			if !test.check(step, facts) {
				t.Errorf("%+v, %+v", step, facts)
			}
		})
	}
}
