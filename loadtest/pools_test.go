package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

func TestPoolsOf(t *testing.T) {
	t.Parallel()
	got := poolsOf(map[string]json.RawMessage{
		"orders":  json.RawMessage(`{"stats":{"pool":{"max":10,"acquires":7,"empty_acquires":3,"acquire_wait_ms":1.5,"idle":2}}}`),
		"cart":    json.RawMessage(`{"stats":{"pool.b":{"max":4},"pool.a":{"max":3},"poolish":{"max":1},"cache":{"max":9}}}`),
		"gateway": json.RawMessage(`{"stats":{}}`),
		"catalog": json.RawMessage(`"hello"`),
	})
	want := []result.Pool{{Part: "cart", Name: "pool.a", Max: 3}, {Part: "cart", Name: "pool.b", Max: 4},
		{Part: "orders", Name: "pool", Max: 10, Acquires: 7, EmptyAcquires: 3, WaitMs: 1.5}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPoolsBetween(t *testing.T) {
	t.Parallel()
	pool := func(part string, acquires, empty int64, wait float64) result.Pool {
		return result.Pool{Part: part, Name: "pool", Max: 10, Acquires: acquires, EmptyAcquires: empty, WaitMs: wait}
	}
	none := []result.Pool{}
	a := []result.Pool{pool("cart", 100, 10, 5), pool("orders", 0, 0, 0)}
	tests := []struct {
		name       string
		a, b, want []result.Pool
	}{
		{"grown", a, []result.Pool{pool("cart", 150, 30, 9), pool("orders", 1, 0, 0)},
			[]result.Pool{pool("cart", 50, 20, 4), pool("orders", 1, 0, 0)}},
		{"idle", a, a, []result.Pool{pool("cart", 0, 0, 0), pool("orders", 0, 0, 0)}},
		{"not asked before", nil, a, none},
		{"not asked after", a, nil, none},
		{"started again", a, []result.Pool{pool("cart", 3, 0, 0), pool("orders", 1, 0, 0)}, none},
		{"another part", a, []result.Pool{pool("cart", 100, 10, 5), pool("catalog", 0, 0, 0)}, none},
		{"no pools", []result.Pool{}, []result.Pool{}, none},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, poolsBetween(tt.a, tt.b)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestSampledPools(t *testing.T) {
	t.Parallel()
	s := &sampler{own: []int{0}, samples: observed()}
	s.samples[0].pools = []result.Pool{{Part: "monolith", Name: "pool", Acquires: 3}}
	s.samples[1].pools = []result.Pool{{Part: "monolith", Name: "pool", Acquires: 5}}
	var step result.Step
	s.addTo(&step, load.StepRecord{}, &stats.Facts{}, 0)
	if len(step.Pools) != 1 || step.Pools[0].Acquires != 2 {
		t.Errorf("%+v", step.Pools)
	}
}
