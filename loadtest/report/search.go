package report

import (
	"fmt"
	"slices"
	"strings"

	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// searched is the headline of searches: the median bracket of each design with its range, what other limits of p99 give, and the
// ratio of the first two.
func searched(r result.Result) (lines []string) {
	rows := searchedRows(r)
	if len(rows) == 1 {
		return nil
	}
	lines = append(table(rows, 0, 1, 2, 4), "")
	lines = append(lines, table(searchedLimits(r), 1, 2, 3, 4, 5, 6)...)
	if says := searchedRatio(r); says != "" {
		lines = append(lines, "", says)
	}
	return lines
}

func searchedRows(r result.Result) [][]string {
	rows := [][]string{{"design", "capacity", "range", "searches", "bound by"}}
	for _, d := range stats.SearchesByDesign(r.Designs, nil) {
		span := none
		switch {
		case d.Low != nil && d.High != nil:
			span = perSecond(*d.Low) + " to " + perSecond(*d.High)
		case d.Low != nil:
			span = "from " + perSecond(*d.Low)
		case d.High != nil:
			span = "up to " + perSecond(*d.High)
		}
		searches := fmt.Sprint(d.Of)
		if d.N < d.Of {
			searches = fmt.Sprintf("%d of %d", d.N, d.Of)
		}
		rows = append(rows, []string{d.Name, bracket(d.Median.Status, d.Median.Low, d.Median.High), span, searches, boundOf(r, d.Name)})
	}
	return rows
}

// boundOf is what bound a design's searches, each criterion once.
func boundOf(r result.Result, name string) string {
	var words []string
	for _, d := range r.Designs {
		if d.Name == name && d.Capacity != nil && !slices.Contains(words, boundBy(d.Capacity)) {
			words = append(words, boundBy(d.Capacity))
		}
	}
	return strings.Join(words, ", ")
}

// searchedLimits gives the searches' medians under other limits of p99, read off the rates that were tried.
func searchedLimits(r result.Result) [][]string {
	rows := [][]string{{"with p99 <"}}
	for i, limit := range stats.OtherP99s {
		at := func(c result.Capacity) result.Capacity {
			if !stats.Counts(c) || i >= len(c.ByP99) {
				return result.Capacity{Status: result.NotValid}
			}
			return result.Capacity{Status: c.ByP99[i].Status, Low: c.ByP99[i].Low, High: c.ByP99[i].High}
		}
		rows = append(rows, []string{fmt.Sprintf("%g ms", limit)})
		for _, d := range stats.SearchesByDesign(r.Designs, at) {
			if i == 0 {
				rows[0] = append(rows[0], d.Name)
			}
			rows[i+1] = append(rows[i+1], bracket(d.Median.Status, d.Median.Low, d.Median.High))
		}
	}
	return rows
}

// searchedRatio compares the medians of the first two designs, empty where there are none.
func searchedRatio(r result.Result) string {
	all := stats.SearchesByDesign(r.Designs, nil)
	if len(all) < 2 {
		return ""
	}
	return bracketRatio(all[0].Name, all[1].Name, &all[0].Median, &all[1].Median, undecided(min(all[0].N, all[1].N), "searches"))
}

// searches is one row for each search, in the order in which they ran.
func searches(r result.Result) []string {
	rows := searchRows(r)
	if len(rows) == 1 {
		return nil
	}
	lines := table(rows, 0, 2, 3)
	if out := ranOut(r); len(out) > 0 {
		lines = append(append(lines, "", "what ran out:"), out...)
	}
	return lines
}

func searchRows(r result.Result) [][]string {
	rows := [][]string{{"design", "search", "capacity", "bound by", "runs"}}
	for _, d := range r.Designs {
		if c := d.Capacity; c != nil {
			runs := 0
			for _, s := range d.Steps {
				runs += s.Runs
			}
			rows = append(rows, []string{d.Name, fmt.Sprint(d.Repeat), bracket(c.Status, c.Low, c.High), boundBy(c), fmt.Sprint(runs)})
		}
	}
	return rows
}

// searchPlan says how a search goes on; "" where there is none.
func searchPlan(p result.Plan) string {
	s := p.Search
	if s == nil {
		return ""
	}
	return fmt.Sprintf("from %s/s, times %g until the SLO breaks, then halving until %g %% apart; at most %s/s and %d runs; "+
		"steps of %g s or more, confirmed over %g s or more", perSecond(s.From), s.Factor, s.Width*100, perSecond(s.Max), s.MostTrials,
		s.StepS, s.LongerS)
}

// confirmed is the index of the step that a search's result rests on; -1 where there is none.
func confirmed(d result.Design) int {
	if d.Capacity == nil || !stats.Counts(*d.Capacity) || d.Capacity.Low == nil {
		return -1
	}
	return slices.IndexFunc(d.Steps, func(s result.Step) bool { return s.OfferedPerSecond == *d.Capacity.Low })
}

// decides says that a search's bracket ends at a step.
func decides(d result.Design, s result.Step) bool {
	c := d.Capacity
	return c != nil && (c.Low != nil && s.OfferedPerSecond == *c.Low || c.High != nil && s.OfferedPerSecond == *c.High)
}

// detailed are the steps of which everything is shown: of a search those that decided it, of others all.
func detailed(r result.Result) (all []namedStep) {
	if r.Mode != result.ModeSearch {
		return rateByRate(r)
	}
	for _, d := range r.Designs {
		for _, s := range d.Steps {
			if decides(d, s) {
				all = append(all, namedStep{label(r, d), s})
			}
		}
	}
	return all
}
