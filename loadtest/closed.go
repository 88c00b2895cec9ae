package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"splitshop/loadtest/load"
	"splitshop/loadtest/result"
	"splitshop/loadtest/stats"
)

// closed is `loadtest closed`.
type closed struct {
	flags
	Duration time.Duration `placeholder:"TIME" help:"Length of each repeat. Default: by --scale."`
	Repeats  int           `placeholder:"N" help:"Times each design is measured, from a fresh database. Default: by --scale."`
}

// Run measures the designs interleaved: A B B A ...
func (c *closed) Run(ctx context.Context, s streams, code *int) error {
	return c.run(ctx, s, code, result.ModeClosed)
}

func (c *closed) run(ctx context.Context, s streams, code *int, mode string) error {
	mix, err := c.check(mode, closedUsers)
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
	*code, err = measuring(ctx, &c.flags, mix, mode, s, func(m *measurement) error {
		m.res.Plan.Arrivals, m.res.Plan.Repeats = "closed loop", c.Repeats
		m.res.Plan.Steps = []result.PlanStep{{Seconds: c.Duration.Seconds()}}
		for i := range c.Repeats {
			for _, name := range inTurn(c.names(), i) {
				if err := m.repeat(ctx, name, closedJob(mix, c.Seed, c.Users, c.Duration)); err != nil {
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
	return job{closed: true, users: users, offer: closedOffering(mix, seed, d)}
}

// repeat measures a job of one step as often as it takes and keeps what came of it, also where it was cut.
func (m *measurement) repeat(ctx context.Context, name string, j job) error {
	n := m.repeatsOf(name) + 1
	d, err := m.untilItCounts(ctx, fmt.Sprintf("%s (%d)", name, n), func() (result.Design, error) {
		return m.measure(ctx, name, n, j)
	})
	return m.keep(ctx, d, err)
}

// untilItCounts measures once, and again as stats.Repeated wants it: the repeat is INVALID, or others used the machine. Each time all
// is made afresh, so every run offers the same work to the same database. The run that stands is returned, with the others beside it.
// Where a further run is cut or cannot be made, what was known before it stands.
func (m *measurement) untilItCounts(ctx context.Context, label string, measure func() (result.Design, error)) (result.Design, error) {
	var runs []result.Design
	var verdicts []result.Verdict
	for {
		d, err := measure()
		if err == nil {
			err = ctx.Err()
		}
		if len(d.Steps) == 0 || (err != nil && len(runs) > 0) {
			return standing(runs, verdicts, d), err
		}
		runs, verdicts = append(runs, d), append(verdicts, d.Steps[0].Verdict)
		if _, again := stats.Repeated(verdicts); !again || err != nil {
			return standing(runs, verdicts, d), err
		}
		m.say.note("%s once more: %s", label, whyAgain(d.Steps[0].Verdict))
	}
}

func whyAgain(v result.Verdict) string {
	if v.Outcome == result.Invalid {
		return string(result.Invalid) + ": " + strings.Join(v.Reasons, "; ")
	}
	return "others used the machine"
}

// standing returns the run that stands for a repeat, with the others beside it; of none, what there is.
func standing(runs []result.Design, verdicts []result.Verdict, only result.Design) result.Design {
	if len(runs) == 0 {
		return only
	}
	stands, _ := stats.Repeated(verdicts)
	d := runs[stands]
	steps := make([]result.Step, len(runs))
	for n, r := range runs {
		steps[n] = r.Steps[0]
		if n != stands {
			d.Warnings = append(d.Warnings, r.Warnings...)
		}
	}
	settle(&d, 0, steps, stands)
	return d
}
