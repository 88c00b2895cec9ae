package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
)

// closed is `loadtest closed`.
type closed struct {
	flags
	Duration time.Duration `placeholder:"TIME" help:"Length of each repeat. Default: by --scale."`
	Repeats  int           `placeholder:"N" help:"Times each design is measured, from a fresh database. Default: by --scale."`
}

// Run measures the designs interleaved: A B B A ...
func (c *closed) Run(ctx context.Context, s streams, code *int) error {
	mix, err := c.check("closed", closedUsers)
	if err != nil {
		return err
	}
	if c.Duration < 0 || c.Repeats < 0 {
		return usageError{errors.New("--duration and --repeats are not negative")}
	}
	if c.Duration == 0 {
		c.Duration = scales[c.Scale].closed
	}
	if c.Repeats == 0 {
		c.Repeats = scales[c.Scale].repeats
	}
	*code, err = measuring(ctx, &c.flags, mix, "closed", s, func(m *measurement) error {
		m.res.Plan.Arrivals, m.res.Plan.Repeats = "closed loop", c.Repeats
		m.res.Plan.Steps = []result.PlanStep{{Seconds: c.Duration.Seconds()}}
		for i := range c.Repeats {
			for _, name := range inTurn(c.names(), i) {
				if err := m.add(ctx, name, closedJob(mix, c.Seed, c.Users, c.Duration)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return err
}

// inTurn is the order of the i-th round: there and back again, so that a drift of the machine meets all alike.
func inTurn(names []string, i int) []string {
	names = slices.Clone(names)
	if i%2 == 1 {
		slices.Reverse(names)
	}
	return names
}

func closedJob(mix load.Mix, seed uint32, users int, d time.Duration) job {
	return job{closed: true, users: users, offer: func(ctx context.Context, cfg load.Config) (load.Record, error) {
		return load.Closed(ctx, cfg, mix, seed, d)
	}}
}
