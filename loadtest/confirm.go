package main

import (
	"context"
	"fmt"

	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// attempt is one run of one step.
type attempt struct {
	step  result.Step
	facts stats.Facts
}

// attempts are the runs of one step, in their order.
type attempts []attempt

func (a attempts) verdicts() []result.Verdict {
	verdicts := make([]result.Verdict, len(a))
	for i, one := range a {
		verdicts[i] = one.step.Verdict
	}
	return verdicts
}

func verdictsOf(steps []attempts) [][]result.Verdict {
	all := make([][]result.Verdict, len(steps))
	for i, runs := range steps {
		all[i] = runs.verdicts()
	}
	return all
}

// confirm runs steps again, one at a time, as stats.Again wants it. The run that stands takes its step's place, with its
// facts; the others are kept beside.
func (t *trial) confirm(ctx context.Context, j job, facts []stats.Facts) error {
	all := make([]attempts, len(t.d.Steps))
	for i, s := range t.d.Steps {
		all[i] = attempts{{s, facts[i]}}
	}
	for range mostAgain {
		i, more := stats.Again(verdictsOf(all))
		if !more || ctx.Err() != nil || t.running.Alive() != nil {
			break
		}
		one := job{steps: j.steps[i : i+1], users: j.users, offer: j.again(i, len(all[i]))}
		rec, f, err := t.run(ctx, fmt.Sprintf("step %d again", i+1), one)
		if err != nil {
			return err
		}
		if len(rec.steps) == 0 || f[0].Cut {
			break // interrupted: what was known before stays
		}
		all[i] = append(all[i], attempt{rec.steps[0], f[0]})
	}
	for i, runs := range all {
		t.settle(i, runs, &facts[i])
	}
	return nil
}

// settle puts the run that stands into its step's place, with its facts.
func (t *trial) settle(i int, runs attempts, facts *stats.Facts) {
	stands, _ := stats.Decide(runs.verdicts())
	*facts = runs[stands].facts
	steps := make([]result.Step, len(runs))
	for n, r := range runs {
		steps[n] = r.step
	}
	settle(t.d, i, steps, stands)
}

// settle puts the run of a step that stands into its place, and the others beside.
func settle(d *result.Design, i int, runs []result.Step, stands int) {
	d.Steps[i] = runs[stands]
	d.Steps[i].Runs = len(runs)
	for n, r := range runs {
		if n != stands {
			d.OtherRuns = append(d.OtherRuns, result.OtherRun{Step: i + 1, Run: r})
		}
	}
}
