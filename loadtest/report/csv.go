package report

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"splitshop/loadtest/result"
)

// separated is the results as CSV: a head, then one row for each design, repeat and step. The names of columns are those of
// the result's JSON, latencies in us. A part's CPU-ms per request is in a column of its own. A repeat of a design that is compared with
// another says so, also its own round's ratio. What could not be had is empty; CPU quotas,
// GOMAXPROCS and softirq have columns where any step knows them.
func separated(rs []result.Result) (string, error) {
	parts := partNames(rs)
	head := slices.Clone(csvHead)
	for _, p := range parts {
		head = append(head, "cpu_ms_per_req "+p)
	}
	rows := [][]string{head}
	for _, r := range rs {
		for _, d := range r.Designs {
			for i, s := range d.Steps {
				rows = append(rows, csvRow(r, d, i+1, s, parts))
			}
		}
	}
	for _, column := range csvHeld(rs, parts) {
		for i := range rows {
			rows[i] = append(rows[i], column[i])
		}
	}
	for _, row := range rows {
		for i := range row {
			row[i] = noFormula(row[i])
		}
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.WriteAll(rows); err != nil {
		return "", fmt.Errorf("writing CSV: %w", err)
	}
	return b.String(), nil
}

var csvHead = []string{"started", "mode", "mix", "scale", "revision", "design", "repeat", "step", "runs", "longer",
	"outcome", "criterion", "noisy", "offered_per_s", "seconds", "achieved_per_s", "requests_per_s",
	"offered", "started_iterations", "succeeded", "requests", "completed",
	"failed", "dropped_users_busy", "dropped_generator", "dropped_leases", "in_flight_start", "in_flight_end",
	"due_p50_us", "due_p90_us", "due_p95_us", "due_p99_us", "due_p999_us", "due_max_us",
	"send_p50_us", "send_p90_us", "send_p95_us", "send_p99_us", "send_p999_us", "send_max_us", "limiter",
	"compared_with", "comparison", "leader", "ratio", "ratio_of_round", "aa_spread"}

func csvRow(r result.Result, d result.Design, n int, s result.Step, parts []string) []string {
	whole := func(ns ...int64) (cells []string) {
		for _, n := range ns {
			cells = append(cells, strconv.FormatInt(n, 10))
		}
		return cells
	}
	row := []string{r.Started.UTC().Format("2006-01-02T15:04:05Z"), r.Mode, r.Plan.Mix, r.Scale, r.Build.Revision, d.Name,
		strconv.Itoa(d.Repeat), strconv.Itoa(n), strconv.Itoa(s.Runs), strconv.FormatBool(s.Longer),
		string(s.Verdict.Outcome), s.Verdict.Criterion, strconv.FormatBool(s.Verdict.Noisy), decimal(s.OfferedPerSecond),
		decimal(s.Seconds), decimal(s.AchievedPerSecond), decimal(s.RequestsPerSecond)}
	row = append(row, whole(s.Offered, s.Started, s.Succeeded, s.Requests, s.Completed, s.Failed, s.Dropped.UsersBusy,
		s.Dropped.Generator, s.Dropped.Leases, s.InFlightStart, s.InFlightEnd)...)
	for _, l := range []*result.Latency{s.FromDue, s.FromSend} {
		for _, at := range spectrum {
			if l == nil {
				row = append(row, "")
			} else {
				row = append(row, whole(at.of(l))...)
			}
		}
	}
	row = append(append(row, s.Limiter), comparisonCells(r, d)...)
	for _, p := range parts {
		cell := ""
		if i := slices.IndexFunc(s.Parts, func(u result.Usage) bool { return u.Name == p }); i >= 0 && s.Parts[i].CPUMs != nil {
			cell = decimal(*s.Parts[i].CPUMs)
		}
		row = append(row, cell)
	}
	return row
}

// partNames are the parts of all designs, in the order of first appearance.
func partNames(rs []result.Result) (names []string) {
	for _, r := range rs {
		for _, d := range r.Designs {
			for _, p := range d.Parts {
				if !slices.Contains(names, p.Name) {
					names = append(names, p.Name)
				}
			}
		}
	}
	return names
}

// comparisonCells are the last columns of csvHead.
func comparisonCells(r result.Result, d result.Design) []string {
	i := slices.IndexFunc(r.Comparisons, func(c result.Comparison) bool { return c.Other.Design == d.Name })
	if i < 0 {
		return make([]string, 6)
	}
	c := r.Comparisons[i]
	ofRound := ""
	if d.Repeat >= 1 && d.Repeat <= len(c.Rounds) {
		ofRound = decimalOf(c.Rounds[d.Repeat-1].Ratio)
	}
	return []string{c.Base.Design, string(c.Verdict), c.Leader, decimalOf(c.Ratio), ofRound, decimalOf(c.AASpread)}
}

func decimalOf(v *float64) string {
	if v == nil {
		return ""
	}
	return decimal(*v)
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// noFormula keeps a spreadsheet from computing a name.
func noFormula(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
