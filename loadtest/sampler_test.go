package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/runner/cgroup"
	"splitshop/loadtest/stats"
)

// observed is two observations, four seconds apart, of a monolith on core 1 and this process on core 0.
func observed() []observation {
	sample := func(at time.Duration, monolith, generator, others, busy0, softirq0, busy1 time.Duration) runner.Sample {
		return runner.Sample{At: time.Unix(0, 0).Add(at), Others: others,
			Parts: []runner.PartSample{
				{Name: "monolith", PID: 7, CPU: monolith, RSS: 100 << 20, Peak: 120 << 20, Cores: []int{1}},
				{Name: "generator", PID: 8, CPU: generator, RSS: 50 << 20, RunQueueWait: &others, Cores: []int{0}},
			},
			Cores: []runner.CoreTime{
				{Core: 0, Busy: busy0, SoftIRQ: softirq0, Idle: at - busy0},
				{Core: 1, Busy: busy1, Idle: at - busy1},
			}}
	}
	return []observation{
		{sample: sample(0, 0, 0, 0, 0, 0, 0)},
		{sample: sample(4*time.Second, 2*time.Second, time.Second, 400*time.Millisecond, 1200*time.Millisecond, 200*time.Millisecond,
			2200*time.Millisecond)},
	}
}

func TestSampledStep(t *testing.T) {
	t.Parallel()
	s := &sampler{own: []int{0}, softIRQ: runner.SoftIRQOfWhich, samples: observed()}
	step, facts := result.Step{}, stats.Facts{}
	s.addTo(&step, load.StepRecord{CompletedWithin: 1000}, &facts, 0)
	ptr := func(v float64) *float64 { return &v }
	size := func(v int64) *int64 { return &v }
	want := result.Step{
		Generator: result.Generator{CoreBusy: ptr(0.3), Taken: ptr(0.05), RunWait: ptr(0.1)},
		Parts: []result.Usage{
			{Name: "monolith", Cores: ptr(0.5), CPUMs: ptr(2), RSS: size(100 << 20)},
			{Name: "generator", Cores: ptr(0.25), CPUMs: ptr(1), RSS: size(50 << 20), RunWait: ptr(0.1)},
		},
		Pools:   []result.Pool{},
		Machine: &result.Busy{Cores: []*float64{ptr(0.3), ptr(0.55)}, SoftIRQ: []*float64{ptr(0.2), ptr(0)}, Background: ptr(0.1), Steal: ptr(0)},
	}
	near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
	if diff := cmp.Diff(want, step, near); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(stats.Facts{}, facts); diff != "" {
		t.Error(diff)
	}
	if said := s.said(); len(said) != 0 {
		t.Errorf("warnings %q", said)
	}
	d := &result.Design{Parts: []result.Part{{Name: "monolith"}, {Name: "orders"}}, Generator: &result.Part{Name: "generator"}}
	parts := d.Parts
	s.samples[0].sample.Parts[0].RSS = 110 << 20
	if s.peaks(d); parts[0].RSSPeak == nil || *parts[0].RSSPeak != 120<<20 || parts[1].RSSPeak != nil || *d.Generator.RSSPeak != 50<<20 {
		t.Errorf("peaks %+v", parts)
	}
	s.samples[0].sample.Parts[0].RSS = 130 << 20 // of several processes there is no mark, only what was seen
	if s.peaks(d); *parts[0].RSSPeak != 130<<20 {
		t.Errorf("peak %d", *parts[0].RSSPeak)
	}
}

// The negative control of a core's figures: what does not add up is not given.
func TestSampledCoresThatDoNotAddUp(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		softIRQ runner.SoftIRQ
		change  func(*runner.Sample)
		known   []bool
		busy    float64 // of the generator's core
		taken   bool
		says    string // the warning
	}{
		{"as counted", runner.SoftIRQOfWhich, func(*runner.Sample) {}, []bool{true, true}, 0.3, true, ""},
		{"core 1 was busier than its parts and all others", runner.SoftIRQOfWhich, func(s *runner.Sample) {
			s.Cores[1].Busy, s.Cores[1].Idle, s.Cores[0].Busy, s.Cores[0].Idle = 2540*time.Millisecond, 1460*time.Millisecond, time.Second, 3*time.Second
		}, []bool{true, false}, 0.25, true, "counters: the CPU of core 1 does not add up at 851/s: busy for 2.54 s of 4.00 s, " +
			"while its parts used 2.00 s and others at most 0.40 s. Its figures are n/a"},
		{"the generator used more than its core was busy: the higher counts", runner.SoftIRQOfWhich, func(s *runner.Sample) {
			s.Parts[1].CPU, s.Others = 1600*time.Millisecond, 100*time.Millisecond
		}, []bool{false, false}, 0.4, false, "the CPU of core 0 does not add up"},
		{"a part that was started again", runner.SoftIRQOfWhich, func(s *runner.Sample) { s.Parts[0].PID = 99 }, []bool{true, false}, 0.3, true,
			"what a part used is not known"},
		{"softirq that nobody was charged for", runner.SoftIRQBeside, func(s *runner.Sample) {
			s.Parts[1].CPU -= 200 * time.Millisecond
		}, []bool{true, true}, 0.3, true, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := &sampler{own: []int{0}, softIRQ: test.softIRQ, samples: observed()}
			test.change(&s.samples[1].sample)
			step, facts := result.Step{OfferedPerSecond: 851}, stats.Facts{}
			s.addTo(&step, load.StepRecord{}, &facts, 0)
			for i, known := range test.known {
				if m := step.Machine; (m.Cores[i] != nil) != known || (m.SoftIRQ[i] != nil) != known {
					t.Errorf("core %d: busy %v, softirq %v, want known: %t", i, m.Cores[i], m.SoftIRQ[i], known)
				}
			}
			if g := step.Generator; g.CoreBusy == nil || *g.CoreBusy-test.busy > 1e-9 || test.busy-*g.CoreBusy > 1e-9 || (g.Taken != nil) != test.taken {
				t.Errorf("the generator's core: busy %v, taken %v", value(g.CoreBusy), g.Taken)
			}
			if said := strings.Join(s.said(), "\n"); (said == "") != (test.says == "") || !strings.Contains(said, test.says) {
				t.Errorf("it warns %q, want %q", said, test.says)
			}
		})
	}
}

func TestSampledThrottling(t *testing.T) {
	t.Parallel()
	s := &sampler{softIRQ: runner.SoftIRQOfWhich, samples: observed()}
	quota := 0.5
	for i, throttling := range []cgroup.Throttling{{Periods: 100, Throttled: 10, Time: time.Second}, {Periods: 140, Throttled: 45, Time: 3 * time.Second}} {
		p := &s.samples[i].sample.Parts[0]
		p.Quota, p.Throttling = &quota, &throttling
	}
	step, facts := result.Step{}, stats.Facts{}
	s.addTo(&step, load.StepRecord{}, &facts, 0)
	if diff := cmp.Diff(&result.Throttled{Periods: 40, Throttled: 35, Ms: 2000}, step.Parts[0].Throttled); diff != "" {
		t.Error(diff)
	}
	if step.Parts[1].Throttled != nil {
		t.Error("a part without a quota was throttled")
	}
}

func TestGOMAXPROCS(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		page any
		want int // 0: not known
	}{
		{map[string]any{"gomaxprocs": 2.0}, 2}, {map[string]any{"gomaxprocs": "2"}, 0}, {map[string]any{"gomaxprocs": 0.0}, 0},
		{map[string]any{}, 0}, {nil, 0},
	} {
		if got := goMaxProcs(test.page); (got != nil) != (test.want > 0) || got != nil && *got != test.want {
			t.Errorf("%v: %v", test.page, got)
		}
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
