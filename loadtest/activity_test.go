package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
	"splitshop/loadtest/stats"
)

func TestActivityOf(t *testing.T) {
	t.Parallel()
	looks := []runner.Activity{{Active: 4, Waiting: 2, Locked: 1, WAL: 1000}, {Active: 8, Waiting: 4, WAL: 1500}}
	want := &result.Activity{Looks: 2, Active: 6, Waiting: 3, Locked: 0.5, WAL: 500}
	if diff := cmp.Diff(want, activityOf(looks)); diff != "" {
		t.Error(diff)
	}
	for _, few := range [][]runner.Activity{nil, looks[:1]} {
		if a := activityOf(few); a != nil {
			t.Errorf("of %d looks: %+v", len(few), a)
		}
	}
	s := &sampler{own: []int{0}, samples: observed()}
	s.samples[1].looks = looks
	var step result.Step
	s.addTo(&step, load.StepRecord{}, &stats.Facts{}, 0)
	if diff := cmp.Diff(want, step.Postgres); diff != "" {
		t.Error("of a step:", diff)
	}
}

// The negative control: where there is no Postgres of ours nothing is claimed of it.
func TestLookerWithoutPostgres(t *testing.T) {
	t.Parallel()
	l := newLooker(t.Context(), runner.Attach("http://127.0.0.1:1"))
	defer l.close()
	if seen := append(l.boundary(), l.boundary()...); len(seen) > 0 {
		t.Errorf("%+v", seen)
	}
}
