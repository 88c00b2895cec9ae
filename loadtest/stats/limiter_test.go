package stats

import (
	"testing"

	"splitshop/loadtest/result"
)

func TestLimiter(t *testing.T) {
	t.Parallel()
	usage := func(name string, cores float64) result.Usage { return result.Usage{Name: name, Cores: &cores} }
	parts := []result.Part{{Name: "monolith", Actual: []int{1}}, {Name: "postgres", Actual: []int{1}}}
	own := []result.Part{{Name: "gateway", Actual: []int{2, 3}}, {Name: "orders", Actual: []int{2, 3}}, {Name: "postgres", Actual: []int{1}}}
	tests := []struct {
		name  string
		parts []result.Part
		used  []result.Usage
		want  string
	}{
		{"shared core", parts, []result.Usage{usage("monolith", 0.5), usage("postgres", 0.46)},
			"core 1: 0.96 of 1 used (monolith 0.50, postgres 0.46)"},
		{"the application's cores", own, []result.Usage{usage("gateway", 0.9), usage("orders", 1.0), usage("postgres", 0.5)},
			"cores 2,3: 1.90 of 2 used (gateway 0.90, orders 1.00)"},
		{"case 21: Postgres's core, not the application's", own, []result.Usage{usage("gateway", 0.4), usage("orders", 0.2), usage("postgres", 0.97)},
			"core 1: 0.97 of 1 used (postgres 0.97)"},
		{"nothing used up", parts, []result.Usage{usage("monolith", 0.2), usage("postgres", 0.1)},
			"no cores were used up; busiest: core 1: 0.30 of 1 used (monolith 0.20, postgres 0.10)"},
		{"not sampled", parts, nil, ""},
		{"a given URL", nil, []result.Usage{usage("generator", 1)}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Limiter(result.Step{Parts: test.used}, test.parts); got != test.want {
				t.Errorf("%q\nwant %q", got, test.want)
			}
		})
	}
}
