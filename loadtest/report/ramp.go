package report

import (
	"fmt"
	"strings"

	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// capacities is the headline of a ramp: a bracket for each design, what bound, what ran out there, and the ratio of the
// first two.
func capacities(r result.Result) (lines []string) {
	rows := capacityRows(r)
	if len(rows) == 1 {
		return nil
	}
	lines = table(rows, 0, 1, 2)
	if out := ranOut(r); len(out) > 0 {
		lines = append(append(lines, "", "what ran out:"), out...)
	}
	lines = append(append(lines, ""), table(otherLimits(r), 1, 2, 3, 4, 5, 6)...)
	if len(r.Designs) >= 2 {
		lines = append(lines, "", ratio(r, r.Designs[0], r.Designs[1]))
	}
	return lines
}

// capacityRows are a head and one row for each design that has a capacity.
func capacityRows(r result.Result) [][]string {
	rows := [][]string{{"design", "capacity", "bound by"}}
	for _, d := range r.Designs {
		if c := d.Capacity; c != nil {
			rows = append(rows, []string{label(r, d), bracket(c.Status, c.Low, c.High), boundBy(c)})
		}
	}
	return rows
}

// ranOut is what each design lacked at the first rate it did not carry.
func ranOut(r result.Result) (lines []string) {
	for _, d := range r.Designs {
		if c := d.Capacity; c != nil && c.Limiter != "" && c.High != nil {
			lines = append(lines, fmt.Sprintf("%s at %s/s: %s", label(r, d), perSecond(*c.High), c.Limiter))
		}
	}
	return lines
}

// boundBy is the criterion that the first failing step broke; what kept a capacity from being judged is among the warnings.
func boundBy(c *result.Capacity) string {
	switch c.Status {
	case result.NotValid, result.TooFewArrivals:
		return "see the warnings"
	}
	return orNone(c.Criterion)
}

// bracket says between which rates a capacity lies.
func bracket(status result.CapacityStatus, low, high *float64) string {
	switch {
	case status == result.AtLeast && low != nil:
		return "at least " + perSecond(*low)
	case status == result.Below && high != nil:
		return "below " + perSecond(*high)
	case status == result.Found && low != nil && high != nil:
		return perSecond(*low) + " to " + perSecond(*high)
	case status == result.NonMonotonic && high != nil:
		if low == nil {
			return "below " + perSecond(*high) + ", non-monotonic"
		}
		return perSecond(*low) + " to " + perSecond(*high) + ", non-monotonic"
	case low != nil:
		return fmt.Sprintf("%s; passed %s", status, perSecond(*low))
	}
	return string(status)
}

// otherLimits gives the same ramp's capacity under other limits of p99.
func otherLimits(r result.Result) [][]string {
	rows := [][]string{{"with p99 <"}}
	for _, d := range r.Designs {
		if d.Capacity == nil {
			continue
		}
		if rows[0] = append(rows[0], label(r, d)); len(rows) == 1 {
			for _, at := range d.Capacity.ByP99 {
				rows = append(rows, []string{fmt.Sprintf("%g ms", at.P99Ms)})
			}
		}
		for i, at := range d.Capacity.ByP99 {
			rows[i+1] = append(rows[i+1], bracket(at.Status, at.Low, at.High))
		}
	}
	return rows
}

// ratio compares two designs' brackets. One run never decides.
func ratio(r result.Result, a, b result.Design) string {
	return bracketRatio(label(r, a), label(r, b), a.Capacity, b.Capacity, "one run")
}

func bracketRatio(nameA, nameB string, a, b *result.Capacity, undecided string) string {
	q, ok := stats.CapacityRatio(a, b)
	names := nameA + " over " + nameB
	if !ok {
		return fmt.Sprintf("%s: no ratio, for one of them has no bracket, or a non-monotonic one. Not decided: %s", names, undecided)
	}
	return fmt.Sprintf("%s: %.2f by the last passes, %.2f to %.2f by the brackets. Not decided: %s", names, q.Passes, q.Low, q.High, undecided)
}

// rampSteps is the step table: for each offered rate one row of each design, directly below each other.
func rampSteps(r result.Result) []string {
	rows := rampStepRows(r)
	if len(rows) == stepHeads {
		return nil
	}
	return table(rows, 1, 10)
}

// stepHeads is how many rows of rampStepRows are its head.
const stepHeads = 2

func rampStepRows(r result.Result) [][]string {
	rows := [][]string{
		{"offered", "design", "achieved", "p50", "p50", "p99", "p99", "failed", "dropped", "in flight", "verdict"},
		{"/s", "", "/s", "due", "send", "due", "send", "", "", "at end", ""},
	}
	for _, at := range rateByRate(r) {
		rows = append(rows, stepRow(at.name, at.step))
	}
	return rows
}

// namedStep is a step under the label of its design.
type namedStep struct {
	name string
	step result.Step
}

// rateByRate are all steps: for each offered rate those of every design. Searches have no rates in common: theirs are one search
// after the other.
func rateByRate(r result.Result) (all []namedStep) {
	if r.Mode == result.ModeSearch {
		for _, d := range r.Designs {
			for _, s := range d.Steps {
				all = append(all, namedStep{label(r, d), s})
			}
		}
		return all
	}
	most := 0
	for _, d := range r.Designs {
		most = max(most, len(d.Steps))
	}
	for i := range most {
		for _, d := range r.Designs {
			if i < len(d.Steps) {
				all = append(all, namedStep{label(r, d), d.Steps[i]})
			}
		}
	}
	return all
}

func stepRow(name string, s result.Step) []string {
	return []string{perSecond(s.OfferedPerSecond), name, perSecond(s.AchievedPerSecond),
		percentile(s.FromDue, p50), percentile(s.FromSend, p50), percentile(s.FromDue, p99), percentile(s.FromSend, p99),
		count(s.Failed), count(s.Dropped.Total()), count(s.InFlightEnd), verdict(s.Verdict) + longer(s) + times(s.Runs)}
}

// longer marks the run by which a search confirms a rate.
func longer(s result.Step) string {
	if !s.Longer {
		return ""
	}
	return fmt.Sprintf(" over %.3g s", s.Seconds)
}

// times marks a step that was run more than once.
func times(runs int) string {
	if runs < 2 {
		return ""
	}
	return fmt.Sprintf(", run %d times", runs)
}

// verdict is the outcome, the criterion of a failure, and a mark where the step was noisy.
func verdict(v result.Verdict) string {
	words := []string{string(v.Outcome)}
	if v.Criterion != "" {
		words = append(words, v.Criterion)
	}
	if v.Noisy {
		words = append(words, "(noisy)")
	}
	return strings.Join(words, " ")
}

func orNone(s string) string {
	if s == "" {
		return none
	}
	return s
}
