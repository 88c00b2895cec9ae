package runner

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"splitshop/loadtest/runner/cgroup"
)

func TestBetween(t *testing.T) {
	t.Parallel()
	ms := func(n int) *time.Duration { d := time.Duration(n) * time.Millisecond; return &d }
	f := func(x float64) *float64 { return &x }
	throttling := func(periods, throttled int64, ms int) *cgroup.Throttling {
		return &cgroup.Throttling{Periods: periods, Throttled: throttled, Time: time.Duration(ms) * time.Millisecond}
	}
	at := time.Unix(1000, 0)
	a := Sample{
		At: at, Others: 5 * time.Second,
		Parts: []PartSample{
			{Name: "gateway", PID: 10, CPU: 1 * time.Second, RunQueueWait: ms(100), Quota: f(0.2), Throttling: throttling(100, 20, 900)},
			{Name: "cart", PID: 11, CPU: 1 * time.Second, RunQueueWait: ms(100), Quota: f(0.2), Throttling: throttling(100, 20, 900)},
			{Name: "orders", PID: 12, CPU: 1 * time.Second, Quota: f(0.2), Throttling: throttling(100, 20, 900)},
			{Name: "postgres", PID: 13, CPU: 4 * time.Second, RunQueueWait: ms(900)},
			{Name: "generator", PID: 14, CPU: 0, RunQueueWait: ms(0)},
		},
		Cores: []CoreTime{{Core: 0}, {Core: 1, Busy: 5 * time.Second, Idle: 5 * time.Second, Steal: time.Second}},
	}
	b := Sample{
		At: at.Add(2 * time.Second), Others: 5100 * time.Millisecond,
		Parts: []PartSample{
			{Name: "gateway", PID: 10, CPU: 2 * time.Second, RunQueueWait: ms(150), Quota: f(0.3), Throttling: throttling(120, 35, 1900)},
			{Name: "cart", PID: 21, CPU: 3 * time.Second, RunQueueWait: ms(200), Quota: f(0.3), Throttling: throttling(3, 2, 1)}, // another process
			{Name: "orders"}, // ended
			{Name: "postgres", PID: 13, CPU: 4400 * time.Millisecond, RunQueueWait: ms(800)}, // waits that went with a backend
			{Name: "generator", PID: 14, CPU: 500 * time.Millisecond},                        // not counted by the kernel
		},
		Cores: []CoreTime{
			{Core: 0, Busy: 500 * time.Millisecond, Idle: 1500 * time.Millisecond, SoftIRQ: 100 * time.Millisecond},
			{Core: 1, Busy: 6500 * time.Millisecond, Idle: 5 * time.Second, Steal: 1500 * time.Millisecond},
		},
	}
	want := Usage{
		Elapsed: 2 * time.Second,
		Parts: []PartUsage{
			{Name: "gateway", CPU: ms(1000), Cores: f(0.5), RunQueueWait: f(0.025), Quota: f(0.3), Throttling: throttling(20, 15, 1000)},
			{Name: "cart", Quota: f(0.3)},
			{Name: "orders"},
			{Name: "postgres", CPU: ms(400), Cores: f(0.2), RunQueueWait: f(0)},
			{Name: "generator", CPU: ms(500), Cores: f(0.25)},
		},
		Background: 0.05,
		Cores: []CoreUsage{{Core: 0, Busy: 0.25, SoftIRQ: 0.05, SoftIRQTime: 100 * time.Millisecond},
			{Core: 1, Busy: 0.75, Steal: 0.25}},
		Accounts: []Account{{Cores: []int{0, 1}, Time: 4 * time.Second, Busy: 2 * time.Second, Others: 100 * time.Millisecond, Whole: true}}, // of cart and orders nothing is known
		Steal:    0.25,
	}
	if diff := cmp.Diff(want, Between(a, b, SoftIRQOfWhich), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
	b.Others = 60 * time.Second // somebody's long build was counted twice
	if u := Between(a, b, SoftIRQOfWhich); math.Abs(u.Background-0.05) > 1e-9 {
		t.Errorf("background %v cores, the cores leave 0.05 over", u.Background)
	}
	if u := Between(a, b, SoftIRQBeside); math.Abs(u.Background) > 1e-9 {
		t.Errorf("background %v cores, interrupts apart the cores leave nothing over", u.Background)
	}
	if u := Between(b, b, SoftIRQOfWhich); u.Elapsed != 0 || *u.Parts[0].Cores != 0 {
		t.Errorf("no time at all: %+v", u)
	}
}
