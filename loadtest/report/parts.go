package report

import (
	"fmt"
	"slices"
	"strings"

	"splitshop/loadtest/result"
)

// column is one part of one design.
type column struct{ design, part string }

// columns are the parts of every design, and for each design their sum.
func columns(r result.Result) (all []column) {
	for _, d := range r.Designs {
		for _, p := range d.Parts {
			all = append(all, column{label(r, d), p.Name})
		}
		if len(d.Parts) > 0 {
			all = append(all, column{label(r, d), "sum"})
		}
	}
	return all
}

// cpu is the CPU time that a request cost in each part: of a ramp step by step, of others run by run.
func cpu(r result.Result) (lines []string) {
	if r.Mode != result.ModeRamp {
		return cpuByRun(r)
	}
	cols := columns(r)
	if len(cols) == 0 {
		return nil
	}
	top, head := []string{"offered"}, []string{"/s"}
	last := ""
	for _, c := range cols {
		name := ""
		if c.design != last {
			name, last = c.design+":", c.design
		}
		top, head = append(top, name), append(head, c.part)
	}
	return table(append([][]string{top, head}, cpuRows(r)...))
}

// cpuRows are a ramp's rates with the figures of every column.
func cpuRows(r result.Result) (rows [][]string) {
	most := 0
	for _, d := range r.Designs {
		most = max(most, len(d.Steps))
	}
	for i := range most {
		row := []string{}
		for _, d := range r.Designs {
			if len(row) == 0 && i < len(d.Steps) {
				row = append(row, perSecond(d.Steps[i].OfferedPerSecond))
			}
		}
		for _, d := range r.Designs {
			row = append(row, cpuCells(d, i)...)
		}
		rows = append(rows, row)
	}
	return rows
}

// cpuCells are the figures of one design in one step, and their sum where none is missing.
func cpuCells(d result.Design, step int) (cells []string) {
	if len(d.Parts) == 0 {
		return nil
	}
	sum, whole := 0.0, true
	for _, p := range d.Parts {
		v := (*float64)(nil)
		if step < len(d.Steps) {
			if i := slices.IndexFunc(d.Steps[step].Parts, func(u result.Usage) bool { return u.Name == p.Name }); i >= 0 {
				v = d.Steps[step].Parts[i].CPUMs
			}
		}
		if v == nil {
			cells, whole = append(cells, none), false
			continue
		}
		sum += *v
		cells = append(cells, fmt.Sprintf("%.3f", *v))
	}
	if !whole {
		return append(cells, none)
	}
	return append(cells, fmt.Sprintf("%.3f", sum))
}

// losses details every failure and every drop.
func losses(r result.Result) (lines []string) {
	for _, d := range r.Designs {
		for _, s := range d.Steps {
			at := fmt.Sprintf("%s at %s/s: ", label(r, d), perSecond(s.OfferedPerSecond))
			for _, f := range s.Failures {
				lines = append(lines, fmt.Sprintf("%s%s: %s, %s times", at, f.Route, f.Reason, count(f.Count)))
			}
			var causes []string
			for _, c := range []struct {
				n    int64
				word string
			}{{s.Dropped.UsersBusy, "all users busy"}, {s.Dropped.Generator, "generator late"}, {s.Dropped.Leases, "no cart to lease"}} {
				if c.n > 0 {
					causes = append(causes, fmt.Sprintf("%s %s", count(c.n), c.word))
				}
			}
			if len(causes) > 0 {
				lines = append(lines, at+"dropped "+strings.Join(causes, ", "))
			}
		}
	}
	return lines
}

// preflights is how quiet the machine was before each design got any load.
func preflights(r result.Result) (lines []string) {
	for _, d := range r.Designs {
		p := d.Preflight
		if p == nil {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: watched %.0f s; others used %s cores, stolen %s; the parts' cores were busy %s of the time",
			label(r, d), p.Seconds, known(p.Background), known(p.Steal), known(p.Busy)))
	}
	return lines
}

// known is a figure, or that there is none.
func known(v *float64) string {
	if v == nil {
		return "n/a"
	}
	return fmt.Sprintf("%.2f", *v)
}

// memory is each part's after the last step: what it shares divided among those who share it, where that can be read, else
// what is resident, which counts shared memory in every process.
func memory(r result.Result) (lines []string) {
	for _, d := range r.Designs {
		var parts []string
		for _, p := range d.Parts {
			if p.PSS != nil {
				parts = append(parts, fmt.Sprintf("%s %.0f", p.Name, float64(*p.PSS)/(1<<20)))
			} else if rss := lastRSS(d, p.Name); rss != nil {
				parts = append(parts, fmt.Sprintf("%s %.0f resident", p.Name, float64(*rss)/(1<<20)))
			}
		}
		if len(parts) > 0 {
			lines = append(lines, label(r, d)+": "+strings.Join(parts, ", "))
		}
		if grown := residents(d); grown != "" {
			lines = append(lines, label(r, d)+", resident before the load and at most: "+grown)
		}
	}
	return lines
}

// residents is what of each part was resident before the load, and the most that ever was.
func residents(d result.Design) string {
	var parts []string
	for _, p := range withGenerator(d) {
		if p.RSSIdle != nil && p.RSSPeak != nil {
			parts = append(parts, fmt.Sprintf("%s %.0f to %.0f", p.Name, float64(*p.RSSIdle)/(1<<20), float64(*p.RSSPeak)/(1<<20)))
		}
	}
	return strings.Join(parts, ", ")
}

func lastRSS(d result.Design, part string) *int64 {
	if len(d.Steps) == 0 {
		return nil
	}
	for _, u := range d.Steps[len(d.Steps)-1].Parts {
		if u.Name == part {
			return u.RSS
		}
	}
	return nil
}
