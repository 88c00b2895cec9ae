package stats

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"splitshop/loadtest/result"
)

func TestUnbalanced(t *testing.T) {
	t.Parallel()
	made := func(n int64) *int64 { return &n }
	for _, test := range []struct {
		name  string
		books result.Books
		want  string
	}{
		{"none", result.Books{}, ""},
		{"balanced", result.Books{Answered: 10, ReadBack: 10, Made: made(10)}, ""},
		{"of an address", result.Books{Answered: 10, ReadBack: 10}, ""},
		{"made without an answer", result.Books{Answered: 10, Uncertain: 2, ReadBack: 10, Made: made(12)}, ""},
		{"some of these", result.Books{Answered: 10, Uncertain: 2, ReadBack: 10, Made: made(11)}, ""},
		{"one more", result.Books{Answered: 10, Uncertain: 2, ReadBack: 10, Made: made(13)},
			"the books do not balance: 13 orders were made and only 12 asked for"},
		{"one less", result.Books{Answered: 10, Uncertain: 2, ReadBack: 10, Made: made(9)},
			"the books do not balance: 10 orders were answered and only 9 made"},
		{"missing", result.Books{Answered: 10, ReadBack: 9, Missing: 1, Example: "/orders/1: gone"},
			"the books do not balance: 1 of 10 orders that were answered do not exist (/orders/1: gone)"},
		{"wrong", result.Books{Answered: 10, ReadBack: 8, Wrong: 2}, "the books do not balance: 2 of 10 orders are not as they were answered"},
		{"unread", result.Books{Answered: 10, ReadBack: 8, Missing: 1}, "the books do not balance: 1 of 10 orders that were answered do not exist; " +
			"1 of 10 orders that were answered could not be read back"},
	} {
		if got := Unbalanced(test.books); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestDisbelieve(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		had, got result.Verdict
	}{
		{"a pass", result.Verdict{Outcome: result.Pass, Noisy: true, Reasons: []string{}},
			result.Verdict{Outcome: result.Invalid, Noisy: true, Reasons: []string{"why"}}},
		{"a failure", result.Verdict{Outcome: result.Fail, Criterion: CriterionP99, Reasons: []string{"p99"}},
			result.Verdict{Outcome: result.Invalid, Reasons: []string{"why"}}},
		{"what was INVALID", result.Verdict{Outcome: result.Invalid, Reasons: []string{"late"}},
			result.Verdict{Outcome: result.Invalid, Reasons: []string{"late", "why"}}},
	} {
		if diff := cmp.Diff(test.got, Disbelieve(test.had, "why")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// What is INVALID is so at any limit of p99, whatever the step's own figures say.
func TestNoCapacityOfDisbelievedSteps(t *testing.T) {
	t.Parallel()
	slo := result.SLO{P99Ms: 50, Failures: 0.001, Dropped: 0.001}
	step := result.Step{OfferedPerSecond: 100, Offered: 10_000, FromDue: &result.Latency{Count: 10_000, P99: 1000}}
	step.Verdict = Judge(step, slo, Facts{})
	if c := CapacityOf([]result.Step{step}, slo, make([]Facts, 1)); c.Status != result.AtLeast || c.ByP99[0].Status != result.AtLeast {
		t.Fatalf("believed: %+v", c)
	}
	step.Verdict = Disbelieve(step.Verdict, "why")
	c := CapacityOf([]result.Step{step}, slo, make([]Facts, 1))
	if c.Status != result.NotValid || c.Low != nil {
		t.Errorf("%+v", c)
	}
	for _, at := range c.ByP99 {
		if at.Status != result.NotValid || at.Low != nil {
			t.Errorf("%+v", at)
		}
	}
}
