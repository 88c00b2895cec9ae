package stats

import (
	"fmt"
	"slices"

	"splitshop/loadtest/result"
)

// Summary is the median and the range of repeats.
type Summary struct {
	Median, Low, High float64
	N                 int
}

// Summarize returns the median and the range. Of no values everything is 0.
func Summarize(values []float64) Summary {
	if len(values) == 0 {
		return Summary{}
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return Summary{Median: (v[(n-1)/2] + v[n/2]) / 2, Low: v[0], High: v[n-1], N: n}
}

// Ratio is one capacity over another: by the last steps that passed, and the least and the most that the brackets allow.
type Ratio struct{ Passes, Low, High float64 }

// CapacityRatio divides two capacities. It is false where either has no bracket of its own.
func CapacityRatio(a, b *result.Capacity) (Ratio, bool) {
	if !bracketed(a) || !bracketed(b) {
		return Ratio{}, false
	}
	return Ratio{Passes: *a.Low / *b.Low, Low: *a.Low / *b.High, High: *a.High / *b.Low}, true
}

func bracketed(c *result.Capacity) bool {
	return c != nil && c.Status == result.Found && c.Low != nil && c.High != nil && *c.Low > 0
}

// The grades of a run.
const (
	Baseline  = "baseline"  // absolute figures may be quoted
	Structure = "structure" // orderings and ratios may be quoted, absolute figures not
)

// quiet is the share of the parts' cores that may have been busy before the start.
const quiet = 0.10

// Grade says what of a run may be quoted, and why not more.
func Grade(r result.Result) (grade string, why []string) {
	switch c := r.Cores; {
	case c == nil:
		why = append(why, "cores were not planned")
	case overlap(c.Generator, c.Postgres) || overlap(c.Generator, c.App) || overlap(c.Postgres, c.App):
		why = append(why, "parts shared cores")
	}
	if before := before(r.Designs); before != "" {
		why = append(why, before)
	}
	if slices.ContainsFunc(r.Designs, disturbed) {
		why = append(why, "others used the machine")
	}
	if len(why) > 0 {
		return Structure, why
	}
	return Baseline, nil
}

// before says what is wrong with how busy the parts' cores were before the designs got any load: the busiest of them, or that
// of one it is not known; "" where all were quiet.
func before(designs []result.Design) string {
	most := 0.0
	for _, d := range designs {
		if d.Preflight == nil || d.Preflight.Busy == nil {
			return "busy share before the start not known"
		}
		most = max(most, *d.Preflight.Busy)
	}
	if most > quiet {
		return fmt.Sprintf("cores %.0f %% busy before the start, limit %.0f %%", most*100, quiet*100)
	}
	return ""
}

// disturbed says that others used the machine before a design got any load, or in one of its steps.
func disturbed(d result.Design) bool {
	if p := d.Preflight; p != nil && noisy(&result.Busy{Background: p.Background, Steal: p.Steal}) {
		return true
	}
	return slices.ContainsFunc(d.Steps, func(s result.Step) bool { return s.Verdict.Noisy })
}

func overlap(a, b []int) bool {
	return slices.ContainsFunc(a, func(core int) bool { return slices.Contains(b, core) })
}
