package stats

import (
	"testing"

	"splitshop/loadtest/result"
)

func TestSummarize(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		values []float64
		want   Summary
	}{
		{"none", nil, Summary{}},
		{"one", []float64{5}, Summary{5, 5, 5, 1}},
		{"odd", []float64{9, 1, 5}, Summary{5, 1, 9, 3}},
		{"even", []float64{9, 1, 5, 7}, Summary{6, 1, 9, 4}},
	} {
		if got := Summarize(test.values); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

func TestCapacityRatio(t *testing.T) {
	t.Parallel()
	found := func(low, high float64) *result.Capacity {
		return &result.Capacity{Status: result.Found, Low: &low, High: &high}
	}
	if r, ok := CapacityRatio(found(400, 500), found(100, 200)); !ok || r != (Ratio{4, 2, 5}) {
		t.Errorf("%+v, %v", r, ok)
	}
	for name, c := range map[string]*result.Capacity{
		"none": nil, "at least": {Status: result.AtLeast, Low: ptr(1.0)}, "below": {Status: result.Below, High: ptr(1.0)},
		"invalid": {Status: result.NotValid, Low: ptr(1.0), High: ptr(2.0)},
	} {
		if _, ok := CapacityRatio(found(4, 5), c); ok {
			t.Errorf("%s: a ratio", name)
		}
		if _, ok := CapacityRatio(c, found(4, 5)); ok {
			t.Errorf("%s: a ratio the other way round", name)
		}
	}
}

func TestGrade(t *testing.T) {
	t.Parallel()
	quietRun := func() result.Result {
		return result.Result{Cores: &result.CorePlan{Generator: []int{0}, Postgres: []int{1}, App: []int{2, 3}},
			Designs: []result.Design{{Steps: []result.Step{{}},
				Preflight: &result.Preflight{Background: ptr(0.05), Steal: ptr(0.1), Busy: ptr(0.1)}}}}
	}
	for _, test := range []struct {
		name   string
		change func(*result.Result)
		want   string
	}{
		{"each its own cores, quiet", func(*result.Result) {}, Baseline},
		{"shared cores", func(r *result.Result) { r.Cores.Postgres = []int{3} }, Structure},
		{"cores that nobody planned", func(r *result.Result) { r.Cores = nil }, Structure},
		{"busy before", func(r *result.Result) { r.Designs[0].Preflight.Busy = ptr(0.11) }, Structure},
		{"not known how busy", func(r *result.Result) { r.Designs[0].Preflight.Busy = nil }, Structure},
		{"no pre-flight", func(r *result.Result) { r.Designs[0].Preflight = nil }, Structure},
		{"one of two without", func(r *result.Result) { r.Designs = append(r.Designs, result.Design{}) }, Structure},
		{"others before", func(r *result.Result) { r.Designs[0].Preflight.Background = ptr(0.06) }, Structure},
		{"stolen before", func(r *result.Result) { r.Designs[0].Preflight.Steal = ptr(0.11) }, Structure},
		{"what the load average says does not matter", func(r *result.Result) { r.Machine.Load1 = ptr(9.0) }, Baseline},
		{"noisy", func(r *result.Result) { r.Designs[0].Steps[0].Verdict.Noisy = true }, Structure},
	} {
		r := quietRun()
		test.change(&r)
		if got, why := Grade(r); got != test.want || (got == Structure) != (len(why) == 1) {
			t.Errorf("%s: %s, %q", test.name, got, why)
		}
	}
}
