package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// search is `loadtest search`.
type search struct {
	flags
	From     float64       `placeholder:"RATE" help:"Iterations/s to begin with. Default: 0.2 times what a closed loop on the first design reaches."`
	Factor   float64       `default:"1.5" help:"The climb multiplies the rate by this until the SLO breaks."`
	Max      float64       `placeholder:"RATE" help:"Iterations/s to try at most. Default: 50 times the first."`
	Width    float64       `default:"0.05" help:"It ends where the lowest rate that failed is at most this share above the highest that passed."`
	Step     time.Duration `placeholder:"TIME" help:"Length of every step. Default: by --scale, and longer where a low rate needs it for its claim."`
	Confirm  time.Duration `placeholder:"TIME" help:"Length of the longer run that confirms what was found. Default: likewise."`
	Searches int           `placeholder:"N" help:"Searches of each design, each from a fresh database. Default: by --scale."`
	Arrivals string        `default:"uniform" enum:"uniform,poisson" help:"How arrivals are spread: ${enum}."`
}

const (
	mostTrials             = 100  // of one search
	leastFactor            = 1.01 // of a climb
	leastWidth, mostWidth  = 0.01, 1
	fromOfBase, mostOfFrom = 0.2, 50 // where a search begins and ends, unless that is given
)

// Run searches every design, interleaved, as often as --searches says.
func (c *search) Run(ctx context.Context, s streams, code *int) error {
	mix, err := c.check(result.ModeSearch, load.DefaultUsers)
	if err == nil {
		err = c.checkOwn(mix)
	}
	if err != nil {
		return err
	}
	*code, err = measuring(ctx, &c.flags, mix, result.ModeSearch, s, func(m *measurement) error { return c.measure(ctx, m) })
	return err
}

// checkOwn completes the command's own flags and says what is wrong with them.
func (c *search) checkOwn(mix load.Mix) (err error) {
	switch {
	case !(c.From >= 0 && c.From <= load.MaxRate):
		err = fmt.Errorf("--from is %g and must be above 0 and at most %.0f iterations/s", c.From, float64(load.MaxRate))
	case !(c.Max >= 0 && c.Max <= load.MaxRate):
		err = fmt.Errorf("--max is %g and must be above 0 and at most %.0f iterations/s", c.Max, float64(load.MaxRate))
	case c.Max > 0 && c.Max < c.From:
		err = fmt.Errorf("--max is %g and must be at least --from, %g", c.Max, c.From)
	case !(c.Factor >= leastFactor && c.Factor <= load.MaxRate):
		err = fmt.Errorf("--factor is %g and must be at least %g", c.Factor, leastFactor)
	case !(c.Width >= leastWidth && c.Width <= mostWidth):
		err = fmt.Errorf("--width is %g and must be %g to %d, for 1 %% to 100 %%", c.Width, leastWidth, mostWidth)
	case c.Searches < 0 || c.Searches > mostRepeats:
		err = fmt.Errorf("--searches is %d and must be 1 to %d", c.Searches, mostRepeats)
	case c.Step < 0 || c.Confirm < 0:
		err = fmt.Errorf("--step and --confirm are %v and %v and must be above 0", c.Step, c.Confirm)
	case c.From > 0: // wrong now or after minutes
		err = c.hunt(mix, c.From).plan(stats.Trial{Rate: c.From}, 0).Check()
	}
	if err != nil {
		return usageError{err}
	}
	if c.Searches == 0 {
		c.Searches = scales[c.Scale].searches
	}
	return nil
}

func (c *search) measure(ctx context.Context, m *measurement) error {
	from := c.From
	if m.res.Plan.BaseFrom = "given"; from == 0 {
		base, err := m.baseRate(ctx)
		if err != nil {
			return err
		}
		from, m.res.Plan.Base = base*fromOfBase, &base
	}
	h := c.hunt(m.mix, from)
	if h.From > h.Max {
		return fmt.Errorf("the search would begin at %g iterations/s, above --max: give --from too", h.From)
	}
	m.res.Plan.Arrivals, m.res.Plan.Repeats = c.Arrivals, c.Searches
	m.res.Plan.Search = &result.Search{From: h.From, Factor: h.Factor, Max: h.Max, Width: h.Width, MostTrials: h.most,
		StepS: c.usual(false).Seconds(), LongerS: c.usual(true).Seconds()}
	for i := range c.Searches {
		for _, name := range inTurn(c.names(), i) {
			if err := m.add(ctx, name, job{users: c.Users, hunt: h}); err != nil {
				return err
			}
		}
	}
	return nil
}

// hunt is one search from a rate, with steps as long as their claims need.
func (c *search) hunt(mix load.Mix, from float64) *hunt {
	h := &hunt{Search: stats.Search{From: from, Factor: c.Factor, Max: c.Max, Width: c.Width}, most: mostTrials}
	if h.Max == 0 {
		h.Max = min(mostOfFrom*from, load.MaxRate)
	}
	h.plan = func(at stats.Trial, n int) load.Plan {
		lasts := c.usual(at.Long)
		if given := c.Step > 0 && !at.Long || c.Confirm > 0 && at.Long; !given {
			lasts = c.lasting(lasts, at.Rate, 1)
		}
		return load.Plan{Mix: mix, Arrivals: load.Arrivals(c.Arrivals), Seed: c.Seed + uint32(n)<<8, // other iterations than before
			Steps: []load.Step{{Rate: at.Rate, Duration: lasts}}}
	}
	return h
}

// usual is the length of a step, or of the longer run, that is not lengthened for its claim.
func (c *search) usual(longer bool) time.Duration {
	if longer {
		return cmp.Or(c.Confirm, scales[c.Scale].sustained)
	}
	return cmp.Or(c.Step, scales[c.Scale].step)
}

// search does a job's hunt on a started design, and returns what its steps' verdicts rest on.
func (t *trial) search(ctx context.Context, j job) ([]stats.Facts, error) {
	d := t.d
	all, err := j.hunt.run(ctx, func(ctx context.Context, what string, plan load.Plan) (attempt, error) {
		rec, facts, err := t.run(ctx, what, job{steps: plan.Steps, users: j.users, offer: open(plan)})
		if err != nil || len(rec.steps) == 0 {
			return attempt{facts: stats.Facts{Cut: true}}, err
		}
		d.Scheduling, d.DrainedS, d.Interrupted = rec.Scheduling, rec.Drained.Seconds(), rec.Interrupted
		return attempt{rec.steps[0], facts[0]}, nil
	}, func(says string) { t.say.note("%s: %s", t.label, says) })
	facts := all.runs.settle(d)
	if len(d.Steps) > 0 {
		all.found.ByP99 = stats.CapacityOf(d.Steps, t.flags.slo(), facts).ByP99
		d.Capacity = &all.found
	}
	switch {
	case err != nil || ctx.Err() != nil:
	case !all.ended:
		d.Warnings = append(d.Warnings, all.found.Criterion)
	case all.found.Status == result.Below && len(d.Steps) == 1:
		d.Warnings = append(d.Warnings, fmt.Sprintf("the first rate, %.0f/s, failed: a lower --from finds the capacity",
			d.Steps[0].OfferedPerSecond))
	}
	return facts, err
}
