package stats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
			"cores 2,3: 1.90 of 2 used (gateway 0.90, orders 1.00). Also looked at: core 1: 0.50 of 1 used (postgres 0.50)"},
		{"case 21: Postgres's core, not the application's", own, []result.Usage{usage("gateway", 0.4), usage("orders", 0.2), usage("postgres", 0.97)},
			"core 1: 0.97 of 1 used (postgres 0.97)" +
				". Also looked at: cores 2,3: 0.60 of 2 used (gateway 0.40, orders 0.20)"},
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

func TestLimiterWithQuotas(t *testing.T) {
	t.Parallel()
	used := func(name string, cores float64, throttled *result.Throttled) result.Usage {
		return result.Usage{Name: name, Cores: &cores, Throttled: throttled}
	}
	quota := 0.17
	parts := []result.Part{{Name: "gateway", Actual: []int{1}, Quota: &quota}, {Name: "cart", Actual: []int{1}, Quota: &quota},
		{Name: "postgres", Actual: []int{1}}}
	tests := []struct {
		name string
		used []result.Usage
		want string
	}{
		{"one ran out while the core idled", []result.Usage{used("gateway", 0.17, &result.Throttled{Periods: 150, Throttled: 150, Ms: 8900}),
			used("cart", 0.05, &result.Throttled{Periods: 80, Throttled: 1, Ms: 3}), used("postgres", 0.2, nil)},
			"quota of gateway, 0.17 cores: throttled in 100 % of its periods (150 of 150, 8900 ms). Also looked at: " +
				"quota of cart, 0.17 cores: throttled in 1 % of its periods (1 of 80, 3 ms); " +
				"core 1: 0.42 of 1 used (gateway 0.17, cart 0.05, postgres 0.20)"},
		{"before a core that is used up as well; the most throttled first", []result.Usage{
			used("gateway", 0.17, &result.Throttled{Periods: 100, Throttled: 5, Ms: 90}),
			used("cart", 0.17, &result.Throttled{Periods: 100, Throttled: 40, Ms: 800}), used("postgres", 0.6, nil)},
			"quota of cart, 0.17 cores: throttled in 40 % of its periods (40 of 100, 800 ms); " +
				"quota of gateway, 0.17 cores: throttled in 5 % of its periods (5 of 100, 90 ms). Also looked at: " +
				"core 1: 0.94 of 1 used (gateway 0.17, cart 0.17, postgres 0.60)"},
		{"seldom throttled", []result.Usage{used("gateway", 0.1, &result.Throttled{Periods: 100, Throttled: 4, Ms: 90}), used("postgres", 0.85, nil)},
			"core 1: 0.95 of 1 used (gateway 0.10, postgres 0.85). Also looked at: " +
				"quota of gateway, 0.17 cores: throttled in 4 % of its periods (4 of 100, 90 ms)"},
		{"it never ran", []result.Usage{used("gateway", 0, &result.Throttled{}), used("postgres", 0.85, nil)},
			"core 1: 0.85 of 1 used (gateway 0.00, postgres 0.85). Also looked at: " +
				"quota of gateway, 0.17 cores: throttled in 0 % of its periods (0 of 0, 0 ms)"},
		{"no quota: nothing is said of it", []result.Usage{used("postgres", 0.9, nil)}, "core 1: 0.90 of 1 used (postgres 0.90)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Limiter(result.Step{Parts: test.used}, parts); got != test.want {
				t.Errorf("%q\nwant %q", got, test.want)
			}
		})
	}
}

func TestLimiterWithPools(t *testing.T) {
	t.Parallel()
	parts := []result.Part{{Name: "monolith", Actual: []int{1}}}
	pool := func(name string, wait float64) result.Pool {
		return result.Pool{Part: "monolith", Name: name, Max: 10, Acquires: 1000, EmptyAcquires: 900, WaitMs: wait}
	}
	tests := []struct {
		name  string
		cores float64
		pools []result.Pool
		want  string
	}{
		{"a pool while the core has room", 0.4, []result.Pool{pool("pool", 50_000)},
			"pool of monolith: 5.0 waited for one of 10 connections. Also looked at: core 1: 0.40 of 1 used (monolith 0.40)"},
		{"at the limit", 0.4, []result.Pool{pool("pool", 10_000)},
			"pool of monolith: 1.0 waited for one of 10 connections. Also looked at: core 1: 0.40 of 1 used (monolith 0.40)"},
		{"waiting for a core that is used up is no lack of connections", 0.9, []result.Pool{pool("pool", 50_000)},
			"core 1: 0.90 of 1 used (monolith 0.90). Also looked at: pool of monolith: 5.0 waited for one of 10 connections"},
		{"a little waiting is none", 0.4, []result.Pool{pool("pool", 9_000)},
			"no cores were used up; busiest: core 1: 0.40 of 1 used (monolith 0.40). " +
				"Also looked at: pool of monolith: 0.9 waited for one of 10 connections"},
		{"the worst of several first, then those that had room", 0.4,
			[]result.Pool{pool("pool.cart", 20_000), pool("pool.catalog", 0), pool("pool.orders", 90_000)},
			"pool of monolith orders: 9.0 waited for one of 10 connections; pool of monolith cart: 2.0 waited for one of 10 connections. " +
				"Also looked at: core 1: 0.40 of 1 used (monolith 0.40); pool of monolith catalog: 0.0 waited for one of 10 connections"},
		{"pools not known", 0.9, nil, "core 1: 0.90 of 1 used (monolith 0.90)"},
	}
	for _, test := range tests {
		s := result.Step{Seconds: 10, Pools: test.pools, Parts: []result.Usage{{Name: "monolith", Cores: &test.cores}}}
		if got := Limiter(s, parts); got != test.want {
			t.Errorf("%s: %q\nwant %q", test.name, got, test.want)
		}
	}
}

func TestLimiterWithLocks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		cores, locked float64
		want          string
	}{
		{"a lock, and the pool that is empty for it", 0.4, 6.5, "locks: 6.5 of 8.0 active backends waited for another transaction; " +
			"pool of cart: 2.0 waited for one of 10 connections. Also looked at: core 1: 0.40 of 1 used (postgres 0.40)"},
		{"few waits", 0.4, 0.9, "pool of cart: 2.0 waited for one of 10 connections. Also looked at: core 1: 0.40 of 1 used (postgres 0.40); " +
			"locks: 0.9 of 8.0 active backends waited for another transaction"},
		{"a core that is used up", 0.9, 6.5, "core 1: 0.90 of 1 used (postgres 0.90). Also looked at: " +
			"locks: 6.5 of 8.0 active backends waited for another transaction; pool of cart: 2.0 waited for one of 10 connections"},
	} {
		s := result.Step{Seconds: 10, Parts: []result.Usage{{Name: "postgres", Cores: &test.cores}},
			Pools:    []result.Pool{{Part: "cart", Name: "pool", Max: 10, WaitMs: 20_000}},
			Postgres: &result.Activity{Looks: 9, Active: 8, Waiting: 7, Locked: test.locked}}
		if got := Limiter(s, []result.Part{{Name: "postgres", Actual: []int{1}}}); got != test.want {
			t.Errorf("%s: %q\nwant %q", test.name, got, test.want)
		}
	}
}

// RanOut says the same as Limiter, for programs.
func TestRanOut(t *testing.T) {
	t.Parallel()
	own := []result.Part{{Name: "gateway", Actual: []int{2, 3}}, {Name: "orders", Actual: []int{2, 3}}, {Name: "postgres", Actual: []int{1}}}
	used := func(gateway, orders, postgres float64) result.Step {
		return result.Step{Seconds: 10, Parts: []result.Usage{{Name: "gateway", Cores: &gateway}, {Name: "orders", Cores: &orders},
			{Name: "postgres", Cores: &postgres}, {Name: "generator", Cores: ptr(1.0)}}}
	}
	with := func(s result.Step, locked float64, waits ...float64) result.Step {
		s.Postgres = &result.Activity{Locked: locked}
		for i, w := range waits {
			s.Pools = append(s.Pools, result.Pool{Part: []string{"gateway", "orders"}[i%2], Max: 10, WaitMs: w * 10_000})
		}
		return s
	}
	throttled := func(s result.Step, periods, of int64) result.Step {
		s.Parts[0].Throttled = &result.Throttled{Periods: of, Throttled: periods, Ms: 1}
		return s
	}
	for _, test := range []struct {
		name  string
		step  result.Step
		want  *result.RanOut
		limit string // how Limiter begins
	}{
		{"the application", used(1, 0.8, 0.5), &result.RanOut{What: result.Cores, Parts: []string{"gateway", "orders"}}, "cores 2,3"},
		{"Postgres", used(0.5, 0.5, 0.97), &result.RanOut{What: result.Cores, Parts: []string{"postgres"}}, "core 1"},
		{"both", used(1, 0.8, 0.97), &result.RanOut{What: result.Cores, Parts: []string{"postgres", "gateway", "orders"}}, "core 1"},
		{"nothing", used(0.5, 0.5, 0.5), &result.RanOut{What: result.Nothing, Parts: []string{}}, "no cores"},
		{"locks, and the pools behind them", with(used(0.5, 0.5, 0.5), 2, 3, 3), &result.RanOut{What: result.Locks, Parts: []string{}}, "locks"},
		{"one pool of two", with(used(0.5, 0.5, 0.5), 0, 0.5, 3), &result.RanOut{What: result.Pools, Parts: []string{"orders"}}, "pool of orders"},
		{"a core before locks", with(used(0.5, 0.5, 0.9), 2, 3), &result.RanOut{What: result.Cores, Parts: []string{"postgres"}}, "core 1"},
		{"a quota before a core", throttled(used(1, 0.8, 0.9), 30, 100), &result.RanOut{What: result.Quotas, Parts: []string{"gateway"}},
			"quota of gateway"},
		{"a quota that is seldom short", throttled(used(1, 0.8, 0.9), 4, 100), &result.RanOut{What: result.Cores,
			Parts: []string{"gateway", "orders", "postgres"}}, "cores 2,3"},
		{"not sampled", result.Step{}, nil, ""},
	} {
		if diff := cmp.Diff(test.want, RanOut(test.step, own)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		if l := Limiter(test.step, own); !strings.HasPrefix(l, test.limit) || (l == "") != (test.want == nil) {
			t.Errorf("%s: the limiter is %q", test.name, l)
		}
	}
}
