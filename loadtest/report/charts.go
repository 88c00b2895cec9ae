package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// series is one line of a chart.
type series struct {
	name   string
	key    string // what it is called in the chart's key, where several series look alike; "": its name
	look   look
	points plotter.XYs
	marked plotter.XYs // those of points that have no verdict
}

// over is a design's figure at each offered rate, where there is one.
func over(r result.Result, n int, figure func(result.Step) (float64, bool)) series {
	d := r.Designs[n]
	s := series{name: label(r, d), look: lookOf(n)}
	if r.Mode == result.ModeSearch { // the searches of a design look alike
		s.key, s.look = d.Name, lookOf(slices.IndexFunc(r.Designs, func(o result.Design) bool { return o.Name == d.Name }))
	}
	for _, step := range d.Steps {
		y, ok := figure(step)
		if !ok {
			continue
		}
		at := plotter.XY{X: step.OfferedPerSecond, Y: y}
		s.points = append(s.points, at)
		if o := step.Verdict.Outcome; o == result.Invalid || o == result.Insufficient {
			s.marked = append(s.marked, at)
		}
	}
	return s
}

// lines is a chart of series; none where no series has a point. It says its points in unit.
func lines(title, unit string, p *plot.Plot, all []series, more ...key) []chart {
	c := chart{Title: title}
	var marked plotter.XYs
	var says []string
	for _, s := range all {
		if len(s.points) == 0 {
			continue
		}
		line, glyph := s.look.line(), s.look.glyph()
		p.Add(&plotter.Line{XYs: s.points, LineStyle: line}, &plotter.Scatter{XYs: s.points, GlyphStyle: glyph})
		if k := cmp.Or(s.key, s.name); !slices.ContainsFunc(c.Keys, func(o key) bool { return s.key != "" && o.Name == k }) {
			c.Keys = append(c.Keys, key{swatch(&line, &glyph, nil), k})
		}
		says, marked = append(says, s.says(p, unit)), append(marked, s.marked...)
	}
	if len(c.Keys) == 0 {
		return nil
	}
	c.Keys = append(c.Keys, more...)
	if _, log := p.Y.Scale.(plot.LogScale); !log {
		p.Y.Max *= 1.05 // so that no marker is cut
	}
	if _, names := p.X.Tick.Marker.(plot.ConstantTicks); !names {
		p.X.Max *= 1.05 // nor a figure at the end of the axis
	}
	if len(marked) > 0 {
		p.Add(&plotter.Scatter{XYs: marked, GlyphStyle: noVerdict})
		c.Keys = append(c.Keys, key{swatch(nil, &noVerdict, nil), "no verdict: INVALID or INSUFFICIENT"})
	}
	c.Says, c.Drawing = strings.Join(says, ". ")+".", drawn(p)
	return []chart{c}
}

// says is the series in words.
func (s series) says(p *plot.Plot, unit string) string {
	words := make([]string, len(s.points))
	for i, at := range s.points {
		words[i] = fmt.Sprintf("%.3g %s at %s", at.Y, unit, nameOf(p, at.X))
	}
	return s.name + ": " + strings.Join(words, ", ")
}

// nameOf is a place on the horizontal axis: its name, where the axis has names, or a rate.
func nameOf(p *plot.Plot, x float64) string {
	if names, ok := p.X.Tick.Marker.(plot.ConstantTicks); ok && int(x) < len(names) {
		return names[int(x)].Label
	}
	return perSecond(x) + "/s"
}

const offeredAxis = "offered, iterations/s"

// tails is p99 from due against the offered rate, with the SLO.
func tails(r result.Result) []chart {
	p := newPlot(offeredAxis, "p99 from due, ms")
	all := make([]series, len(r.Designs))
	low, high := r.SLO.P99Ms, r.SLO.P99Ms
	for n := range r.Designs {
		all[n] = over(r, n, func(s result.Step) (float64, bool) { return millis(s.FromDue, p99) })
		for _, at := range all[n].points {
			low, high = min(low, at.Y), max(high, at.Y)
		}
	}
	if low <= 0 {
		return nil
	}
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: 0, Y: r.SLO.P99Ms}, {X: highest(r), Y: r.SLO.P99Ms}}, LineStyle: limit})
	logarithmic(&p.Y, low, high)
	p.X.Min = 0
	return lines("p99 from due against offered load", "ms", p, all, sloKey(r))
}

// millis is a latency's figure in ms, at least 1 us, so that it has a logarithm.
func millis(l *result.Latency, of func(*result.Latency) int64) (float64, bool) {
	if l == nil {
		return 0, false
	}
	return float64(max(of(l), 1)) / 1000, true
}

func highest(r result.Result) (rate float64) {
	for _, d := range r.Designs {
		for _, s := range d.Steps {
			rate = max(rate, s.OfferedPerSecond)
		}
	}
	return rate
}

// achievements is what was achieved against what was offered.
func achievements(r result.Result) []chart {
	p := newPlot(offeredAxis, "achieved, iterations/s")
	all := make([]series, len(r.Designs))
	for n := range r.Designs {
		all[n] = over(r, n, func(s result.Step) (float64, bool) { return s.AchievedPerSecond, true })
	}
	top := highest(r)
	p.Add(&plotter.Line{XYs: plotter.XYs{{}, {X: top, Y: top}}, LineStyle: limit})
	p.X.Min, p.Y.Min = 0, 0
	return lines("Achieved against offered load", "iterations/s", p, all, key{swatch(&limit, nil, nil), "all that was offered"})
}

// lost is the share of arrivals dropped and of requests failed.
func lost(r result.Result) []chart {
	p := newPlot(offeredAxis, "share lost, %")
	var all []series
	for n := range r.Designs {
		dropped := over(r, n, func(s result.Step) (float64, bool) { return share(s.Dropped.Total(), s.Offered) })
		failed := over(r, n, func(s result.Step) (float64, bool) { return share(s.Failed, s.Requests) })
		dropped.name, dropped.look.dashes = dropped.name+": arrivals dropped", nil
		failed.name, failed.look.dashes = failed.name+": requests failed", []vg.Length{2, 3}
		all = append(all, dropped, failed)
	}
	p.X.Min, p.Y.Min, p.Y.Max = 0, 0, 1
	return lines("Drops and failures against offered load", "%", p, all)
}

func share(n, of int64) (float64, bool) {
	if of == 0 {
		return 0, false
	}
	return 100 * float64(n) / float64(of), true
}

// runs is the rate of each repeat of a closed loop.
func runs(r result.Result) []chart {
	p := newPlot(rounds(r), "iterations/s")
	all := eachRound(r, p, "", func(d result.Design) (float64, bool) {
		return d.Steps[0].AchievedPerSecond, true
	})
	p.Y.Min = 0
	return lines("Rate of each repeat", "iterations/s at repeat", p, all)
}

// tailsOfRepeats is p99 from due of each repeat of a fixed rate, with the SLO.
func tailsOfRepeats(r result.Result) []chart {
	p := newPlot(rounds(r), "p99 from due, ms")
	all := eachRound(r, p, "", func(d result.Design) (float64, bool) { return millis(d.Steps[0].FromDue, p99) })
	low, high := r.SLO.P99Ms, r.SLO.P99Ms
	for _, s := range all {
		for _, at := range s.points {
			low, high = min(low, at.Y), max(high, at.Y)
		}
	}
	if low <= 0 {
		return nil
	}
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: p.X.Min, Y: r.SLO.P99Ms}, {X: p.X.Max, Y: r.SLO.P99Ms}}, LineStyle: limit})
	logarithmic(&p.Y, low, high)
	return lines("p99 from due of each repeat", "ms at repeat", p, all, sloKey(r))
}

func sloKey(r result.Result) key {
	return key{swatch(&limit, nil, nil), fmt.Sprintf("SLO: below %g ms", r.SLO.P99Ms)}
}

// brackets is what each search found: the last rate that passed and the first that failed.
func brackets(r result.Result) []chart {
	p := newPlot(rounds(r), "iterations/s inside the SLO")
	end := func(of func(*result.Capacity) *float64) func(result.Design) (float64, bool) {
		return func(d result.Design) (float64, bool) {
			c := d.Capacity
			if c == nil || !stats.Counts(*c) || of(c) == nil {
				return 0, false
			}
			return *of(c), true
		}
	}
	passed := eachRound(r, p, ": last that passed", end(func(c *result.Capacity) *float64 { return c.Low }))
	failed := eachRound(r, p, ": first that failed", end(func(c *result.Capacity) *float64 { return c.High }))
	for i := range passed {
		passed[i].look.dashes, failed[i].look.dashes = nil, []vg.Length{2, 3}
	}
	p.Y.Min = 0
	return lines("What each search found", "iterations/s at search", p, append(passed, failed...))
}

// eachRound makes a series for each design, with a figure for each time it was measured, and the axis for it.
func eachRound(r result.Result, p *plot.Plot, what string, figure func(result.Design) (float64, bool)) (all []series) {
	most := 0
	for _, d := range r.Designs {
		i := slices.IndexFunc(all, func(s series) bool { return s.name == d.Name+what })
		if i < 0 {
			i = len(all)
			all = append(all, series{name: d.Name + what, look: lookOf(i)})
		}
		most = max(most, d.Repeat)
		if len(d.Steps) == 0 {
			continue
		}
		y, ok := figure(d)
		if !ok {
			continue
		}
		at := plotter.XY{X: float64(d.Repeat - 1), Y: y}
		all[i].points = append(all[i].points, at)
		o := d.Steps[0].Verdict.Outcome
		if isRepeated(r) && o == result.Invalid || r.Mode == result.ModeFixed && o == result.Insufficient {
			all[i].marked = append(all[i].marked, at)
		}
	}
	p.X.Tick.Marker = numbered(most)
	p.X.Min, p.X.Max = -0.4, float64(most)-0.6
	return all
}

// numbered are names from 1 to n.
func numbered(n int) plot.ConstantTicks {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint(i + 1)
	}
	return named(names)
}

func named(names []string) plot.ConstantTicks {
	all := make(plot.ConstantTicks, len(names))
	for i, name := range names {
		all[i] = plot.Tick{Value: float64(i), Label: name}
	}
	return all
}

// spectra is the latency from median to maximum of one step of each design, the same rate for all.
func spectra(r result.Result) []chart {
	p := newPlot("", "latency, ms")
	var names []string
	for _, s := range spectrum {
		names = append(names, s.name)
	}
	p.X.Tick.Marker = named(names)
	p.X.Min, p.X.Max = -0.4, float64(len(names))-0.6
	index, rate := commonStep(r)
	var all []series
	low, high := math.Inf(1), 0.0
	for n, d := range r.Designs {
		at := index(d)
		if at < 0 || at >= len(d.Steps) || (r.Mode != result.ModeRamp && d.Repeat > 1) {
			continue
		}
		due := series{name: label(r, d) + ": from due", look: lookOf(n)}
		send := series{name: label(r, d) + ": from send", look: lookOf(n)}
		due.look.dashes, send.look.dashes = nil, []vg.Length{2, 3}
		for i, q := range spectrum {
			for _, s := range []struct {
				of *series
				l  *result.Latency
			}{{&due, d.Steps[at].FromDue}, {&send, d.Steps[at].FromSend}} {
				if y, ok := millis(s.l, q.of); ok {
					s.of.points = append(s.of.points, plotter.XY{X: float64(i), Y: y})
					low, high = min(low, y), max(high, y)
				}
			}
		}
		all = append(all, due, send)
	}
	if high == 0 {
		return nil
	}
	logarithmic(&p.Y, low, high)
	return lines("Latency spectrum"+rate, "ms", p, all)
}

// commonStep is which step of a design to show beside the others', and what to say of it: the last that every design passed, or
// else the first; of searches the one confirmed.
func commonStep(r result.Result) (index func(result.Design) int, words string) {
	always := func(n int) func(result.Design) int { return func(result.Design) int { return n } }
	switch {
	case isRepeated(r):
		return always(0), " of each first repeat"
	case r.Mode == result.ModeSearch:
		return confirmed, ", at the rate that each first search found"
	}
	last := -1
	for all := true; all; {
		for _, d := range r.Designs {
			all = all && last+1 < len(d.Steps) && d.Steps[last+1].Verdict.Outcome == result.Pass
		}
		if all = all && len(r.Designs) > 0; all {
			last++
		}
	}
	which := ", the last rate that all passed"
	if last < 0 {
		last, which = 0, ", the first rate"
	}
	if len(r.Designs) == 0 || len(r.Designs[0].Steps) == 0 {
		return always(last), ""
	}
	return always(last), fmt.Sprintf(" at %s/s%s", perSecond(r.Designs[0].Steps[last].OfferedPerSecond), which)
}

// costs is the CPU time of a request, stacked by part: one chart for each design, all to the same height.
func costs(r result.Result) (all []chart) {
	parts, top := partNames([]result.Result{r}), 0.0
	stacks := stacksOf(r)
	for _, s := range stacks {
		for _, step := range s.design.Steps {
			sum := 0.0
			for _, v := range complete(s.design, step) {
				sum += v
			}
			top = max(top, sum)
		}
	}
	if top == 0 {
		return nil
	}
	for _, s := range stacks {
		p := newPlot(offeredAxis, "CPU-ms per request")
		if r.Mode != result.ModeRamp {
			p.X.Label.Text = rounds(r)
		}
		p.Y.Min, p.Y.Max = 0, 1.05*top
		c := chart{Title: "CPU time per request: " + s.name}
		s.onto(p, &c, parts)
		if c.Drawing = drawn(p); len(c.Keys) > 0 {
			all = append(all, c)
		}
	}
	return all
}

// stacks are the bars of one chart: a design with the steps that each get one, under their names.
type stacks struct {
	name   string
	design result.Design
	bars   []string
}

// stacksOf are the steps of each design of a ramp; of others its repeats, or the rates that its searches found.
func stacksOf(r result.Result) (all []stacks) {
	for _, d := range r.Designs {
		if r.Mode == result.ModeRamp {
			s := stacks{name: label(r, d), design: d}
			for _, step := range d.Steps {
				s.bars = append(s.bars, perSecond(step.OfferedPerSecond))
			}
			all = append(all, s)
			continue
		}
		steps := d.Steps
		if r.Mode == result.ModeSearch {
			steps = nil
			if i := confirmed(d); i >= 0 {
				steps = d.Steps[i : i+1]
			}
		}
		i := slices.IndexFunc(all, func(o stacks) bool { return o.name == d.Name })
		if i < 0 {
			i, all = len(all), append(all, stacks{name: d.Name, design: d})
			all[i].design.Steps = nil
		}
		all[i].design.Steps = append(all[i].design.Steps, steps...)
		all[i].bars = append(all[i].bars, slices.Repeat([]string{fmt.Sprint(d.Repeat)}, len(steps))...)
	}
	return all
}

// complete are the CPU-ms per request of each part of a design in one step; none where one of them is missing, for the rest
// would look like less than it was.
func complete(d result.Design, step result.Step) []float64 {
	all := make([]float64, len(d.Parts))
	for i, part := range d.Parts {
		j := slices.IndexFunc(step.Parts, func(u result.Usage) bool { return u.Name == part.Name })
		if j < 0 || step.Parts[j].CPUMs == nil {
			return nil
		}
		all[i] = *step.Parts[j].CPUMs
	}
	return all
}

// onto puts the parts on each other, a bar for each step.
func (s stacks) onto(p *plot.Plot, c *chart, parts []string) {
	p.X.Tick.Marker = everyOther(named(s.bars))
	p.X.Min, p.X.Max = -0.6, float64(len(s.bars))-0.4
	var below *plotter.BarChart
	var says []string
	for k, part := range s.design.Parts {
		bar := &plotter.BarChart{Values: make(plotter.Values, len(s.bars)), Width: vg.Length(min(220/max(len(s.bars), 1), 60)),
			Color: fills[slices.Index(parts, part.Name)%len(fills)], LineStyle: draw.LineStyle{Color: paper, Width: 0.8}}
		for i, step := range s.design.Steps {
			if all := complete(s.design, step); all != nil {
				bar.Values[i] = all[k]
				says = append(says, fmt.Sprintf("%s %.3f ms at %s", part.Name, all[k], s.bars[i]))
			}
		}
		if len(says) == 0 {
			return
		}
		if below != nil {
			bar.StackOn(below)
		}
		p.Add(bar)
		c.Keys = append(c.Keys, key{swatch(nil, nil, bar.Color), part.Name})
		below = bar
	}
	c.Says = strings.Join(says, ", ") + "."
}

// everyOther takes names away where there are too many to stand beside each other.
func everyOther(all plot.ConstantTicks) plot.ConstantTicks {
	for i := range all {
		if len(all) > 6 && i%2 == 1 {
			all[i].Label = ""
		}
	}
	return all
}
