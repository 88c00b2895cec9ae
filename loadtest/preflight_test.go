// The tests pin processes.
//go:build linux

package main

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/result"
	"splitshop/loadtest/runner"
)

func TestPreflightOf(t *testing.T) {
	t.Parallel()
	ptr := func(v float64) *float64 { return &v }
	u := runner.Usage{Elapsed: 3 * time.Second, Background: 0.25, Steal: 0.5,
		Cores: []runner.CoreUsage{{Core: 0, Busy: 1}, {Core: 1, Busy: 0.25}, {Core: 2, Busy: 0}, {Core: 4, Busy: 0.5}}}
	tests := []struct {
		name string
		plan runner.Cores
		busy *float64
	}{
		{"the operating system's core does not count", runner.Cores{Generator: []int{1}, Postgres: []int{2}, App: []int{4}}, ptr(0.25)},
		{"a core that parts share counts once", runner.Cores{Generator: []int{2}, Postgres: []int{4}, App: []int{4}}, ptr(0.25)},
		{"no plan", runner.Cores{}, ptr(0.4375)},
		{"cores that cannot be seen", runner.Cores{App: []int{9}}, nil},
	}
	for _, tt := range tests {
		want := &result.Preflight{Seconds: 3, Background: ptr(0.25), Steal: ptr(0.5), Busy: tt.busy}
		if diff := cmp.Diff(want, preflightOf(u, tt.plan)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestPreflightSeesOthers(t *testing.T) {
	tr := watched(t)
	tr.flags.Scale = "quick"
	spin(t)
	p, err := tr.preflight(t.Context(), "test", tr.running)
	if err != nil || p.Seconds < 3 || value(p.Background) < 0.05 || p.Busy == nil {
		t.Errorf("%+v, %v", p, err)
	}
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := tr.preflight(cut, "test", tr.running); p != nil || err != nil {
		t.Errorf("interrupted: %+v, %v", p, err)
	}
	tr.flags.URL = "http://127.0.0.1:1"
	if p, err := tr.preflight(t.Context(), "test", tr.running); p != nil || err != nil {
		t.Errorf("a given URL: %+v, %v", p, err)
	}
}
