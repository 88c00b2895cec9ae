package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
)

// ramp is `loadtest ramp`.
type ramp struct {
	flags
	Base     float64       `placeholder:"RATE" help:"Iterations/s that the steps are 0.2 to 1.5 times of. Default: what a closed loop on the first design reaches."`
	Steps    int           `default:"10" help:"Steps."`
	Step     time.Duration `placeholder:"TIME" help:"Length of every step. Default: by --scale, and longer where a low rate needs it for its claim."`
	Arrivals string        `default:"uniform" enum:"uniform,poisson" help:"How arrivals are spread: ${enum}."`

	budget time.Duration // of one design's ramp; 0: no limit
}

// Run measures every design's ramp, all with one plan.
func (c *ramp) Run(ctx context.Context, s streams, code *int) error {
	return c.run(ctx, s, code, "ramp")
}

func (c *ramp) run(ctx context.Context, s streams, code *int, command string) error {
	mix, err := c.check(command, load.DefaultUsers)
	if err != nil {
		return err
	}
	if !isRate(c.Base) || c.Steps < 1 || c.Steps > 100 || c.Step < 0 {
		return usageError{errors.New("--base and --step are not negative, --steps is 1 to 100")}
	}
	if c.Base > 0 { // wrong now or after minutes
		if err := c.plan(mix, c.Base).Check(); err != nil {
			return usageError{err}
		}
	}
	*code, err = measuring(ctx, &c.flags, mix, result.ModeRamp, s, func(m *measurement) error { return c.measure(ctx, m) })
	return err
}

func (c *ramp) measure(ctx context.Context, m *measurement) error {
	base := c.Base
	if m.res.Plan.BaseFrom = "given"; base == 0 {
		var err error
		if base, err = m.baseRate(ctx); err != nil {
			return err
		}
	}
	plan := c.plan(m.mix, base)
	if err := plan.Check(); err != nil {
		return err
	}
	m.res.Plan.Base, m.res.Plan.Arrivals = &base, c.Arrivals
	for _, s := range plan.Steps {
		m.res.Plan.Steps = append(m.res.Plan.Steps, result.PlanStep{PerSecond: s.Rate, Seconds: s.Duration.Seconds()})
	}
	for _, name := range c.names() {
		err := m.add(ctx, name, job{steps: plan.Steps, rises: true, users: c.Users, offer: open(plan), again: func(step, run int) offering {
			one := plan
			one.Steps, one.Seed = plan.Steps[step:step+1], plan.Seed+uint32(step)<<8+uint32(run) // other iterations than before
			return open(one)
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *ramp) plan(mix load.Mix, base float64) load.Plan {
	return load.Plan{Mix: mix, Arrivals: load.Arrivals(c.Arrivals), Seed: c.Seed, Steps: c.schedule(base)}
}

// baseRate is the rate of a closed loop on the first design, of which other rates are shares.
func (m *measurement) baseRate(ctx context.Context) (float64, error) {
	name := m.flags.names()[0]
	d, err := m.lab.measure(ctx, name, 0, closedJob(m.mix, m.flags.Seed, closedUsers, scales[m.flags.Scale].closed))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return 0, err
	}
	m.res.BaseRun = &d
	rate := d.Steps[0].AchievedPerSecond
	m.res.Plan.BaseFrom = fmt.Sprintf("closed loop of %d users on %s", closedUsers, name)
	if rate < 1 {
		return 0, fmt.Errorf("the closed loop on %s did not reach one good iteration a second: %s", name, failuresInWords(d.Steps[0].Failures))
	}
	if v := d.Steps[0].Verdict; v.Outcome == result.Invalid {
		m.res.Warnings = append(m.res.Warnings, "the base rate comes from a closed loop that is INVALID itself: "+strings.Join(v.Reasons, "; "))
	}
	m.say.note("base rate: %.0f iterations/s, %s", rate, m.res.Plan.BaseFrom)
	return rate, nil
}

// schedule makes the steps: of the given length; or long enough for a claim that bears one failure, or none where that
// takes too long, with fewer steps where even those do not fit the budget.
func (c *ramp) schedule(base float64) []load.Step {
	if c.Step > 0 {
		return load.Ramp(base, c.Steps, c.Step)
	}
	usual := scales[c.Scale].step
	var steps []load.Step
	for n := c.Steps; ; n-- {
		for _, failures := range []int64{1, 0} {
			total := time.Duration(0)
			steps = load.Ramp(base, n, usual)
			for i, s := range steps {
				steps[i].Duration = c.lasting(usual, s.Rate, failures)
				total += steps[i].Duration
			}
			if c.budget == 0 || total <= c.budget {
				return steps
			}
		}
		if n <= min(c.Steps, 5) {
			return steps
		}
	}
}
