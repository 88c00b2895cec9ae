package report

import (
	"fmt"
	"slices"

	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// closedRuns is one row for each repeat of each design, in the order in which they ran.
func closedRuns(r result.Result) []string {
	rows := closedRunRows(r)
	if len(rows) == 1 {
		return nil
	}
	return table(rows, 0, 7)
}

func closedRunRows(r result.Result) [][]string {
	rows := [][]string{{"design", "repeat", "iterations/s", "requests/s", "p50", "p99", "failed", "verdict"}}
	for _, d := range r.Designs {
		for _, s := range d.Steps {
			rows = append(rows, []string{d.Name, fmt.Sprint(d.Repeat), perSecond(s.AchievedPerSecond), perSecond(s.RequestsPerSecond),
				percentile(s.FromSend, p50), percentile(s.FromSend, p99), count(s.Failed), verdict(s.Verdict) + times(s.Runs)})
		}
	}
	return rows
}

// limits is what each repeat used up.
func limits(r result.Result) (lines []string) {
	for _, d := range r.Designs {
		for _, s := range d.Steps {
			if s.Limiter != "" {
				lines = append(lines, fmt.Sprintf("%s: %s", label(r, d), s.Limiter))
			}
		}
	}
	return lines
}

// closedMedians sums repeats up.
func closedMedians(r result.Result) []string {
	rows := closedMedianRows(r)
	if len(rows) == 1 {
		return nil
	}
	return table(rows, 0)
}

func closedMedianRows(r result.Result) [][]string {
	rows := [][]string{{"design", "iterations/s", "range", "repeats"}}
	for _, d := range closedRates(r) {
		m := stats.Summarize(d.values)
		rows = append(rows, []string{d.name, perSecond(m.Median), perSecond(m.Low) + " to " + perSecond(m.High), fmt.Sprint(m.N)})
	}
	return rows
}

type ratesOf struct {
	name   string
	values []float64
}

// closedRates groups the rates of valid repeats by design, in the order of first appearance.
func closedRates(r result.Result) (all []ratesOf) {
	for _, d := range r.Designs {
		for _, s := range d.Steps {
			if s.Verdict.Outcome == result.Invalid {
				continue
			}
			i := slices.IndexFunc(all, func(o ratesOf) bool { return o.name == d.Name })
			if i < 0 {
				all, i = append(all, ratesOf{name: d.Name}), len(all)
			}
			all[i].values = append(all[i].values, s.AchievedPerSecond)
		}
	}
	return all
}

// cpuByRun is one row for each repeat, or for each step that decided a search.
func cpuByRun(r result.Result) (lines []string) {
	for _, d := range r.Designs {
		if len(d.Parts) == 0 {
			continue
		}
		for n, s := range d.Steps {
			row := fmt.Sprintf("%s (%d):", d.Name, d.Repeat)
			if r.Mode == result.ModeSearch {
				row = fmt.Sprintf("%s at %s/s:", label(r, d), perSecond(s.OfferedPerSecond))
				if !decides(d, s) {
					continue
				}
			}
			cells := cpuCells(d, n)
			for i, p := range d.Parts {
				row += fmt.Sprintf(" %s %s", p.Name, cells[i])
			}
			lines = append(lines, row+" sum "+cells[len(cells)-1])
		}
	}
	return lines
}
