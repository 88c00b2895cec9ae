package report

import (
	"fmt"
	"slices"

	"splitshop/loadtest/result"
)

// heldRows are a head and one row for each part of each design, over all its repeats and steps: how many threads of it run Go at once,
// its CPU quota, and what that did. A column without any figure is left out, and with it a table that has none.
func heldRows(r result.Result) [][]string {
	rows := [][]string{{"design", "part", "GOMAXPROCS", "quota", "throttled periods", "for", "most in one step"}}
	for _, d := range r.Designs {
		for _, p := range withGenerator(d) {
			known := func(row []string) bool { return row[0] == d.Name && row[1] == p.Name }
			if slices.ContainsFunc(rows, known) {
				continue // an earlier repeat's row has it all
			}
			if row := heldRow(r, d.Name, p.Name); row != nil {
				rows = append(rows, row)
			}
		}
	}
	return withoutEmpty(rows)
}

// withGenerator are a design's parts, and the generator at the end.
func withGenerator(d result.Design) []result.Part {
	if d.Generator == nil {
		return d.Parts
	}
	return append(slices.Clone(d.Parts), *d.Generator)
}

// heldRow sums one part up; nil where nothing is known of it.
func heldRow(r result.Result, design, name string) []string {
	var procs, quotas []string
	var sum result.Throttled
	counted, most := false, 0.0
	for _, d := range r.Designs {
		if d.Name != design {
			continue
		}
		for _, p := range withGenerator(d) {
			if p.Name == name && p.GOMAXPROCS != nil {
				procs = append(procs, fmt.Sprint(*p.GOMAXPROCS))
			}
			if p.Name == name && p.Quota != nil {
				quotas = append(quotas, fmt.Sprintf("%.2f", *p.Quota))
			}
		}
		for _, s := range d.Steps {
			if t := throttledIn(s, name); t != nil {
				counted = true
				sum.Periods, sum.Throttled, sum.Ms = sum.Periods+t.Periods, sum.Throttled+t.Throttled, sum.Ms+t.Ms
				most = max(most, float64(t.Throttled)/max(1, float64(t.Periods)))
			}
		}
	}
	if len(procs) == 0 && len(quotas) == 0 && !counted {
		return nil
	}
	row := []string{design, name, different(procs), different(quotas), none, none, none}
	if counted {
		row[4] = fmt.Sprintf("%s of %s", count(sum.Throttled), count(sum.Periods))
		row[5], row[6] = fmt.Sprintf("%s ms", count(int64(sum.Ms+0.5))), fmt.Sprintf("%.0f %%", most*100)
	}
	return row
}

func throttledIn(s result.Step, part string) *result.Throttled {
	if i := slices.IndexFunc(s.Parts, func(u result.Usage) bool { return u.Name == part }); i >= 0 {
		return s.Parts[i].Throttled
	}
	return nil
}

// different joins what is not the same everywhere, in the order of first appearance.
func different(values []string) string {
	all := ""
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			continue
		}
		if all != "" {
			all += ", "
		}
		all += v
	}
	return orNone(all)
}

// withoutEmpty drops the columns after the first two that say nothing in any row; nil where none is left.
func withoutEmpty(rows [][]string) [][]string {
	kept := make([][]string, len(rows))
	for column := range rows[0] {
		says := slices.ContainsFunc(rows[1:], func(row []string) bool { return row[column] != none })
		if column >= 2 && !says {
			continue
		}
		for i, row := range rows {
			kept[i] = append(kept[i], row[column])
		}
	}
	if len(kept[0]) <= 2 {
		return nil
	}
	return kept
}

// held is heldRows as text.
func held(r result.Result) []string {
	rows := heldRows(r)
	if len(rows) < 2 {
		return nil
	}
	return table(rows, 0, 1)
}

// softIRQ is the share of its time that each core spent on softirq, as a range over the steps of each design.
func softIRQ(r result.Result) (lines []string) {
	seen := map[string]bool{}
	for _, d := range r.Designs {
		if seen[d.Name] {
			continue
		}
		seen[d.Name] = true
		line := ""
		for core, of := range softIRQOf(r, d.Name) {
			if len(of) == 0 {
				continue
			}
			if line != "" {
				line += ", "
			}
			line += fmt.Sprintf("core %d %s", core, shares(slices.Min(of), slices.Max(of)))
		}
		if line != "" {
			lines = append(lines, d.Name+": "+line)
		}
	}
	return lines
}

// softIRQOf are the shares of each core that are known, of all steps of a design's repeats.
func softIRQOf(r result.Result, design string) (cores [][]float64) {
	for _, d := range r.Designs {
		if d.Name != design {
			continue
		}
		for _, s := range d.Steps {
			if s.Machine == nil || s.Seconds <= 0 {
				continue
			}
			for core, seconds := range s.Machine.SoftIRQ {
				if core == len(cores) {
					cores = append(cores, nil)
				}
				if seconds != nil {
					cores[core] = append(cores[core], *seconds/s.Seconds)
				}
			}
		}
	}
	return cores
}

func shares(low, high float64) string {
	if a, b := fmt.Sprintf("%.2f", low), fmt.Sprintf("%.2f", high); a != b {
		return a + " to " + b
	}
	return fmt.Sprintf("%.2f", low)
}

// charged says what softirq has to do with the parts' CPU on the kernel of a result.
func charged(r result.Result) string {
	switch s := r.Machine.SoftIRQ; {
	case s == nil:
		return "it was not found out whether the parts' CPU has it in it"
	case *s == "of which":
		return "it is in the parts' CPU already"
	case *s == "beside":
		return "it comes on top of the parts' CPU"
	default:
		return *s
	}
}
