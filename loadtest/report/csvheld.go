package report

import (
	"fmt"
	"slices"
	"strconv"

	"splitshop/loadtest/result"
)

// csvHeld are further columns, each a head and a cell for every step, of what only some results know: CPU quotas, GOMAXPROCS and
// softirq. Columns that would be empty are left out.
func csvHeld(rs []result.Result, parts []string) (columns [][]string) {
	add := func(head string, of func(d result.Design, s result.Step) string) {
		column := []string{head}
		for _, r := range rs {
			for _, d := range r.Designs {
				for _, s := range d.Steps {
					column = append(column, of(d, s))
				}
			}
		}
		if slices.ContainsFunc(column[1:], func(cell string) bool { return cell != "" }) {
			columns = append(columns, column)
		}
	}
	for _, name := range parts {
		part := func(cell func(p result.Part) string) func(result.Design, result.Step) string {
			return func(d result.Design, _ result.Step) string {
				if i := slices.IndexFunc(d.Parts, func(p result.Part) bool { return p.Name == name }); i >= 0 {
					return cell(d.Parts[i])
				}
				return ""
			}
		}
		throttled := func(cell func(t result.Throttled) string) func(result.Design, result.Step) string {
			return func(_ result.Design, s result.Step) string {
				if t := throttledIn(s, name); t != nil {
					return cell(*t)
				}
				return ""
			}
		}
		add("gomaxprocs "+name, part(func(p result.Part) string {
			if p.GOMAXPROCS == nil {
				return ""
			}
			return strconv.Itoa(*p.GOMAXPROCS)
		}))
		add("quota "+name, part(func(p result.Part) string { return decimalOrEmpty(p.Quota) }))
		add("periods "+name, throttled(func(t result.Throttled) string { return strconv.FormatInt(t.Periods, 10) }))
		add("throttled_periods "+name, throttled(func(t result.Throttled) string { return strconv.FormatInt(t.Throttled, 10) }))
		add("throttled_ms "+name, throttled(func(t result.Throttled) string { return decimal(t.Ms) }))
	}
	for core := range mostCores(rs) {
		add(fmt.Sprintf("softirq_s core %d", core), func(_ result.Design, s result.Step) string {
			if s.Machine == nil || core >= len(s.Machine.SoftIRQ) {
				return ""
			}
			return decimalOrEmpty(s.Machine.SoftIRQ[core])
		})
	}
	return columns
}

// mostCores is how many cores the largest machine of the results had.
func mostCores(rs []result.Result) (most int) {
	for _, r := range rs {
		for _, d := range r.Designs {
			for _, s := range d.Steps {
				if s.Machine != nil {
					most = max(most, len(s.Machine.SoftIRQ))
				}
			}
		}
	}
	return most
}

func decimalOrEmpty(v *float64) string {
	if v == nil {
		return ""
	}
	return decimal(*v)
}
