package main

import (
	"context"
	"fmt"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
)

// fixed is `loadtest fixed`.
type fixed struct {
	flags
	Rate     float64       `required:"" placeholder:"RATE" help:"Iterations/s that each design is offered."`
	Duration time.Duration `placeholder:"TIME" help:"Length of each repeat. Default: by --scale, and longer where a low rate needs it for its claim."`
	Repeats  int           `placeholder:"N" help:"Times each design is measured, from a fresh database. Default: by --scale."`
	Arrivals string        `default:"uniform" enum:"uniform,poisson" help:"How arrivals are spread: ${enum}."`
}

// mostRepeats is the limit of repeats and searches: more are a mistake.
const mostRepeats = 100

// Run measures the designs interleaved, as closed does.
func (c *fixed) Run(ctx context.Context, s streams, code *int) error {
	mix, err := c.check(result.ModeFixed, load.DefaultUsers)
	if err != nil {
		return err
	}
	plan, err := c.plan(mix)
	if err != nil {
		return usageError{err}
	}
	*code, err = measuring(ctx, &c.flags, mix, result.ModeFixed, s, func(m *measurement) error {
		one := plan.Steps[0]
		m.res.Plan.Arrivals, m.res.Plan.Repeats = c.Arrivals, c.Repeats
		m.res.Plan.Steps = []result.PlanStep{{PerSecond: one.Rate, Seconds: one.Duration.Seconds()}}
		for i := range c.Repeats {
			for _, name := range inTurn(c.names(), i) {
				if err := m.repeat(ctx, name, job{steps: plan.Steps, users: c.Users, offer: open(plan)}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return err
}

// plan completes the command's own flags, makes the plan of one step, and says what is wrong with them.
func (c *fixed) plan(mix load.Mix) (load.Plan, error) {
	switch {
	case !(c.Rate > 0 && c.Rate <= load.MaxRate):
		return load.Plan{}, fmt.Errorf("--rate is %g and must be above 0 and at most %.0f iterations/s", c.Rate, float64(load.MaxRate))
	case c.Require > c.Rate:
		return load.Plan{}, fmt.Errorf("--require is %g and must be at most --rate, %g: more is not offered", c.Require, c.Rate)
	case c.Duration < 0:
		return load.Plan{}, fmt.Errorf("--duration is %v and must be above 0", c.Duration)
	case c.Repeats < 0 || c.Repeats > mostRepeats:
		return load.Plan{}, fmt.Errorf("--repeats is %d and must be 1 to %d", c.Repeats, mostRepeats)
	}
	if c.Repeats == 0 {
		c.Repeats = scales[c.Scale].repeats
	}
	if c.Duration == 0 {
		c.Duration = c.lasting(scales[c.Scale].sustained, c.Rate, 1)
	}
	plan := load.Plan{Mix: mix, Arrivals: load.Arrivals(c.Arrivals), Seed: c.Seed, Steps: []load.Step{{Rate: c.Rate, Duration: c.Duration}}}
	return plan, plan.Check()
}
