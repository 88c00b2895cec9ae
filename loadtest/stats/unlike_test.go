package stats

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/result"
)

// likeRun is a closed-loop run.
func likeRun() result.Result {
	return result.Result{Mode: result.ModeClosed, Where: "local", Scale: "standard", SLO: slo,
		Machine: result.Machine{OS: "linux/amd64", Kernel: "6.12.1", CPU: "Example 3000", Cores: 4, Memory: ptr(int64(16 << 30)), Load1: ptr(0.1)},
		Cores:   &result.CorePlan{Generator: []int{0}, Postgres: []int{1}, App: []int{2, 3}},
		Plan: result.Plan{Mix: "mix", Weights: []int{16, 3, 1}, Seed: 1, Repeats: 6, Users: 16, Steps: []result.PlanStep{{Seconds: 15}}, TimeoutS: 10,
			WarmupS: 5, WarmupUsers: 16, Products: 1000, Page: 20, Client: "own"}}
}

func TestUnlike(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*result.Result){
		"mix: mix and browse":                                              func(r *result.Result) { r.Plan.Mix = "browse" },
		"weights of the mix: [16 3 1] and [20 0 0]":                        func(r *result.Result) { r.Plan.Weights = []int{20, 0, 0} },
		"seed: 1 and 2":                                                    func(r *result.Result) { r.Plan.Seed = 2 },
		"users: 16 and 8":                                                  func(r *result.Result) { r.Plan.Users = 8 },
		"duration of a repeat: 15 s and 5 s":                               func(r *result.Result) { r.Plan.Steps[0].Seconds = 5 },
		"warm-up: 5 s by 16 users and 1 s by 16 users":                     func(r *result.Result) { r.Plan.WarmupS = 1 },
		"products: 1000 and 10":                                            func(r *result.Result) { r.Plan.Products = 10 },
		"products on a page: 20 and 50":                                    func(r *result.Result) { r.Plan.Page = 50 },
		"client: own and net/http":                                         func(r *result.Result) { r.Plan.Client = "net/http" },
		"client's timeout: 10 s and 1 s":                                   func(r *result.Result) { r.Plan.TimeoutS = 1 },
		"scale: standard and full":                                         func(r *result.Result) { r.Scale = "full" },
		"CPU: Example 3000 and Example 4000":                               func(r *result.Result) { r.Machine.CPU = "Example 4000" },
		"cores of the machine: 4 and 8":                                    func(r *result.Result) { r.Machine.Cores = 8 },
		"memory: 16 GiB and not known":                                     func(r *result.Result) { r.Machine.Memory = nil },
		"operating system: linux/amd64 and linux/arm64":                    func(r *result.Result) { r.Machine.OS = "linux/arm64" },
		"kernel: 6.12.1 and 6.12.2":                                        func(r *result.Result) { r.Machine.Kernel = "6.12.2" },
		"CPU governor: not known and powersave":                            func(r *result.Result) { r.Machine.Governor = ptr("powersave") },
		"where the designs ran: local and containers":                      func(r *result.Result) { r.Where = "containers" },
		"plan of cores: generator 0, Postgres 1, application 2,3 and none": func(r *result.Result) { r.Cores = nil },
		"preset: none and 2-even.env":                                      func(r *result.Result) { r.Cores.Preset = "compose/presets/2-even.env" },
		"SLO: p99 < 50 ms, failures < 0.1 %, dropped < 0.1 % and p99 < 20 ms, failures < 0.1 %, dropped < 0.1 %": func(r *result.Result) { r.SLO.P99Ms = 20 },
	} {
		other := likeRun()
		change(&other)
		if diff := cmp.Diff([]string{want}, Unlike(likeRun(), other)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestLikeRuns(t *testing.T) {
	t.Parallel()
	other := likeRun()
	other.Mode, other.Started, other.Seconds, other.Plan.Repeats = result.ModeCompare, time.Unix(1, 0), 7, 8
	other.Build.Revision, other.Machine.Load1, other.Command = "another", ptr(3.0), []string{"loadtest"}
	other.Machine.Memory = ptr(int64(16<<30 - 5<<20)) // what a kernel keeps for itself
	if differences := Unlike(likeRun(), other); len(differences) > 0 {
		t.Errorf("%q", differences)
	}
}
