package report

import (
	"fmt"
	"slices"

	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// fixedMedians sums the latencies of a fixed rate up and compares the first two designs, as far as repeats allow.
func fixedMedians(r result.Result) []string {
	rows := fixedMedianRows(r)
	if len(rows) == 1 {
		return nil
	}
	lines := table(rows, 0)
	if says := fixedRatio(r); says != "" {
		lines = append(lines, "", says)
	}
	return lines
}

func fixedMedianRows(r result.Result) [][]string {
	rows := [][]string{{"design", "p50 due", "range", "p99 due", "range", "passed"}}
	for _, d := range byRepeat(r) {
		middle, tail := d.of(p50), d.of(p99)
		rows = append(rows, []string{d.name, ms(middle.Median), between(middle), ms(tail.Median), between(tail),
			fmt.Sprintf("%d of %d", d.passed, d.all)})
	}
	return rows
}

// fixedRatio compares the first two designs' latency, empty where there are none.
func fixedRatio(r result.Result) string {
	all := byRepeat(r)
	if len(all) < 2 {
		return ""
	}
	a, b := all[0], all[1]
	middle, tail := [2]whole{a.of(p50), b.of(p50)}, [2]whole{a.of(p99), b.of(p99)}
	if middle[0].Median <= 0 || tail[0].Median <= 0 {
		return ""
	}
	return fmt.Sprintf("%s over %s: p50 %.2f, p99 %.2f. Not decided: %s", b.name, a.name,
		float64(middle[1].Median)/float64(middle[0].Median), float64(tail[1].Median)/float64(tail[0].Median),
		undecided(min(tail[0].n, tail[1].n), "repeats"))
}

// undecided says why runs that are not of closed loops decide nothing.
func undecided(n int, nouns string) string {
	switch n {
	case 0:
		return "of one of them nothing counts"
	case 1:
		return "one run"
	}
	return fmt.Sprintf("%d %s of each, without this machine's A/A spread beside them", n, nouns)
}

// repeated are the repeats of a design that have a latency and are valid.
type repeated struct {
	name        string
	due         []*result.Latency
	passed, all int // of all repeats
}

// byRepeat groups repeats by design, in the order of first appearance. A design that has no latency at all is left out.
func byRepeat(r result.Result) (all []repeated) {
	for _, d := range r.Designs {
		for _, s := range d.Steps {
			i := slices.IndexFunc(all, func(o repeated) bool { return o.name == d.Name })
			if i < 0 {
				i, all = len(all), append(all, repeated{name: d.Name})
			}
			all[i].all++
			if s.Verdict.Outcome == result.Pass {
				all[i].passed++
			}
			if s.Verdict.Outcome != result.Invalid && s.FromDue != nil {
				all[i].due = append(all[i].due, s.FromDue)
			}
		}
	}
	return slices.DeleteFunc(all, func(d repeated) bool { return len(d.due) == 0 })
}

// whole is a summary of microseconds.
type whole struct {
	Median, Low, High int64
	n                 int
}

func (d repeated) of(figure func(*result.Latency) int64) whole {
	values := make([]float64, len(d.due))
	for i, l := range d.due {
		values[i] = float64(figure(l))
	}
	s := stats.Summarize(values)
	return whole{Median: int64(s.Median), Low: int64(s.Low), High: int64(s.High), n: s.N}
}

func between(w whole) string { return ms(w.Low) + " to " + ms(w.High) }
