package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// hunt is one search for a capacity by real runs: whatever stats.Search wants next is run, until that knows enough.
type hunt struct {
	stats.Search
	most int                                   // runs, after which it gives up
	plan func(at stats.Trial, n int) load.Plan // of one step: what the n-th run, from 0, offers
}

// hunted is what a hunt came to.
type hunted struct {
	runs  tries
	found result.Capacity // where it has not ended, the bracket so far, which is no capacity
	ended bool
}

// try is one run of a trial.
type try struct {
	at stats.Trial
	attempt
}

// tries are the runs of a hunt, in their order.
type tries []try

// run runs trials with do, which says in the facts of an attempt whether it was cut, until the search ends, ctx is cancelled or the
// most there may be were run. Before each do is told what it is for; note gets a line after each.
func (h *hunt) run(ctx context.Context, do func(ctx context.Context, what string, plan load.Plan) (attempt, error),
	note func(string)) (all hunted, err error) {
	for n := 0; ; n++ {
		at, found, done := h.Next(all.runs.tried())
		all.found, all.ended = found, done
		if n > 0 {
			note(all.said())
		}
		switch {
		case done:
			all.found.Limiter = all.runs.limiterAt(found.High)
			return all, nil
		case ctx.Err() != nil:
			all.found.Criterion = "interrupted"
			return all, nil
		case n >= h.most:
			all.found.Criterion = fmt.Sprintf("the search gave up after %d runs: %s", n, bracketInWords(found))
			return all, nil
		}
		plan := h.plan(at, n)
		one, err := do(ctx, inWords(at, found, n, plan.Steps[0]), plan)
		if err != nil {
			return all, err
		}
		one.step.Longer = at.Long
		if one.facts.Cut { // what was known before stays
			if one.step.Seconds > 0 && !all.runs.include(at.Rate) {
				all.runs = append(all.runs, try{at, one})
			}
			all.found.Criterion = "interrupted"
			return all, nil
		}
		all.runs = append(all.runs, try{at, one})
	}
}

// inWords says what a run is for.
func inWords(at stats.Trial, soFar result.Capacity, n int, s load.Step) string {
	switch {
	case at.Long:
		return fmt.Sprintf("run %d, confirming over %.3g s", n+1, s.Duration.Seconds())
	case soFar.High == nil:
		return fmt.Sprintf("run %d, climbing", n+1)
	}
	return fmt.Sprintf("run %d, halving (%s)", n+1, bracketInWords(soFar))
}

// bracketInWords says what is known of a capacity.
func bracketInWords(c result.Capacity) string {
	var words []string
	if c.Low != nil {
		words = append(words, fmt.Sprintf("%.0f/s passed", *c.Low))
	}
	if c.High != nil {
		words = append(words, fmt.Sprintf("%.0f/s did not", *c.High))
	}
	if words == nil {
		return "no rate was decided"
	}
	return strings.Join(words, ", ")
}

// said is how the last run ended and what is known since.
func (a hunted) said() string {
	last := a.runs[len(a.runs)-1]
	says := fmt.Sprintf("run %d at %.0f/s: %s", len(a.runs), last.at.Rate, last.step.Verdict.Outcome)
	if last.at.Long {
		says = fmt.Sprintf("run %d at %.0f/s over %.3g s: %s", len(a.runs), last.at.Rate, last.step.Seconds, last.step.Verdict.Outcome)
	}
	if c := last.step.Verdict.Criterion; c != "" {
		says += " " + c
	}
	if a.ended {
		says += "; the search has ended, " + string(a.found.Status)
	}
	return says + "; " + bracketInWords(a.found)
}

func (t tries) tried() []stats.Tried {
	all := make([]stats.Tried, len(t))
	for i, one := range t {
		all[i] = stats.Tried{Trial: one.at, Verdict: one.step.Verdict}
	}
	return all
}

func (t tries) include(rate float64) bool {
	return slices.ContainsFunc(t, func(one try) bool { return one.at.Rate == rate })
}

// of are the runs at a rate, the longer ones or the others.
func (t tries) of(rate float64, longer bool) (runs attempts) {
	for _, one := range t {
		if one.at == (stats.Trial{Rate: rate, Long: longer}) {
			runs = append(runs, one.attempt)
		}
	}
	return runs
}

// standing returns all runs at a rate, and which of them stands for it: of the longer ones, where there are any.
func (t tries) standing(rate float64) (runs attempts, stands int) {
	runs, longer := t.of(rate, false), t.of(rate, true)
	decides := runs
	if len(longer) > 0 {
		stands, decides = len(runs), longer
	}
	among, _ := stats.Decide(decides.verdicts())
	return append(runs, longer...), stands + among
}

// limiterAt is what ran out at a rate; "" at none.
func (t tries) limiterAt(rate *float64) string {
	if rate == nil || !t.include(*rate) {
		return ""
	}
	runs, stands := t.standing(*rate)
	return runs[stands].step.Limiter
}

// settle puts the runs into a design, a step for each rate, and returns what the steps' verdicts rest on.
func (t tries) settle(d *result.Design) (facts []stats.Facts) {
	var rates []float64
	for _, one := range t {
		rates = append(rates, one.at.Rate)
	}
	slices.Sort(rates)
	rates = slices.Compact(rates)
	d.Steps, facts = make([]result.Step, len(rates)), make([]stats.Facts, len(rates))
	for i, rate := range rates {
		runs, stands := t.standing(rate)
		steps := make([]result.Step, len(runs))
		for n, r := range runs {
			steps[n] = r.step
		}
		settle(d, i, steps, stands)
		facts[i] = runs[stands].facts
	}
	return facts
}
