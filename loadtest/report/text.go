package report

import (
	"fmt"
	"strings"

	"splitshop/loadtest/result"
)

// Text is the report for a terminal: plain text without colour, warnings first, at most about 110 columns.
func Text(r result.Result) string {
	var b strings.Builder
	head(&b, r)
	section(&b, "WARNINGS", warnings(r))
	switch r.Mode {
	case result.ModeClosed, result.ModeCompare:
		section(&b, "CLOSED LOOP, latency in ms from sending", closedRuns(r))
		section(&b, "MEDIANS over repeats, with their range", closedMedians(r))
		section(&b, "COMPARISON", comparisons(r))
		section(&b, "WHAT RAN OUT", limits(r))
	case result.ModeFixed:
		section(&b, "RUNS, latency in ms from the due instant and from sending", rampSteps(r))
		section(&b, "MEDIANS over valid repeats, with their range, in ms", fixedMedians(r))
		section(&b, "WHAT RAN OUT", limits(r))
	case result.ModeSearch:
		section(&b, "CAPACITY in iterations/s inside the SLO: medians over searches, with their range", searched(r))
		section(&b, "SEARCHES in the order in which they ran", searches(r))
		section(&b, "STEPS, latency in ms from the due instant and from sending", rampSteps(r))
	default:
		section(&b, "CAPACITY in iterations/s inside the SLO", capacities(r))
		section(&b, "STEPS, latency in ms from the due instant and from sending", rampSteps(r))
	}
	section(&b, `CPU-ms PER REQUEST of each part ("-": not every request of that step was good)`, cpu(r))
	section(&b, "GOMAXPROCS AND CPU QUOTA of each part", held(r))
	section(&b, "SOFTIRQ (packets, timers) as a share of each core's time; "+charged(r), softIRQ(r))
	section(&b, "FAILURES AND DROPS", losses(r))
	section(&b, "THE BOOKS: orders that were answered against orders that exist, those of the warm-up too", books(r))
	section(&b, "BEFORE THE LOAD, with each design started and idle", preflights(r))
	section(&b, "DATABASE: backends at work, of these waiting, of these for locks; and who waited for a connection (averages)", database(r))
	section(&b, "MEMORY of each part after the last step, MiB", memory(r))
	return b.String()
}

func section(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for _, l := range lines {
		fmt.Fprintln(b, strings.TrimRight("  "+l, " "))
	}
}

func head(b *strings.Builder, r result.Result) {
	p := r.Plan
	fmt.Fprint(b, title(r))
	if says := planInWords(r); says != "" {
		fmt.Fprintf(b, ": %s", says)
	} else {
		fmt.Fprint(b, ", not begun")
	}
	fmt.Fprintf(b, "; scale %s, seed %d\n", r.Scale, p.Seed)
	if says := searchPlan(p); says != "" {
		fmt.Fprintf(b, "Rates: %s\n", says)
	}
	fmt.Fprintf(b, "SLO: %s\n", slo(r))
	if p.Base != nil {
		fmt.Fprintf(b, "Base rate: %s iterations/s (%s); one iteration is %g requests\n", perSecond(*p.Base), p.BaseFrom, p.RequestsPerIteration)
	}
	fmt.Fprintf(b, "Machine: %s, %d cores, kernel %s; %s, revision %s\n", r.Machine.CPU, r.Machine.Cores, r.Machine.Kernel,
		r.Build.Go, revision(r.Build))
	if c := r.Cores; c != nil {
		fmt.Fprintf(b, "Cores: generator %s, Postgres %s, application %s\n", cores(c.Generator), cores(c.Postgres), cores(c.App))
	}
	if sizes := imageSizes(r); sizes != "" && r.Cores != nil {
		fmt.Fprintf(b, "Containers: preset %s; images of %s\n", r.Cores.Preset, sizes)
	}
	if len(r.Designs) > 0 && r.Designs[0].Scheduling != "" {
		fmt.Fprintf(b, "Pacer: %s\n", r.Designs[0].Scheduling)
	}
	fmt.Fprintf(b, "Grade: %s\n", grade(r))
}

func revision(b result.Build) string {
	rev := b.Revision
	if len(rev) > 12 && rev != "unknown" {
		rev = rev[:12]
	}
	if b.Modified {
		rev += " with changes"
	}
	return rev
}

// warnings lists what a reader must know before any figure.
func warnings(r result.Result) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, "! "+fmt.Sprintf(format, args...)) }
	if r.Interrupted {
		add("interrupted: this result is partial")
	}
	for _, w := range r.Warnings {
		add("%s", w)
	}
	if r.Require != nil && len(r.Require.Missed) > 0 {
		add("required %s iterations/s inside the SLO: missed by %s", perSecond(r.Require.PerSecond), strings.Join(r.Require.Missed, ", "))
	}
	for _, d := range r.Designs {
		name := label(r, d)
		for _, w := range d.Warnings {
			add("%s: %s", name, w)
		}
		if strings.Contains(d.Scheduling, "refused") {
			add("%s: the pacer ran as %s", name, d.Scheduling)
		}
		noisy, worst := 0, 0.0
		for _, s := range d.Steps {
			if s.Verdict.Noisy && s.Machine != nil {
				noisy++
				worst = max(worst, value(s.Machine.Background)+value(s.Machine.Steal))
			}
		}
		if noisy > 0 {
			add("%s: others used the machine in %d of %d steps (up to %.2f cores, stolen time included)", name, noisy, len(d.Steps), worst)
		}
		for _, o := range []result.Outcome{result.Invalid, result.Insufficient} {
			if line := withoutVerdict(d, o); line != "" {
				add("%s: %s", name, line)
			}
		}
	}
	if r.ClosedLoop() && len(r.Designs) > 0 {
		add("a closed loop waits for the system it measures: it cannot see what would have queued meanwhile")
	}
	return lines
}

// withoutVerdict says which steps ended INVALID or INSUFFICIENT, and why the first of them did.
func withoutVerdict(d result.Design, o result.Outcome) string {
	why, others := "", []string{}
	for _, s := range d.Steps {
		switch at := perSecond(s.OfferedPerSecond) + "/s"; {
		case s.Verdict.Outcome != o:
		case why == "":
			why = fmt.Sprintf("%s at %s: %s", o, at, strings.Join(s.Verdict.Reasons, "; "))
		default:
			others = append(others, at)
		}
	}
	if len(others) == 0 {
		return why
	}
	return fmt.Sprintf("%s. And at %s", why, strings.Join(others, ", "))
}

func value(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}

// label names a design, with its repeat where there are several.
func label(r result.Result, d result.Design) string {
	for _, o := range r.Designs {
		if o.Name == d.Name && o.Repeat != d.Repeat {
			return fmt.Sprintf("%s (%d)", d.Name, d.Repeat)
		}
	}
	return d.Name
}
