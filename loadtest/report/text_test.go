package report

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

var update = flag.Bool("update", false, "write the golden files")

func ptr[T any](v T) *T { return &v }

func latency(p50us int64) *result.Latency {
	return &result.Latency{Count: 4000, P50: p50us, P90: 2 * p50us, P95: 3 * p50us, P99: 5 * p50us, P999: 8 * p50us, Max: 9 * p50us}
}

// step is one at a rate whose p50 from due is so many us.
func step(rate float64, p50us int64) result.Step {
	n := int64(rate * 4)
	return result.Step{OfferedPerSecond: rate, Seconds: 4, Offered: n, Started: n, Succeeded: n, AchievedPerSecond: rate - 0.25,
		Requests: n, Completed: n, RequestsPerSecond: rate * 1.05, Failures: []result.Failure{}, FromDue: latency(p50us),
		FromSend: latency(p50us - p50us/5), Generator: result.Generator{Lag: latency(60), CoreBusy: ptr(0.4)},
		Machine: &result.Busy{Cores: []*float64{ptr(0.4), ptr(0.9)}, Background: ptr(0.01), Steal: ptr(0.02)}}
}

// uses gives a step's parts their shares of a core and CPU-ms per request.
func uses(s result.Step, parts []result.Part, cores, cpu float64) result.Step {
	for i, p := range parts {
		f := float64(i + 1)
		s.Parts = append(s.Parts, result.Usage{Name: p.Name, Cores: ptr(cores / f), CPUMs: ptr(cpu / f), RSS: ptr(int64(60<<20) * int64(i+1))})
	}
	return s
}

func parts(names ...string) (all []result.Part) {
	for i, n := range names {
		all = append(all, result.Part{Name: n, Processes: 1, Planned: []int{1}, Actual: []int{1}})
		if n != "postgres" {
			all[i].PSS = ptr(int64(20<<20) * int64(i+1))
		}
	}
	return all
}

func document(mode string) result.Result {
	r := result.Result{Schema: result.Schema, Command: []string{"loadtest", mode}, Mode: mode, Scale: "quick",
		SLO:     result.SLO{P99Ms: 50, Failures: 0.001, Dropped: 0.001},
		Build:   result.Build{Revision: "0123456789abcdef0123", Modified: true, Go: "go1.26.8"},
		Machine: result.Machine{OS: "linux/amd64", Kernel: "6.12.1", CPU: "Example 3000", Cores: 2, Load1: ptr(0.1)},
		Cores:   &result.CorePlan{Generator: []int{0}, Postgres: []int{1}, App: []int{1}},
		Plan: result.Plan{Mix: "mix", Weights: []int{16, 3, 1}, RequestsPerIteration: 1.05, Arrivals: "uniform", Seed: 1, Users: 1024,
			Repeats: 1},
		Warnings: []string{}, Smoke: 1}
	return r
}

// judged completes a document as the commands do.
func judged(r result.Result) result.Result {
	for i := range r.Designs {
		d := &r.Designs[i]
		facts := make([]stats.Facts, len(d.Steps))
		for k := range d.Steps {
			facts[k].ClosedLoop = r.ClosedLoop()
			facts[k].Cut = r.Interrupted && i == len(r.Designs)-1 && k == len(d.Steps)-1
			s := &d.Steps[k]
			s.Verdict = stats.Judge(*s, r.SLO, facts[k])
			if s.Verdict.Outcome == result.Fail || r.ClosedLoop() {
				s.Limiter, s.RanOut = stats.Limiter(*s, d.Parts), stats.RanOut(*s, d.Parts)
			}
		}
		if r.Mode == result.ModeRamp {
			c := stats.CapacityOf(d.Steps, r.SLO, facts)
			d.Capacity = &c
		}
	}
	r.Comparisons = stats.Comparisons(r)
	return r
}

func twoDesigns() result.Result {
	r := document("ramp")
	base := 4000.0
	r.Plan.Base, r.Plan.BaseFrom = &base, "closed loop of 16 users on mono"
	mono, micro := parts("monolith", "postgres"), parts("gateway", "catalog", "cart", "orders", "postgres")
	a := result.Design{Name: "mono", Repeat: 1, Scheduling: "SCHED_RR", Parts: mono,
		Preflight: &result.Preflight{Seconds: 3.002, Background: ptr(0.012), Steal: ptr(0.3), Busy: ptr(0.04)}}
	b := result.Design{Name: "micro", Repeat: 1, Scheduling: "SCHED_RR", Parts: micro}
	for i, rate := range []float64{800, 2100, 3400, 4700, 6000} {
		r.Plan.Steps = append(r.Plan.Steps, result.PlanStep{PerSecond: rate, Seconds: max(3, 4750/rate)})
		a.Steps = append(a.Steps, uses(step(rate, int64(400*(i+1)*(i+1))), mono, 0.2*float64(i+1), 0.2))
		b.Steps = append(b.Steps, uses(step(rate, int64(900*(i+1)*(i+1)*(i+1)*(i+1))), micro, 0.5*float64(i+1), 0.3))
	}
	pool := func(part, name string, acquires, empty int64) result.Pool {
		return result.Pool{Part: part, Name: name, Max: 10, Acquires: acquires, EmptyAcquires: empty, WaitMs: 20 * float64(empty)}
	}
	for i := range a.Steps {
		n := int64(i)
		a.Steps[i].Pools = []result.Pool{pool("monolith", "pool.cart", 0, 0), pool("monolith", "pool.catalog", 9000*n, 0)}
		a.Steps[i].Postgres = &result.Activity{Looks: 5, Active: 0.3 * float64(i), Waiting: 0.1, WAL: 3 << 20}
		b.Steps[i].Pools = []result.Pool{pool("cart", "pool", 2346, 486*n)}
	}
	b.Steps[4].Postgres = &result.Activity{Looks: 5, Active: 6, Waiting: 4, Locked: 2.5, WAL: 9 << 20}
	a.Steps[2].Pools = nil
	a.Steps[4].Dropped.UsersBusy, a.Steps[4].FromDue = 7000, latency(500_000)
	b.Steps[4].Failed, b.Steps[4].Failures = 3, []result.Failure{{Route: "POST /orders", Reason: "status 503", Count: 3}}
	b.Steps[4].Parts[0].CPUMs = nil
	r.Designs = []result.Design{a, b}
	return judged(r)
}

// withQuotas holds the parts of the second design to quotas, of which the gateway's runs out, and tells of softirq.
func withQuotas(r result.Result) result.Result {
	r.Machine.SoftIRQ = ptr("of which")
	for i := range r.Designs {
		d := &r.Designs[i]
		d.Generator = &result.Part{Name: "generator", Processes: 1, Actual: []int{0}, GOMAXPROCS: ptr(2), RSSIdle: ptr(int64(30 << 20)),
			RSSPeak: ptr(int64(52 << 20))}
		for k := range d.Parts {
			p := &d.Parts[k]
			p.RSSIdle, p.RSSPeak = ptr(int64(10<<20)*int64(k+1)), ptr(int64(64<<20)*int64(k+1))
			if p.Name != "postgres" {
				p.GOMAXPROCS = ptr(2)
			}
			if d.Name == "micro" && p.Name != "postgres" {
				p.QuotaPlanned, p.Quota = ptr(0.17), ptr(0.17)
			}
		}
		for n := range d.Steps {
			s := &d.Steps[n]
			s.Machine.SoftIRQ = []*float64{ptr(0.2 * float64(n+1)), ptr(0.31 * float64(n+1))}
			for u := range s.Parts {
				if d.Name == "micro" && s.Parts[u].Name != "postgres" {
					s.Parts[u].Throttled = &result.Throttled{Periods: 40, Throttled: int64(10 * n / (u + 1)), Ms: float64(620*n) / float64(u+1)}
				}
			}
		}
	}
	r.Designs[0].Steps[2].Machine.Cores[1], r.Designs[0].Steps[2].Machine.SoftIRQ[1] = nil, nil
	return r
}

func documents() map[string]result.Result {
	invalid := twoDesigns()
	invalid.Designs[0].Steps[1].Dropped.Generator = 2
	invalid.Designs[0].Steps[3].Generator.Lag.P99 = 7000
	invalid.Designs[0].Scheduling = "SCHED_OTHER (SCHED_RR refused: operation not permitted)"
	invalid.Designs[1].Steps[0].Offered = 2000
	invalid.Designs[1].Steps[2].Machine.Background = ptr(0.4)
	invalid.Designs[1].Warnings = []string{"stopping: orders exited with 1"}

	cut := twoDesigns()
	cut.Interrupted = true
	cut.Designs[1].Steps = cut.Designs[1].Steps[:2]
	cut.Designs[1].Steps[1].Seconds = 1.2

	url := document("ramp")
	url.Cores, url.Plan.BaseFrom, url.Plan.Base = nil, "given", ptr(100.0)
	url.Plan.Steps = []result.PlanStep{{PerSecond: 95.5, Seconds: 50}}
	url.Designs = []result.Design{{Name: "http://127.0.0.1:8080", Repeat: 1, Scheduling: "SCHED_RR", Steps: []result.Step{step(1200, 400)}}}
	url.Require = &result.Requirement{PerSecond: 5000, Missed: []string{"http://127.0.0.1:8080 (1)"}}

	undecided := closedLoops(document("closed"), "mono", "micro", "micro", "mono")
	undecided.Plan.Repeats, undecided.Plan.Steps = 2, []result.PlanStep{{Seconds: 5}}

	fixed := document(result.ModeFixed)
	fixed.Plan.Repeats, fixed.Plan.Steps = 2, []result.PlanStep{{PerSecond: 2000, Seconds: 15}}
	for i, d := range undecided.Designs {
		s := uses(step(2000, int64(800*len(d.Parts)*(i+1))), d.Parts, 0.4, 0.2)
		if i == 2 {
			s.Dropped.UsersBusy = 900
		}
		fixed.Designs = append(fixed.Designs, result.Design{Name: d.Name, Repeat: d.Repeat, Parts: d.Parts, Steps: []result.Step{s}})
	}

	empty := document("ramp")
	empty.Warnings = []string{"preparing mono: POST /carts answered 503"}
	return map[string]result.Result{"two-designs": twoDesigns(), "invalid": judged(invalid), "interrupted": judged(cut),
		"url": judged(url), "closed": judged(undecided), "quotas": judged(withQuotas(twoDesigns())), "nothing": empty, "fixed": judged(fixed), "search": searchedTwice(),
		"compare": judged(decided()), "tie": judged(tied())}
}

// closedLoops fills a document with a closed loop of each design, in this order.
func closedLoops(r result.Result, names ...string) result.Result {
	r.Plan.Users, r.Plan.Arrivals = 16, "closed loop"
	for i, name := range names {
		p := parts("monolith", "postgres")
		if name == "micro" {
			p = parts("gateway", "catalog", "cart", "orders", "postgres")
		}
		s := uses(step(6000-900*float64(len(p))+float64(100*i), 500*int64(len(p))), p, 0.6, 0.2)
		s.FromDue, s.Generator.Lag, s.Runs = nil, nil, 1
		n := 1
		for _, d := range r.Designs {
			if d.Name == name {
				n++
			}
		}
		r.Designs = append(r.Designs, result.Design{Name: name, Repeat: n, Parts: p, Steps: []result.Step{s}})
	}
	return r
}

// decided has the monolith ahead, a noisy repeat that was run again, and one that was so again.
func decided() result.Result {
	r := document("compare")
	r.Scale, r.Plan.Repeats, r.Plan.Steps = "standard", 6, []result.PlanStep{{Seconds: 15}}
	r = closedLoops(r, "mono", "micro", "micro", "mono", "mono", "micro", "micro", "mono", "mono", "micro", "micro", "mono")
	r.Designs[5].Steps[0].Runs = 2
	r.Designs[6].Steps[0].Runs, r.Designs[6].Steps[0].Machine.Background = 2, ptr(0.2)
	return r
}

// tied has two designs beside the first: one as fast, and one of which a repeat is INVALID.
func tied() result.Result {
	r := document("compare")
	r.Scale, r.Plan.Repeats, r.Plan.Steps = "standard", 6, []result.PlanStep{{Seconds: 15}}
	for i := range 6 {
		names := []string{"mono", "modular", "micro"}
		if i%2 == 1 {
			names = []string{"micro", "modular", "mono"}
		}
		r = closedLoops(r, names...)
	}
	for i := range r.Designs {
		if s := &r.Designs[i].Steps[0]; r.Designs[i].Name != "micro" {
			s.AchievedPerSecond = 4000 + float64(i%5)*60
		}
	}
	r.Designs[2].Steps[0].Generator.CoreBusy = ptr(0.9)
	return r
}

// searchedTwice is two searches of each of two designs, the last of which was interrupted.
func searchedTwice() result.Result {
	r := document(result.ModeSearch)
	r.Interrupted = true
	r.Plan.Repeats = 2
	r.Plan.Search = &result.Search{From: 800, Factor: 1.5, Max: 40_000, Width: 0.05, StepS: 3, LongerS: 15, MostTrials: 100}
	for i, name := range []string{"mono", "micro", "micro", "mono"} {
		p := parts("monolith", "postgres")
		if name == "micro" {
			p = parts("gateway", "cart", "postgres")
		}
		d := result.Design{Name: name, Repeat: 1 + i/2, Parts: p}
		limit := 3000 - 700*float64(len(p)-2) + 100*float64(i)
		rates := []float64{800, 1200, 1800, 0.97 * limit, 2700, 4050}
		slices.Sort(rates)
		for _, rate := range rates {
			if s := uses(step(rate, 900), p, rate/limit, 0.3); rate <= limit*1.5 {
				if rate > limit {
					s = uses(step(rate, 200_000), p, 0.9, 0.3)
				}
				s.Longer, s.Runs = rate == 0.97*limit, 1
				if s.Longer {
					s.Seconds, s.Runs = 15, 2
				}
				s.Postgres = &result.Activity{Looks: 4, Active: rate / 1000, WAL: int64(rate) << 10}
				d.Steps = append(d.Steps, s)
			}
		}
		r.Designs = append(r.Designs, d)
	}
	cut := &r.Designs[3]
	cut.Steps, cut.Interrupted = cut.Steps[:3], true
	r = judged(r)
	for i := range r.Designs {
		d := &r.Designs[i]
		c := stats.CapacityOf(d.Steps, r.SLO, make([]stats.Facts, len(d.Steps)))
		d.Capacity = &c
	}
	return r
}

func TestText(t *testing.T) {
	t.Parallel()
	for name, r := range documents() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, path := Text(r), filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
			for line := range strings.Lines(got) {
				if line = strings.TrimSuffix(line, "\n"); strings.TrimRight(line, " ") != line || !utf8.ValidString(line) || strings.Contains(line, "\x1b") {
					t.Errorf("blanks at the end, or not plain text: %q", line)
				}
			}
			if again := Text(r); again != got {
				t.Error("the same document made another text")
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ got, want string }{
		{count(0), "0"}, {count(999), "999"}, {count(1000), "1,000"}, {count(-1234567), "-1,234,567"},
		{perSecond(0.5), "0.50"}, {perSecond(12.34), "12.3"}, {perSecond(1999.6), "2,000"},
		{ms(65), "0.07"}, {ms(9_876), "9.88"}, {ms(54_321), "54.3"}, {ms(1_234_567), "1,235"},
		{percentile(nil, p99), "-"}, {span(3, 3), "3"}, {span(3, 12.5), "3 to 12.5"}, {cores([]int{1, 2}), "1,2"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}
