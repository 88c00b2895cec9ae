package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"splitshop/loadtest/runner"
	"splitshop/loadtest/runner/compose"
	"splitshop/pgserver"
)

func TestFindings(t *testing.T) {
	t.Parallel()
	broken := errors.New("it is broken\ndo this about it")
	quota, performance, powersave := 0.5, "performance", "powersave"
	core := func(softIRQ time.Duration) []runner.CoreTime { return []runner.CoreTime{{SoftIRQ: softIRQ}, {Core: 1}} }
	noise := func(background, steal float64) runner.Usage {
		return runner.Usage{Elapsed: 5 * time.Second, Background: background, Steal: steal}
	}
	tests := []struct {
		name  string
		found finding
		state state
		says  string
	}{
		{"one core", ofCores(runner.PlanCores(1), nil), limits, "generator 0, Postgres 0, application 0: parts share cores"},
		{"two cores", ofCores(runner.PlanCores(2), nil), limits, "generator 0, Postgres 1, application 1: parts share cores"},
		{"four cores", ofCores(runner.PlanCores(4), nil), fine, "generator 0, Postgres 1, application 2-3"},
		{"eight cores", ofCores(runner.PlanCores(8), nil), fine, "generator 1-2, Postgres 3-4, application 5-7"},
		{"no cores to plan", ofCores(runner.Cores{}, broken), prevents, "it is broken"},

		{"no quota", ofQuotas(compose.Limits{Source: "kernel, cgroup v2"}, nil), fine, "cgroup v2, can be read"},
		{"a quota", ofQuotas(compose.Limits{Quota: &quota, Source: "kernel, cgroup v1"}, nil), limits, "held to 0.50 cores"},
		{"no cgroups", ofQuotas(compose.Limits{}, broken), limits, "cannot be read: it is broken"},

		{"real time", ofScheduling("SCHED_RR", 2), fine, "SCHED_RR"},
		{"real time on one core", ofScheduling("SCHED_RR", 1), fine, "nice -20 instead"},
		{"nice on one core", ofScheduling("nice -20 (its one core is no place for SCHED_RR)", 1), fine, "nice -20"},
		{"no real time", ofScheduling("SCHED_OTHER (SCHED_RR refused: operation not permitted)", 2), limits, "refused"},

		{"softirq, charged", ofSoftIRQ(runner.SoftIRQOfWhich, core(1500*time.Millisecond), nil), fine, "2 s since the machine started; it is in"},
		{"softirq, not charged", ofSoftIRQ(runner.SoftIRQBeside, core(1500*time.Millisecond), nil), fine, "on top of CPU per request"},
		{"softirq, not found out", ofSoftIRQ(runner.SoftIRQUnknown, core(1500*time.Millisecond), nil), limits, "could not be found out"},
		{"no softirq", ofSoftIRQ(runner.SoftIRQUnknown, core(0), nil), limits, "counts none"},
		{"no /proc", ofSoftIRQ(runner.SoftIRQUnknown, nil, broken), unknown, "it is broken"},

		{"a good clock", ofClock("tsc", 30*time.Nanosecond), fine, "tsc, steps of 30ns"},
		{"a slow clock", ofClock("hpet", 70*time.Nanosecond), limits, "hpet"},
		{"a coarse clock", ofClock("", time.Millisecond), limits, "steps of 1ms"},

		{"governor not known", ofGovernor(nil), unknown, "does not say"},
		{"governor", ofGovernor(&performance), fine, "performance"},
		{"another governor", ofGovernor(&powersave), limits, "powersave"},

		{"files", ofFiles(1088, nil), fine, "1088"},
		{"too few files", ofFiles(1087, nil), limits, "--users 1023 or fewer"},
		{"hardly any files", ofFiles(16, nil), limits, "--users 1 or fewer"},
		{"files not known", ofFiles(0, broken), unknown, "it is broken"},

		{"Postgres", ofPostgres("/usr/lib/postgresql/17/bin", nil), fine, "/usr/lib/postgresql/17/bin"},
		{"no Postgres", ofPostgres("", broken), prevents, "do this about it"},

		{"an engine", ofEngine(&compose.Tools{EngineVersion: "29.1", ComposeVersion: "5.0", Compose: []string{"docker", "compose"}}, nil),
			fine, "engine 29.1, compose 5.0 (docker compose)"},
		{"no engine", ofEngine(nil, broken), limits, "do this about it"},
		{"nothing up", ofContainers(nil, nil), fine, "nothing is up"},
		{"a shop up", ofContainers([]compose.Part{{Name: "monolith", State: "running"}}, nil), limits, "monolith running"},
		{"not known what is up", ofContainers(nil, broken), unknown, "it is broken"},

		{"lock", ofLock(nil), fine, "free"},
		{"lock taken", ofLock(broken), prevents, "it is broken"},

		{"quiet", ofNoise(noise(0.05, 0.10), nil), fine, "0.050 cores used by others, 0.100 stolen, over 5.0 s"},
		{"background", ofNoise(noise(0.051, 0), nil), limits, "stop what else runs"},
		{"steal", ofNoise(noise(0, 0.11), nil), limits, "the host gives cores to others"},
		{"noise not known", ofNoise(runner.Usage{}, broken), unknown, "it is broken"},

		{"nothing left", ofLeftovers(nil, nil)[0], fine, "nothing of a killed lab"},
		{"a server left", ofLeftovers([]pgserver.Leftover{{Dir: "/tmp/pg", Processes: []int{1, 2}}}, nil)[0], limits,
			"/tmp/pg and 2 processes of its Postgres"},
		{"a container left", ofLeftovers([]pgserver.Leftover{{Dir: "/tmp/pg", Container: "docker pg"}}, nil)[0], limits, "(docker pg)"},
		{"containers left", ofContainersLeft("shop-lab", "the project shop-lab: its data", nil)[0], limits, "its data"},
		{"containers that cannot be removed", ofContainersLeft("shop-lab", "its data", broken)[0], unknown, "it is broken"},
		{"not to be removed", ofLeftovers([]pgserver.Leftover{{Dir: "/tmp/pg"}}, broken)[0], limits, "it is broken"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := tt.found
			if f.State != tt.state || !strings.Contains(f.Found+"\n"+f.Fix, tt.says) {
				t.Errorf("got %+v, want %s and %q", f, tt.state, tt.says)
			}
			if (f.State == limits || f.State == prevents) && f.Fix == "" {
				t.Errorf("%s: nothing is said about what to do", f.Found)
			}
		})
	}
}
