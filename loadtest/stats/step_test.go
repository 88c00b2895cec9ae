package stats

import (
	"slices"
	"strings"
	"testing"

	"splitshop/loadtest/result"
)

var slo = result.SLO{P99Ms: 50, Failures: 0.001, Dropped: 0.001}

func ptr[T any](v T) *T { return &v }

// step is a good step of n arrivals whose p99 from due is so many ms.
func step(n int64, p99Ms int64) result.Step {
	l := func(p99 int64) *result.Latency {
		return &result.Latency{Count: n, P50: p99 / 8, P90: p99 / 4, P95: p99 / 2, P99: p99, P999: p99, Max: p99}
	}
	return result.Step{OfferedPerSecond: float64(n) / 10, Seconds: 10, Offered: n, Started: n, Succeeded: n, Requests: n, Completed: n,
		FromDue: l(p99Ms * 1000), FromSend: l(p99Ms * 500), Generator: result.Generator{Lag: l(100)}}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		n, p99    int64
		change    func(*result.Step)
		facts     Facts
		want      result.Outcome
		criterion string
		reason    string // a part of the first one
	}{
		{name: "good", n: 5000, p99: 49, want: result.Pass},
		{name: "p99 at its limit", n: 5000, p99: 50, want: result.Fail, criterion: "p99", reason: "50.0 ms"},
		{name: "case 17: a third fails at once", n: 5000, p99: 5, change: func(s *result.Step) { s.Failed = 1500 },
			want: result.Fail, criterion: "failures", reason: "1500 of 5000"},
		{name: "case 17: a third of few", n: 300, p99: 5, change: func(s *result.Step) { s.Failed = 100 },
			want: result.Fail, criterion: "failures"},
		{name: "case 17: every request times out", n: 5000, p99: 10_000, change: func(s *result.Step) { s.Failed, s.Completed = 5000, 0 },
			want: result.Fail, criterion: "failures"},
		{name: "case 19: more than the generator can send", n: 5000, p99: 5, change: func(s *result.Step) { s.Dropped.Generator = 1 },
			want: result.Invalid, reason: "dropped 1"},
		{name: "case 19: users busy", n: 5000, p99: 5, change: func(s *result.Step) { s.Dropped.UsersBusy = 5 },
			want: result.Fail, criterion: "dropped"},
		{name: "case 23: no latency at all", n: 5000, p99: 5, change: func(s *result.Step) { s.FromDue = nil },
			want: result.Fail, criterion: "p99", reason: "no request has a latency"},
		{name: "nothing offered", n: 0, p99: 5, want: result.Invalid, reason: "nothing was offered"},
		{name: "drops bind before failures before latency", n: 5000, p99: 100, change: func(s *result.Step) {
			s.Dropped.UsersBusy, s.Failed = 50, 50
		}, want: result.Fail, criterion: "dropped"},
		{name: "2,999 are too few", n: 2999, p99: 5, want: result.Insufficient, reason: "takes 3000"},
		{name: "3,000 are enough", n: 3000, p99: 5, want: result.Pass},
		{name: "one failure needs more", n: 4749, p99: 5, change: func(s *result.Step) { s.Failed = 1 },
			want: result.Insufficient, reason: "takes 4750"},
		{name: "and then it passes", n: 4750, p99: 5, change: func(s *result.Step) { s.Failed = 1 }, want: result.Pass},
		{name: "one drop needs more as well", n: 4000, p99: 5, change: func(s *result.Step) { s.Dropped.UsersBusy = 1 },
			want: result.Insufficient, reason: "dropped"},
		{name: "one failure of 500 shows nothing", n: 500, p99: 5, change: func(s *result.Step) { s.Failed = 1 }, want: result.Insufficient},
		{name: "few arrivals show a p95 that is over", n: 200, p99: 5, change: func(s *result.Step) { s.FromDue.P95, s.FromDue.P99 = 60e3, 80e3 },
			want: result.Fail, criterion: "p99"},
		{name: "but not a p99 that is over", n: 200, p99: 60, want: result.Insufficient},
		{name: "the generator was late", n: 5000, p99: 60, change: func(s *result.Step) { s.Generator.Lag.P99 = 5001 },
			want: result.Invalid, reason: "late"},
		{name: "just in time", n: 5000, p99: 5, change: func(s *result.Step) { s.Generator.Lag.P99 = 5000 }, want: result.Pass},
		{name: "its cores were busy", n: 5000, p99: 5, change: func(s *result.Step) { s.Generator.CoreBusy = ptr(0.81) },
			want: result.Invalid, reason: "81 % busy"},
		{name: "busy at the limit", n: 5000, p99: 5, change: func(s *result.Step) { s.Generator.CoreBusy = ptr(0.80) }, want: result.Pass},
		{name: "it waited for its cores", n: 5000, p99: 5, change: func(s *result.Step) { s.Generator.RunWait = ptr(0.06) },
			want: result.Invalid, reason: "waited"},
		{name: "because others used them", n: 5000, p99: 5, change: func(s *result.Step) {
			s.Generator.RunWait, s.Generator.Taken = ptr(0.06), ptr(0.06)
		}, want: result.Invalid, reason: "waited"},
		{name: "its threads waited for each other", n: 5000, p99: 5, change: func(s *result.Step) {
			s.Generator.RunWait, s.Generator.Taken = ptr(0.30), ptr(0.01)
		}, want: result.Pass},
		{name: "no cart was left", n: 5000, p99: 5, change: func(s *result.Step) { s.Dropped.Leases = 1 }, want: result.Invalid, reason: "lease"},
		{name: "a part died", n: 5000, p99: 5, facts: Facts{Died: []string{"orders: it ended by itself"}}, want: result.Invalid, reason: "ended by itself"},
		{name: "case 20: a pin missed", n: 5000, p99: 5, facts: Facts{PinsMissed: []string{"cart on core 0"}}, want: result.Invalid, reason: "core 0"},
		{name: "interrupted", n: 10, p99: 5, facts: Facts{Cut: true}, want: result.Invalid, reason: "interrupted"},
		{name: "closed loop from send", n: 5000, p99: 80, facts: Facts{ClosedLoop: true}, want: result.Pass},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := step(test.n, test.p99)
			if test.change != nil {
				test.change(&s)
			}
			v := Judge(s, slo, test.facts)
			if v.Outcome != test.want || v.Criterion != test.criterion || !strings.Contains(strings.Join(v.Reasons, ";"), test.reason) {
				t.Errorf("%+v, want %s %s, a reason with %q", v, test.want, test.criterion, test.reason)
			}
			if v.Reasons == nil || (v.Outcome == result.Pass) != (len(v.Reasons) == 0) {
				t.Errorf("reasons: %#v", v.Reasons)
			}
		})
	}
}

func TestNoisy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		busy *result.Busy
		want bool
	}{
		{"not sampled", nil, false},
		{"quiet", &result.Busy{Background: ptr(0.05), Steal: ptr(0.10)}, false},
		{"background", &result.Busy{Background: ptr(0.06)}, true},
		{"steal", &result.Busy{Background: ptr(0.0), Steal: ptr(0.11)}, true},
	} {
		s := step(5000, 5)
		s.Machine = test.busy
		if v := Judge(s, slo, Facts{}); v.Noisy != test.want || v.Outcome != result.Pass {
			t.Errorf("%s: %+v", test.name, v)
		}
	}
}

// rank orders outcomes from what speaks against a system to what speaks for it.
func rank(o result.Outcome) int {
	return slices.Index([]result.Outcome{result.Fail, result.Insufficient, result.Pass}, o)
}

// More failures, or more drops, never improve a verdict.
func TestWorseNeverLooksBetter(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{100, 2999, 3000, 4750, 20_000} {
		for name, worse := range map[string]func(*result.Step, int64){
			"failures": func(s *result.Step, k int64) { s.Failed = k },
			"drops":    func(s *result.Step, k int64) { s.Dropped.UsersBusy = k },
		} {
			last := rank(result.Pass)
			for k := range min(n, 300) {
				s := step(n, 5)
				worse(&s, k)
				got := rank(Judge(s, slo, Facts{}).Outcome)
				if got > last {
					t.Errorf("%d %s of %d are judged better than %d", k, name, n, k-1)
				}
				last = got
			}
		}
	}
}
