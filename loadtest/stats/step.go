package stats

import (
	"fmt"
	"slices"

	"splitshop/loadtest/result"
)

// The limits of a valid step.
const (
	MaxLagP99     = 5_000 // us, from due to sent
	MaxCoreBusy   = 0.80  // share of the generator's cores
	MaxRunWait    = 0.05  // share of the step's time that the generator's threads waited for a core
	MaxBackground = 0.05  // cores: the noise gate
	MaxSteal      = 0.10  // cores: the noise gate
)

// The criteria of a failed step.
const (
	CriterionP99      = "p99"
	CriterionFailures = "failures"
	CriterionDropped  = "dropped"
)

// Facts is what a step's verdict depends on besides its own figures.
type Facts struct {
	PinsMissed []string // in words: a part that was not on the cores of the plan, or held to another quota
	Died       []string // in words: a part that ended while it should have run
	Cut        bool     // the step was interrupted
	ClosedLoop bool     // latency is from send, and users are the schedule
}

// Judge returns the verdict of a step: the first that applies of INVALID, INSUFFICIENT, FAIL and PASS.
func Judge(s result.Step, slo result.SLO, facts Facts) result.Verdict {
	v := result.Verdict{Outcome: result.Pass, Reasons: []string{}, Noisy: noisy(s.Machine)}
	if v.Reasons = invalid(s, facts); len(v.Reasons) > 0 {
		v.Outcome = result.Invalid
		return v
	}
	criterion, why, sure := fails(s, slo, facts)
	short := shortage(s, slo)
	switch {
	case short != "" && !sure:
		v.Outcome, v.Reasons = result.Insufficient, []string{short}
	case criterion != "":
		v.Outcome, v.Criterion, v.Reasons = result.Fail, criterion, why
	default:
		v.Reasons = []string{}
	}
	return v
}

// invalid lists why the step did not measure what it was meant to.
func invalid(s result.Step, facts Facts) (why []string) {
	add := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	if facts.Cut {
		add("interrupted after %.1f s", s.Seconds)
	}
	why = append(append(why, facts.Died...), facts.PinsMissed...)
	g := s.Generator
	if g.Lag != nil && g.Lag.P99 > MaxLagP99 {
		add("the generator was late: p99 of its lag %.1f ms, limit %d ms", float64(g.Lag.P99)/1000, MaxLagP99/1000)
	}
	if n := s.Dropped.Generator; n > 0 {
		add("the generator dropped %d arrivals", n)
	}
	if n := s.Dropped.Leases; n > 0 {
		add("no cart was left to lease for %d arrivals", n)
	}
	if g.CoreBusy != nil && *g.CoreBusy > MaxCoreBusy {
		add("the generator's cores were %.0f %% busy, limit %.0f %%", *g.CoreBusy*100, MaxCoreBusy*100)
	}
	if starved(g) {
		add("the generator waited for its cores %.0f %% of the time, limit %.0f %%", *g.RunWait*100, MaxRunWait*100)
	}
	if !facts.Cut && s.Offered == 0 {
		add("nothing was offered")
	}
	return why
}

// starved says that the generator waited for its cores because others used them. Its threads also wait for each other,
// which the kernel counts alike and which is no starvation: where nobody took the cores there was none.
func starved(g result.Generator) bool {
	return g.RunWait != nil && *g.RunWait > MaxRunWait && (g.Taken == nil || *g.Taken > MaxRunWait)
}

// shortage says why the arrivals are too few to claim that failures and drops stay below their limits; "" if they suffice.
func shortage(s result.Step, slo result.SLO) string {
	for _, c := range []struct {
		what  string
		k, n  int64
		limit float64
	}{
		{"dropped", s.Dropped.Total(), s.Offered, slo.Dropped},
		{"failed", s.Failed, s.Offered, slo.Failures},
	} {
		need := Needed(c.limit, 0)
		if share(c.k, c.n) < c.limit { // it would pass: the claim must bear what was seen
			need = Needed(c.limit, c.k)
		}
		if c.n < need {
			return fmt.Sprintf("%d arrivals are too few: to claim fewer than %s %s, having seen %d, takes %d",
				c.n, percent(c.limit), c.what, c.k, need)
		}
	}
	return ""
}

// fails returns the criterion that bound, why, and whether it is certain however few arrivals there were. Of several, the
// one that bound is the first of drops, failures, latency: each brings the next along.
func fails(s result.Step, slo result.SLO, facts Facts) (criterion string, why []string, sure bool) {
	found := func(c, reason string, certain bool) {
		if criterion == "" {
			criterion = c
		}
		why, sure = append(why, reason), sure || certain
	}
	if k, n := s.Dropped.Total(), s.Offered; share(k, n) >= slo.Dropped && k > 0 {
		found(CriterionDropped, fmt.Sprintf("dropped %d of %d arrivals, limit %s", k, n, percent(slo.Dropped)),
			surelyAbove(k, n, slo.Dropped))
	}
	if k, n := s.Failed, s.Requests; share(k, n) >= slo.Failures && k > 0 {
		found(CriterionFailures, fmt.Sprintf("%d of %d requests failed, limit %s", k, n, percent(slo.Failures)),
			surelyAbove(k, n, slo.Failures))
	}
	latency, from := s.FromDue, "from due"
	if facts.ClosedLoop {
		latency, from = s.FromSend, "from send"
	}
	if latency == nil {
		found(CriterionP99, "no request has a latency", true) // a threshold without samples is not kept
	} else if ms := float64(latency.P99) / 1000; ms >= slo.P99Ms {
		// Where even p95 is over, a true p99 below the limit would be a chance of less than 5 % from 60 samples on.
		certain := latency.Count >= 60 && float64(latency.P95)/1000 >= slo.P99Ms
		found(CriterionP99, fmt.Sprintf("p99 %s %.1f ms, limit %g ms", from, ms, slo.P99Ms), certain)
	}
	return criterion, why, sure
}

func share(k, n int64) float64 {
	if n == 0 {
		return 0
	}
	return float64(k) / float64(n)
}

func percent(share float64) string { return fmt.Sprintf("%g %%", share*100) }

// noisy is the noise gate.
func noisy(b *result.Busy) bool {
	if b == nil {
		return false
	}
	return slices.ContainsFunc([]bool{
		b.Background != nil && *b.Background > MaxBackground,
		b.Steal != nil && *b.Steal > MaxSteal,
	}, func(over bool) bool { return over })
}
